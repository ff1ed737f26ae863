// SPDX-License-Identifier: GPL-2.0-or-later
/* Small-sample statistics; see stats.h. Layer: results, pure. */
#include "results/stats.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define POWER		 0.8
#define PAIRS_NEEDED_MAX 1000
#define SIGNFLIP_MAX	 24

static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/*
 * Continued fraction of the incomplete beta function, DLMF 8.17.22, by the modified Lentz method.
 * Converges in O(sqrt(max(a, b))) steps for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1;
	double d = 1 - (a + b) * x / (a + 1);
	double f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m < 100000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double delta;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		delta = d * c;
		f *= delta;
		if (fabs(delta - 1) < 1e-16)
			break;
	}
	return f;
}

/* I_x(a, b), with y = 1 - x given apart because near x = 1 it cannot be had from x. */
static double beta_xy(double a, double b, double x, double y)
{
	double front;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double stats_beta(double a, double b, double x)
{
	assert(a > 0 && b > 0);
	return beta_xy(a, b, x, 1 - x);
}

/* P(|T| > |t|) / 2 = I_x(df/2, 1/2) / 2 with x = df / (df + t^2). */
static double t_tail(double t, double df)
{
	double square = t * t;

	if (isinf(square))
		return 0;
	return beta_xy(df / 2, 0.5, df / (df + square), square / (df + square)) / 2;
}

double stats_t_sf(double t, double df)
{
	double tail = t_tail(t, df);

	return t > 0 ? tail : 1 - tail;
}

double stats_t_cdf(double t, double df)
{
	return stats_t_sf(-t, df);
}

static double t_density(double t, double df)
{
	return exp(log_gamma((df + 1) / 2) - log_gamma(df / 2) - (df + 1) / 2 * log1p(t * t / df)) /
	       sqrt(df * M_PI);
}

/* The t > 0 with an upper tail of q < 1/2: Newton's steps, kept inside a shrinking bracket. */
static double upper_quantile(double q, double df)
{
	double lo = 0;
	double hi = 1;
	double t;

	while (stats_t_sf(hi, df) > q && hi < 1e300) {
		lo = hi;
		hi *= 2;
	}
	t = (lo + hi) / 2;
	for (int i = 0; i < 200 && hi - lo > 1e-15 * hi; i++) {
		double excess = stats_t_sf(t, df) - q;
		double next;

		if (excess > 0)
			lo = t;
		else
			hi = t;
		next = t + excess / t_density(t, df);
		if (!(next > lo && next < hi))
			next = lo + (hi - lo) / 2;
		if (fabs(next - t) <= 1e-15 * t)
			return next;
		t = next;
	}
	return t;
}

double stats_t_quantile(double p, double df)
{
	if (p <= 0)
		return -INFINITY;
	if (p >= 1)
		return INFINITY;
	if (p < 0.5)
		return -upper_quantile(p, df);
	return p > 0.5 ? upper_quantile(1 - p, df) : 0;
}

double stats_mean(const double *x, size_t n)
{
	double sum = 0;

	assert(n >= 1);
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), ascending);
}

double stats_variance(const double *x, size_t n)
{
	double sum = 0;
	double mean;

	if (n < 2)
		return 0;
	mean = stats_mean(x, n);
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum / (double)(n - 1);
}

double stats_lag1(const double *x, size_t n)
{
	double covariance = 0;
	double total = 0;
	double mean;

	if (n < 3)
		return 0;
	mean = stats_mean(x, n);
	for (size_t i = 0; i < n; i++) {
		total += (x[i] - mean) * (x[i] - mean);
		if (i)
			covariance += (x[i] - mean) * (x[i - 1] - mean);
	}
	return total > 0 ? covariance / total : 0;
}

static double weight_of(const double *weights, size_t i)
{
	return weights ? weights[i] : 1;
}

/*
 * With the hypotheses in order of p / w, adj of the k-th is the maximum over j <= k of
 * min(1, p_j / w_j times the weights from j on). The order is found by counting: the families are
 * a handful, and nothing has to be sorted or allocated.
 */
static double holm_one(const double *p, const double *weights, size_t n, size_t i)
{
	double own = p[i] / weight_of(weights, i);
	double adj = 0;

	for (size_t j = 0; j < n; j++) {
		double ratio = p[j] / weight_of(weights, j);
		double left = 0;

		if (ratio > own)
			continue;
		for (size_t k = 0; k < n; k++)
			if (p[k] / weight_of(weights, k) >= ratio)
				left += weight_of(weights, k);
		adj = fmax(adj, ratio * left);
	}
	return fmin(adj, 1);
}

void stats_holm(const double *p, const double *weights, double *adj, size_t n)
{
	for (size_t i = 0; i < n; i++)
		adj[i] = holm_one(p, weights, n, i);
}

/* Gray code: each pattern differs from the one before in one sign. */
double stats_signflip(const double *d, size_t n)
{
	uint32_t patterns;
	uint32_t hits = 1;
	uint32_t flipped = 0;
	double scale = 0;
	double observed = 0;
	double sum;

	if (n > SIGNFLIP_MAX)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		observed += d[i];
		scale += fabs(d[i]);
	}
	/* Sums that are equal on paper differ by rounding; a tie counts. */
	observed += scale * 1e-12;
	patterns = (uint32_t)1 << n;
	sum = observed - scale * 1e-12;
	for (uint32_t i = 1; i < patterns; i++) {
		int bit = __builtin_ctz(i);

		flipped ^= (uint32_t)1 << bit;
		sum += flipped & ((uint32_t)1 << bit) ? -2 * d[bit] : 2 * d[bit];
		hits += sum <= observed;
	}
	return (double)hits / (double)patterns;
}

double stats_mde(double se, double df, double level)
{
	return (stats_t_quantile(1 - level, df) + stats_t_quantile(POWER, df)) * se;
}

static bool enough(int n, double sd, double d0, double level, double effect)
{
	return stats_mde(sd / sqrt(n), d0 + n - 1, level) <= effect;
}

/* The detectable effect falls with n, so the smallest n can be bisected. */
int stats_pairs_needed(double sd, double d0, double level, double effect)
{
	int lo = 1;
	int hi = PAIRS_NEEDED_MAX;

	if (!enough(hi, sd, d0, level, effect))
		return -1;
	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;

		if (enough(mid, sd, d0, level, effect))
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}
