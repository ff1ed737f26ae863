// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules duplicate, cross-version, reused-values and suspicious-digits: numbers that are equal where
 * they should differ, or differ where they should be equal. Layer: results, pure.
 */
#include "results/check-rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/values.h"

#define REUSED_LEAST 2 /* cells carried over, to be worth a word */

static bool same_number(const struct cell *a, const struct cell *b)
{
	return a->number.value == b->number.value && a->number.decimals == b->number.decimals;
}

/* Digits that are not zeros at its end: what chance would have to hit. */
static int telling_digits(const struct number *n)
{
	double v = fabs(n->value / n->ulp);
	int zeros = 0;

	while (v > 0 && zeros < n->digits && fmod(v, 10) < 0.5) {
		v = floor(v / 10 + 0.05);
		zeros++;
	}
	return n->digits - zeros;
}

static bool is_count(const struct cell *c)
{
	return !c->known || !strcmp(c->known->canonical, UNIT_COUNT);
}

/* ---- duplicate: among repetitions ---- */

/* The repetitions of one variant: the same workload but for its number, or the very same name. */
struct repeats {
	struct cell *v[64];
	size_t n;
	double least, most;
};

static void add_repeats(const struct cell *first, const struct block *b, struct repeats *r)
{
	const struct row *row = block_row(b, first->metric);

	for (size_t k = 0; row && k < row->n && r->n < 64; k++) {
		struct cell *c = row->cells[k];

		if (!cell_counts(c) || c->variant != first->variant)
			continue;
		r->v[r->n++] = c;
		r->least = fmin(r->least, c->number.value);
		r->most = fmax(r->most, c->number.value);
	}
}

/* All of its kind in the sheet; empty unless this one is the first. */
static void find_repeats(const struct cell *first, struct repeats *r)
{
	const struct block *own = first->row->block;
	const struct sheet *s = own->sheet;

	*r = (struct repeats){ .least = INFINITY, .most = -INFINITY };
	for (size_t i = 0; own->repeated && i < s->n && (!r->n || r->v[0] == first); i++)
		if (s->blocks[i]->repeated == own->repeated)
			add_repeats(first, s->blocks[i], r);
	if (!own->repeated)
		add_repeats(first, own, r);
	if (r->n && r->v[0] != first)
		r->n = 0;
}

/* Would n repetitions within this range hit the same last digit by chance? */
static bool by_chance(const struct repeats *r, double ulp)
{
	double steps = (r->most - r->least) / ulp + 1;

	return (double)(r->n * (r->n - 1)) / 2 / steps > 0.05;
}

static void tell_repeats(struct check *c, const struct repeats *r, size_t a, size_t b)
{
	struct check_item *x = check_add(c->report, "duplicate", SEVERITY_WARN);
	struct cells list = { .n = 0 };

	cells_add(&list, r->v[a]);
	cells_add(&list, r->v[b]);
	x->place = cells_place(c, &list);
	x->subject = xasprintf("%s %s: %zu and %zu of %zu repetitions: %s", r->v[a]->board,
			       r->v[a]->variant, a + 1, b + 1, r->n, r->v[a]->workload);
	x->printed = xasprintf("%s, %s", r->v[a]->printed, r->v[b]->printed);
	x->expected = xstrdup("numbers that differ");
	x->message = xasprintf("%s %s is exactly repeated: repetitions %zu and %zu of %zu",
			       r->v[a]->metric, r->v[a]->printed, a + 1, b + 1, r->n);
}

static void duplicate_repeats(struct check *c, struct cell *first)
{
	struct repeats r;

	if (!cell_counts(first) || is_count(first) || first->number.value == 0 ||
	    first->row->n > CHECK_COLUMNS_MAX)
		return;
	find_repeats(first, &r);
	for (size_t a = 0; a < r.n; a++) {
		for (size_t b = a + 1; b < r.n; b++) {
			if (!same_number(r.v[a], r.v[b]) || telling_digits(&r.v[a]->number) < 3)
				continue;
			/* two alike and nothing else: only many digits tell */
			if (r.n == 2 ? telling_digits(&r.v[a]->number) < 4
				     : by_chance(&r, r.v[a]->number.ulp))
				continue;
			tell_repeats(c, &r, a, b);
			break;
		}
	}
}

/* ---- duplicate: across columns ---- */

