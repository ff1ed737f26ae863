/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a keeper has to tell: the last bytes of the console and the last marks between them, by
 * position, so that every listener goes at its own speed and none is waited for. Positions count
 * all bytes since the keeper started. Layer: console.
 */
#ifndef RIG_CONSOLE_FEED_H
#define RIG_CONSOLE_FEED_H

#include <stddef.h>
#include <stdint.h>

#define FEED_BYTES     (1u << 20) /* a power of two */
#define FEED_MARKS     64u
#define FEED_MARK_TEXT 256

struct feed_mark {
	uint64_t at;
	char type; /* as in io/attach.h */
	char text[FEED_MARK_TEXT];
};

struct feed {
	char *ring;
	uint64_t end; /* the position of the next byte */
	struct feed_mark marks[FEED_MARKS];
	uint64_t n_marks; /* ever */
};

void feed_init(struct feed *f);
void feed_release(struct feed *f);

void feed_add(struct feed *f, const void *data, size_t size);
void feed_mark(struct feed *f, char type, const char *text);

/* The first position whose byte is still here. */
uint64_t feed_begin(const struct feed *f);

/* The bytes from at (feed_begin() or later) up to limit that lie in one piece: *data and how many.
 */
size_t feed_piece(const struct feed *f, uint64_t at, uint64_t limit, const char **data);

/* The mark of that number, or the first that is still here: *n becomes its number. NULL = none. */
const struct feed_mark *feed_next_mark(const struct feed *f, uint64_t *n);

#endif
