// SPDX-License-Identifier: GPL-2.0-or-later
/* Published numbers: a CSV -> the store -> tables again; see literature.h. Layer: results. */
#include "results/literature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/check-table.h"
#include "results/check.h"
#include "results/literature-print.h"

/* ---- in ---- */

static struct literature_row row_of(const struct cell *c)
{
	return (struct literature_row){
		.source = c->source,
		.board = c->board,
		.workload = c->workload,
		.variant = c->variant,
		.metric = c->metric,
		.printed = c->printed,
		.printed_unit = c->unit,
		.value = c->kind == CELL_EMPTY ? NAN : cell_value(c),
		.unit = c->known ? c->known->canonical : c->unit,
		.note = c->note,
		.line = (int)c->line,
		.runs = c->runs,
	};
}

static void count(const struct check_table *t, const struct check_report *report,
		  struct literature_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->rows = t->n;
	for (size_t i = 0; i < t->n_sheets; i++) {
		size_t k = 0;

		while (k < i && t->sheets[k]->source != t->sheets[i]->source)
			k++;
		sum->sources += k == i;
	}
	for (size_t i = 0; i < report->n; i++) {
		sum->errors += report->items[i].severity == SEVERITY_ERROR;
		sum->warnings += report->items[i].severity == SEVERITY_WARN;
	}
}

int literature_import(struct store *st, const char *file, const char *data, size_t size,
		      struct literature_sum *sum, struct err *err)
{
	struct check_table *t = check_table_read(file, data, size, err);
	struct check_report report = CHECK_REPORT_INIT;
	struct literature_row *rows;
	int rc;

	if (!t)
		return -1;
	check_table(t, &report); /* finds the true units */
	count(t, &report, sum);
	rows = xcalloc(t->n + 1, sizeof(*rows));
	for (size_t i = 0; i < t->n; i++)
		rows[i] = row_of(&t->cells[i]);
	rc = store_put_literature(st, rows, t->n, err);
	free(rows);
	check_report_release(&report);
	check_table_free(t);
	return rc;
}

/* ---- out: the CSV once more, so that all rules see what they saw ---- */

struct again {
	struct buf csv;
	int *lines;
	size_t n;
	char *first; /* source */
	bool several;
};

static void add_field(struct buf *b, const char *text, char end)
{
	buf_adds(b, "\"");
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			buf_adds(b, "\"");
		buf_append(b, p, 1);
	}
	buf_addf(b, "\"%c", end);
}

static bool add_row(void *ctx, const struct literature_row *r)
{
	struct again *a = ctx;
	const char *const texts[] = { r->source, r->board,	  r->workload, r->variant,
				      r->metric, r->printed_unit, r->printed,  r->note };

	if (!a->first)
		a->first = xstrdup(r->source);
	a->several |= strcmp(a->first, r->source) != 0;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		add_field(&a->csv, texts[i], ',');
	buf_addf(&a->csv, "%d\n", r->runs);
	a->lines = xrealloc(a->lines, (a->n + 1) * sizeof(*a->lines));
	a->lines[a->n++] = r->line;
	return true;
}

static struct check_table *load(struct store *st, const char *source, bool *several,
				struct err *err)
{
	struct again a = { .csv = BUF_INIT };
	struct check_table *t = NULL;

	buf_adds(&a.csv, "source,board,workload,variant,metric,unit,value,note,runs\n");
	if (store_list_literature(st, source, add_row, &a, err) < 0)
		goto out;
	if (!a.n) {
		err_set(err, BLAME_USER, "no-literature",
			"no published numbers of '%s' are stored: `rig import"
			" FILE.csv` brings them",
			source);
		goto out;
	}
	t = check_table_read("line", buf_str(&a.csv), a.csv.size, err);
	for (size_t i = 0; t && i < t->n; i++)
		t->cells[i].line = (size_t)a.lines[i];
	*several = a.several;
out:
	buf_release(&a.csv);
	free(a.lines);
	free(a.first);
	return t;
}

int literature_report(struct store *st, const char *source, const char *board, struct buf *out,
		      struct err *err)
{
	struct check_report report = CHECK_REPORT_INIT;
	bool several = false;
	struct check_table *t = load(st, source, &several, err);
	int rc = 0;

	if (!t)
		return -1;
	check_table(t, &report);
	if (!*source || (several && !board))
		literature_print_list(t, &report, out);
	else if (!literature_print(t, &report, board, out))
		rc = err_set(err, BLAME_USER, "no-literature", "no board '%s' in '%s'", board,
			     source);
	check_report_release(&report);
	check_table_free(t);
	return rc;
}
