// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules single-run, no-dispersion, confounded and variant-identity: what the numbers cannot show,
 * whatever they are. Layer: results, pure.
 */
#include "results/check-rules.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/values.h"

#define RUNS_LEAST 3
#define NAMES_MAX  16

/* A measurement that could be judged: counters and registers are read, not measured. */
static bool is_measurement(const struct cell *c)
{
	static const char *const units_measured[] = { UNIT_RATE, UNIT_NS, UNIT_IOPS, UNIT_PER_S,
						      UNIT_PERCENT };

	for (size_t i = 0;
	     cell_counts(c) && c->known && i < sizeof(units_measured) / sizeof(*units_measured);
	     i++)
		if (!strcmp(c->known->canonical, units_measured[i]))
			return true;
	return false;
}

/* Repetitions in rows of their own are several runs. */
static bool is_repeated(const struct cell *c)
{
	return c->row->block->repeated;
}

/* ---- single-run ---- */

static void single_block(struct check *c, struct block *b)
{
	struct cells list = { .n = 0 };
	struct buf printed = BUF_INIT;
	struct check_item *x;

	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->rows[i]->n; k++) {
			const struct cell *cell = b->rows[i]->cells[k];

			if (!is_measurement(cell) || !cell->runs || cell->runs >= RUNS_LEAST ||
			    is_repeated(cell))
				continue;
			cells_add(&list, cell);
			if (list.n <= 6)
				buf_addf(&printed, "%s%s %s", printed.size ? ", " : "",
					 cell->printed, cell->unit);
		}
	}
	if (list.n) {
		x = check_add(c->report, "single-run", SEVERITY_WARN);
		x->place = cells_place(c, &list);
		x->subject = list.n == 1 ? cell_subject(list.v[0])
					 : xasprintf("%s %s", b->sheet->board, b->workload);
		x->printed = xasprintf("n=%d", list.v[0]->runs);
		x->expected = xasprintf("n>=%d", RUNS_LEAST);
		x->message = xasprintf("%s: %d run%s, so nothing is known of the spread",
				       buf_str(&printed), list.v[0]->runs,
				       list.v[0]->runs == 1 ? "" : "s");
	}
	buf_release(&printed);
}

void rule_single_run(struct check *c)
{
	check_blocks(c, single_block);
}

/* ---- no-dispersion ---- */

/* The repetitions of this cell, mean and standard deviation; how many. */
static size_t spread(const struct cell *c, double *mean, double *sd)
{
	const struct sheet *s = c->row->block->sheet;
	double sum = 0;
	double squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct cell *x;

		if (s->blocks[i]->repeated != c->row->block->repeated)
			continue;
		x = row_cell(block_row(s->blocks[i], c->metric), c->variant);
		if (!x)
			continue;
		if (!n && x != c)
			return 0; /* told with the first one */
		n++;
		sum += x->number.value;
		squares += x->number.value * x->number.value;
	}
	*mean = n ? sum / (double)n : 0;
	*sd = n > 1 ? sqrt(fmax(0, (squares - sum * sum / (double)n) / (double)(n - 1))) : 0;
	return n;
}

static void add_spread(const struct cell *c, struct buf *b)
{
	double mean;
	double sd;
	size_t n = is_repeated(c) && is_measurement(c) ? spread(c, &mean, &sd) : 0;

	if (n >= RUNS_LEAST && mean > 0)
		buf_addf(b, "%s%s %s %s: %zu repetitions, CV %.2f %%", b->size ? "; " : "",
			 c->board, c->metric, c->variant, n, 100 * sd / mean);
}

void rule_no_dispersion(struct check *c)
{
	struct buf known = BUF_INIT;
	struct cells list = { .n = 0 };
	struct check_item *x;
	bool given = false;

	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *cell = &c->t->cells[i];
		struct metric_name name;

		metric_name_parse(cell->metric, &name);
		given |= name.role == ROLE_SPREAD;
		if (is_measurement(cell))
			cells_add(&list, cell);
		add_spread(cell, &known);
	}
	if (!given && list.n) {
		x = check_add(c->report, "no-dispersion", SEVERITY_WARN);
		x->place = xasprintf("%s (all)", c->t->file);
		x->subject = xasprintf("all %zu measurements", list.n);
		x->printed = xstrdup("means only");
		x->expected = xstrdup("values of the runs, or a standard deviation");
		x->message =
			xasprintf("no spread is given, so no detectable effect can be told%s%s",
				  known.size ? "; only " : "", buf_str(&known));
	}
	buf_release(&known);
}

/* ---- confounded ---- */

/* The variants that a block compares. */
struct variants {
	const char *v[NAMES_MAX];
	bool reached[NAMES_MAX];
	size_t n;
};

static void find_variants(const struct block *b, struct variants *v)
{
	memset(v, 0, sizeof(*v));
	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->rows[i]->n; k++) {
			const struct cell *c = b->rows[i]->cells[k];
			size_t m = 0;

			while (m < v->n && v->v[m] != c->variant)
				m++;
			if (m == v->n && m < NAMES_MAX && cell_counts(c))
				v->v[v->n++] = c->variant;
		}
	}
}

/* From the first variant in steps of one change each. */
static void reach(struct variants *v)
{
	bool near[NAMES_MAX][NAMES_MAX] = { { false } };
	bool more = true;

	for (size_t i = 0; i < v->n; i++)
		for (size_t k = 0; k < i; k++)
			near[i][k] = near[k][i] = variant_changes(v->v[i], v->v[k]) <= 1;
	v->reached[0] = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < v->n; i++) {
			for (size_t k = 0; k < v->n && !v->reached[i]; k++) {
				if (!v->reached[k] || !near[i][k])
					continue;
				v->reached[i] = more = true;
			}
		}
	}
}

