// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One comparison of two kernels by each test: how often it shows a difference where there is none
 * (A/A, nominal 5 %), and a loss of 5 % where there is one (power). Goals G4 and G5. See sim.h.
 * Layer: results.
 */
#include "results/sim/sim.h"

#include <stdlib.h>

#include "base/buf.h"
#include "results/sim/sim-tests.h"

#define EFFECT 0.95

/* One cell; published: "A/A power" by test, NULL = none. */
struct cell {
	const char *title;
	struct sim_board board;
	enum sim_order order;
	int n;
	double aa_low, aa_high, power; /* goals of our test: A/A in between, power; 0 = none */
	const char *published[SIM_TESTS];
};

struct table {
	const char *title;
	const struct cell *cells;
	int n;
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct cell still[] = {
	{ .title = "CV 1 %",
	  .board = { .cv = 0.01 },
	  .n = 5,
	  .aa_low = 4,
	  .aa_high = 6,
	  .published = { "0.0 100", "4.4 100", "5.1 100", "3.2 100", "4.8 100", "0.2 99.2",
			 "0.0 64.5", "10.8 100", [SIM_GATE] = "5.0 100" } },
	{ .title = "CV 3 %",
	  .board = { .cv = 0.03 },
	  .n = 5,
	  .aa_low = 4,
	  .aa_high = 6,
	  .power = 73,
	  .published = { "11.4 86.2", "4.5 63.2", "5.1 66.0", "3.2 53.7", "4.8 64.1", "0.2 13.0",
			 "0.0 1.5", "10.7 81.9", [SIM_GATE] = "5.0 73.2" } },
	{ .title = "CV 8 %",
	  .board = { .cv = 0.08 },
	  .n = 5,
	  .aa_low = 4,
	  .aa_high = 6,
	  .published = { "55.7 65.9", "4.4 12.9", "5.0 14.3", "3.2 9.6", "4.8 13.6", "0.2 0.9",
			 "0.0 0.1", "10.9 25.5", [SIM_GATE] = "5.0 16.1" } },
};

#define DRIFT (-0.04)

static const struct cell blocks[] = {
	{ .title = "CV 1 %",
	  .board = { .cv = 0.01, .drift = DRIFT },
	  .order = SIM_AABB,
	  .n = 5,
	  .published = { "9.6 100", "71.1 100", NULL, "59.9 100",
			 "71.9 100", [SIM_PAIRED] = "75.0 100", "0 0", "5.0 92.8", "92.0 100" } },
	{ .title = "CV 3 %",
	  .board = { .cv = 0.03, .drift = DRIFT },
	  .order = SIM_AABB,
	  .n = 5,
	  .published = { "33.5 98.9", "14.8 90.0", NULL, "11.1 82.9",
			 "15.7 90.3", [SIM_PAIRED] = "15.2 82.3", "0 0", "5.0 20.7",
			 "20.4 96.0" } },
	{ .title = "CV 8 %",
	  .board = { .cv = 0.08, .drift = DRIFT },
	  .order = SIM_AABB,
	  .n = 5,
	  .published = { "58.8 79.7", "5.8 22.4", NULL, "4.1 17.3",
			 "6.3 23.6", [SIM_PAIRED] = "6.5 20.4", "0 0", "5.0 6.4", "7.1 28.3" } },
	{ .title = "AR(1), CV 3 %",
	  .board = { .noise = SIM_AR1, .cv = 0.03 },
	  .order = SIM_AABB,
	  .n = 5,
	  .published = { NULL, "22.8", NULL, "18.2", "23.6" } },
	{ .title = "boot sd 1 %, CV 1 %",
	  .board = { .cv = 0.01, .boot_sd = 0.01 },
	  .order = SIM_AABB,
	  .n = 5,
	  .published = { NULL, "35.7", NULL, "30.8" } },
};

static const struct cell mirrored[] = {
	{ .title = "n 5, CV 1 %",
	  .board = { .cv = 0.01, .drift = DRIFT },
	  .n = 5,
	  .aa_high = 6.5,
	  .published = { "0.0 99.9", "0.1 100", NULL, "0.1 99.4",
			 "0.1 99.9", [SIM_PAIRED] = "4.2 100", NULL, "4.9 100", "5.0 100" } },
	{ .title = "n 5, CV 3 %",
	  .board = { .cv = 0.03, .drift = DRIFT },
	  .n = 5,
	  .aa_high = 6.5,
	  .published = { "11.4 87.5", "3.0 56.8", NULL, "2.1 46.9",
			 "3.1 57.7", [SIM_PAIRED] = "4.8 54.7", NULL, "4.9 64.6", "5.0 75.3" } },
	{ .title = "n 5, CV 8 %",
	  .board = { .cv = 0.08, .drift = DRIFT },
	  .n = 5,
	  .aa_high = 6.5,
	  .published = { "55.7 67.0", "4.0 12.6", NULL, "3.0 9.5",
			 "4.3 13.5", [SIM_PAIRED] = "4.9 12.4", NULL, "4.9 13.8", "4.9 16.8" } },
	{ .title = "n 6, CV 3 %",
	  .board = { .cv = 0.03, .drift = DRIFT },
	  .n = 6,
	  .aa_high = 6.5,
	  .power = 81,
	  .published = { "8.0 88.7", "2.9 67.9", NULL, "2.7 62.7",
			 "3.2 69.5", [SIM_PAIRED] = "4.7 66.4", "3.0 48.7", "4.7 75.3",
			 "4.8 81.3" } },
	{ .title = "boot sd 1 %, CV 1 %",
	  .board = { .cv = 0.01, .boot_sd = 0.01 },
	  .n = 5,
	  .aa_high = 6.5,
	  .published = { NULL, "4.4", NULL, "3.2" } },
};

static const struct cell shapes[] = {
	{ .title = "AR(1) .6",
	  .board = { .noise = SIM_AR1, .cv = 0.03, .drift = DRIFT },
	  .n = 6,
	  .aa_high = 6.5,
	  .published = { [SIM_PAIRED] = "6.4", [SIM_GATE] = "0.9 92.7" } },
	{ .title = "bimodal",
	  .board = { .noise = SIM_BIMODAL, .cv = 0.03, .drift = DRIFT },
	  .n = 6,
	  .aa_high = 6.5,
	  .published = { [SIM_PAIRED] = "4.7", [SIM_GATE] = "5.0 81.2" } },
	{ .title = "outliers",
	  .board = { .noise = SIM_OUTLIERS, .cv = 0.03, .drift = DRIFT },
	  .n = 6,
	  .aa_high = 6.5,
	  .published = { [SIM_PAIRED] = "3.3", [SIM_GATE] = "3.3 86.0" } },
	{ .title = "warm-up",
	  .board = { .cv = 0.03, .drift = DRIFT, .shape = SIM_WARMUP },
	  .n = 6,
	  .aa_high = 6.5,
	  .published = { [SIM_ANCOVA] = "2.9-4.9", [SIM_GATE] = "4.7-5.3" } },
};

static const struct table tables[] = {
	{ "5 + 5 runs, nothing but noise", still, COUNT(still) },
	{ "A A B B, drift -4 %, or as it says", blocks, COUNT(blocks) },
	{ "A B B A, drift -4 %, or as it says", mirrored, COUNT(mirrored) },
	{ "A B B A, n 6, CV 3 %, drift -4 %", shapes, COUNT(shapes) },
};

struct counts {
	int shown[SIM_TESTS]; /* A/A */
	int found[SIM_TESTS]; /* the loss, as a loss */
};

/* ---- running ---- */

struct job {
	const struct sim *s;
	const struct cell *cell;
	uint64_t stream;
	struct counts counts;
};

/* The same noise without and with the loss. */
static void repeat(const struct cell *cell, struct sim_rng *r, struct counts *k)
{
	double boot[2 * SIM_TEST_MAX];
	double base[SIM_TEST_MAX];
	double cand[SIM_TEST_MAX];
	struct sim_case c = {
		.base = base, .cand = cand, .n = cell->n, .order = cell->order, .rng = r
	};

	sim_prior(&cell->board, r, &c.d0, &c.s0sq);
	sim_boots(cell->order, c.n, r, boot);
	sim_visits(&cell->board, cell->order, c.n, boot, 1, r, base, cand);
	for (int t = 0; t < SIM_TESTS; t++)
		k->shown[t] += sim_test(t, &c) != 0;
	for (int i = 0; i < c.n; i++)
		cand[i] *= EFFECT;
	for (int t = 0; t < SIM_TESTS; t++)
		k->found[t] += sim_test(t, &c) < 0;
}

static void run_job(void *ctx, int i)
{
	struct job *j = (struct job *)ctx + i;
	struct sim_rng r;

	for (int rep = 0; rep < j->s->reps; rep++) {
		sim_rng_init(&r, j->s->seed, j->stream << 32 | (uint64_t)rep);
		repeat(j->cell, &r, &j->counts);
	}
}

/* ---- printing ---- */

static void print_table(const struct sim *s, const struct table *t, const struct job *jobs)
{
	fprintf(s->out, "\n%s: %% shown A/A, %% of 5 %% losses found\n%-15s", t->title, "");
	for (int c = 0; c < t->n; c++)
		fprintf(s->out, "  %-22s", t->cells[c].title);
	for (int test = 0; test < SIM_TESTS; test++) {
		fprintf(s->out, "\n%-15s", sim_test_name(test));
		for (int c = 0; c < t->n; c++) {
			const char *published = t->cells[c].published[test];

			fprintf(s->out, "  %4.1f %5.1f %c%9s%c",
				sim_percent(jobs[c].counts.shown[test], s->reps),
				sim_percent(jobs[c].counts.found[test], s->reps),
				published ? '(' : ' ', published ? published : "",
				published ? ')' : ' ');
		}
	}
	fprintf(s->out, "\n");
}

static void write_csv(FILE *csv, const struct sim *s, const struct table *t, const struct job *jobs)
{
	for (int c = 0; csv && c < t->n; c++)
		for (int test = 0; test < SIM_TESTS; test++)
			fprintf(csv, "\"%s\",\"%s\",\"%s\",%d,%d,%d\n", t->title, t->cells[c].title,
				sim_test_name(test), s->reps, jobs[c].counts.shown[test],
				jobs[c].counts.found[test]);
}

static void state_goals(struct sim *s, const struct table *t, const struct job *jobs)
{
	for (int c = 0; c < t->n; c++) {
		const struct cell *cell = &t->cells[c];
		int shown = jobs[c].counts.shown[SIM_GATE];
		int found = jobs[c].counts.found[SIM_GATE];
		double error = sim_error(shown, s->reps);

		if (cell->aa_low > 0)
			sim_at_least(s, "G4", cell->aa_low, sim_percent(shown, s->reps), error,
				     "A/A shown: %s: %s", t->title, cell->title);
		if (cell->aa_high > 0)
			sim_at_most(s, "G4", cell->aa_high, sim_percent(shown, s->reps), error,
				    "A/A shown: %s: %s", t->title, cell->title);
		if (cell->power > 0)
			sim_at_least(s, "G5", cell->power, sim_percent(found, s->reps),
				     sim_error(found, s->reps), "loss found: %s: %s", t->title,
				     cell->title);
	}
}

void sim_single(struct sim *s)
{
	FILE *csv = sim_csv(s, "single", "table,cell,test,reps,shown,found");
	struct job jobs[COUNT(still) + COUNT(blocks) + COUNT(mirrored) + COUNT(shapes)] = { 0 };
	int n = 0;

	for (int t = 0; t < COUNT(tables); t++)
		for (int c = 0; c < tables[t].n; c++, n++) {
			jobs[n].s = s;
			jobs[n].cell = &tables[t].cells[c];
			jobs[n].stream = (uint64_t)n + 1;
		}
	sim_each(s, n, run_job, jobs);
	for (int t = 0, first = 0; t < COUNT(tables); first += tables[t++].n) {
		print_table(s, &tables[t], jobs + first);
		write_csv(csv, s, &tables[t], jobs + first);
		state_goals(s, &tables[t], jobs + first);
	}
	if (csv)
		fclose(csv);
}
