// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages of the trace buffer; see trace-page.h. */
#include "agents/trace-page.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define TYPE_PADDING 29
#define TYPE_EXTEND  30
#define TYPE_STAMP   31

#define COMMIT_MASK ((1u << 20) - 1) /* above it are flags: events were lost */

static uint32_t word_at(const unsigned char *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* A bit field begins at the low bits where bytes do, at the high ones elsewhere. */
static void split(uint32_t word, unsigned int *type, uint64_t *delta)
{
	if (BYTE_ORDER == LITTLE_ENDIAN) {
		*type = word & 31;
		*delta = word >> 5;
	} else {
		*type = word >> 27;
		*delta = word & ((1u << 27) - 1);
	}
}

struct cursor {
	const unsigned char *p, *end;
	uint64_t time_ns;
};

/* What follows a word of type 0, 29, 30 or 31; *data stays NULL when it is no event. */
static int take_special(struct cursor *c, unsigned int type, uint64_t delta,
			const unsigned char **data, size_t *size)
{
	uint32_t extra;

	if (type == TYPE_PADDING && !delta) {
		c->p = c->end;
		return 0;
	}
	if (c->end - c->p < 4)
		return -EINVAL;
	extra = word_at(c->p);
	if (type == TYPE_EXTEND || type == TYPE_STAMP) {
		c->p += 4;
		delta |= (uint64_t)extra << 27;
		c->time_ns = type == TYPE_STAMP ? delta : c->time_ns + delta;
		return 0;
	}
	if (extra < 4 || extra > (size_t)(c->end - c->p))
		return -EINVAL;
	c->time_ns += delta;
	*data = type ? NULL : c->p + 4;
	*size = extra - 4;
	c->p += (extra + 3) & ~3u;
	return 0;
}

static int take(struct cursor *c, const unsigned char **data, size_t *size)
{
	unsigned int type;
	uint64_t delta;

	if (c->end - c->p < 4)
		return -EINVAL;
	split(word_at(c->p), &type, &delta);
	c->p += 4;
	*data = NULL;
	if (!type || type >= TYPE_PADDING)
		return take_special(c, type, delta, data, size);
	*data = c->p;
	*size = type * 4;
	if (*size > (size_t)(c->end - c->p))
		return -EINVAL;
	c->p += *size;
	c->time_ns += delta;
	return 0;
}

int trace_page(const unsigned char *page, size_t size, size_t commit_size, trace_event_fn *each,
	       void *ctx)
{
	size_t head = 8 + commit_size, data_size;
	struct cursor c = { 0 };
	uint64_t commit = 0;
	uint32_t half;

	if (size < head)
		return -EINVAL;
	memcpy(&c.time_ns, page, 8);
	if (commit_size == 8) {
		memcpy(&commit, page + 8, 8);
	} else {
		memcpy(&half, page + 8, 4);
		commit = half;
	}
	data_size = commit & COMMIT_MASK;
	if (data_size > size - head)
		return -EINVAL;
	c.p = page + head;
	c.end = c.p + data_size;
	while (c.p < c.end) {
		const unsigned char *data;
		size_t n = 0;
		int rc = take(&c, &data, &n);

		if (rc)
			return rc;
		if (data && n >= 2)
			each(ctx, c.time_ns, data, n);
	}
	return 0;
}
