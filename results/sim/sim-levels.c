// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The levels of the gate's looks where nothing else protects a clean patch: normal noise, no
 * minimum effect, no PASS and no hopelessness that ends a session early. Then any workload fails at
 * any look in GATE_ALPHA of the sessions. Part of goal G1; see sim.h. Layer: results.
 */
#include "results/sim/sim.h"

#include <math.h>

#include "base/buf.h"
#include "results/gate.h"
#include "results/sim/sim-noise.h"

#define FAMILY_MAX 24
#define PAIRS_MAX  20
#define MORE	   4 /* times the repetitions: the rates are small; but not for large families */

static const struct plan {
	int min, max;
} plans[] = { { 4, 12 }, { 4, 20 } };

static const int families[] = { 1, 4, 24 };
static const double priors[] = { 0, 10, 20 };

/*
 * Standard deviations of a pair, in per cent, of workload 0, 1, 2, 3, 0, ...: so noisy that all
 * have an equal share of the level, whatever the prior says; so quiet that chance in the prior
 * moves the shares most; and unlike.
 */
static const struct board {
	const char *name;
	double sd[4];
} boards[] = {
	{ "noisy", { 16, 16, 16, 16 } },
	{ "quiet", { 0.01, 0.01, 0.01, 0.01 } },
	{ "unlike", { 1, 2, 4, 8 } },
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define CELLS	     (COUNT(boards) * COUNT(plans) * COUNT(families) * COUNT(priors))

struct job {
	const struct sim *s;
	const struct board *board;
	struct plan plan;
	int family;
	double d0;
	int failed, n;
};

/* chi^2(d0) / d0: what a calibration of that many degrees of freedom says of a variance of 1. */
static double chi_square(double d0, struct sim_rng *r)
{
	double sum = 0;

	for (int i = 0; i < d0; i++) {
		double x = sim_gauss(r);

		sum += x * x;
	}
	return d0 > 0 ? sum / d0 : 0;
}

/* The pairs are made as logarithms. No effect is too small, and PASS ends nothing (fails()). */
static void make_series(struct gate_series *series, double *ones, double *values,
			const struct job *j, struct sim_rng *r)
{
	for (int w = 0; w < j->family; w++) {
		double *cand = values + w * PAIRS_MAX;
		double sd = j->board->sd[w % COUNT(j->board->sd)] / 100;

		for (int i = 0; i < j->plan.max; i++)
			cand[i] = exp(sd * sim_gauss(r));
		series[w] = (struct gate_series){ .base = ones,
						  .cand = cand,
						  .n = j->plan.max,
						  .direction = DIRECTION_HIGHER,
						  .loss = 0.05,
						  .d0 = j->d0,
						  .s0sq = sd * sd * chi_square(j->d0, r) };
	}
}

/* Every look is taken until one fails. */
static bool fails(struct gate_series *series, size_t count, const int *looks, int n_looks)
{
	struct gate_estimate est[FAMILY_MAX];
	double levels[GATE_MAX_LOOKS];
	enum verdict v = VERDICT_PENDING;

	gate_prepare(series, count, looks, n_looks, levels);
	for (int i = 0; i < n_looks && v != VERDICT_FAIL; i++)
		v = gate_evaluate(series, count, looks[i], levels[i], est);
	return v == VERDICT_FAIL;
}

static void run_job(void *ctx, int index)
{
	struct job *j = (struct job *)ctx + index;
	struct gate_series series[FAMILY_MAX];
	double values[FAMILY_MAX * PAIRS_MAX];
	double ones[PAIRS_MAX];
	int looks[GATE_MAX_LOOKS];
	int n_looks = gate_looks(0, j->plan.min, j->plan.max, looks);
	int reps = j->family < FAMILY_MAX ? MORE * j->s->reps : j->s->reps;

	for (int i = 0; i < PAIRS_MAX; i++)
		ones[i] = 1;
	for (j->n = 0; j->n < reps; j->n++) {
		struct sim_rng r;

		sim_rng_init(&r, j->s->seed, (uint64_t)(index + 1) << 40 | (uint64_t)j->n);
		make_series(series, ones, values, j, &r);
		j->failed += fails(series, (size_t)j->family, looks, n_looks);
	}
}

static void report(struct sim *s, const struct job *j, FILE *csv)
{
	double rate = sim_percent(j->failed, j->n);
	double error = sim_error(j->failed, j->n);

	fprintf(s->out, "%-8s %2d to %2d    %8d %8.0f %10.2f +- %.2f\n", j->board->name,
		j->plan.min, j->plan.max, j->family, j->d0, rate, error);
	if (csv)
		fprintf(csv, "%s,%d,%d,%d,%.0f,%d,%d\n", j->board->name, j->plan.min, j->plan.max,
			j->family, j->d0, j->n, j->failed);
	sim_at_most(s, "G1", 100 * GATE_ALPHA, rate, error,
		    "failed: %s, %d to %d pairs, family of %d, d0 %.0f", j->board->name,
		    j->plan.min, j->plan.max, j->family, j->d0);
}

/* Of one workload, or without a prior, the shares are equal on any board. */
static bool tells_more(const struct job *j)
{
	return j->board == boards || (j->family > 1 && j->d0 > 0);
}

static int fill_jobs(const struct sim *s, struct job *jobs)
{
	int n = 0;

	for (int i = 0; i < CELLS; i++) {
		jobs[n] = (struct job){
			.s = s,
			.board = &boards[i / (CELLS / COUNT(boards))],
			.plan = plans[i / (COUNT(families) * COUNT(priors)) % COUNT(plans)],
			.family = families[i / COUNT(priors) % COUNT(families)],
			.d0 = priors[i % COUNT(priors)]
		};
		n += tells_more(&jobs[n]);
	}
	return n;
}

void sim_levels(struct sim *s)
{
	FILE *csv = sim_csv(s, "levels", "board,min,max,family,d0,reps,failed");
	struct job jobs[CELLS + 1];
	int n = fill_jobs(s, jobs);

	sim_each(s, n, run_job, jobs);
	fprintf(s->out, "\nlevels: %% of sessions without any difference that fail, normal noise,\n"
			"no minimum effect, no PASS\n"
			"board    pairs         workloads       d0\n");
	for (int i = 0; i < n; i++)
		report(s, &jobs[i], csv);
	if (csv)
		fclose(csv);
}
