/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change point detectors of others, written anew from their published descriptions and sources for
 * comparison. Never part of a verdict. Each takes n finite values and room for n indices, and
 * returns how many first points of a new level it put there, in order.
 */
#ifndef RESULTS_SIM_CMP_H
#define RESULTS_SIM_CMP_H

#include <stddef.h>

struct cmp_otava {
	size_t window;
	double max_p, min_magnitude;
};

/*
 * Apache Otava (formerly Hunter), as at 1ceb153: E-divisive splits in windows that overlap by half,
 * a t test instead of permutations at a lenient level, then merging of the weakest. With its two
 * quirks, which its own tests pin: the t test gets population standard deviations, and a merge
 * refreshes the two right neighbours of the removed point instead of both neighbours.
 */
size_t cmp_otava(const double *x, size_t n, const struct cmp_otava *rules, size_t *at);
extern const struct cmp_otava cmp_otava_default; /* window 50, p .001, magnitude 0 */

/* E-divisive (Matteson and James 2014) over the whole series with the same t test. */
size_t cmp_edivisive(const double *x, size_t n, double max_p, size_t *at);

/* Mozilla's perfalert: t > 7 of linearly weighted windows, 12..24 back and 12 forward, at a peak.
 */
size_t cmp_mozilla(const double *x, size_t n, size_t *at);

/* Conbench: more than 5 sd from the mean of up to 100 points before (5 at least). */
size_t cmp_zscore(const double *x, size_t n, size_t *at);

/* Least squares, penalty 3 sd^2 log n, sd from the median absolute difference of neighbours. */
size_t cmp_pelt(const double *x, size_t n, size_t *at);

#endif
