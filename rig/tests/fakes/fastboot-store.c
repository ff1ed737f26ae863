// SPDX-License-Identifier: GPL-2.0-or-later
/* Partitions as files; see fastboot-store.h. */
#include "fastboot-store.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sparse_header {
	uint32_t magic;
	uint16_t major, minor, header_size, chunk_size;
	uint32_t block, blocks, chunks, crc;
} __attribute__((packed));

struct chunk_header {
	uint16_t type, reserved;
	uint32_t blocks, bytes;
} __attribute__((packed));

static bool write_at(int fd, const void *data, size_t n, uint64_t at)
{
	while (n) {
		ssize_t w = pwrite(fd, data, n, (off_t)at);

		if (w <= 0)
			return false;
		data = (const uint8_t *)data + w;
		at += (uint64_t)w;
		n -= (size_t)w;
	}
	return true;
}

static bool fill(int fd, const uint8_t *word, uint64_t n, uint64_t at)
{
	uint8_t page[65536];

	for (size_t i = 0; i < sizeof(page); i++)
		page[i] = word[i % 4];
	for (; n; n -= n < sizeof(page) ? n : sizeof(page), at += sizeof(page))
		if (!write_at(fd, page, n < sizeof(page) ? (size_t)n : sizeof(page), at))
			return false;
	return true;
}

static const char *unsparse(int fd, uint64_t limit, const uint8_t *data, size_t n)
{
	struct sparse_header h;
	uint64_t at = 0;
	size_t in;

	memcpy(&h, data, sizeof(h));
	if (h.major != 1 || h.header_size != sizeof(h) ||
	    h.chunk_size != sizeof(struct chunk_header))
		return "Invalid sparse header";
	if ((uint64_t)h.block * h.blocks > limit)
		return "Image does not fit";
	in = h.header_size;
	for (uint32_t i = 0; i < h.chunks; i++) {
		struct chunk_header c;
		uint64_t bytes;

		if (n - in < sizeof(c))
			return "Sparse image is cut off";
		memcpy(&c, data + in, sizeof(c));
		bytes = (uint64_t)c.blocks * h.block;
		if (c.bytes < sizeof(c) || c.bytes > n - in)
			return "Bad chunk size";
		if (c.type == 0xcac1 && (c.bytes - sizeof(c) != bytes ||
					 !write_at(fd, data + in + sizeof(c), bytes, at)))
			return "Bad raw chunk";
		if (c.type == 0xcac2 &&
		    (c.bytes != sizeof(c) + 4 || !fill(fd, data + in + sizeof(c), bytes, at)))
			return "Bad fill chunk";
		in += c.bytes;
		at += bytes;
	}
	return in == n && at == (uint64_t)h.block * h.blocks ? NULL
							     : "Sparse image does not add up";
}

const char *store_flash(const char *dir, const char *name, uint64_t limit, const uint8_t *data,
			size_t n)
{
	static const uint8_t magic[] = { 0x3a, 0xff, 0x26, 0xed };
	const char *problem = NULL;
	char path[PATH_MAX + 64];
	bool sparse = n >= sizeof(struct sparse_header) && !memcmp(data, magic, sizeof(magic));
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (sparse ? 0 : O_TRUNC), 0644);
	if (fd < 0)
		return "Flash is broken";
	if (sparse)
		problem = unsparse(fd, limit, data, n);
	else if (n > limit)
		problem = "Image does not fit";
	else if (!write_at(fd, data, n, 0))
		problem = "Flash write failed";
	close(fd);
	return problem;
}

void store_erase(const char *dir, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}
