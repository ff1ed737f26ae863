// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Published numbers as text, the way mails print them: rows are metrics, columns variants, each
 * with its change against the baseline, computed again. Layer: results, pure.
 */
#include "results/literature-print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/check-table.h"
#include "results/check.h"

#define COLUMNS_MAX 16
#define TEXT_MAX    96

/* ---- which variant is the baseline ---- */

static bool is_right_side(const struct sheet *s, const char *variant)
{
	char a[128];
	char b[128];

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->blocks[i]->n; k++)
			for (size_t m = 0; m < s->blocks[i]->rows[k]->n; m++)
				if (name_sides(s->blocks[i]->rows[k]->cells[m]->variant, a, b,
					       sizeof(a)) &&
				    !strcmp(b, variant))
					return true;
	return false;
}

static bool has_base_word(const char *variant)
{
	static const char *const words[] = { "original", "baseline", "base",	 "before",
					     "without",	 "vanilla",  "mainline", "stock" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (name_has_word(variant, words[i]))
			return true;
	return false;
}

/* Better as a baseline: compared with in the document; so named; with less added to it. */
static int rank(const struct sheet *s, const char *variant)
{
	struct variant_name name;

	variant_name_parse(variant, &name);
	return (is_right_side(s, variant) ? 200 : 0) + (has_base_word(variant) ? 100 : 0) - name.n;
}

/* The columns of a block, the baseline first. */
struct columns {
	const char *v[COLUMNS_MAX];
	int width[COLUMNS_MAX];
	int number[COLUMNS_MAX]; /* width of what is printed */
	int n;
	int label; /* width of the first column */
};

static void add_column(struct columns *c, const char *variant)
{
	for (int i = 0; i < c->n; i++)
		if (c->v[i] == variant)
			return;
	if (c->n < COLUMNS_MAX)
		c->v[c->n++] = variant;
}

static void find_columns(const struct block *b, struct columns *c)
{
	int best = 0;
	const char *base;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; k < b->rows[i]->n; k++)
			if (b->rows[i]->cells[k]->kind == CELL_MEASURED ||
			    b->rows[i]->cells[k]->kind == CELL_MEAN)
				add_column(c, b->rows[i]->cells[k]->variant);
	if (!c->n)
		return;
	for (int i = 1; i < c->n; i++)
		if (rank(b->sheet, c->v[i]) > rank(b->sheet, c->v[best]))
			best = i;
	base = c->v[best];
	memmove(&c->v[1], &c->v[0], (size_t)best * sizeof(c->v[0]));
	c->v[0] = base;
}

/* ---- a cell ---- */

static const struct cell *cell_of(const struct row *r, const char *variant)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->cells[i]->variant == variant &&
		    (r->cells[i]->kind == CELL_MEASURED || r->cells[i]->kind == CELL_MEAN))
			return r->cells[i];
	return NULL;
}

/* The change of this cell that the document prints, or NULL. */
static const struct cell *published(const struct cell *c, const char *base)
{
	char metric[128];
	char a[128];
	char b[128];

	for (size_t i = 0; i < c->row->block->n; i++) {
		const struct row *r = c->row->block->rows[i];

		for (size_t k = 0; k < r->n; k++) {
			const struct cell *d = r->cells[k];

			if (d->kind == CELL_DELTA &&
			    name_delta_base(d->metric, metric, sizeof(metric)) &&
			    !strcmp(metric, c->metric) && name_sides(d->variant, a, b, sizeof(a)) &&
			    !strcmp(a, c->variant) && !strcmp(b, base))
				return d;
		}
	}
	return NULL;
}

/* " -31.03 %", and what is printed where that has other digits; "!" where rounding is no excuse. */
static void add_change(const struct cell *c, const struct cell *base, char *out, size_t size)
{
	double change = 100 * (cell_value(c) / cell_value(base) - 1);
	double slack = 100 * (cell_slack(c) / cell_value(base) +
			      cell_value(c) * cell_slack(base) / pow(cell_value(base), 2));
	const struct cell *said = published(c, base->variant);
	size_t n = (size_t)snprintf(out, size, " %+7.2f %%", change);
	char again[32];

	if (!said || n >= size)
		return;
	snprintf(again, sizeof(again), "%.*f", said->number.decimals, change);
	if (strcmp(again, said->printed) != 0)
		snprintf(out + n, size - n, " (printed %s%s)", said->printed,
			 number_prints(&said->number, change, fabs(slack)) ? "" : "!");
}

static void cell_text(const struct row *r, const struct columns *c, int i, char *out, size_t size)
{
	const struct cell *cell = cell_of(r, c->v[i]);
	const struct cell *base = cell_of(r, c->v[0]);
	size_t n;

	if (!cell) {
		snprintf(out, size, "%*s", c->number[i], "-");
		return;
	}
	n = (size_t)snprintf(out, size, "%*s%s", c->number[i], cell->printed,
			     cell->explained ? "*" : " ");
	if (i && base && n < size && cell->kind != CELL_EMPTY && cell_value(base) != 0)
		add_change(cell, base, out + n, size - n);
}

static void row_label(const struct row *r, char *out, size_t size)
{
	const struct cell *c = r->cells[0];
	const struct unit *real = units;

	if (!c->unit_wrong) {
		snprintf(out, size, "%s, %.*s", r->metric, (int)strcspn(c->unit, "("), c->unit);
		return;
	}
	while (real->printed &&
	       (real->factor != c->factor || strcmp(real->canonical, c->known->canonical) != 0))
		real++;
	snprintf(out, size, "%s, %s (printed as %s)", r->metric,
		 real->printed ? real->printed : "?", c->known->printed);
}

