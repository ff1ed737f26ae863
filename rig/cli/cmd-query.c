// SPDX-License-Identifier: GPL-2.0-or-later
/* rig query: ad-hoc read-only SQL, as a table, CSV or JSON. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/path.h"
#include "results/escape.h"
#include "results/store-query.h"
#include "results/store.h"
#include "results/values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQL_MAX	   ((size_t)1 << 20)
#define TABLE_ROWS 2000 /* that the widths of the columns are taken from */

static const char *file;
static const char *format = "text";
static long timeout_s = 30;
static bool schema;

static const struct opt opts[] = {
	{ OPT_STRING, 'f', "file", "FILE", "the statement is in FILE; - is the standard input",
	  &file, 0, 0 },
	{ OPT_STRING, 0, "format", "text|csv|json", "json: an array of objects", &format, 0, 0 },
	{ OPT_INT, 't', "timeout", "SECONDS", "stop after so long (30)", &timeout_s, 1, 86400 },
	{ OPT_FLAG, 0, "schema", NULL, "print the tables and views that can be asked", &schema, 0,
	  0 },
	{ .type = OPT_END },
};

/* What is being printed. */
struct output {
	size_t n; /* columns */
	char **names;
	size_t rows;
	struct buf cells; /* text: of the first rows, each with its NUL */
	size_t *width;
	bool *is_text;	   /* left-aligned */
	bool widths_known; /* the first rows are printed: go on line by line */
};

/* ---- text ---- */

/* What a terminal shows as one column each: bytes that do not continue a character. */
static size_t columns_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void print_cell(const struct output *o, size_t i, const char *text, bool left)
{
	size_t have = columns_of(text);
	int pad = have < o->width[i] ? (int)(o->width[i] - have) : 0;
	bool last = i + 1 == o->n;

	if (left)
		printf("%s%*s", text, last ? 0 : pad, "");
	else
		printf("%*s%s", pad, "", text);
	fputs(last ? "\n" : "  ", stdout);
}

static void print_head(const struct output *o)
{
	for (size_t i = 0; i < o->n; i++)
		print_cell(o, i, o->names[i], o->is_text[i]);
}

/* The rows that were held back for their widths. */
static void print_held(struct output *o)
{
	const char *p = buf_str(&o->cells);

	if (o->widths_known)
		return;
	o->widths_known = true;
	print_head(o);
	for (size_t i = 0; i < o->rows * o->n; i++) {
		print_cell(o, i % o->n, p, o->is_text[i % o->n]);
		p += strlen(p) + 1;
	}
	buf_release(&o->cells);
}

/* On one line: control characters become blanks. The caller frees. */
static char *cell_text(const struct query_value *v)
{
	char *text = v->type == QUERY_REAL ? xasprintf("%.10g", v->real) : xstrdup(v->text);

	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	return text;
}

static void hold_cell(struct output *o, size_t i, const struct query_value *v, const char *text)
{
	size_t width = columns_of(text);

	if (width > o->width[i])
		o->width[i] = width;
	o->is_text[i] |= v->type == QUERY_TEXT;
	buf_append(&o->cells, text, strlen(text) + 1);
}

static void text_row(struct output *o, const struct query_value *values)
{
	for (size_t i = 0; i < o->n; i++) {
		char *text = cell_text(&values[i]);

		if (o->widths_known)
			print_cell(o, i, text, o->is_text[i]);
		else
			hold_cell(o, i, &values[i], text);
		free(text);
	}
}

/* ---- csv ---- */

static void csv_begin(struct output *o)
{
	struct buf line = BUF_INIT;

	for (size_t i = 0; i < o->n; i++) {
		escape_csv(&line, o->names[i]);
		buf_adds(&line, i + 1 < o->n ? "," : "\n");
	}
	fputs(buf_str(&line), stdout);
	buf_release(&line);
}

static void csv_row(struct output *o, const struct query_value *values)
{
	struct buf line = BUF_INIT;

	for (size_t i = 0; i < o->n; i++) {
		const struct query_value *v = &values[i];

		if (v->type == QUERY_INT)
			buf_addf(&line, "%" PRId64, v->integer);
		else if (v->type == QUERY_REAL)
			buf_addf(&line, "%.17g", v->real);
		else
			escape_csv(&line, v->text);
		buf_adds(&line, i + 1 < o->n ? "," : "\n");
	}
	fputs(buf_str(&line), stdout);
	buf_release(&line);
}

/* ---- json ---- */

