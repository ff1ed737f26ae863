/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing byte buffer, always followed by a NUL that does not count. Allocation failure is
 * fatal inside (abort): the rig cannot do anything useful without a few kilobytes.
 */
#ifndef RIG_BASE_BUF_H
#define RIG_BASE_BUF_H

#include <stddef.h>

struct buf {
	char *data;  /* owned; never NULL after the first append */
	size_t size; /* bytes in use, without the NUL */
	size_t cap;
};

#define BUF_INIT                                                                                   \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

void buf_release(struct buf *b);
void buf_reset(struct buf *b); /* empty it, keep the memory */
void buf_append(struct buf *b, const void *data, size_t size);
void buf_adds(struct buf *b, const char *s);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Drops the first n bytes (at most all). */
void buf_consume(struct buf *b, size_t n);

/* "" instead of NULL for an empty buffer. */
const char *buf_str(const struct buf *b);

/* Gives the memory (NUL-terminated, to be freed by the caller) away and empties b. */
char *buf_detach(struct buf *b);

/* malloc family that aborts when memory runs out. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
