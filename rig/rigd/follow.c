// SPDX-License-Identifier: GPL-2.0-or-later
/* A journal as it grows; see follow.h. Layer: rigd. */
#include "rigd/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One event is a line; anything longer is not from our job. */
#define LINE_MAX_BYTES (256u * 1024)

void follow_init(struct follow *f, const char *path)
{
	*f = (struct follow){ .fd = -1, .path = xstrdup(path), .line = BUF_INIT };
}

void follow_release(struct follow *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	free(f->path);
	f->path = NULL;
	buf_release(&f->line);
}

static void take_lines(struct follow *f, void (*event)(void *ctx, const json_t *event), void *ctx)
{
	size_t done = 0;
	char *end;

	while (f->line.size > done &&
	       (end = memchr(f->line.data + done, '\n', f->line.size - done))) {
		size_t size = (size_t)(end - f->line.data) - done;
		json_t *o = json_loadb(f->line.data + done, size, 0, NULL);

		if (o)
			event(ctx, o);
		json_decref(o);
		done += size + 1;
	}
	buf_consume(&f->line, done);
	if (f->line.size > LINE_MAX_BYTES)
		buf_reset(&f->line);
}

int follow_read(struct follow *f, void (*event)(void *ctx, const json_t *event), void *ctx)
{
	char chunk[16384];
	ssize_t n;

	if (f->fd < 0)
		f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		return errno == ENOENT ? 0 : -errno;
	while ((n = read(f->fd, chunk, sizeof(chunk))) > 0) {
		buf_append(&f->line, chunk, (size_t)n);
		take_lines(f, event, ctx);
	}
	return n < 0 && errno != EINTR ? -errno : 0;
}
