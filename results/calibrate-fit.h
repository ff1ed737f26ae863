/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the variances of A/A comparisons to a prior: pure arithmetic, inside calibrate.c.
 *
 * The model is that of Smyth (Linear models and empirical Bayes methods..., Stat. Appl. Genet.
 * Mol. Biol. 3, 2004; R's limma): the variance of a comparison is itself drawn, s0^2 d0 / chi^2(d0)
 * around s0^2, and d0 says how firmly: few = every session has a noise of its own, many = all have
 * the same. Two deliberate departures:
 *
 *  - The draws are sessions, not workloads: a workload's noise is its own, so s0^2 is fitted for
 *    each. d0 is one number of the board, fitted over all workloads and sessions together, because
 *    the handful of sessions of one workload cannot tell it.
 *  - s0^2 is the pooled variance and not the one from the mean logarithm: it is never the smaller
 *    one, and a lab has few sessions. A prior that is too small passes and fails too eagerly.
 */
#ifndef RESULTS_CALIBRATE_FIT_H
#define RESULTS_CALIBRATE_FIT_H

#include <stddef.h>

/* The variance of the log ratios of one A/A comparison on one workload. */
struct fit_sample {
	int workload; /* any small number: what is compared with what */
	double variance;
	double df; /* pairs - 1, >= 1 */
};

/*
 * d0 by the method of moments on log variances; INFINITY when they scatter no more than equal
 * variances do, and when there are no two samples of one workload to tell it from.
 */
double fit_d0(const struct fit_sample *samples, size_t n);

/* Pooled variance of one workload; *df gets the degrees of freedom it rests on. */
double fit_pooled(const struct fit_sample *samples, size_t n, int workload, double *df);

/* Digamma and trigamma functions, x > 0, to 1e-12 relative. */
double fit_digamma(double x);
double fit_trigamma(double x);

#endif