/* ---- a block ---- */

/* Rows of changes are shown beside what they are of. */
static bool is_shown(const struct row *r, const struct columns *c)
{
	for (int i = 0; i < c->n; i++)
		if (cell_of(r, c->v[i]))
			return true;
	return false;
}

static void measure(const struct block *b, struct columns *c)
{
	char text[TEXT_MAX];

	for (int i = 0; i < c->n; i++) {
		c->width[i] = (int)strlen(c->v[i]);
		for (size_t k = 0; k < b->n; k++) {
			const struct cell *cell = cell_of(b->rows[k], c->v[i]);

			if (cell && (int)strlen(cell->printed) > c->number[i])
				c->number[i] = (int)strlen(cell->printed);
		}
	}
	for (size_t k = 0; k < b->n; k++) {
		if (!is_shown(b->rows[k], c))
			continue;
		row_label(b->rows[k], text, sizeof(text));
		if ((int)strlen(text) > c->label)
			c->label = (int)strlen(text);
		for (int i = 0; i < c->n; i++) {
			cell_text(b->rows[k], c, i, text, sizeof(text));
			if ((int)strlen(text) > c->width[i])
				c->width[i] = (int)strlen(text);
		}
	}
}

/* Other changes that the document tells: of several workloads, or of variants not in the table. */
static void print_told(const struct block *b, struct buf *out)
{
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->rows[i]->n; k++) {
			const struct cell *c = b->rows[i]->cells[k];

			if (c->kind == CELL_DELTA && c->claim)
				buf_addf(out, "    the text: %s, %s: %s %s\n", c->metric,
					 c->variant, c->printed, c->unit);
		}
	}
}

static void end_line(struct buf *out)
{
	while (out->size && out->data[out->size - 1] == ' ')
		out->data[--out->size] = '\0';
	buf_adds(out, "\n");
}

static void print_block(const struct block *b, struct buf *out)
{
	struct columns c;
	char text[TEXT_MAX];

	find_columns(b, &c);
	measure(b, &c);
	buf_addf(out, "  %s\n", b->workload);
	if (c.n) {
		buf_addf(out, "    %-*s", c.label, "");
		for (int i = 0; i < c.n; i++)
			buf_addf(out, "  %-*s", c.width[i], c.v[i]);
		end_line(out);
	}
	for (size_t k = 0; k < b->n; k++) {
		if (!is_shown(b->rows[k], &c))
			continue;
		row_label(b->rows[k], text, sizeof(text));
		buf_addf(out, "    %-*s", c.label, text);
		for (int i = 0; i < c.n; i++) {
			cell_text(b->rows[k], &c, i, text, sizeof(text));
			buf_addf(out, "  %-*s", c.width[i], text);
		}
		end_line(out);
	}
	print_told(b, out);
}

/* ---- a sheet ---- */

static bool is_about(const struct check_item *x, const struct sheet *s)
{
	size_t n = strlen(s->board);

	return x->subject && !strncmp(x->subject, s->board, n) && strchr(" :", x->subject[n]) &&
	       x->place && strstr(x->place, s->source);
}

static void print_item(const struct check_item *x, struct buf *out)
{
	buf_addf(out, "  %-5s %s, %s: %s\n", severity_name(x->severity), x->rule, x->subject,
		 x->message);
}

static void print_sheet(const struct sheet *s, const struct check_report *report, struct buf *out)
{
	buf_addf(out, "%s: %s\n", s->source, s->board);
	for (size_t i = 0; i < s->n; i++)
		print_block(s->blocks[i], out);
	for (size_t i = 0; i < report->n; i++)
		if (report->items[i].severity >= SEVERITY_WARN && is_about(&report->items[i], s))
			print_item(&report->items[i], out);
	buf_adds(out, "\n");
}

static bool is_told(const struct check_table *t, const struct check_item *x)
{
	for (size_t i = 0; i < t->n_sheets; i++)
		if (is_about(x, t->sheets[i]))
			return true;
	return false;
}

bool literature_print(const struct check_table *t, const struct check_report *report,
		      const char *board, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < t->n_sheets; i++) {
		if (board && strcmp(t->sheets[i]->board, board) != 0)
			continue;
		print_sheet(t->sheets[i], report, out);
		any = true;
	}
	for (size_t i = 0; i < report->n && !board; i++)
		if (report->items[i].severity >= SEVERITY_WARN && !is_told(t, &report->items[i]))
			print_item(&report->items[i], out);
	if (any)
		buf_adds(
			out,
			"Numbers as printed, changes computed again against the first column; * = see"
			" below the table.\n");
	return any;
}

static size_t count_cells(const struct check_table *t, const struct sheet *s)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->cells[i].row->block->sheet == s;
	return n;
}

void literature_print_list(const struct check_table *t, const struct check_report *report,
			   struct buf *out)
{
	for (size_t i = 0; i < t->n_sheets; i++) {
		const struct sheet *s = t->sheets[i];
		size_t errors = 0;
		size_t warnings = 0;

		for (size_t k = 0; k < report->n; k++) {
			const struct check_item *x = &report->items[k];

			errors += is_about(x, s) && x->severity == SEVERITY_ERROR;
			warnings += is_about(x, s) && x->severity == SEVERITY_WARN;
		}
		buf_addf(out, "%s:%s  %zu numbers, %zu errors, %zu warnings\n", s->source, s->board,
			 count_cells(t, s), errors, warnings);
	}
}