/* A column copied: two variants with one and the same number of many digits. */
static void duplicate_row(struct check *c, struct row *r)
{
	for (size_t a = 0; a < r->n && r->n <= CHECK_COLUMNS_MAX; a++) {
		for (size_t b = a + 1; b < r->n; b++) {
			struct cell *x = r->cells[a];
			struct cell *y = r->cells[b];
			struct cells list = { .n = 0 };
			struct check_item *item;

			if (!cell_counts(x) || !cell_counts(y) || is_count(x) ||
			    x->variant == y->variant || !same_number(x, y) ||
			    telling_digits(&x->number) < 5)
				continue;
			cells_add(&list, x);
			cells_add(&list, y);
			item = check_add(c->report, "duplicate", SEVERITY_WARN);
			item->place = cells_place(c, &list);
			item->subject = row_subject(r);
			item->printed = xasprintf("%s, %s", x->printed, y->printed);
			item->expected = xstrdup("numbers that differ");
			item->message =
				xasprintf("%s is printed for %s and for %s: a column copied?",
					  x->printed, x->variant, y->variant);
		}
	}
}

void rule_duplicate(struct check *c)
{
	for (size_t i = 0; i < c->t->n; i++)
		duplicate_repeats(c, &c->t->cells[i]);
	check_rows(c, duplicate_row);
}

/* ---- cross-version ---- */

static int digits_of(const struct cell *c, char *out, size_t size)
{
	size_t n = 0;

	for (const char *p = c->number.number; *p && p < c->number.number + c->number.size; p++)
		if (*p >= '0' && *p <= '9' && n + 1 < size)
			out[n++] = *p;
	out[n] = '\0';
	return (int)n;
}

/* "103.2" and "130.2": two digits that changed places. */
static bool transposed(const struct cell *a, const struct cell *b)
{
	char x[48];
	char y[48];
	int first = -1;
	int second = -1;
	int n = digits_of(a, x, sizeof(x));

	if (n != digits_of(b, y, sizeof(y)) || n < 3 || a->number.decimals != b->number.decimals)
		return false;
	for (int i = 0; i < n; i++) {
		if (x[i] == y[i])
			continue;
		if (second >= 0)
			return false;
		*(first < 0 ? &first : &second) = i;
	}
	return second >= 0 && x[first] == y[second] && x[second] == y[first];
}

static int digits_apart(const struct cell *a, const struct cell *b)
{
	char x[48];
	char y[48];
	int n = digits_of(a, x, sizeof(x));
	int apart = 0;

	if (n != digits_of(b, y, sizeof(y)) || a->number.decimals != b->number.decimals)
		return 99;
	for (int i = 0; i < n; i++)
		apart += x[i] != y[i];
	return apart;
}

/* The same cell in another sheet: same board, workload, variant and metric. */
static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->board == b->board && a->workload == b->workload && a->variant == b->variant &&
	       a->metric == b->metric && cell_counts(a) && cell_counts(b) && a->known == b->known;
}

/* A document and its cells. */
struct source {
	const char *name;
	const struct cell **v;
	size_t n;
};

/* Two documents compared. */
struct versions {
	const struct source *a, *b;
	struct cells reused;
	size_t changed;
	struct buf text;
};

static void tell_cross(struct check *c, const struct cell *a, const struct cell *b,
		       const struct versions *v)
{
	bool digits = transposed(a, b);
	enum severity severity = v->reused.n || digits ? SEVERITY_ERROR : SEVERITY_WARN;
	struct check_item *x = check_add(c->report, "cross-version", severity);
	struct cells list = { .n = 0 };

	cells_add(&list, b);
	x->place = cells_place(c, &list);
	x->subject = cell_subject(a);
	x->printed = xasprintf("%s vs %s", a->printed, b->printed);
	x->expected = xstrdup("one value");
	x->message =
		xasprintf("%s has %s, %s has %s (%+.2f %%)%s; %zu other cells are the same in both",
			  a->source, a->printed, b->source, b->printed,
			  100 * (b->number.value / a->number.value - 1),
			  digits ? ": digits changed places" : "", v->reused.n);
}

static void tell_reused(struct check *c, const struct versions *v)
{
	struct check_item *x = check_add(c->report, "reused-values", SEVERITY_WARN);

	x->place = cells_place(c, &v->reused);
	x->subject = xasprintf("%s vs %s", v->b->name, v->a->name);
	x->printed = xstrdup(buf_str(&v->text));
	x->expected = xstrdup("measured again");
	x->message =
		xasprintf("%zu of %zu cells are identical in both documents (%s): carried over, not"
			  " measured again",
			  v->reused.n, v->reused.n + v->changed, buf_str(&v->text));
}

typedef void both_fn(struct check *c, struct versions *v, const struct cell *a,
		     const struct cell *b);

static void count_both(struct check *c, struct versions *v, const struct cell *a,
		       const struct cell *b)
{
	(void)c;
	if (!same_number(a, b)) {
		v->changed++;
		return;
	}
	if (telling_digits(&a->number) < 3)
		return;
	cells_add(&v->reused, b);
	if (v->reused.n <= 8)
		buf_addf(&v->text, "%s%s", v->text.size ? ", " : "", b->printed);
}

