/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small-sample statistics: pure, no I/O, no state. Probabilities are right to 1e-9 or better for
 * the degrees of freedom a test rig meets (1e-2 .. 1e6); checked against scipy.
 */
#ifndef RESULTS_STATS_H
#define RESULTS_STATS_H

#include <stddef.h>

/* Regularised incomplete beta function I_x(a, b); a, b > 0, 0 <= x <= 1. */
double stats_beta(double a, double b, double x);

/* P(T <= t) and P(T > t) of Student's t; df > 0, t may be infinite. */
double stats_t_cdf(double t, double df);
double stats_t_sf(double t, double df);

/* The t with P(T <= t) = p, 0 < p < 1; +-INFINITY at 0 and 1. */
double stats_t_quantile(double p, double df);

double stats_mean(const double *x, size_t n); /* n >= 1 */

void stats_sort(double *x, size_t n); /* ascending */

/* Sample variance (n - 1); 0 for n < 2. */
double stats_variance(const double *x, size_t n);

/* Lag-1 autocorrelation; 0 for n < 3 or a constant series. */
double stats_lag1(const double *x, size_t n);

/*
 * Holm's step-down adjustment: adj[i] <= level exactly when hypothesis i is rejected at that
 * level for the family. weights: its share of it, > 0, any unit; NULL = all equal. p and adj are
 * different arrays.
 */
void stats_holm(const double *p, const double *weights, double *adj, size_t n);

/*
 * Exact sign-flip test of paired differences: the share of the 2^n sign patterns whose sum is at
 * most the one observed (one-sided, for a loss). NAN for n > 24.
 */
double stats_signflip(const double *d, size_t n);

/*
 * Smallest effect found with 80 % power by a one-sided test at that level:
 * (t_{1-level,df} + t_{.8,df}) se. The usual approximation to the non-central t.
 */
double stats_mde(double se, double df, double level);

/* Pairs until the above is at most effect, with the standard deviation of one pair and a prior of
 * d0 degrees of freedom; -1 if more than 1000. */
int stats_pairs_needed(double sd, double d0, double level, double effect);

#endif
