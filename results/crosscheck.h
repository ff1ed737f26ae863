/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second look at the pairs behind a verdict, for people: nothing of it is ever part of a verdict.
 * Pure. The exact sign-flip p is with the estimates of the gate (gate.h); whether the p-values of
 * A/A sessions drift from uniform is a calibration's ks_p (calibrate.h).
 */
#ifndef RESULTS_CROSSCHECK_H
#define RESULTS_CROSSCHECK_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct session;
struct session_metric;

/* Flags need this many effects; with fewer they say nothing. */
#define CROSSCHECK_SHAPE_MIN 8 /* two modes, autocorrelation */
#define CROSSCHECK_FIRST_MIN 4 /* the first pair */

struct crosscheck {
	/*
	 * Sarle's coefficient with the sample corrections: (skewness^2 + 1) / (kurtosis + 3 (n -
	 * 1)^2 /
	 * ((n - 2) (n - 3))). Above 5/9, that of a uniform distribution, two modes are likely.
	 */
	double bimodality;
	bool bimodal;
	double lag1;	 /* autocorrelation of one pair and the next */
	bool correlated; /* |lag1| > 2 / sqrt(n) */
	/* Of the first pair against the others, t with n - 2 degrees of freedom; two-sided p <
	 * .001. */
	double first_t;
	bool first_outlier;
};

/* effects: the log ratios of the pairs in order of time, a loss negative. */
struct crosscheck crosscheck(const double *effects, size_t n);

/*
 * P that pairs of the noise that a prior (d0, s0sq) speaks of scatter as much as these do, or more:
 * an F test with n - 1 and d0 degrees of freedom. 1 without a prior or with fewer than 2 effects.
 * The moderated t test leans on the prior; where it is contradicted a verdict is worth less.
 */
double crosscheck_scatter(const double *effects, size_t n, double d0, double s0sq);

/*
 * The effects of a candidate on a primary metric, of all complete pairs; the caller frees. NULL
 * with *n = 0 when there is none (no pair, or the workload is unsupported).
 */
double *crosscheck_effects(const struct session *s, int candidate, const struct session_metric *m,
			   size_t *n);

/* A line for each flag of each primary metric, \n between them; nothing when there is none. */
void crosscheck_say(const struct session *s, int candidate, struct buf *out);

#endif
