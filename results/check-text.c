// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules text, locale, unit-mix (of labels), mixture and decode: what the letters around the
 * numbers say. Layer: results, pure.
 */
#include "results/check-rules.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/values.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- text ---- */

/* Words for "not measured". */
static bool is_blank(const char *s)
{
	static const char *const words[] = { "",    "-",    "--", "n/a", "na",
					     "nan", "none", "?",  "tbd", "null" };

	s += strspn(s, " \t");
	for (size_t i = 0; i < COUNT(words); i++) {
		size_t n = strlen(words[i]);

		if (!strncasecmp(s, words[i], n) && !s[n + strspn(s + n, " \t")])
			return true;
	}
	return false;
}

static void tell_value(struct check *c, const struct cell *cell, enum severity severity,
		       const char *what)
{
	struct check_item *x = check_add(c->report, "text", severity);

	x->place = xasprintf("%s:%zu:%zu (%s)", c->t->file, cell->line, cell->column, cell->source);
	x->subject = cell_subject(cell);
	x->printed = xstrdup(cell->printed);
	x->expected = xstrdup("a number");
	x->message = xasprintf("%s:%zu:%zu: '%s' %s", c->t->file, cell->line, cell->column,
			       cell->printed, what);
}

/* What may follow a number: its own unit, or per cent. */
static bool is_unit(const char *rest, const struct cell *c)
{
	const struct unit *u = unit_find(rest);

	return !*rest || !strcasecmp(rest, c->unit) || (u && u == c->known);
}

/* A digit with the neighbour of '%' behind it, as in "13^": where on a key '%' is. */
static const char *mistyped(const char *text)
{
	for (const char *p = text; *p; p++)
		if (isdigit((unsigned char)*p) && strchr("^$", p[1]) && p[1] &&
		    !isalnum((unsigned char)p[2]))
			return p;
	return NULL;
}

static void mistyped_text(struct check *c, const struct cell *cell, const char *text)
{
	const char *at = mistyped(text);
	struct check_item *x;
	size_t from;

	if (!at)
		return;
	for (from = (size_t)(at - text); from && isdigit((unsigned char)text[from - 1]);)
		from--;
	x = check_add(c->report, "text", SEVERITY_WARN);
	x->place = cell_place(c, cell);
	x->subject = cell_subject(cell);
	x->printed = xasprintf("%.*s", (int)((size_t)(at - text) + 2 - from), text + from);
	x->expected = xasprintf("%.*s%%", (int)((size_t)(at - text) + 1 - from), text + from);
	x->message = xasprintf("'%s' is a mistyped '%s'", x->printed, x->expected);
}

void rule_text(struct check *c)
{
	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *cell = &c->t->cells[i];

		if (cell->kind == CELL_EMPTY && !is_blank(cell->printed))
			tell_value(c, cell, SEVERITY_ERROR, "is no number");
		else if (cell->kind == CELL_EMPTY)
			tell_value(c, cell, SEVERITY_INFO, "has no number");
		else if (!is_unit(cell->number.rest, cell) && !mistyped(cell->printed))
			tell_value(c, cell, SEVERITY_WARN, "has something behind its number");
		mistyped_text(c, cell, cell->printed);
		mistyped_text(c, cell, cell->note);
	}
}

/* ---- locale ---- */

void rule_locale(struct check *c)
{
	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *cell = &c->t->cells[i];
		const struct number *n = &cell->number;
		struct check_item *x;

		if (cell->kind == CELL_EMPTY || (!n->comma && !n->groups))
			continue;
		x = check_add(c->report, "locale", n->ambiguous ? SEVERITY_WARN : SEVERITY_INFO);
		x->place = cell_place(c, cell);
		x->subject = cell_subject(cell);
		x->printed = xstrdup(cell->printed);
		x->expected = xasprintf("%.*f", n->decimals, n->value);
		x->message = xasprintf(
			"'%s' has a %s; taken for %.*f%s", cell->printed,
			n->comma ? "decimal comma" : "separator of thousands", n->decimals,
			n->value, n->ambiguous ? ", but it could be a thousand times as much" : "");
	}
}

/* ---- unit-mix, of labels ---- */

