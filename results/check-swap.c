// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rule column-swap: would the numbers agree if columns were exchanged? Layer: results, pure.
 *
 * The bandwidth of a block is put to the IOPS beside it in every order of the columns. An order
 * that makes two more cells fit than the printed one is taken for what happened. Blocks of the same
 * table where the same exchange mends only one cell follow it; other metrics of such a table
 * cannot be checked so, but their order can be compared with a sister table's.
 */
#include "results/check-rules.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/check-names.h"

/* ---- permutations ---- */

struct search {
	int n;
	bool (*fits)(const void *ctx, int i, int k);
	const void *ctx;
	int now[VARIANTS_MAX], best[VARIANTS_MAX];
	int fit, moved;
};

static void consider(struct search *s)
{
	int fit = 0;
	int moved = 0;

	for (int i = 0; i < s->n; i++) {
		fit += s->fits(s->ctx, i, s->now[i]);
		moved += s->now[i] != i;
	}
	if (fit < s->fit || (fit == s->fit && moved >= s->moved))
		return;
	s->fit = fit;
	s->moved = moved;
	memcpy(s->best, s->now, sizeof(s->best));
}

static void exchange(int *v, int i, int k)
{
	int x = v[i];

	v[i] = v[k];
	v[k] = x;
}

static void permute(struct search *s, int from)
{
	if (from == s->n) {
		consider(s);
		return;
	}
	for (int i = from; i < s->n; i++) {
		exchange(s->now, from, i);
		permute(s, from + 1);
		exchange(s->now, from, i);
	}
}

int swap_best(int n, bool (*fits)(const void *ctx, int i, int k), const void *ctx,
	      int from[VARIANTS_MAX])
{
	struct search s = { .n = n, .fits = fits, .ctx = ctx, .fit = -1 };

	for (int i = 0; i < n; i++)
		s.now[i] = i;
	consider(&s);
	if (n <= 6) {
		permute(&s, 0);
	} else {
		for (int i = 0; i < n; i++) {
			for (int k = i + 1; k < n; k++) {
				exchange(s.now, i, k);
				consider(&s);
				exchange(s.now, i, k);
			}
		}
	}
	memcpy(from, s.best, sizeof(s.best));
	return s.fit;
}

char *swap_text(const struct swap *s)
{
	struct buf b = BUF_INIT;
	bool told[VARIANTS_MAX] = { false };

	for (int i = 0; i < s->n; i++) {
		if (told[i] || s->from[i] == i)
			continue;
		buf_addf(&b, "%s%s", b.size ? ", " : "", s->variants[i]);
		if (s->from[s->from[i]] == i) {
			buf_addf(&b, " <-> %s", s->variants[s->from[i]]);
			told[s->from[i]] = true;
			continue;
		}
		for (int k = s->from[i]; k != i; k = s->from[k]) {
			buf_addf(&b, " <- %s", s->variants[k]);
			told[k] = true;
		}
		buf_addf(&b, " <- %s", s->variants[i]);
	}
	buf_adds(&b, "");
	return buf_detach(&b);
}

const struct swap *swap_of(const struct check *c, const struct block *b)
{
	for (size_t i = 0; i < c->n_swaps; i++)
		if (c->swaps[i].block == b)
			return &c->swaps[i];
	return NULL;
}

static void keep_swap(struct check *c, const struct swap *s)
{
	c->swaps = xrealloc(c->swaps, (c->n_swaps + 1) * sizeof(*c->swaps));
	c->swaps[c->n_swaps++] = *s;
}

/* ---- bandwidth against IOPS ---- */

struct fit {
	const struct block *b;
	const struct pairs *p;
};

static bool bw_fits(const void *ctx, int i, int k)
{
	const struct fit *f = ctx;

	return fabs(bw_residual(f->b, f->p->v[k].bw, f->p->v[i].iops)) <= CHECK_ERROR;
}

static int fits_with(const struct fit *f, const int *from)
{
	int n = 0;

	for (int i = 0; i < f->p->n; i++)
		n += bw_fits(f, i, from ? from[i] : i);
	return n;
}

