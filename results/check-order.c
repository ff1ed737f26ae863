// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rule min<=avg<=max: minimum, mean, maximum and percentiles of one thing are in order. Where an
 * exchange of columns in one of the rows would mend two columns or more, that is what is told.
 * Layer: results, pure.
 */
#include "results/check-rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/check-names.h"

#define MEMBERS_MAX 16

/* The rows of one family in a block: from small to large, the mean apart. */
struct family {
	struct row *ordered[MEMBERS_MAX]; /* min, percentiles, max */
	double rank[MEMBERS_MAX];	  /* 0, p, 100 */
	int n;
	struct row *avg;
};

static bool same_unit(const struct row *a, const struct row *b)
{
	return a->cells[0]->known == b->cells[0]->known &&
	       (a->cells[0]->known || a->cells[0]->unit == b->cells[0]->unit);
}

static void add_member(struct family *f, struct row *r, double rank)
{
	int i = f->n;

	if (f->n == MEMBERS_MAX || (f->n && !same_unit(r, f->ordered[0])))
		return;
	for (; i > 0 && f->rank[i - 1] > rank; i--) {
		f->rank[i] = f->rank[i - 1];
		f->ordered[i] = f->ordered[i - 1];
	}
	f->rank[i] = rank;
	f->ordered[i] = r;
	f->n++;
}

static void find_family(const struct block *b, const char *name, struct family *f)
{
	struct metric_name m;

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < b->n; i++) {
		struct row *r = b->rows[i];

		metric_name_parse(r->metric, &m);
		if (strcmp(m.family, name) != 0 || !r->n || r->cells[0]->kind != CELL_MEASURED)
			continue;
		if (m.role == ROLE_MIN)
			add_member(f, r, 0);
		else if (m.role == ROLE_PERCENTILE)
			add_member(f, r, m.percentile);
		else if (m.role == ROLE_MAX)
			add_member(f, r, 100);
		else if (m.role == ROLE_AVG || (m.role == ROLE_NONE && !f->avg))
			f->avg = r;
	}
	if (f->avg && f->n && !same_unit(f->avg, f->ordered[0]))
		f->avg = NULL;
}

/* ---- in order? ---- */

static bool above(const struct cell *low, const struct cell *high)
{
	return low && high &&
	       cell_value(low) - cell_slack(low) >
		       (cell_value(high) + cell_slack(high)) * (1 + 1e-9);
}

static const struct row *bound(const struct family *f, double rank)
{
	for (int i = 0; i < f->n; i++)
		if (f->rank[i] == rank)
			return f->ordered[i];
	return NULL;
}

static bool avg_outside(const struct family *f, const struct cell *avg, const char *variant)
{
	return avg && (above(row_cell(bound(f, 0), variant), avg) ||
		       above(avg, row_cell(bound(f, 100), variant)));
}

/* ---- an exchange that mends it ---- */

struct attempt {
	const struct family *f;
	struct row *moved;
	const char *variants[VARIANTS_MAX];
	int n;
};

/* Does the number of column k, in row `moved`, stand in order with the others of column i? */
static bool in_order(const void *ctx, int i, int k)
{
	const struct attempt *a = ctx;
	const struct cell *x = row_cell(a->moved, a->variants[k]);
	const char *variant = a->variants[i];
	bool before = true;

	if (a->moved == a->f->avg)
		return !avg_outside(a->f, x, variant);
	for (int m = 0; m < a->f->n; m++) {
		const struct cell *other = row_cell(a->f->ordered[m], variant);

		if (a->f->ordered[m] == a->moved)
			before = false;
		else if (before ? above(other, x) : above(x, other))
			return false;
	}
	if (!a->f->avg || (bound(a->f, 0) != a->moved && bound(a->f, 100) != a->moved))
		return true;
	return bound(a->f, 0) == a->moved ? !above(x, row_cell(a->f->avg, variant))
					  : !above(row_cell(a->f->avg, variant), x);
}

