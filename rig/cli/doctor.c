// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of `rig doctor`, and how its topics read the host; see doctor.h. Layer: cli. */
#include "cli/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"

#define FILE_MAX 65536

static char *vtext(const char *fmt, va_list ap)
{
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	return xstrdup(text);
}

void doctor_add(struct doctor *d, enum doctor_state state, const char *check, const char *mend,
		const char *fmt, ...)
{
	struct doctor_row *row;
	va_list ap;

	d->rows = xrealloc(d->rows, (d->n_rows + 1) * sizeof(*d->rows));
	row = &d->rows[d->n_rows++];
	va_start(ap, fmt);
	*row = (struct doctor_row){ state, xstrdup(check), vtext(fmt, ap),
				    mend && state != DOCTOR_OK ? xstrdup(mend) : NULL };
	va_end(ap);
}

void doctor_release(struct doctor *d)
{
	for (size_t i = 0; i < d->n_rows; i++) {
		free(d->rows[i].check);
		free(d->rows[i].evidence);
		free(d->rows[i].mend);
	}
	free(d->rows);
	d->rows = NULL;
	d->n_rows = 0;
}

size_t doctor_count(const struct doctor *d, enum doctor_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_rows; i++)
		n += d->rows[i].state == state;
	return n;
}

static char *below_root(const struct doctor *d, const char *fmt, va_list ap)
{
	char *rest = vtext(fmt, ap);
	char *path = xasprintf("%s%s", d->root, rest);

	free(rest);
	return path;
}

char *doctor_path(const struct doctor *d, const char *fmt, ...)
{
	char *path;
	va_list ap;

	va_start(ap, fmt);
	path = below_root(d, fmt, ap);
	va_end(ap);
	return path;
}

bool doctor_read(const struct doctor *d, struct buf *text, const char *fmt, ...)
{
	char *path;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	path = below_root(d, fmt, ap);
	va_end(ap);
	buf_reset(text);
	rc = path_read(path, text, FILE_MAX);
	free(path);
	if (text->size) {
		text->size = strcspn(text->data, "\n");
		text->data[text->size] = '\0';
	}
	return rc == 0;
}