static void labels_row(struct check *c, struct row *r)
{
	const struct cell *first = NULL;

	for (size_t i = 0; i < r->n; i++) {
		const struct cell *x = r->cells[i];
		struct check_item *item;
		struct cells list = { .n = 0 };
		bool comparable;

		if (!cell_counts(x))
			continue;
		if (!first)
			first = x;
		if (x->unit == first->unit || (x->known && x->known == first->known))
			continue;
		comparable = x->known && first->known &&
			     x->known->canonical == first->known->canonical;
		cells_add(&list, first);
		cells_add(&list, x);
		item = check_add(c->report, "unit-mix",
				 comparable ? SEVERITY_WARN : SEVERITY_ERROR);
		item->place = cells_place(c, &list);
		item->subject = row_subject(r);
		item->printed =
			xasprintf("%s %s, %s %s", first->printed, first->unit, x->printed, x->unit);
		item->expected = xstrdup("one unit in a row");
		item->message = xasprintf("one row, two units: %s for %s, %s for %s%s", first->unit,
					  first->variant, x->unit, x->variant,
					  comparable ? "" : ", which do not measure the same");
		return;
	}
}

void rule_unit_labels(struct check *c)
{
	check_rows(c, labels_row);
}

/* ---- mixture ---- */

/* "30/24 fps", "24 or 30 fps": two modes of the unit; false: none named. */
static bool find_modes(const char *text, const struct cell *c, double *low, double *high)
{
	for (const char *p = text; *p; p++) {
		char *end;
		double a;
		double b;

		if (!isdigit((unsigned char)*p) ||
		    (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '.')))
			continue;
		a = strtod(p, &end);
		if (*end == '/')
			end++;
		else if (!strncmp(end, " or ", 4))
			end += 4;
		else
			continue;
		if (!isdigit((unsigned char)*end))
			continue;
		b = strtod(end, &end);
		end += *end == ' ';
		if (a == b || strncasecmp(end, c->unit, strlen(c->unit)) != 0 ||
		    isalnum((unsigned char)end[strlen(c->unit)]))
			continue;
		*low = fmin(a, b);
		*high = fmax(a, b);
		return true;
	}
	return false;
}

static void mixture_row(struct check *c, struct row *r)
{
	struct cells list = { .n = 0 };
	struct buf printed = BUF_INIT;
	double low = 0;
	double high = 0;
	struct check_item *x;

	for (size_t i = 0; i < r->n; i++) {
		const struct cell *cell = r->cells[i];

		if (!cell_counts(cell) || !*cell->unit ||
		    (!find_modes(cell->note, cell, &low, &high) &&
		     !find_modes(cell->workload, cell, &low, &high)) ||
		    cell->number.value <= low || cell->number.value >= high)
			continue;
		cells_add(&list, cell);
		buf_addf(&printed, "%s%s", printed.size ? " vs " : "", cell->printed);
	}
	if (list.n) {
		x = check_add(c->report, "mixture", SEVERITY_WARN);
		x->place = cells_place(c, &list);
		x->subject = row_subject(r);
		x->printed = xstrdup(buf_str(&printed));
		x->expected = xasprintf("%g or %g %s", low, high, list.v[0]->unit);
		x->message = xasprintf(
			"a mean between two modes, %g and %g %s: it hides the share of each", low,
			high, list.v[0]->unit);
	}
	buf_release(&printed);
}

void rule_mixture(struct check *c)
{
	check_rows(c, mixture_row);
}

/* ---- decode ---- */

/* A register of two halves, start and depth of a memory, say: their sum is told elsewhere. */
static void decode_block(struct check *c, struct block *b)
{
	for (size_t i = 0; i < b->n * b->n; i++) {
		const struct row *raw = b->rows[i / b->n];
		const struct row *sum = b->rows[i % b->n];
		double value = raw->cells[0]->number.value;
		unsigned int bits;
		struct check_item *x;

		if (strncasecmp(raw->cells[0]->unit, "reg", 3) != 0 || raw == sum ||
		    !(value >= 65536 && value <= 4294967295.0))
			continue;
		bits = (unsigned int)value;
		if (sum->cells[0]->number.value != (bits >> 16) + (bits & 0xffff))
			continue;
		x = check_add(c->report, "decode", SEVERITY_INFO);
		x->place = cell_place(c, raw->cells[0]);
		x->subject = cell_subject(raw->cells[0]);
		x->printed = xstrdup(raw->cells[0]->printed);
		x->expected = xasprintf("0x%08x", bits);
		x->message = xasprintf(
			"0x%08x is %u + %u = %s, which is the %s printed: a raw register", bits,
			bits >> 16, bits & 0xffff, sum->cells[0]->printed, sum->metric);
	}
}

void rule_decode(struct check *c)
{
	check_blocks(c, decode_block);
}
