/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classical tests: pure, no I/O, no state. The gate uses none of the two-sample ones; the simulator
 * compares it with them, and reports print some as a cross-check. All p-values of two samples are
 * two-sided. Equal to scipy 1.10.1 to 1e-9 where it offers the same test; samples hold finite
 * numbers.
 */
#ifndef RESULTS_STATS_TESTS_H
#define RESULTS_STATS_TESTS_H

#include <stddef.h>

/* Welch's and Student's t test of two means; n, m >= 2. Without spread: 1 if equal, else 0. */
double stats_welch(const double *x, size_t n, const double *y, size_t m);
double stats_student(const double *x, size_t n, const double *y, size_t m);

/*
 * Mann-Whitney: exact if a sample has at most 8 values and there are no ties, else the normal
 * approximation with corrections for ties and continuity (scipy's default). n, m >= 1.
 */
double stats_mannwhitney(const double *x, size_t n, const double *y, size_t m);

/*
 * Permutation test of the difference of means over all splits of n + m values, twice the smaller
 * tail: NAN for more than STATS_PERMUTATION_MAX values (C(20, 10) = 184,756 splits).
 */
#define STATS_PERMUTATION_MAX 20
double stats_permutation(const double *x, size_t n, const double *y, size_t m);

/*
 * Kolmogorov-Smirnov: are these n p-values (0..1, any order) uniform? Two-sided and exact for up to
 * STATS_KS_EXACT values (Marsaglia, Tsang, Wang 2003), the limiting distribution beyond. 1 for n =
 * 0.
 */
#define STATS_KS_EXACT 1000
double stats_ks_uniform(const double *p, size_t n);

/* P(X >= k) of a binomial variable: how odd are k false alarms in n? */
double stats_binomial_tail(int k, int n, double probability);

#endif
