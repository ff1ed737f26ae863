/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: everything a job has to know, flat, with nothing left to look up. A suite expands to
 * it (suite.h), rig-job runs it, session.json embeds it. Pure: no clock, no files.
 * Layer: suite -> base.
 *
 * All strings and arrays are heap memory owned by the plan. The JSON form is strict: an unknown
 * or missing key or a wrong type is an error that names the key's path ("plan.steps[3].kind").
 */
#ifndef RIG_SUITE_PLAN_H
#define RIG_SUITE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>

#include "base/err.h"

#define PLAN_FORMAT 1

/* One of the kernels to be compared; number 0 is the baseline. */
struct plan_kernel {
	char *label;   /* unique in the plan: "original", for A/A "original#2" */
	char *series;  /* "ufs-irq"; for patches of the user their name */
	char *variant; /* "threaded" */
	char *id;      /* identity of the build, 16 hex digits */
	char *entry;   /* absolute path of the cache entry */
	char *cmdline; /* extra kernel command line of the variant; "" = none */
};

/* One step of every visit, in order. */
struct plan_step {
	char *kind;	 /* "fio": a row of the table in step.h */
	char *where;	 /* "host": done by the job itself; NULL = by the agent */
	char *workload;	 /* "randread/1"; NULL for setup and teardown steps */
	char *target;	 /* "ufs:0", what {target} in args stands for; NULL = none */
	long timeout_ms; /* from STEP to END; > 0 */
	long pause_ms;	 /* idle time before the step */
	char **args;	 /* as they are sent; only {target} is left to be replaced by the agent */
	size_t n_args;
	char **observe; /* what watches it: rows of the table in step.h */
	size_t n_observe;
};

/* What is judged or reported. */
struct plan_metric {
	char *workload;
	char *metric;	   /* "read.iops" */
	char *unit;	   /* canonical: "IOPS", "B/s", "ns", "%", "count" */
	char *direction;   /* "higher" or "lower" is better */
	bool primary;	   /* gated; at most one per workload */
	double min_effect; /* smallest relative change that counts as one; 0.02 */
	double loss; /* the relative loss that PASS excludes; 0.05. 0 = the number must be 0 */
};

/* A finding that the lab passes over, as it stood in the lab file: scan/suppression.h. */
struct plan_suppression {
	char *title;
	char *kind;   /* "" = any */
	char *guilty; /* "" = any */
	char *until;
	char *reason;
};

struct plan_suite {
	char *name;
	char *hash; /* SHA-256 of the suite file, 64 hex digits */
	char *profile;
	char **notes; /* what the report must say about this profile */
	size_t n_notes;
};

struct plan_pairs {
	long fixed; /* > 0: exactly so many; 0: as many as the gate asks for */
	long min;
	long max;
};

struct plan {
	struct plan_suite suite;
	char *board;
	struct plan_kernel *kernels;
	size_t n_kernels;
	struct plan_pairs pairs;
	long warmup; /* visits of the baseline that are recorded and not counted */
	struct plan_step *steps;
	size_t n_steps;
	struct plan_metric *metrics;
	size_t n_metrics;
	struct plan_suppression *suppressions;
	size_t n_suppressions;
};

#define PLAN_INIT                                                                                  \
	{                                                                                          \
		.board = NULL                                                                      \
	}

/* Frees what the plan owns and zeroes it. */
void plan_release(struct plan *plan);

void plan_set_board(struct plan *plan, const char *board);

/*
 * Appends a copy of k. With k->label NULL the label is the variant, or "series:variant" when
 * another kernel of the plan has the same variant of another series; a label in use gets "#2",
 * "#3"... NULL in other members is stored as "". The kernel inside the plan is returned, valid
 * until the next call.
 */
const struct plan_kernel *plan_add_kernel(struct plan *plan, const struct plan_kernel *k);

/* Appends a row of copies; kind and guilty may be NULL. */
void plan_add_suppression(struct plan *plan, const char *title, const char *kind,
			  const char *guilty, const char *until, const char *reason);

/*
 * The kernel (index) to be booted at `position` (0..n_kernels-1) of round `pair` (1, 2, ...):
 * mirrored order, so that with three kernels the visits are A B C, C B A, A B C, ...
 */
size_t plan_visit(const struct plan *plan, unsigned int pair, size_t position);

/* A new reference for the caller. Never fails for a plan that plan_check() accepts. */
json_t *plan_to_json(const struct plan *plan);

/* Fills *plan (initialised, empty). 0, or -1 with *err (blame USER) and *plan empty. */
int plan_from_json(const json_t *json, struct plan *plan, struct err *err);

/* The same from a file. */
int plan_load(const char *path, struct plan *plan, struct err *err);

/*
 * Can it be run? At least one kernel and one step, a board, unique labels, metrics of workloads
 * that exist, at most one primary metric per workload. 0, or -1 with *err.
 */
int plan_check(const struct plan *plan, struct err *err);

#endif
