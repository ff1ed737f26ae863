// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bandwidth against IOPS times block size: rules unit-mix and bw-vs-iops. Layer: results, pure.
 *
 * Where nobody says the block size it is the power of two that explains most of the block's
 * numbers, or of the document's where the block's own say nothing.
 */
#include "results/check-rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/values.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TIGHT	     0.005

/* ---- pairs ---- */

static bool has_unit(const struct row *r, const char *canonical)
{
	for (size_t i = 0; i < r->n; i++)
		if (cell_counts(r->cells[i]))
			return r->cells[i]->known &&
			       !strcmp(r->cells[i]->known->canonical, canonical);
	return false;
}

/* "read_bw" -> "read": the family without the word for what is measured. */
static void direction_of(const char *metric, char *out, size_t size, enum role *role)
{
	static const char *const words[] = { "bw",   "bandwidth",  "bytes",
					     "rate", "throughput", "iops" };
	struct metric_name name;
	char *save = NULL;
	size_t used = 0;

	metric_name_parse(metric, &name);
	*role = name.role;
	*out = '\0';
	for (char *w = strtok_r(name.family, "_", &save); w; w = strtok_r(NULL, "_", &save)) {
		bool known = false;

		for (size_t i = 0; i < COUNT(words); i++)
			known |= !strcasecmp(w, words[i]);
		if (!known && used + strlen(w) + 2 < size)
			used += (size_t)snprintf(out + used, size - used, "_%s", w);
	}
}

static const struct row *iops_row(const struct block *b, const char *direction)
{
	const struct row *plain = NULL;

	for (size_t i = 0; i < b->n; i++) {
		char other[96];
		enum role role;

		if (!has_unit(b->rows[i], UNIT_IOPS))
			continue;
		direction_of(b->rows[i]->metric, other, sizeof(other), &role);
		if (strcmp(other, direction) != 0)
			continue;
		if (role == ROLE_AVG)
			return b->rows[i];
		if (role == ROLE_NONE)
			plain = b->rows[i];
	}
	return plain;
}

static void fill_pairs(const struct row *bw, const struct row *iops, struct pairs *out)
{
	out->n = 0;
	for (size_t i = 0; i < bw->n && out->n < VARIANTS_MAX; i++) {
		struct cell *c = bw->cells[i];
		const struct cell *other = row_cell(iops, c->variant);

		if (cell_counts(c) && other && c->number.value > 0 && other->number.value > 0)
			out->v[out->n++] = (struct pair){ c, other };
	}
}

bool block_pairs(const struct block *b, size_t *from, struct pairs *out)
{
	while (*from < b->n && b->n <= CHECK_ROWS_MAX) {
		const struct row *bw = b->rows[(*from)++];
		const struct row *iops;
		char direction[96];
		enum role role;

		if (!has_unit(bw, UNIT_RATE))
			continue;
		direction_of(bw->metric, direction, sizeof(direction), &role);
		iops = role == ROLE_AVG || role == ROLE_NONE ? iops_row(b, direction) : NULL;
		if (!iops)
			continue;
		fill_pairs(bw, iops, out);
		if (out->n)
			return true;
	}
	return false;
}

double pair_expected(const struct block *b, const struct cell *iops)
{
	return cell_value(iops) * b->block_size;
}

double bw_residual(const struct block *b, const struct cell *bw, const struct cell *iops)
{
	return cell_value(bw) / pair_expected(b, iops) - 1;
}

/* ---- block sizes ---- */

#define SIZES 14 /* 512 bytes .. 4 MiB */

static double size_at(int i)
{
	return 512.0 * (1 << i);
}

/* The number fits this block size in its unit, or in the one with the other prefix. */
static bool explains(double bytes_per_io, double size)
{
	static const double factors[] = { 1, 1.048576, 1 / 1.048576 };

	for (size_t i = 0; i < COUNT(factors); i++)
		if (fabs(bytes_per_io * factors[i] / size - 1) <= CHECK_WARN)
			return true;
	return false;
}

static void vote_for(double bytes_per_io, int votes[SIZES])
{
	for (int k = 0; k < SIZES; k++)
		votes[k] += explains(bytes_per_io, size_at(k));
}

