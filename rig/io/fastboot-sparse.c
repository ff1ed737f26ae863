// SPDX-License-Identifier: GPL-2.0-or-later
/* Splits images into sparse pieces; see fastboot-sparse.h. Layer: io. */
#include "io/fastboot-sparse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

#define MAGIC	    0xed26ff3au
#define HEADER_SIZE 28
#define CHUNK_SIZE  12
#define FILL_SIZE   4

/* What we make of a raw file, and what every bootloader takes. */
#define BLOCK 4096

/* How much of a raw file is looked at in one go. */
#define WINDOW (1u << 20)

enum chunk_type { RAW = 0xcac1, FILL = 0xcac2, SKIP = 0xcac3, CRC = 0xcac4 };

struct chunk {
	enum chunk_type type;
	uint32_t fill;
	uint64_t blocks;
	uint64_t at; /* RAW: its place in the file */
};

/* A part of the piece: bytes of `head`, bytes of the file, or zeros. */
struct segment {
	enum { FROM_HEAD, FROM_FILE, ZEROS } from;
	uint64_t at, size;
};

struct sparse {
	int fd;
	uint64_t end; /* of the image in the file */
	uint32_t block;
	uint64_t blocks, data_blocks;

	struct chunk *chunks;
	size_t n, cap;

	size_t next;	     /* the chunk the next piece begins with */
	uint64_t next_block; /* blocks of it that are gone already */
	uint64_t passed;     /* blocks of the image that are gone already */

	struct buf head; /* headers and fill words of the piece */
	struct segment *segments;
	size_t n_segments, cap_segments;
	size_t segment; /* being read */
	uint64_t segment_done;
};