static void describe(struct check *c, const struct fit *f, const struct swap *s, const char *why)
{
	struct check_item *x = check_add(c->report, "column-swap", SEVERITY_ERROR);
	struct cells list = { .n = 0 };
	struct buf printed = BUF_INIT;
	struct buf expected = BUF_INIT;
	char *text = swap_text(s);

	for (int i = 0; i < s->n; i++) {
		struct cell *bw = f->p->v[i].bw;
		double value = pair_expected(f->b, f->p->v[i].iops) / bw->factor;

		if (s->from[i] == i)
			continue;
		cells_add(&list, bw);
		buf_addf(&printed, "%s%s", printed.size ? " / " : "", bw->printed);
		buf_addf(&expected, "%s%.2f", expected.size ? " / " : "", value);
	}
	assert(list.n); /* a swap moves at least two */
	x->place = cells_place(c, &list);
	x->subject = xasprintf("%s %s %s of %s", f->b->sheet->board, f->b->workload,
			       list.v[0]->metric, text);
	x->message = xasprintf("%s %s are printed where the IOPS make %s: exchange %s%s",
			       list.v[0]->metric, buf_str(&printed), buf_str(&expected), text, why);
	buf_adds(&printed, "");
	buf_adds(&expected, "");
	x->printed = buf_detach(&printed);
	x->expected = buf_detach(&expected);
	free(text);
}

/* The numbers go where they belong, for the rules to come. */
static void apply(const struct pairs *p, const struct swap *s)
{
	for (int i = 0; i < s->n; i++) {
		if (s->from[i] == i)
			continue;
		p->v[i].bw->explained = true;
		p->v[i].bw->belongs = p->v[s->from[i]].bw;
	}
}

static void name_columns(struct swap *s, const struct block *b, const struct pairs *p)
{
	s->block = b;
	s->n = p->n;
	for (int i = 0; i < p->n; i++)
		s->variants[i] = p->v[i].bw->variant;
}

static void swap_block(struct check *c, struct block *b)
{
	struct pairs pairs;
	struct fit f = { b, &pairs };

	for (size_t from = 0; b->block_size > 0 && block_pairs(b, &from, &pairs);) {
		struct swap s = { .whole = true };

		name_columns(&s, b, &pairs);
		if (swap_best(s.n, bw_fits, &f, s.from) < fits_with(&f, NULL) + 2)
			continue;
		describe(c, &f, &s, "");
		apply(&pairs, &s);
		keep_swap(c, &s);
	}
}

/* ---- blocks that follow ---- */

/* The same exchange, in the order of these columns; false when they are others. */
static bool translate(const struct swap *known, struct swap *s)
{
	for (int i = 0; i < s->n; i++) {
		s->from[i] = -1;
		for (int k = 0; k < known->n; k++)
			for (int m = 0; known->variants[k] == s->variants[i] && m < s->n; m++)
				if (known->variants[known->from[k]] == s->variants[m])
					s->from[i] = m;
		if (s->from[i] < 0)
			return false;
	}
	return true;
}

/* Which numbers fit nowhere, and which fit after the exchange. */
static char *leftovers(const struct fit *f, const struct swap *s)
{
	struct buf b = BUF_INIT;

	for (int i = 0; i < s->n; i++) {
		const struct cell *bw = f->p->v[s->from[i]].bw;

		if (s->from[i] != i && bw_fits(f, i, s->from[i]))
			buf_addf(&b, "; %s fits the IOPS printed under %s", bw->printed,
				 s->variants[i]);
		else if (s->from[i] != i)
			buf_addf(&b, "; %s fits neither", bw->printed);
	}
	buf_adds(&b, "");
	return buf_detach(&b);
}

static void follow(struct check *c, const struct block *b, const struct swap *known)
{
	struct pairs pairs;
	struct fit f = { b, &pairs };

	for (size_t from = 0; b->block_size > 0 && block_pairs(b, &from, &pairs);) {
		struct swap s = { .whole = false };
		char *rest;
		char *why;

		name_columns(&s, b, &pairs);
		if (!translate(known, &s) || fits_with(&f, s.from) <= fits_with(&f, NULL))
			continue;
		rest = leftovers(&f, &s);
		why = xasprintf(", as in %s%s", known->block->workload, rest);
		describe(c, &f, &s, why);
		apply(&pairs, &s);
		keep_swap(c, &s);
		free(rest);
		free(why);
	}
}