static void describe_swap(struct check *c, const struct attempt *a, const int *from)
{
	struct swap s = { .block = a->moved->block, .n = a->n };
	struct check_item *x = check_add(c->report, "column-swap", SEVERITY_ERROR);
	struct cells list = { .n = 0 };
	struct buf printed = BUF_INIT;
	struct buf expected = BUF_INIT;
	char *text;

	for (int i = 0; i < a->n; i++) {
		struct cell *cell = row_cell(a->moved, a->variants[i]);

		s.variants[i] = a->variants[i];
		s.from[i] = from[i];
		if (from[i] == i)
			continue;
		cell->explained = true;
		cells_add(&list, cell);
		buf_addf(&printed, "%s%s", printed.size ? " / " : "", cell->printed);
		buf_addf(&expected, "%s%s", expected.size ? " / " : "",
			 row_cell(a->moved, a->variants[from[i]])->printed);
	}
	text = swap_text(&s);
	x->place = cells_place(c, &list);
	x->subject = xasprintf("%s %s %s of %s", s.block->sheet->board, s.block->workload,
			       a->moved->metric, text);
	x->message =
		xasprintf("%s is out of order with its minimum and maximum; it is not when columns"
			  " are exchanged: %s",
			  a->moved->metric, text);
	buf_adds(&printed, "");
	buf_adds(&expected, "");
	x->printed = buf_detach(&printed);
	x->expected = buf_detach(&expected);
	free(text);
}

static bool try_swap(struct check *c, const struct family *f, struct row *moved)
{
	struct attempt a = { .f = f, .moved = moved };
	int from[VARIANTS_MAX];
	int fits = 0;

	for (size_t i = 0; i < moved->n && a.n < VARIANTS_MAX; i++)
		if (row_cell(moved, moved->cells[i]->variant) == moved->cells[i])
			a.variants[a.n++] = moved->cells[i]->variant;
	for (int i = 0; i < a.n; i++)
		fits += in_order(&a, i, i);
	if (fits > a.n - 2 || swap_best(a.n, in_order, &a, from) < fits + 2)
		return false;
	describe_swap(c, &a, from);
	return true;
}

/* ---- one column ---- */

static void out_of_order(struct check *c, const struct family *f, struct cell *cell,
			 const char *variant)
{
	struct check_item *x = check_add(c->report, "min<=avg<=max", SEVERITY_ERROR);
	struct buf printed = BUF_INIT;
	struct cells list = { .n = 0 };

	cells_add(&list, cell);
	for (int i = 0; i < f->n; i++) {
		const struct cell *m = row_cell(f->ordered[i], variant);

		if (m && m != cell)
			cells_add(&list, m);
		if (m)
			buf_addf(&printed, "%s%s %s", printed.size ? ", " : "", m->metric,
				 m->printed);
		if (f->avg && f->rank[i] == 0)
			buf_addf(&printed, ", %s %s", f->avg->metric,
				 row_cell(f->avg, variant) ? row_cell(f->avg, variant)->printed
							   : "-");
	}
	cell->explained = true;
	x->place = cells_place(c, &list);
	x->subject = cell_subject(cell);
	x->expected = xasprintf("%s in order with the others", cell->metric);
	x->message =
		xasprintf("%s %s cannot be: %s", cell->metric, cell->printed, buf_str(&printed));
	buf_adds(&printed, "");
	x->printed = buf_detach(&printed);
}

static void check_column(struct check *c, const struct family *f, const char *variant)
{
	struct cell *avg = row_cell(f->avg, variant);

	for (int i = 1; i < f->n; i++) {
		struct cell *high = row_cell(f->ordered[i], variant);

		if (above(row_cell(f->ordered[i - 1], variant), high)) {
			out_of_order(c, f, high, variant);
			return;
		}
	}
	if (avg_outside(f, avg, variant))
		out_of_order(c, f, avg, variant);
}

static void check_family(struct check *c, const struct family *f)
{
	const struct row *columns = f->avg ? f->avg : f->ordered[0];

	if (f->avg && try_swap(c, f, f->avg))
		return;
	for (int i = 0; i < f->n; i++)
		if (try_swap(c, f, f->ordered[i]))
			return;
	for (size_t i = 0; i < columns->n; i++)
		if (row_cell(columns, columns->cells[i]->variant) == columns->cells[i])
			check_column(c, f, columns->cells[i]->variant);
}

static void order_block(struct check *c, struct block *b)
{
	for (size_t i = 0; i < b->n && b->n <= CHECK_ROWS_MAX; i++) {
		struct metric_name name;
		struct metric_name other;
		struct family f;
		size_t k = 0;

		metric_name_parse(b->rows[i]->metric, &name);
		/* once for each family */
		for (; k < i; k++) {
			metric_name_parse(b->rows[k]->metric, &other);
			if (!strcmp(other.family, name.family))
				break;
		}
		if (k < i)
			continue;
		find_family(b, name.family, &f);
		if (f.n + (f.avg != NULL) >= 2 && f.n)
			check_family(c, &f);
	}
}

void rule_order(struct check *c)
{
	check_blocks(c, order_block);
}
