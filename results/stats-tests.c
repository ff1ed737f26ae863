// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of two samples, and the binomial; see stats-tests.h. Layer: results, pure. */
#include "results/stats-tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/stats.h"

#define MANNWHITNEY_EXACT 8

/* ---- t ---- */

static double two_sided(double difference, double se, double df)
{
	if (se > 0)
		return 2 * stats_t_sf(fabs(difference) / se, df);
	return difference == 0 ? 1 : 0;
}

double stats_welch(const double *x, size_t n, const double *y, size_t m)
{
	double vx = stats_variance(x, n) / (double)n;
	double vy = stats_variance(y, m) / (double)m;
	double df = (vx + vy) * (vx + vy) / (vx * vx / (double)(n - 1) + vy * vy / (double)(m - 1));

	return two_sided(stats_mean(x, n) - stats_mean(y, m), sqrt(vx + vy), df);
}

double stats_student(const double *x, size_t n, const double *y, size_t m)
{
	double df = (double)(n + m - 2);
	double squares =
		stats_variance(x, n) * (double)(n - 1) + stats_variance(y, m) * (double)(m - 1);
	double se = sqrt(squares / df * (1 / (double)n + 1 / (double)m));

	return two_sided(stats_mean(x, n) - stats_mean(y, m), se, df);
}

/* ---- Mann-Whitney ---- */

/* U of x: how often one of x beats one of y, a tie counting half. Samples are small: no sorting. */
static double mannwhitney_u(const double *x, size_t n, const double *y, size_t m)
{
	double u = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			u += x[i] > y[k] ? 1 : (x[i] == y[k] ? 0.5 : 0);
	return u;
}

/* The sum of t^3 - t over groups of t equal values; 0 = no ties. */
static double tie_term(const double *x, size_t n, const double *y, size_t m)
{
	double *all = xmalloc((n + m) * sizeof(*all));
	double term = 0;
	double t = 1;

	memcpy(all, x, n * sizeof(*x));
	memcpy(all + n, y, m * sizeof(*y));
	stats_sort(all, n + m);
	for (size_t i = 1; i <= n + m; i++) {
		if (i < n + m && all[i] == all[i - 1]) {
			t++;
			continue;
		}
		term += t * t * t - t;
		t = 1;
	}
	free(all);
	return term;
}

/*
 * P(U >= u), without ties, of samples of few and many. The largest of all is one of the few with
 * probability few / (few + many), and then beats all of the many:
 *	p(f, m, u) = f/(f+m) p(f-1, m, u-m) + m/(f+m) p(f, m-1, u)
 * row[f] holds p(f, m, .) of the m reached.
 */
static double mannwhitney_tail(size_t few, size_t many, size_t u)
{
	size_t width = few * many + 1;
	double *row = xcalloc((few + 1) * width, sizeof(*row));
	double tail = 0;

	for (size_t f = 0; f <= few; f++)
		row[f * width] = 1;
	for (size_t m = 1; m <= many; m++)
		for (size_t f = 1; f <= few; f++) {
			double beats = (double)f / (double)(f + m);

			for (size_t i = 0; i <= f * m; i++) {
				double *p = &row[f * width + i];

				*p *= 1 - beats;
				if (i >= m)
					*p += beats * row[(f - 1) * width + i - m];
			}
		}
	for (size_t i = width; i-- > u;)
		tail += row[few * width + i];
	free(row);
	return tail;
}

double stats_mannwhitney(const double *x, size_t n, const double *y, size_t m)
{
	double ties = tie_term(x, n, y, m);
	double product = (double)n * (double)m;
	double all = (double)(n + m);
	double u = mannwhitney_u(x, n, y, m);
	double sd;

	u = fmax(u, product - u);
	if (ties == 0 && (n <= MANNWHITNEY_EXACT || m <= MANNWHITNEY_EXACT))
		return fmin(1, 2 * mannwhitney_tail(n < m ? n : m, n < m ? m : n, (size_t)u));
	sd = sqrt(product / 12 * (all + 1 - ties / (all * (all - 1))));
	if (!(sd > 0))
		return 1;
	return fmin(1, erfc((u - product / 2 - 0.5) / sd / M_SQRT2));
}

/* ---- permutation ---- */

struct splits {
	const double *values; /* of both samples, about their mean */
	size_t n;
	double low, high; /* a sum of the first sample up to low, or from high on, is a hit */
	double below, above, all;
};

/* Every way to choose `left` of the values from i on, with that sum so far. */
static void split(struct splits *s, size_t i, size_t left, double sum)
{
	if (left == 0) {
		s->all++;
		s->below += sum <= s->low;
		s->above += sum >= s->high;
		return;
	}
	split(s, i + 1, left - 1, sum + s->values[i]);
	if (s->n - i > left)
		split(s, i + 1, left, sum);
}

/* The difference of the means rises with the sum of the first sample. */
double stats_permutation(const double *x, size_t n, const double *y, size_t m)
{
	double values[STATS_PERMUTATION_MAX] = { 0 };
	struct splits s = { .values = values, .n = n + m };
	double sum = 0;
	double scale = 0;
	double mean;

	if (n + m > STATS_PERMUTATION_MAX)
		return NAN;
	mean = ((double)n * stats_mean(x, n) + (double)m * stats_mean(y, m)) / (double)(n + m);
	for (size_t i = 0; i < n + m; i++) {
		values[i] = (i < n ? x[i] : y[i - n]) - mean;
		sum += i < n ? values[i] : 0;
		scale += fabs(values[i]);
	}
	/* Sums that are equal on paper differ by rounding; a tie counts. */
	s.low = sum + scale * 1e-12;
	s.high = sum - scale * 1e-12;
	split(&s, 0, n, 0);
	return fmin(1, 2 * fmin(s.below, s.above) / s.all);
}

/* ---- binomial ---- */

double stats_binomial_tail(int k, int n, double probability)
{
	if (k <= 0)
		return 1;
	return k > n ? 0 : stats_beta(k, n - k + 1, probability);
}