static void confounded_sheet(struct check *c, struct sheet *s)
{
	const char *told = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct variants v;

		find_variants(s->blocks[i], &v);
		if (v.n < 2)
			continue;
		reach(&v);
		for (size_t k = 1; k < v.n; k++) {
			struct check_item *x;
			struct cells list = { .n = 0 };

			if (v.reached[k] || v.v[k] == told)
				continue;
			told = v.v[k];
			for (size_t m = 0; m < s->blocks[i]->n; m++) {
				const struct cell *cell = row_cell(s->blocks[i]->rows[m], v.v[k]);

				if (cell)
					cells_add(&list, cell);
			}
			x = check_add(c->report, "confounded", SEVERITY_ERROR);
			x->place = cells_place(c, &list);
			x->subject = xasprintf("%s: %s vs %s", s->board, v.v[0], v.v[k]);
			x->printed = xstrdup("two changes");
			x->expected = xstrdup("one");
			x->message = xasprintf(
				"%s and %s differ in more than one thing, and nothing between"
				" them was measured: the difference has no one cause",
				v.v[0], v.v[k]);
		}
	}
}

void rule_confounded(struct check *c)
{
	check_sheets(c, confounded_sheet);
}

/* ---- variant-identity ---- */

/* A label with all that was put in brackets behind it, or told of it in notes. */
struct label {
	const char *source;
	char name[96];
	char codes[NAMES_MAX][48];
	size_t n;
	struct cells cells;
};

static void add_code(struct label *l, const char *code, const struct cell *c)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcasecmp(l->codes[i], code))
			return;
	if (!*code || l->n == NAMES_MAX || strlen(code) >= sizeof(l->codes[0]))
		return;
	snprintf(l->codes[l->n], sizeof(l->codes[0]), "%s", code);
	l->n++;
	cells_add(&l->cells, c);
}

/* A commit's hash: 7 to 40 hexadecimal digits, letters and figures among them. */
static bool is_hash(const char *word, size_t n)
{
	bool letters = false;
	bool figures = false;

	for (size_t i = 0; i < n; i++) {
		if (!isxdigit((unsigned char)word[i]))
			return false;
		letters |= !!isalpha((unsigned char)word[i]);
		figures |= !!isdigit((unsigned char)word[i]);
	}
	return n >= 7 && n <= 40 && letters && figures;
}

/* "v2", "V10": the revision of a series, as notes tell it; hashes too. */
static void add_note(struct label *l, const struct cell *c)
{
	const char *p = c->note;

	while (*p) {
		size_t n = strcspn(p, " ,;:()[]\"'");
		char word[48];

		if (n < sizeof(word) && (is_hash(p, n) || ((*p | 32) == 'v' && n > 1 &&
							   strspn(p + 1, "0123456789") == n - 1))) {
			memcpy(word, p, n);
			word[n] = '\0';
			add_code(l, word, c);
		}
		p += n + (p[n] != '\0');
	}
}

static void tell_label(struct check *c, const struct label *l, const char *where)
{
	struct check_item *x = check_add(c->report, "variant-identity", SEVERITY_ERROR);
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < l->n; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", l->codes[i]);
	x->place = cells_place(c, &l->cells);
	x->subject = xasprintf("%s: %s", l->source, l->name);
	x->expected = xstrdup("one code for a label");
	x->message = xasprintf(
		"'%s' names %zu codes%s: %s; a variant is the hash of its patches, not a label",
		l->name, l->n, where, buf_str(&b));
	x->printed = buf_detach(&b);
}

/* The brackets of variants that have the same label otherwise. */
static void brackets(struct check *c, size_t first)
{
	const struct cell *cell = &c->t->cells[first];
	struct label l = { .source = cell->source };
	char name[96];
	char code[96];

	variant_qualifier(cell->variant, l.name, code, sizeof(l.name));
	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *x = &c->t->cells[i];

		if (x->source != cell->source || x->kind == CELL_DELTA)
			continue;
		variant_qualifier(x->variant, name, code, sizeof(name));
		if (strcasecmp(name, l.name) != 0 || !*code)
			continue;
		if (i < first)
			return; /* told with that one */
		add_code(&l, code, x);
	}
	if (l.n > 1)
		tell_label(c, &l, "");
}

static void notes(struct check *c, size_t first)
{
	const struct cell *cell = &c->t->cells[first];
	struct label l = { .source = cell->source };

	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *x = &c->t->cells[i];

		if (x->source != cell->source || x->variant != cell->variant ||
		    x->kind == CELL_DELTA)
			continue;
		if (i < first)
			return;
		add_note(&l, x);
	}
	if (l.n > 1) {
		snprintf(l.name, sizeof(l.name), "%s", cell->variant);
		tell_label(c, &l, ", by the notes");
	}
}

void rule_variant_identity(struct check *c)
{
	const char *variant = "";
	const char *source = NULL;

	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *cell = &c->t->cells[i];

		if (cell->kind == CELL_DELTA ||
		    (cell->variant == variant && cell->source == source))
			continue;
		variant = cell->variant;
		source = cell->source;
		if (strpbrk(cell->variant, "(["))
			brackets(c, i);
		notes(c, i);
	}
}
