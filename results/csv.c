// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV; see csv.h. Layer: results, pure. */
#include "results/csv.h"

#include <stdbool.h>
#include <string.h>

#include "results/text.h"
#include "results/values.h"

static const char bom[] = "\xef\xbb\xbf";

void csv_init(struct csv *c, const char *file, const char *data, size_t size)
{
	memset(c, 0, sizeof(*c));
	c->file = file;
	c->p = data;
	c->end = data + size;
	if (text_starts(text_of(data, size), bom))
		c->p += strlen(bom);
	c->line = 1;
	c->line_start = c->p;
}

void csv_release(struct csv *c)
{
	buf_release(&c->text);
}

static int bad(const struct csv *c, size_t line, size_t column, const char *what, struct err *err)
{
	return err_set(err, BLAME_USER, "bad-csv", "%s:%zu:%zu: %s", c->file, line, column, what);
}

static size_t column(const struct csv *c)
{
	return (size_t)(c->p - c->line_start) + 1;
}

/* The one that is in the first line most often; none: comma. */
static char find_separator(const struct csv *c)
{
	static const char known[] = ",;\t";
	size_t best = 0;
	char separator = ',';

	for (const char *s = known; *s; s++) {
		size_t n = 0;

		for (const char *p = c->p; p < c->end && *p != '\n'; p++)
			n += *p == *s;
		if (n > best) {
			best = n;
			separator = *s;
		}
	}
	return separator;
}

static void new_line(struct csv *c)
{
	c->p++;
	c->line++;
	c->line_start = c->p;
}

static bool at_end_of_line(const struct csv *c)
{
	return c->p >= c->end || *c->p == '\n' ||
	       (*c->p == '\r' && c->p + 1 < c->end && c->p[1] == '\n') ||
	       (*c->p == '\r' && c->p + 1 == c->end);
}

/* From behind the opening quote to behind the closing one. */
static int quoted(struct csv *c, const struct csv_field *f, struct err *err)
{
	while (c->p < c->end) {
		if (*c->p == '"' && (++c->p >= c->end || *c->p != '"'))
			return 0;
		buf_append(&c->text, c->p, 1);
		if (*c->p == '\n')
			new_line(c);
		else
			c->p++;
	}
	return bad(c, f->line, f->column, "a quote that is never closed", err);
}

static void plain(struct csv *c)
{
	while (!at_end_of_line(c) && *c->p != c->separator)
		buf_append(&c->text, c->p++, 1);
}

static int field(struct csv *c, struct err *err)
{
	struct csv_field *f = &c->fields[c->n];
	size_t start = c->text.size;

	if (c->n == CSV_FIELDS_MAX)
		return bad(c, c->line, column(c), "too many fields in a row", err);
	*f = (struct csv_field){ .line = c->line, .column = column(c) };
	c->offsets[c->n++] = start;
	if (c->p < c->end && *c->p == '"') {
		c->p++;
		if (quoted(c, f, err) < 0)
			return -1;
		if (!at_end_of_line(c) && *c->p != c->separator)
			return bad(c, c->line, column(c), "text after a closing quote", err);
	} else {
		plain(c);
	}
	if (c->text.size > start && memchr(c->text.data + start, '\0', c->text.size - start))
		return bad(c, f->line, f->column, "a NUL byte", err);
	buf_append(&c->text, "", 1);
	return 0;
}

static int row(struct csv *c, struct err *err)
{
	c->n = 0;
	buf_reset(&c->text);
	for (;;) {
		if (field(c, err) < 0)
			return -1;
		if (at_end_of_line(c))
			break;
		c->p++;
	}
	if (c->p < c->end && *c->p == '\r')
		c->p++;
	if (c->p < c->end)
		new_line(c);
	for (size_t i = 0; i < c->n; i++) {
		values_clean(c->text.data + c->offsets[i]);
		c->fields[i].text = c->text.data + c->offsets[i];
	}
	return 1;
}

int csv_next(struct csv *c, struct err *err)
{
	if (!c->separator)
		c->separator = find_separator(c);
	while (c->p < c->end) {
		int rc = row(c, err);

		if (rc < 0 || c->n > 1 || *c->fields[0].text)
			return rc;
	}
	return 0;
}
