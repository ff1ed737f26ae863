// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules percent and claim-vs-table: changes that a document prints or tells, computed again from
 * its own tables. Layer: results, pure.
 */
#include "results/check-rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/values.h"

#define CLAIM_TOLERANCE 0.05 /* of what is claimed; prose rounds */
#define FOUND_MAX	64
#define CLAIMS_MAX	256 /* of a file; more are not looked at */

/* ---- the two sides ---- */

/* The one measured cell of the row whose variant has all words of the side. */
static struct cell *by_words(const struct row *r, const char *side)
{
	struct cell *only = NULL;

	for (size_t i = 0; r && i < r->n; i++) {
		if (!cell_counts(r->cells[i]) || !name_has_words(r->cells[i]->variant, side))
			continue;
		if (only && only->variant != r->cells[i]->variant)
			return NULL;
		only = only ? only : r->cells[i];
	}
	return only;
}

static struct cell *side_cell(const struct row *r, const char *side)
{
	struct cell *c = row_cell(r, side);

	return c ? c : by_words(r, side);
}

/* "X vs before": where a row has but two variants, those are meant. */
static bool only_two(const struct row *r, struct cell **a, struct cell **b)
{
	*a = *b = NULL;
	for (size_t i = 0; r && i < r->n; i++) {
		if (!cell_counts(r->cells[i]))
			continue;
		if (*b)
			return false;
		*(*a ? b : a) = r->cells[i];
	}
	return *b;
}

/* A change from base to cell, with what rounding of the two leaves open. */
struct change {
	const struct cell *cell, *base;
	double value, slack;
};

static struct change change_of(const struct cell *cell, const struct cell *base, bool percent)
{
	double a = cell_value(cell);
	double b = cell_value(base);
	double da = cell_slack(cell);
	double db = cell_slack(base);
	struct change c = { .cell = cell, .base = base, .value = a - b, .slack = da + db };

	if (percent) {
		c.value = b != 0 ? 100 * (a / b - 1) : NAN;
		c.slack = b != 0 ? 100 * (da / fabs(b) + fabs(a) * db / (b * b)) : 0;
	}
	return c;
}

static bool is_percent(const struct cell *c)
{
	return c->known && !strcmp(c->known->canonical, UNIT_PERCENT);
}

/* What an absolute change is printed in, as a share of the canonical unit. */
static double scale_of(const struct cell *c)
{
	return is_percent(c) ? 1 : c->factor;
}

static void base_metric(const struct cell *c, char *base, size_t size)
{
	if (!name_delta_base(c->metric, base, size))
		snprintf(base, size, "%s", c->metric);
}

/* ---- percent ---- */

static bool recompute(const struct cell *delta, struct change *out)
{
	const struct row *r;
	char metric[128];
	char a[128];
	char b[128];
	const struct cell *x;
	const struct cell *y;

	base_metric(delta, metric, sizeof(metric));
	r = block_row(delta->row->block, metric);
	if (!r || !name_sides(delta->variant, a, b, sizeof(a)))
		return false;
	x = side_cell(r, a);
	y = side_cell(r, b);
	if (!x || !y || x == y)
		return false;
	*out = change_of(x, y, is_percent(delta));
	return isfinite(out->value);
}

static bool agrees(const struct cell *delta, const struct change *c)
{
	return number_prints(&delta->number, c->value / scale_of(delta),
			     c->slack / scale_of(delta));
}

struct deltas {
	const struct cell *v[VARIANTS_MAX];
	struct change change[VARIANTS_MAX];
	int n;
};

static bool delta_fits(const void *ctx, int i, int k)
{
	const struct deltas *d = ctx;

	return agrees(d->v[k], &d->change[i]);
}

static void wrong_percent(struct check *c, const struct cell *delta, const struct change *now)
{
	struct check_item *x = check_add(c->report, "percent", SEVERITY_ERROR);

	x->place = cell_place(c, delta);
	x->subject = cell_subject(delta);
	x->printed = xasprintf("%s %s", delta->printed, delta->unit);
	x->expected = xasprintf("%+.*f %s", delta->number.decimals, now->value / scale_of(delta),
				delta->unit);
	x->message = xasprintf("%s -> %s is %+.*f %s, not %s", now->base->printed,
			       now->cell->printed, delta->number.decimals + 1,
			       now->value / scale_of(delta), delta->unit, delta->printed);
}

