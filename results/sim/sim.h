/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rig-sim: how often the gate and the history are right, on simulated boards. Links the product's
 * own gate_sequence(), stats_*() and history code, never a copy.
 *
 * A part is one table or a few (a row in main.c, one file sim-PART.c). It fills cells, each with
 * the same number of repetitions and its own stream of random numbers, prints them beside the
 * published figures, keeps the raw counts as CSV, and states its goals. The figures depend on
 * seed and reps alone, not on the number of threads.
 *
 * The noise is assumed (sim-noise.h): nobody has run-level data of the real boards yet.
 */
#ifndef RESULTS_SIM_H
#define RESULTS_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_GOALS_MAX	160
#define SIM_THREADS_MAX 8

/* One figure with its target, in per cent unless the words say otherwise. */
struct sim_goal {
	const char *name; /* G1 */
	char what[96];
	double target, figure, se; /* se: standard error of the figure; 0 = none */
	bool at_least;		   /* else at most */
};

struct sim {
	uint64_t seed;
	int reps;	 /* of each cell */
	int threads;	 /* 1 .. SIM_THREADS_MAX */
	const char *dir; /* of the CSV files, exists; NULL = none are written */
	FILE *out;	 /* tables */
	struct sim_goal goals[SIM_GOALS_MAX];
	int n_goals;
};

/* job(ctx, i) for each i < n, spread over the threads; returns when all are done. */
void sim_each(const struct sim *s, int n, void (*job)(void *ctx, int i), void *ctx);

/* dir/NAME.csv with that first line, or NULL without a directory (or when it cannot be written). */
FILE *sim_csv(const struct sim *s, const char *name, const char *header);

/* Notes a figure that must be at most (at least) the target; they are printed by sim_verdict(). */
void sim_at_most(struct sim *s, const char *goal, double target, double figure, double se,
		 const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void sim_at_least(struct sim *s, const char *goal, double target, double figure, double se,
		  const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Whether the figure meets the target: by itself, or (2 errors) give or take its standard error. */
bool sim_met(const struct sim_goal *g, double errors);

/*
 * Prints every goal with ok, even (missed by less than two standard errors: these repetitions
 * cannot tell) or MISS; returns how many were missed.
 */
int sim_verdict(const struct sim *s);

/* 100 hits / n, and the standard error of that. */
double sim_percent(int hits, int n);
double sim_error(int hits, int n);

/* ---- the parts ---- */

void sim_single(struct sim *s);	 /* one comparison by each test: tables, G4, G5 */
void sim_levels(struct sim *s);	 /* the levels of the looks: G1 at its hardest */
void sim_patches(struct sim *s); /* whole sessions by the gate: G1, G2, G3 */
void sim_history(struct sim *s); /* change points of nightly series: G6, G7, G8, G11 */

#endif
