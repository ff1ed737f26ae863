// SPDX-License-Identifier: GPL-2.0-or-later
/* The simpler detectors of others, for comparison; see cmp.h. Layer: results. */
#include "results/sim/cmp.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "results/stats.h"

/* ---- Mozilla ---- */

#define BACK_MIN 12
#define BACK_MAX 24
#define FORWARD	 12
#define T_LIMIT	 7.0

struct side {
	double mean, variance;
	size_t n;
};

/* n values from x on, in that direction, weighted n/n, (n-1)/n, ... 1/n. */
static struct side weigh(const double *x, size_t n, int direction)
{
	struct side s = { 0, 0, n };
	double weights = 0;

	for (size_t i = 0; i < n; i++) {
		double w = (double)(n - i) / (double)n;

		s.mean += w * x[direction * (long)i];
		weights += w;
	}
	s.mean /= weights;
	for (size_t i = 0; i < n && n > 1; i++) {
		double d = x[direction * (long)i] - s.mean;

		s.variance += d * d / (double)(n - 1);
	}
	return s;
}

static double weighted_t(const double *x, size_t back, size_t forward)
{
	struct side a = weigh(x - 1, back, -1);
	struct side b = weigh(x, forward, 1);

	if (a.mean == b.mean)
		return 0;
	return fabs(b.mean - a.mean) / sqrt(a.variance / (double)a.n + b.variance / (double)b.n);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t cmp_mozilla(const double *x, size_t n, size_t *at)
{
	double *t = xcalloc(n + 1, sizeof(*t));
	size_t quiet = 0; /* points since t was last above the limit */
	size_t k = 0;

	for (size_t i = 1; i < n; i++) {
		size_t back = quiet > BACK_MIN ? quiet : BACK_MIN;

		t[i] = weighted_t(x + i, least(least(back, BACK_MAX), i), least(FORWARD, n - i));
		quiet = t[i] > T_LIMIT ? 0 : quiet + 1;
	}
	for (size_t i = BACK_MIN; i + FORWARD <= n; i++)
		if (t[i] > T_LIMIT && t[i - 1] <= t[i] && (i + 1 == n || t[i + 1] <= t[i]))
			at[k++] = i;
	free(t);
	return k;
}

/* ---- Conbench ---- */

#define LOOKBACK 100
#define Z_MIN	 5 /* points before */
#define Z_LIMIT	 5.0

size_t cmp_zscore(const double *x, size_t n, size_t *at)
{
	bool before = false;
	size_t k = 0;

	for (size_t i = Z_MIN; i < n; i++) {
		size_t m = least(i, LOOKBACK);
		double mean = stats_mean(x + i - m, m);
		bool far = fabs(x[i] - mean) > Z_LIMIT * sqrt(stats_variance(x + i - m, m));

		if (far && !before)
			at[k++] = i;
		before = far;
	}
	return k;
}

/* ---- least squares ---- */

#define SEGMENT_MIN 2
#define PENALTY	    3.0

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double neighbour_sd(const double *x, size_t n)
{
	double *d = xcalloc(n, sizeof(*d));
	double sd;

	for (size_t i = 1; i < n; i++)
		d[i - 1] = fabs(x[i] - x[i - 1]);
	qsort(d, n - 1, sizeof(*d), ascending);
	sd = 1.4826 * d[(n - 1) / 2] / M_SQRT2;
	free(d);
	return sd;
}

size_t cmp_pelt(const double *x, size_t n, size_t *at)
{
	double penalty = PENALTY * pow(neighbour_sd(x, n), 2) * log((double)n);
	double *sum = xcalloc(n + 1, sizeof(*sum));
	double *cost = xcalloc(n + 1, sizeof(*cost)); /* without the squares: they are constant */
	size_t *from = xcalloc(n + 1, sizeof(*from));
	size_t k = 0;

	cost[0] = -penalty;
	cost[1] = INFINITY;
	for (size_t i = 0; i < n; i++)
		sum[i + 1] = sum[i] + x[i] - x[0];
	for (size_t i = SEGMENT_MIN; i <= n; i++) {
		cost[i] = INFINITY;
		for (size_t j = 0; j + SEGMENT_MIN <= i; j++) {
			double d = sum[i] - sum[j];
			double c = cost[j] - d * d / (double)(i - j) + penalty;

			if (c < cost[i]) {
				cost[i] = c;
				from[i] = j;
			}
		}
	}
	for (size_t i = n; from[i] > 0; i = from[i])
		k++;
	for (size_t i = n, j = k; from[i] > 0; i = from[i])
		at[--j] = from[i];
	free(sum);
	free(cost);
	free(from);
	return k;
}