/* Everything measured again is no fault; a few cells that changed among others that did not are. */
static void tell_both(struct check *c, struct versions *v, const struct cell *a,
		      const struct cell *b)
{
	if (!same_number(a, b) && a->number.value != 0 &&
	    (v->reused.n >= v->changed || transposed(a, b)))
		tell_cross(c, a, b, v);
}

static void for_both(struct check *c, struct versions *v, both_fn *fn)
{
	for (size_t i = 0; i < v->a->n; i++) {
		size_t k = 0;

		while (k < v->b->n && !same_cell(v->a->v[i], v->b->v[k]))
			k++;
		if (k < v->b->n)
			fn(c, v, v->a->v[i], v->b->v[k]);
	}
}

static void compare_versions(struct check *c, const struct source *a, const struct source *b)
{
	struct versions v = { .a = a, .b = b, .text = BUF_INIT };

	for_both(c, &v, count_both);
	for_both(c, &v, tell_both);
	if (v.reused.n >= REUSED_LEAST)
		tell_reused(c, &v);
	buf_release(&v.text);
}

#define SOURCES_MAX 32

/* The documents, in order of their first cells. */
static size_t find_sources(const struct check *c, struct source sources[SOURCES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *cell = &c->t->cells[i];
		size_t k = 0;

		while (k < n && sources[k].name != cell->source)
			k++;
		if (k == SOURCES_MAX)
			continue;
		if (k == n)
			sources[n++] = (struct source){ cell->source,
							xcalloc(c->t->n, sizeof(void *)), 0 };
		sources[k].v[sources[k].n++] = cell;
	}
	return n;
}

void rule_cross_version(struct check *c)
{
	struct source sources[SOURCES_MAX];
	size_t n = find_sources(c, sources);

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			compare_versions(c, &sources[i], &sources[k]);
	for (size_t i = 0; i < n; i++)
		free(sources[i].v);
}

/* ---- suspicious-digits ---- */

/* Equal digits behind the only one that differs, zeros at the end apart. */
static int equal_tail(const struct cell *a, const struct cell *b)
{
	char x[48];
	char y[48];
	int n = digits_of(a, x, sizeof(x));
	int at = 0;
	int end = n;

	digits_of(b, y, sizeof(y));
	while (at < n && x[at] == y[at])
		at++;
	while (end > at && x[end - 1] == '0' && y[end - 1] == '0')
		end--;
	return end - at - 1;
}

static void tell_digits(struct check *c, const struct cell *a, const struct cell *b,
			const char *what)
{
	struct check_item *x = check_add(c->report, "suspicious-digits", SEVERITY_WARN);
	struct cells list = { .n = 0 };

	cells_add(&list, a);
	cells_add(&list, b);
	x->place = cells_place(c, &list);
	x->subject = row_subject(a->row);
	x->printed = xasprintf("%s -> %s", a->printed, b->printed);
	x->expected = xstrdup("-");
	x->message = xasprintf("%s (%s) and %s (%s) %s; the difference is %.*f", a->printed,
			       a->variant, b->printed, b->variant, what, b->number.decimals,
			       b->number.value - a->number.value);
}

/* A decimal point that slipped: ten times what all the others, which agree, have. */
static bool slipped(const struct row *r, const struct cell *c, const struct cell **other)
{
	double least = INFINITY;
	double most = 0;
	int n = 0;
	double power;

	for (size_t i = 0; i < r->n; i++) {
		const struct cell *x = r->cells[i];

		if (!cell_counts(x) || x == c)
			continue;
		least = fmin(least, cell_value(x));
		most = fmax(most, cell_value(x));
		*other = x;
		n++;
	}
	if (n < 2 || least <= 0 || most > 1.25 * least || cell_value(c) <= 0)
		return false;
	power = log10(cell_value(c) / sqrt(least * most));
	return fabs(power) > 0.5 && fabs(power - round(power)) < 0.06;
}

static void digits_row(struct check *c, struct row *r)
{
	for (size_t i = 0; i < r->n && r->n <= CHECK_COLUMNS_MAX; i++) {
		struct cell *a = r->cells[i];
		const struct cell *other = NULL;

		if (!cell_counts(a) || is_count(a))
			continue;
		for (size_t k = i + 1; k < r->n; k++) {
			const struct cell *b = r->cells[k];

			if (!cell_counts(b) || a->variant == b->variant)
				continue;
			if (digits_apart(a, b) == 1 && equal_tail(a, b) >= 3)
				tell_digits(c, a, b, "differ in one digit");
			else if (transposed(a, b) && telling_digits(&a->number) >= 5)
				tell_digits(c, a, b, "have the same digits, two of them exchanged");
		}
		if (slipped(r, a, &other) && !a->explained)
			tell_digits(c, a, other,
				    "are a power of ten apart, unlike the rest of the row");
	}
}

void rule_suspicious_digits(struct check *c)
{
	check_rows(c, digits_row);
}