static json_t *json_of(const struct query_value *v)
{
	switch (v->type) {
	case QUERY_INT:
		return json_integer(v->integer);
	case QUERY_REAL:
		return isfinite(v->real) ? json_real(v->real) : json_null();
	case QUERY_TEXT:
		return values_string(v->text);
	default:
		return json_null();
	}
}

static void json_row(struct output *o, const struct query_value *values)
{
	json_t *row = json_object();

	for (size_t i = 0; i < o->n; i++)
		json_object_set_new(row, o->names[i], json_of(&values[i]));
	fputs(o->rows ? ",\n" : "[\n", stdout);
	json_dumpf(row, stdout, JSON_COMPACT);
	json_decref(row);
}

static void json_end(struct output *o)
{
	puts(o->rows ? "\n]" : "[]");
}

/* ---- one of them ---- */

static const struct query_format {
	const char *name;
	void (*begin)(struct output *o); /* may be NULL, like end */
	void (*row)(struct output *o, const struct query_value *values);
	void (*end)(struct output *o);
} formats[] = {
	{ "text", NULL, text_row, print_held },
	{ "csv", csv_begin, csv_row, NULL },
	{ "json", NULL, json_row, json_end },
};

struct printing {
	struct output o;
	const struct query_format *format;
};

static void on_columns(void *ctx, size_t n, const char *const *names)
{
	struct printing *p = ctx;

	p->o.n = n;
	p->o.names = xcalloc(n, sizeof(*p->o.names));
	p->o.width = xcalloc(n, sizeof(*p->o.width));
	p->o.is_text = xcalloc(n, sizeof(*p->o.is_text));
	for (size_t i = 0; i < n; i++) {
		p->o.names[i] = xstrdup(names[i]);
		p->o.width[i] = columns_of(names[i]);
	}
	if (p->format->begin)
		p->format->begin(&p->o);
}

static bool on_row(void *ctx, size_t n, const struct query_value *values)
{
	struct printing *p = ctx;

	(void)n;
	p->format->row(&p->o, values);
	if (++p->o.rows == TABLE_ROWS && p->format->row == text_row)
		print_held(&p->o);
	return !ferror(stdout);
}

static void output_release(struct output *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->names[i]);
	free(o->names);
	free(o->width);
	free(o->is_text);
	buf_release(&o->cells);
}

/* What there was of rows is printed even when time ran out; then the error. */
static int ask(struct store *store, const char *sql, const struct query_format *f, struct err *err)
{
	static const struct query_sink sink = { on_columns, on_row };
	struct printing p = { .o = { .cells = BUF_INIT }, .format = f };
	int rc = store_query(store, sql, &sink, &p, (uint64_t)timeout_s * 1000, err);

	if (p.o.n && (!rc || p.o.rows) && f->end)
		f->end(&p.o);
	output_release(&p.o);
	return rc;
}

/* ---- the command ---- */

static const struct query_format *find_format(struct err *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, format))
			return &formats[i];
	err_set(err, BLAME_USER, "usage", "unknown format '%s' (known: text, csv, json)", format);
	return NULL;
}

static int read_file(struct buf *sql, struct err *err)
{
	int rc = path_read(strcmp(file, "-") != 0 ? file : "/dev/stdin", sql, SQL_MAX);

	if (rc)
		return err_sys(err, BLAME_USER, "query", rc, "%s cannot be read", file);
	return 0;
}

static void print_sql(void *ctx, const char *sql)
{
	(void)ctx;
	printf("%s;\n\n", sql);
}

static int answer(struct store *store, const char *sql, struct err *err)
{
	const struct query_format *f = find_format(err);

	if (!f)
		return -1;
	return schema ? store_schema(store, print_sql, NULL, err) : ask(store, sql, f, err);
}

static int run(int n, char **operands, struct err *err)
{
	struct buf sql = BUF_INIT;
	struct store *store = NULL;
	int rc = -1;

	if (!!n + !!file + schema != 1) {
		err_set(err, BLAME_USER, "usage", "query: give either SQL, --file or --schema");
		goto out;
	}
	if (file && read_file(&sql, err) < 0)
		goto out;
	if (n)
		buf_adds(&sql, operands[0]);
	store = store_open_home(false, err);
	if (store)
		rc = answer(store, buf_str(&sql), err);
out:
	store_close(store);
	buf_release(&sql);
	return rc;
}

const struct command cmd_query = {
	.name = "query",
	.args = "SQL",
	.summary = "ask the database in SQL, reading only",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