static void swapped_percents(struct check *c, const struct deltas *d, const int *from)
{
	struct swap s = { .n = d->n };
	struct cells list = { .n = 0 };
	struct check_item *x = check_add(c->report, "column-swap", SEVERITY_ERROR);
	char *text;

	for (int i = 0; i < d->n; i++) {
		s.variants[i] = d->v[i]->variant;
		s.from[i] = from[i];
		if (from[i] != i)
			cells_add(&list, d->v[i]);
	}
	text = swap_text(&s);
	x->place = cells_place(c, &list);
	x->subject = xasprintf("%s of %s", d->v[0]->metric, text);
	x->message = xasprintf("the changes recompute when columns are exchanged: %s", text);
	free(text);
}

static void percent_row(struct check *c, struct row *r)
{
	struct deltas d = { .n = 0 };
	int from[VARIANTS_MAX];
	int right = 0;

	for (size_t i = 0; i < r->n && d.n < VARIANTS_MAX; i++) {
		if (r->cells[i]->kind != CELL_DELTA || r->cells[i]->claim ||
		    !recompute(r->cells[i], &d.change[d.n]))
			continue;
		d.v[d.n] = r->cells[i];
		right += agrees(d.v[d.n], &d.change[d.n]);
		d.n++;
	}
	if (right <= d.n - 2 && swap_best(d.n, delta_fits, &d, from) >= right + 2) {
		swapped_percents(c, &d, from);
		return;
	}
	for (int i = 0; i < d.n; i++)
		if (!agrees(d.v[i], &d.change[i]))
			wrong_percent(c, d.v[i], &d.change[i]);
}

static void percents_right(struct check *c, const char *source)
{
	struct cells list = { .n = 0 };
	struct check_item *x;
	struct change now;

	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *cell = &c->t->cells[i];

		if (cell->source == source && cell->kind == CELL_DELTA && !cell->claim &&
		    recompute(cell, &now) && agrees(cell, &now))
			cells_add(&list, cell);
	}
	if (!list.n)
		return;
	x = check_add(c->report, "percent", SEVERITY_OK);
	x->place = cells_place(c, &list);
	x->subject = xstrdup(source);
	x->message = xasprintf("%zu published changes recompute", list.n);
}

void rule_percent(struct check *c)
{
	const char *source = NULL;

	check_rows(c, percent_row);
	for (size_t i = 0; i < c->t->n_sheets; i++) {
		if (c->t->sheets[i]->source != source)
			percents_right(c, c->t->sheets[i]->source);
		source = c->t->sheets[i]->source;
	}
}

/* ---- claim-vs-table ---- */

enum end { END_ANY, END_LOW, END_HIGH };

/* What a claim of a change can be about. */
struct evidence {
	struct change v[FOUND_MAX];
	int n;
};

static bool same_workload(const char *claim, const char *workload)
{
	return !strcmp(claim, workload) || strstr(workload, claim) || name_has_word(claim, "all") ||
	       name_has_word(claim, "both") || name_has_word(claim, "every");
}

/* "iops_avg+bw drop, low end" is about iops_avg and bw. */
static bool about_metric(const char *claim, const char *metric)
{
	size_t n = strlen(metric);
	char base[128];

	if (name_delta_base(claim, base, sizeof(base)) && !strcmp(base, metric))
		return true;
	for (const char *p = claim; *p;) {
		size_t word = strcspn(p, "+, &");

		if (word == n && !strncmp(p, metric, n))
			return true;
		p += word + (p[word] != '\0');
	}
	return false;
}

static void gather_row(const struct cell *claim, const struct row *r, struct evidence *e)
{
	struct cell *x = NULL;
	struct cell *y = NULL;
	char a[128];
	char b[128];

	if (name_sides(claim->variant, a, b, sizeof(a))) {
		x = side_cell(r, a);
		y = side_cell(r, b);
	}
	if ((!x || !y || x == y) && !only_two(r, &y, &x))
		return;
	if (e->n < FOUND_MAX)
		e->v[e->n++] = change_of(x, y, is_percent(claim));
}