/* Each column, and their sums: those stay when columns are exchanged. */
static void vote(const struct block *b, int votes[SIZES])
{
	struct pairs pairs;

	for (size_t from = 0; block_pairs(b, &from, &pairs);) {
		double bw = 0;
		double iops = 0;

		for (int i = 0; i < pairs.n; i++) {
			bw += cell_value(pairs.v[i].bw);
			iops += cell_value(pairs.v[i].iops);
			vote_for(cell_value(pairs.v[i].bw) / cell_value(pairs.v[i].iops), votes);
		}
		vote_for(bw / iops, votes);
	}
}

/* Of equals the usual one, 4 KiB. */
static double winner(const int votes[SIZES])
{
	int best = 3;

	for (int k = 0; k < SIZES; k++)
		if (votes[k] > votes[best])
			best = k;
	return votes[best] ? size_at(best) : 0;
}

static double said_size(const struct block *b)
{
	double size = name_block_size(b->workload);

	for (size_t i = 0; !size && i < b->n; i++)
		for (size_t k = 0; !size && k < b->rows[i]->n; k++)
			if (strstr(b->rows[i]->cells[k]->note, "bs="))
				size = name_block_size(b->rows[i]->cells[k]->note);
	return size;
}

/* Bits taken for bytes, or kB for MB, look like another block size: which is which the document
 * says. */
static bool is_unit_step(double a, double b)
{
	double ratio = a > b ? a / b : b / a;

	return b > 0 && (ratio == 8 || ratio == 1024 || ratio == 8 * 1024);
}

static void set_size(struct block *b, double common)
{
	int votes[SIZES] = { 0 };
	double own;

	b->block_size = said_size(b);
	if (b->block_size)
		return;
	vote(b, votes);
	own = winner(votes);
	if (!own || is_unit_step(own, common))
		own = common;
	b->block_size = own;
}

static double common_size(const struct check *c, const char *source)
{
	int votes[SIZES] = { 0 };

	for (size_t i = 0; i < c->t->n_sheets; i++)
		for (size_t k = 0; k < c->t->sheets[i]->n; k++)
			if (!source || c->t->sheets[i]->source == source)
				vote(c->t->sheets[i]->blocks[k], votes);
	return winner(votes);
}

#define SOURCES_MAX 32 /* whose usual size is computed; others share the file's */

static void set_sizes(struct check *c)
{
	double everywhere = common_size(c, NULL);
	const char *sources[SOURCES_MAX];
	double common[SOURCES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < c->t->n_sheets; i++) {
		struct sheet *s = c->t->sheets[i];
		size_t m = 0;

		while (m < n && sources[m] != s->source)
			m++;
		if (m == n && n < SOURCES_MAX) {
			sources[n] = s->source;
			common[n++] = common_size(c, s->source);
		}
		for (size_t k = 0; k < s->n; k++)
			set_size(s->blocks[k], m < n && common[m] > 0 ? common[m] : everywhere);
	}
}

/* ---- unit-mix ---- */

/* The bandwidth cells of one sheet under one label. */
struct label {
	const struct unit *unit;
	struct pair *pairs;
	const struct block **blocks;
	int n;
};

static void label_release(struct label *l)
{
	free(l->pairs);
	free(l->blocks);
}

static void label_fill(const struct sheet *s, const struct unit *unit, struct label *l)
{
	struct pairs pairs;

	memset(l, 0, sizeof(*l));
	l->unit = unit;
	for (size_t i = 0; i < s->n; i++) {
		for (size_t from = 0; block_pairs(s->blocks[i], &from, &pairs);) {
			for (int k = 0; k < pairs.n && s->blocks[i]->block_size > 0; k++) {
				if (pairs.v[k].bw->known != unit)
					continue;
				l->pairs =
					xrealloc(l->pairs, (size_t)(l->n + 1) * sizeof(*l->pairs));
				l->blocks =
					xrealloc(l->blocks, (size_t)(l->n + 1) * sizeof(void *));
				l->pairs[l->n] = pairs.v[k];
				l->blocks[l->n++] = s->blocks[i];
			}
		}
	}
}

/* Bandwidth as it would be if the numbers were of another unit than their label's, over what it is.
 */
static bool is_in(const struct label *l, int i, const struct unit *real, double tolerance)
{
	double r = cell_value(l->pairs[i].bw) / pair_expected(l->blocks[i], l->pairs[i].iops);

	return fabs(r * real->factor / l->unit->factor - 1) <= tolerance;
}

static int count_cells(const struct label *l, const struct unit *real)
{
	int n = 0;

	for (int i = 0; i < l->n; i++)
		n += is_in(l, i, real, CHECK_ERROR);
	return n;
}

