// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules granularity and resolution: what the digits of a number say about how it came to be.
 * Layer: results, pure.
 *
 * A mean of n whole numbers is k/n. Whole are: counts; minimum and maximum IOPS of fio; the rates
 * of dd, which prints "104 MB/s". And whatever proves to be whole in most cells of a document.
 */
#include "results/check-rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/values.h"

#define N_SHOWN	    40
#define CELLS_LEAST 8 /* of a metric, to learn from them that it is whole */

/* Can a mean of n whole numbers be printed so? */
static bool possible(const struct number *v, int n)
{
	double k = floor(fabs(v->value) * n);

	return number_prints(v, copysign(k / n, v->value), 0) ||
	       number_prints(v, copysign((k + 1) / n, v->value), 0);
}

/* Does it say anything? With many runs every ending is possible. */
static bool telling(const struct cell *c)
{
	return cell_counts(c) && c->runs > 0 && c->parts == 1 && c->number.decimals > 0 &&
	       c->number.ulp < 1 && c->runs * c->number.ulp < 0.5 && !c->explained;
}

/* "dd" as the tool's name. dd prints whole numbers from 10 on. */
static bool is_dd(const struct cell *c)
{
	return name_has_word(c->workload, "dd") && c->known &&
	       !strcmp(c->known->canonical, UNIT_RATE) && c->number.value >= 10;
}

static bool is_whole(const struct cell *c)
{
	struct metric_name name;

	metric_name_parse(c->metric, &name);
	if (c->known && !strcmp(c->known->canonical, UNIT_COUNT))
		return name.role != ROLE_AVG;
	if (c->known && !strcmp(c->known->canonical, UNIT_IOPS))
		return name.role == ROLE_MIN || name.role == ROLE_MAX;
	return is_dd(c);
}

/* Most cells of this metric in this document are means of whole numbers: then all should be. */
static bool proves_whole(struct check *c, const struct cell *cell)
{
	int n = 0;
	int fit = 0;

	if (c->grain.source == cell->source && c->grain.metric == cell->metric)
		return c->grain.whole;
	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *x = &c->t->cells[i];

		if (x->source != cell->source || x->metric != cell->metric || !telling(x))
			continue;
		n++;
		fit += possible(&x->number, x->runs);
	}
	c->grain.source = cell->source;
	c->grain.metric = cell->metric;
	c->grain.whole = n >= CELLS_LEAST && 10 * fit >= 9 * n;
	return c->grain.whole;
}

static char *numbers_of_runs(const struct number *v)
{
	struct buf b = BUF_INIT;

	for (int n = 2; n <= N_SHOWN && b.size < 24; n++)
		if (possible(v, n))
			buf_addf(&b, "%s%d", b.size ? "," : "", n);
	buf_adds(&b, b.size ? "" : "none up to 40");
	return buf_detach(&b);
}

static void grain_row(struct check *c, struct row *r)
{
	struct cells list = { .n = 0 };
	struct buf printed = BUF_INIT;
	struct buf which = BUF_INIT;
	const struct cell *first = NULL;
	struct check_item *x;

	for (size_t i = 0; i < r->n; i++) {
		const struct cell *cell = r->cells[i];
		char *runs;

		if (!telling(cell) || possible(&cell->number, cell->runs) ||
		    (!is_whole(cell) && !proves_whole(c, cell)))
			continue;
		first = first ? first : cell;
		runs = numbers_of_runs(&cell->number);
		cells_add(&list, cell);
		buf_addf(&printed, "%s%s", printed.size ? ", " : "", cell->printed);
		buf_addf(&which, "%s%s (%s): n would be %s", which.size ? "; " : "", cell->printed,
			 cell->variant, runs);
		free(runs);
	}
	if (first) {
		x = check_add(c->report, "granularity", SEVERITY_WARN);
		x->place = cells_place(c, &list);
		x->subject = list.n == 1 ? cell_subject(first) : row_subject(r);
		x->expected = xasprintf("multiples of 1/%d", first->runs);
		x->message = xasprintf("a mean of %d whole numbers cannot end so: %s", first->runs,
				       buf_str(&which));
		x->printed = xstrdup(buf_str(&printed));
	}
	buf_release(&printed);
	buf_release(&which);
}

void rule_granularity(struct check *c)
{
	check_rows(c, grain_row);
}

/* ---- resolution ---- */

/* A time or a rate printed as one or two units of its last digit. */
static bool coarse(const struct cell *c)
{
	const char *unit = c->known ? c->known->canonical : "";

	if (!cell_counts(c) || c->number.bound || c->number.decimals < 1)
		return false;
	if (strcmp(unit, UNIT_NS) != 0 && strcmp(unit, UNIT_RATE) != 0 &&
	    strcmp(unit, UNIT_PER_S) != 0)
		return false;
	return fabs(c->number.value) < 2.5 * c->number.ulp;
}

static void resolution_block(struct check *c, struct block *b)
{
	struct cells list = { .n = 0 };
	struct buf printed = BUF_INIT;
	struct check_item *x;

	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->rows[i]->n; k++) {
			const struct cell *cell = b->rows[i]->cells[k];

			if (!coarse(cell))
				continue;
			cells_add(&list, cell);
			if (list.n <= 8)
				buf_addf(&printed, "%s%s %s %s", printed.size ? ", " : "",
					 cell->metric, cell->printed, cell->unit);
		}
	}
	if (list.n) {
		x = check_add(c->report, "resolution", SEVERITY_WARN);
		x->place = cells_place(c, &list);
		x->subject = xasprintf("%s %s", b->sheet->board, b->workload);
		x->printed = xstrdup(buf_str(&printed));
		x->expected = xasprintf("well above %g %s", list.v[0]->number.ulp, list.v[0]->unit);
		x->message = xasprintf(
			"%s: a unit or two of the last digit; a change cannot be told from"
			" rounding",
			buf_str(&printed));
	}
	buf_release(&printed);
}

void rule_resolution(struct check *c)
{
	check_blocks(c, resolution_block);
}