static void gather(const struct cell *claim, struct evidence *e)
{
	const struct sheet *s = claim->row->block->sheet;

	e->n = 0;
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->blocks[i]->n; k++)
			if (same_workload(claim->workload, s->blocks[i]->workload) &&
			    about_metric(claim->metric, s->blocks[i]->rows[k]->metric))
				gather_row(claim, s->blocks[i]->rows[k], e);
}

static enum end end_of(const struct cell *claim)
{
	if (name_has_word(claim->metric, "low") || name_has_word(claim->metric, "least"))
		return END_LOW;
	if (name_has_word(claim->metric, "high") || name_has_word(claim->metric, "most"))
		return END_HIGH;
	return END_ANY;
}

/* How far the claim is off what is there; a length or a loss may be told without its sign. */
static double claim_error(const struct cell *claim, const struct change *c)
{
	double said = claim->number.value;
	double is = c->value / scale_of(claim);
	bool bare = said > 0 && (!is_percent(claim) || name_has_word(claim->metric, "drop") ||
				 name_has_word(claim->metric, "loss"));

	return fabs(said - (bare ? fabs(is) : is));
}

static const struct change *choose(const struct cell *claim, const struct evidence *e)
{
	const struct change *best = &e->v[0];
	enum end end = end_of(claim);

	for (int i = 1; i < e->n; i++) {
		const struct change *c = &e->v[i];
		bool better = claim_error(claim, c) < claim_error(claim, best);

		if (end == END_LOW)
			better = fabs(c->value) < fabs(best->value);
		else if (end == END_HIGH)
			better = fabs(c->value) > fabs(best->value);
		best = better ? c : best;
	}
	return best;
}

static double claim_tolerance(const struct cell *claim)
{
	double share = CLAIM_TOLERANCE * fabs(claim->number.value);

	return claim->number.ulp > share ? claim->number.ulp : share;
}

static void judge_change(struct check *c, const struct cell *claim)
{
	struct evidence e;
	const struct change *is;
	struct check_item *x;
	double value;
	bool holds;

	gather(claim, &e);
	if (!e.n)
		return;
	is = choose(claim, &e);
	value = is->value / scale_of(claim);
	holds = claim_error(claim, is) <= claim_tolerance(claim) + is->slack / scale_of(claim);
	x = check_add(c->report, "claim-vs-table", holds ? SEVERITY_OK : SEVERITY_ERROR);
	x->place = cell_place(c, claim);
	x->subject = cell_subject(claim);
	x->printed = xasprintf("%s %s", claim->printed, claim->unit);
	x->expected = xasprintf("%+.2f %s (%s -> %s)", value, claim->unit, is->base->printed,
				is->cell->printed);
	x->message = xasprintf("the text says %s %s, its table %+.2f %s (%s -> %s)", claim->printed,
			       claim->unit, value, claim->unit, is->base->printed,
			       is->cell->printed);
}

/* A number that the text tells again. */
static void judge_value(struct check *c, const struct cell *claim)
{
	const struct cell *is = row_cell(claim->row, claim->variant);
	struct check_item *x;
	bool holds;

	if (!is)
		return;
	holds = fabs(cell_value(claim) - cell_value(is)) <=
		claim_tolerance(claim) * claim->factor + cell_slack(is);
	x = check_add(c->report, "claim-vs-table", holds ? SEVERITY_OK : SEVERITY_ERROR);
	x->place = cell_place(c, claim);
	x->subject = cell_subject(claim);
	x->printed = xasprintf("%s %s", claim->printed, claim->unit);
	x->expected = xasprintf("%s %s", is->printed, is->unit);
	x->message = xasprintf("the text says %s %s, its table %s %s", claim->printed, claim->unit,
			       is->printed, is->unit);
}

void rule_claim(struct check *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->t->n && n < CLAIMS_MAX; i++) {
		const struct cell *cell = &c->t->cells[i];

		n += cell->claim;
		if (cell->claim && cell->kind == CELL_DELTA)
			judge_change(c, cell);
		else if (cell->claim && cell->kind == CELL_MEASURED)
			judge_value(c, cell);
	}
}
