// SPDX-License-Identifier: GPL-2.0-or-later
/* What a keeper has to tell; see feed.h. Layer: console. */
#include "console/feed.h"
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void feed_init(struct feed *f)
{
	memset(f, 0, sizeof(*f));
	f->ring = xmalloc(FEED_BYTES);
}

void feed_release(struct feed *f)
{
	free(f->ring);
	f->ring = NULL;
}

static size_t place(uint64_t at)
{
	return (size_t)(at & (FEED_BYTES - 1));
}

void feed_add(struct feed *f, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		size_t room = FEED_BYTES - place(f->end);
		size_t n = size < room ? size : room;

		memcpy(f->ring + place(f->end), from, n);
		f->end += n;
		from += n;
		size -= n;
	}
}

void feed_mark(struct feed *f, char type, const char *text)
{
	struct feed_mark *m = &f->marks[f->n_marks++ % FEED_MARKS];

	m->at = f->end;
	m->type = type;
	snprintf(m->text, sizeof(m->text), "%s", text);
}

uint64_t feed_begin(const struct feed *f)
{
	return f->end > FEED_BYTES ? f->end - FEED_BYTES : 0;
}

size_t feed_piece(const struct feed *f, uint64_t at, uint64_t limit, const char **data)
{
	uint64_t end = limit < f->end ? limit : f->end;
	size_t room = FEED_BYTES - place(at);

	*data = f->ring + place(at);
	if (at >= end)
		return 0;
	return end - at < room ? (size_t)(end - at) : room;
}

const struct feed_mark *feed_next_mark(const struct feed *f, uint64_t *n)
{
	if (f->n_marks > FEED_MARKS && *n < f->n_marks - FEED_MARKS)
		*n = f->n_marks - FEED_MARKS;
	return *n < f->n_marks ? &f->marks[*n % FEED_MARKS] : NULL;
}