static void follow_sheet(struct check *c, struct sheet *s)
{
	size_t n = c->n_swaps;

	for (size_t i = 0; i < n; i++) {
		struct swap known = c->swaps[i]; /* the array grows */

		if (known.block->sheet != s)
			continue;
		for (size_t k = 0; k < s->n; k++)
			if (!swap_of(c, s->blocks[k]))
				follow(c, s->blocks[k], &known);
	}
}

void rule_swap(struct check *c)
{
	check_blocks(c, swap_block);
	check_sheets(c, follow_sheet);
}

/* ---- metrics that nothing checks ---- */

/* How often the exchange restores a sister's order of the two columns. */
struct order {
	int restored, of;
	struct buf printed;
	struct cells list;
};

/* The same row of another sheet of the document, with both columns. */
static const struct row *sister(const struct check *c, const struct row *r, const char *a,
				const char *b)
{
	for (size_t i = 0; i < c->t->n_sheets; i++) {
		const struct sheet *s = c->t->sheets[i];

		if (s == r->block->sheet || s->source != r->block->sheet->source)
			continue;
		for (size_t k = 0; k < s->n; k++) {
			const struct row *other = block_row(s->blocks[k], r->metric);

			if (s->blocks[k]->workload == r->block->workload && row_cell(other, a) &&
			    row_cell(other, b) && !swap_of(c, s->blocks[k]))
				return other;
		}
	}
	return NULL;
}

static void compare_order(const struct check *c, const struct row *r, const char *a, const char *b,
			  struct order *o)
{
	const struct row *other = sister(c, r, a, b);
	const struct cell *x = row_cell(r, a);
	const struct cell *y = row_cell(r, b);
	double mine;
	double theirs;

	if (!other || !x || !y)
		return;
	mine = cell_value(y) - cell_value(x);
	theirs = cell_value(row_cell(other, b)) - cell_value(row_cell(other, a));
	if (mine == 0 || theirs == 0)
		return;
	o->of++;
	cells_add(&o->list, x);
	buf_addf(&o->printed, "%s%s/%s", o->printed.size ? " " : "", x->printed, y->printed);
	o->restored += (mine > 0) != (theirs > 0);
}

/* Only what no other rule can check: neither bandwidth nor IOPS. */
static bool unchecked(const struct row *r)
{
	struct metric_name name;

	metric_name_parse(r->metric, &name);
	return r->n && cell_counts(r->cells[0]) && !strcasestr(name.family, "iops") &&
	       (!r->cells[0]->known || strcmp(r->cells[0]->known->canonical, "bytes/s") != 0);
}

static void other_metric(struct check *c, const struct swap *s, const struct row *sample,
			 const char *a, const char *b)
{
	struct order o = { .printed = BUF_INIT };
	struct check_item *x;

	for (size_t i = 0; i < s->block->sheet->n; i++) {
		const struct row *r = block_row(s->block->sheet->blocks[i], sample->metric);

		if (r)
			compare_order(c, r, a, b, &o);
	}
	if (o.of >= 2 && 2 * o.restored > o.of) {
		x = check_add(c->report, "column-swap", SEVERITY_WARN);
		x->place = cells_place(c, &o.list);
		x->subject = xasprintf("%s %s of %s <-> %s", s->block->sheet->board, sample->metric,
				       a, b);
		x->printed = xstrdup(buf_str(&o.printed));
		x->expected = xstrdup("the order of the other table");
		x->message = xasprintf(
			"%s seems exchanged like the bandwidth: in %d of %d workloads that"
			" restores the order of another table of the document",
			sample->metric, o.restored, o.of);
	}
	buf_release(&o.printed);
}

/* The exchange of two columns that most blocks of the sheet show. */
static void other_metrics(struct check *c, struct sheet *sheet)
{
	const struct swap *s = NULL;
	int n = 0;

	for (size_t i = 0; i < c->n_swaps; i++) {
		if (c->swaps[i].block->sheet == sheet && c->swaps[i].whole) {
			s = &c->swaps[i];
			n++;
		}
	}
	if (n < 2)
		return;
	for (int i = 0; i < s->n; i++) {
		if (s->from[i] <= i || s->from[s->from[i]] != i)
			continue;
		for (size_t k = 0; k < s->block->n; k++)
			if (unchecked(s->block->rows[k]))
				other_metric(c, s, s->block->rows[k], s->variants[i],
					     s->variants[s->from[i]]);
	}
}

void rule_swap_others(struct check *c)
{
	check_sheets(c, other_metrics);
}