static uint16_t le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int read_at(int fd, void *buf, size_t n, uint64_t at)
{
	uint8_t *p = buf;

	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		p += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

/* ---- what is in the file ---- */

static void add_chunk(struct sparse *s, struct chunk c)
{
	struct chunk *last = s->n ? &s->chunks[s->n - 1] : NULL;

	if (!c.blocks)
		return;
	s->blocks += c.blocks;
	s->data_blocks += c.type == RAW ? c.blocks : 0;
	if (last && last->type == c.type &&
	    (c.type == SKIP || (c.type == FILL && last->fill == c.fill) ||
	     (c.type == RAW && last->at + last->blocks * s->block == c.at))) {
		last->blocks += c.blocks;
		return;
	}
	if (!s->chunks || s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->chunks = xrealloc(s->chunks, s->cap * sizeof(*s->chunks));
	}
	s->chunks[s->n++] = c;
}

static bool repeats(const uint8_t *block, uint32_t *word)
{
	*word = le32(block);
	return !memcmp(block, block + 4, BLOCK - 4);
}

static int scan_raw(struct sparse *s, uint64_t offset, uint64_t size)
{
	uint8_t *window = xmalloc(WINDOW);
	int rc = 0;

	for (uint64_t at = 0; at < size && !rc; at += WINDOW) {
		size_t n = size - at < WINDOW ? (size_t)(size - at) : WINDOW;

		memset(window + n, 0, WINDOW - n);
		rc = read_at(s->fd, window, n, offset + at);
		for (size_t i = 0; i < n && !rc; i += BLOCK) {
			struct chunk c = { .type = RAW, .blocks = 1, .at = offset + at + i };

			if (repeats(window + i, &c.fill))
				c.type = FILL;
			add_chunk(s, c);
		}
	}
	free(window);
	return rc;
}

/* One chunk of a sparse file at *at, which goes behind it. */
static int scan_chunk(struct sparse *s, uint16_t header_size, uint64_t *at)
{
	uint8_t raw[CHUNK_SIZE], word[FILL_SIZE] = { 0 };
	struct chunk c;
	uint64_t total, data;
	int rc;

	if (s->end - *at < header_size)
		return -EINVAL;
	rc = read_at(s->fd, raw, sizeof(raw), *at);
	if (rc)
		return rc;
	c = (struct chunk){ .type = le16(raw), .blocks = le32(raw + 4), .at = *at + header_size };
	total = le32(raw + 8);
	if (total < header_size || total > s->end - *at)
		return -EINVAL;
	data = total - header_size;
	*at += total;
	if (c.type == CRC)
		return 0;
	if ((c.type == RAW && data != c.blocks * s->block) ||
	    (c.type == FILL && data != FILL_SIZE) || (c.type == SKIP && data) ||
	    (c.type != RAW && c.type != FILL && c.type != SKIP))
		return -EINVAL;
	if (c.type == FILL)
		rc = read_at(s->fd, word, sizeof(word), c.at);
	c.fill = le32(word);
	add_chunk(s, c);
	return rc;
}

static int scan_sparse(struct sparse *s, uint64_t offset)
{
	uint8_t raw[HEADER_SIZE];
	uint16_t header_size, chunk_size;
	uint64_t at;
	int rc = read_at(s->fd, raw, sizeof(raw), offset);

	if (rc)
		return rc;
	header_size = le16(raw + 8);
	chunk_size = le16(raw + 10);
	s->block = le32(raw + 12);
	if (le16(raw + 4) != 1 || header_size < HEADER_SIZE || chunk_size < CHUNK_SIZE ||
	    header_size > s->end - offset || !s->block || s->block % 4 || s->block > WINDOW)
		return -EINVAL;
	at = offset + header_size;
	for (uint32_t i = 0; i < le32(raw + 20) && !rc; i++)
		rc = scan_chunk(s, chunk_size, &at);
	return rc ? rc : s->blocks == le32(raw + 16) ? 0 : -EINVAL;
}

bool sparse_is(int fd, uint64_t offset, uint64_t size)
{
	uint8_t raw[4];

	return size >= HEADER_SIZE && !read_at(fd, raw, sizeof(raw), offset) && le32(raw) == MAGIC;
}

int sparse_new(struct sparse **out, int fd, uint64_t offset, uint64_t size)
{
	struct sparse *s = xcalloc(1, sizeof(*s));
	int rc;

	s->fd = fd;
	s->end = offset + size;
	s->block = BLOCK;
	rc = sparse_is(fd, offset, size) ? scan_sparse(s, offset) : scan_raw(s, offset, size);
	if (!rc && s->blocks > UINT32_MAX)
		rc = -EINVAL;
	if (rc)
		sparse_free(s);
	else
		*out = s;
	return rc;
}

void sparse_free(struct sparse *s)
{
	if (!s)
		return;
	buf_release(&s->head);
	free(s->segments);
	free(s->chunks);
	free(s);
}

uint64_t sparse_covers(const struct sparse *s)
{
	return s->blocks * s->block;
}

uint64_t sparse_data(const struct sparse *s)
{
	return s->data_blocks * s->block;
}

/* ---- a piece ---- */

static void add_segment(struct sparse *s, struct segment seg)
{
	if (!seg.size)
		return;
	if (!s->segments || s->n_segments == s->cap_segments) {
		s->cap_segments = s->cap_segments ? 2 * s->cap_segments : 64;
		s->segments = xrealloc(s->segments, s->cap_segments * sizeof(*s->segments));
	}
	s->segments[s->n_segments++] = seg;
}

static void put(struct sparse *s, uint32_t value, int bytes)
{
	struct segment *last = s->n_segments ? &s->segments[s->n_segments - 1] : NULL;

	if (last && last->from == FROM_HEAD)
		last->size += (uint64_t)bytes;
	else
		add_segment(s, (struct segment){ FROM_HEAD, s->head.size, (uint64_t)bytes });
	for (int i = 0; i < bytes; i++)
		buf_append(&s->head, &(uint8_t){ (uint8_t)(value >> 8 * i) }, 1);
}

static void put_header(struct sparse *s)
{
	put(s, MAGIC, 4);
	put(s, 1, 2);
	put(s, 0, 2);
	put(s, HEADER_SIZE, 2);
	put(s, CHUNK_SIZE, 2);
	put(s, s->block, 4);
	put(s, (uint32_t)s->blocks, 4);
	put(s, 0, 4); /* chunks: see set_chunks() */
	put(s, 0, 4); /* no checksum */
}

static void set_chunks(struct sparse *s, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		s->head.data[20 + i] = (char)(n >> 8 * i);
}

/* The chunk's payload in the piece, bytes. */
static uint64_t payload(const struct sparse *s, const struct chunk *c)
{
	return c->type == RAW ? c->blocks * s->block : c->type == FILL ? FILL_SIZE : 0;
}

static void put_chunk(struct sparse *s, const struct chunk *c)
{
	uint64_t bytes = payload(s, c);
	uint64_t in_file;

	put(s, c->type, 2);
	put(s, 0, 2);
	put(s, (uint32_t)c->blocks, 4);
	put(s, (uint32_t)(CHUNK_SIZE + bytes), 4);
	if (c->type == FILL)
		put(s, c->fill, FILL_SIZE);
	if (c->type != RAW)
		return;
	/* the last block of a raw file may stick out */
	in_file = s->end - c->at < bytes ? s->end - c->at : bytes;
	add_segment(s, (struct segment){ FROM_FILE, c->at, in_file });
	add_segment(s, (struct segment){ ZEROS, 0, bytes - in_file });
}

/* As much of the next chunk as fits into room bytes; blocks 0: nothing. */
static struct chunk cut(const struct sparse *s, uint64_t room)
{
	struct chunk c = s->chunks[s->next];

	c.at += s->next_block * s->block;
	c.blocks -= s->next_block;
	if (room < CHUNK_SIZE + FILL_SIZE)
		c.blocks = 0;
	else if (c.type == RAW && c.blocks > (room - CHUNK_SIZE) / s->block)
		c.blocks = (room - CHUNK_SIZE) / s->block;
	return c;
}

static void advance(struct sparse *s, uint64_t blocks)
{
	s->passed += blocks;
	s->next_block += blocks;
	if (s->next_block == s->chunks[s->next].blocks) {
		s->next_block = 0;
		s->next++;
	}
}

/* Chunks until the piece is full or there are no more; how many. *size grows. */
static uint32_t put_chunks(struct sparse *s, uint64_t max, uint64_t *size)
{
	uint32_t n = 0;

	while (s->next < s->n && *size + CHUNK_SIZE < max) {
		/* room stays for the skip that may have to follow */
		struct chunk c = cut(s, max - *size - CHUNK_SIZE);

		if (!c.blocks)
			break;
		put_chunk(s, &c);
		*size += CHUNK_SIZE + payload(s, &c);
		advance(s, c.blocks);
		n++;
	}
	return n;
}

int sparse_next(struct sparse *s, uint64_t max, uint64_t *size)
{
	uint32_t chunks = 0, taken;

	s->n_segments = s->segment = 0;
	s->segment_done = 0;
	buf_reset(&s->head);
	*size = HEADER_SIZE;
	if (s->next == s->n)
		return 0;
	put_header(s);
	if (s->passed) {
		put_chunk(s, &(struct chunk){ .type = SKIP, .blocks = s->passed });
		*size += CHUNK_SIZE;
		chunks++;
	}
	taken = max > *size ? put_chunks(s, max, size) : 0;
	if (!taken)
		return -EMSGSIZE;
	chunks += taken;
	if (s->passed < s->blocks) {
		put_chunk(s, &(struct chunk){ .type = SKIP, .blocks = s->blocks - s->passed });
		*size += CHUNK_SIZE;
		chunks++;
	}
	set_chunks(s, chunks);
	return 1;
}

int sparse_read(struct sparse *s, void *buf, size_t n)
{
	uint8_t *to = buf;

	while (n && s->segment < s->n_segments) {
		const struct segment *seg = &s->segments[s->segment];
		uint64_t left = seg->size - s->segment_done;
		size_t part = left < n ? (size_t)left : n;
		int rc = 0;

		if (seg->from == FROM_HEAD)
			memcpy(to, s->head.data + seg->at + s->segment_done, part);
		else if (seg->from == FROM_FILE)
			rc = read_at(s->fd, to, part, seg->at + s->segment_done);
		else
			memset(to, 0, part);
		if (rc)
			return rc;
		to += part;
		n -= part;
		s->segment_done += part;
		if (s->segment_done == seg->size) {
			s->segment++;
			s->segment_done = 0;
		}
	}
	return n ? -EINVAL : 0;
}
