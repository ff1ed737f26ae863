// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels that a loader on a wired console loads; see loaded.h. Layer: board, inside. */
#include "board/loaded.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/driver.h"
#include "board/pack.h"
#include "board/wired.h"

static ssize_t line_read(void *ctx, void *buf, size_t size, struct deadline d)
{
	return wired_read(ctx, buf, size, d);
}

static int line_write(void *ctx, const void *data, size_t size, struct deadline d)
{
	return wired_write(ctx, data, size, d);
}

struct loader_line loaded_line(struct wired *w)
{
	return (struct loader_line){ .read = line_read, .write = line_write, .ctx = w };
}

static uint32_t crc_add(uint32_t crc, const unsigned char *data, size_t size)
{
	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

int loaded_file_set(struct loaded_file *f, char *path, struct err *err)
{
	unsigned char chunk[65536];
	ssize_t got = -1;
	int fd;

	loaded_file_release(f);
	f->path = path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (got = read(fd, chunk, sizeof(chunk))) > 0) {
		f->crc = crc_add(f->crc, chunk, (size_t)got);
		f->size += (uint64_t)got;
	}
	if (got < 0)
		err_sys(err, BLAME_RIG, "image", errno, "cannot read %s", path);
	if (fd >= 0)
		close(fd);
	return got < 0 ? -1 : 0;
}

void loaded_file_release(struct loaded_file *f)
{
	free(f->path);
	*f = (struct loaded_file){ .path = NULL };
}

void loaded_tell(struct board *b, const char *name, const struct loaded_file *f)
{
	char hash[PACK_HASH_SIZE] = "?";

	pack_hash(f->path, hash);
	board_note(b, "loaded %s: %" PRIu64 " bytes, CRC-32 %08" PRIx32 ", SHA-256 %s", name,
		   f->size, f->crc, hash);
}

void loaded_var(struct loaded_vars *vars, const char *name, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	assert(vars->n < LOADED_VARS_MAX);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vars->v[vars->n++] = (struct loader_var){ name, xstrdup(text) };
}

void loaded_vars_release(struct loaded_vars *vars)
{
	for (size_t i = 0; i < vars->n; i++)
		free((char *)vars->v[i].value);
	memset(vars, 0, sizeof(*vars));
}

char *loaded_cmdline(const char *row, const char *image, struct err *err)
{
	bool more = image && *image;
	char *line = xasprintf("%s%s%s", row, more ? " " : "", more ? image : "");

	if (!strpbrk(line, "'\";$\\\n"))
		return line;
	err_set(err, BLAME_USER, "cmdline",
		"a loader's shell would not leave this command line as it is: %s", line);
	free(line);
	return NULL;
}
