// SPDX-License-Identifier: GPL-2.0-or-later
/* Growing byte buffer; see buf.h. Layer: base. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xrealloc(void *p, size_t size)
{
	void *q = realloc(p, size ? size : 1);

	if (!q)
		abort();
	return q;
}

void *xmalloc(size_t size)
{
	return xrealloc(NULL, size);
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

char *xstrdup(const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(xmalloc(size), s, size);
}

static void reserve(struct buf *b, size_t more)
{
	size_t need = b->size + more + 1;

	if (need <= b->cap)
		return;
	b->cap = need > 2 * b->cap ? need : 2 * b->cap;
	b->data = xrealloc(b->data, b->cap);
}

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf)BUF_INIT;
}

void buf_reset(struct buf *b)
{
	b->size = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_append(struct buf *b, const void *data, size_t size)
{
	reserve(b, size);
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
	b->data[b->size] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_append(b, s, strlen(s));
}

static void addv(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		abort();
	reserve(b, (size_t)n);
	vsnprintf(b->data + b->size, (size_t)n + 1, fmt, ap);
	b->size += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	addv(b, fmt, ap);
	va_end(ap);
}

char *xasprintf(const char *fmt, ...)
{
	struct buf b = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	addv(&b, fmt, ap);
	va_end(ap);
	return b.data;
}

void buf_consume(struct buf *b, size_t n)
{
	if (n > b->size)
		n = b->size;
	if (!b->data)
		return;
	memmove(b->data, b->data + n, b->size - n + 1);
	b->size -= n;
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_detach(struct buf *b)
{
	char *p = b->data ? b->data : xstrdup("");

	*b = (struct buf)BUF_INIT;
	return p;
}