/* The sums of a block do not change when its columns are exchanged. */
static int count_blocks(const struct label *l, const struct unit *real)
{
	int n = 0;

	for (int i = 0, k; i < l->n; i = k) {
		double bw = 0;
		double expected = 0;

		for (k = i; k < l->n && l->blocks[k] == l->blocks[i]; k++) {
			bw += cell_value(l->pairs[k].bw);
			expected += pair_expected(l->blocks[k], l->pairs[k].iops);
		}
		n += fabs(bw / expected * real->factor / l->unit->factor - 1) <= CHECK_ERROR;
	}
	return n;
}

/* The next unit of bandwidth, each size once; NULL at the end. */
static const struct unit *next_rate(const struct unit *u)
{
	for (u = u ? u + 1 : units; u->printed; u++) {
		const struct unit *first = units;

		if (strcmp(u->canonical, UNIT_RATE) != 0)
			continue;
		while (strcmp(first->canonical, UNIT_RATE) != 0 || first->factor != u->factor)
			first++;
		if (first == u)
			return u;
	}
	return NULL;
}

typedef int count_fn(const struct label *l, const struct unit *real);

static const struct unit *find_most(const struct label *l, count_fn *count, int *most)
{
	const struct unit *best = l->unit;

	*most = count(l, l->unit);
	for (const struct unit *u = next_rate(NULL); u; u = next_rate(u)) {
		int n = count(l, u);

		if (n > *most) {
			*most = n;
			best = u;
		}
	}
	return best;
}

/* What most of the cells say; of equals the label itself. */
static const struct unit *find_real(const struct label *l)
{
	int most;
	const struct unit *real = find_most(l, count_cells, &most);

	return 2 * most >= l->n ? real : find_most(l, count_blocks, &most);
}

static double worst_residual(const struct label *l, const int *which, int n)
{
	double worst = 0;

	for (int i = 0; i < n; i++) {
		const struct pair *p = &l->pairs[which[i]];
		double off = fabs(bw_residual(l->blocks[which[i]], p->bw, p->iops));

		worst = off > worst ? off : worst;
	}
	return worst;
}

/* They were corrected already. */
static void describe_mix(struct check *c, const struct label *l, const int *which, int n,
			 const struct unit *real)
{
	struct cells list = { .n = 0 };
	const struct pair *p = &l->pairs[which[0]];
	double expected = pair_expected(l->blocks[which[0]], p->iops);
	struct check_item *x = check_add(c->report, "unit-mix", SEVERITY_ERROR);
	const char *label = l->unit->printed;

	for (int i = 0; i < n; i++)
		cells_add(&list, l->pairs[which[i]].bw);
	x->place = cells_place(c, &list);
	x->subject = xasprintf("%s: %s label %s (%d of %d cells)", p->bw->board, p->bw->metric,
			       label, n, l->n);
	x->printed = xasprintf("e.g. %s %s", p->bw->printed, label);
	x->expected = xasprintf("%.2f %s = %.2f %s", expected / l->unit->factor, label,
				expected / real->factor, real->printed);
	x->message = xasprintf(
		"%d of %d cells labelled %s are %s: e.g. %s is printed for %s IOPS of"
		" %.0f bytes, which are %.2f %s = %.2f %s (all within %.2f %%)",
		n, l->n, label, real->printed, p->bw->printed, p->iops->printed,
		l->blocks[which[0]]->block_size, expected / l->unit->factor, label,
		expected / real->factor, real->printed, 100 * worst_residual(l, which, n));
}

static void correct(struct cell *c, const struct unit *real)
{
	c->factor = real->factor;
	c->unit_wrong = real->factor != c->known->factor;
}

/* All cells of the label are what most of them are. */
static void mix_all(struct check *c, struct label *l, const struct unit *real)
{
	int *which = xcalloc((size_t)l->n, sizeof(*which));

	for (int i = 0; i < l->n; i++) {
		which[i] = i;
		correct(l->pairs[i].bw, real);
	}
	describe_mix(c, l, which, l->n, real);
	free(which);
}

/* Some of a table in another unit: two cells at least, and close. */
static void mix_rest(struct check *c, struct label *l, const struct unit *most)
{
	int *which = xcalloc((size_t)l->n, sizeof(*which));

	for (const struct unit *u = next_rate(NULL); u; u = next_rate(u)) {
		double step = u->factor / most->factor;
		int n = 0;

		for (int i = 0; i < l->n; i++)
			if (fabs(bw_residual(l->blocks[i], l->pairs[i].bw, l->pairs[i].iops)) >
				    CHECK_ERROR &&
			    fabs((1 + bw_residual(l->blocks[i], l->pairs[i].bw, l->pairs[i].iops)) *
					 step -
				 1) <= TIGHT)
				which[n++] = i;
		if (n < 2)
			continue;
		for (int i = 0; i < n; i++)
			correct(l->pairs[which[i]].bw, u);
		describe_mix(c, l, which, n, u);
	}
	free(which);
}

static void mix_label(struct check *c, const struct sheet *s, const struct unit *unit)
{
	const struct unit *real;
	struct label l;

	label_fill(s, unit, &l);
	if (l.n) {
		real = find_real(&l);
		if (real->factor != unit->factor)
			mix_all(c, &l, real);
		mix_rest(c, &l, real);
	}
	label_release(&l);
}

static void mix_sheet(struct check *c, struct sheet *s)
{
	for (const struct unit *u = units; u->printed; u++)
		if (!strcmp(u->canonical, UNIT_RATE))
			mix_label(c, s, u);
}

/* One label, several meanings in one document: told once. */
static void mix_source(struct check *c, const char *source)
{
	struct buf right = BUF_INIT;
	struct buf wrong = BUF_INIT;
	struct cells list = { .n = 0 };
	const struct sheet *last = NULL;

	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *cell = &c->t->cells[i];
		const struct sheet *s = cell->row->block->sheet;
		struct buf *to = cell->unit_wrong ? &wrong : &right;

		if (cell->source != source || s == last || !cell->known || !cell_counts(cell) ||
		    strcmp(cell->known->canonical, UNIT_RATE) != 0 || !s->blocks[0]->block_size)
			continue;
		last = s;
		buf_addf(to, "%s%s", to->size ? ", " : "", s->board);
		cells_add(&list, cell);
	}
	if (right.size && wrong.size) {
		struct check_item *x = check_add(c->report, "unit-mix", SEVERITY_INFO);

		x->place = cells_place(c, &list);
		x->subject = xasprintf("%s: labels of bandwidth", source);
		x->printed = xstrdup("one label");
		x->expected = xstrdup("one unit");
		x->message = xasprintf(
			"one document, two units under one label: right for %s, wrong for %s",
			buf_str(&right), buf_str(&wrong));
	}
	buf_release(&right);
	buf_release(&wrong);
}

void rule_unit_mix(struct check *c)
{
	const char *source = NULL;

	set_sizes(c);
	check_sheets(c, mix_sheet);
	for (size_t i = 0; i < c->t->n_sheets; i++) {
		if (c->t->sheets[i]->source != source)
			mix_source(c, c->t->sheets[i]->source);
		source = c->t->sheets[i]->source;
	}
}

/* ---- bw-vs-iops ---- */

static void check_pair(struct check *c, const struct block *b, struct pair *p)
{
	double off = bw_residual(b, p->bw, p->iops);
	/* the digits printed can be blamed for so much */
	double slack =
		cell_slack(p->bw) / cell_value(p->bw) + cell_slack(p->iops) / cell_value(p->iops);
	double expected = pair_expected(b, p->iops) / p->bw->factor;
	struct check_item *x;

	if (p->bw->explained || fabs(off) <= CHECK_WARN + slack)
		return;
	p->bw->explained = true;
	x = check_add(c->report, "bw-vs-iops",
		      fabs(off) > CHECK_ERROR + slack ? SEVERITY_ERROR : SEVERITY_WARN);
	x->place = cell_place(c, p->bw);
	x->subject = cell_subject(p->bw);
	x->printed = xstrdup(p->bw->printed);
	x->expected = xasprintf("%.2f", expected);
	x->message = xasprintf("%s is %+.2f %% off the %.2f that %s IOPS of %.0f bytes make",
			       p->bw->printed, 100 * off, expected, p->iops->printed,
			       b->block_size);
}

static void bw_block(struct check *c, struct block *b)
{
	struct pairs pairs;

	for (size_t from = 0; b->block_size > 0 && block_pairs(b, &from, &pairs);)
		for (int i = 0; i < pairs.n; i++)
			check_pair(c, b, &pairs.v[i]);
}

void rule_bw_vs_iops(struct check *c)
{
	check_blocks(c, bw_block);
}
