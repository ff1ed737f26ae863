// SPDX-License-Identifier: GPL-2.0-or-later
/* E-divisive and Apache Otava, for comparison; see cmp.h. Layer: results. */
#include "results/sim/cmp.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/stats.h"

const struct cmp_otava cmp_otava_default = { .window = 50, .max_p = 0.001 };

/* ---- the t test ---- */

struct test {
	double p, magnitude;
};

static double population_variance(const double *x, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return n < 2 ? 0 : sum / (double)n;
}

/* Of x[a..b) against x[b..c). */
static struct test compare(const double *x, size_t a, size_t b, size_t c)
{
	double n = (double)(b - a);
	double m = (double)(c - b);
	double left = stats_mean(x + a, b - a);
	double right = stats_mean(x + b, c - b);
	double df = n + m - 2;
	double forward = left == 0 ? 0 : fabs(right / left - 1);
	double backward = right == 0 ? 0 : fabs(left / right - 1);
	struct test t = { 1, fmax(forward, backward) };
	double var;

	if (df <= 0 || left == right)
		return t;
	var = ((n - 1) * population_variance(x + a, b - a, left) +
	       (m - 1) * population_variance(x + b, c - b, right)) /
	      df;
	t.p = 2 * stats_t_sf(fabs(left - right) / sqrt(var * (1 / n + 1 / m)), df);
	return t;
}

/* ---- E-divisive ---- */

struct candidate {
	size_t at;
	double q;
};

/*
 * The split of the first n points of x with the largest divergence between x[0..tau) and
 * x[tau..kappa); ties go to the smallest tau, then kappa. within: n + 1 squared, sums of the
 * distances between all pairs of x[a..b).
 */
static struct candidate best_split(const double *x, size_t n, double *within)
{
	struct candidate best = { 1, -INFINITY };
	size_t width = n + 1;

	for (size_t b = 0; b <= n; b++) {
		double row = 0;

		within[b * width + b] = 0;
		for (size_t a = b; a-- > 0;) {
			row += fabs(x[a] - x[b - 1]);
			within[a * width + b] = b - 1 > a ? within[a * width + b - 1] + row : 0;
		}
	}
	for (size_t tau = 1; tau < n; tau++)
		for (size_t kappa = tau + 1; kappa <= n; kappa++) {
			double left = within[tau];
			double right = within[tau * width + kappa];
			double n1 = (double)tau;
			double n2 = (double)(kappa - tau);
			double q = 2 / (n1 + n2) * (within[kappa] - left - right);

			if (tau > 1)
				q -= 2 * n2 / ((n1 + n2) * (n1 - 1)) * left;
			if (kappa > tau + 1)
				q -= 2 * n1 / ((n1 + n2) * (n2 - 1)) * right;
			if (q > best.q)
				best = (struct candidate){ tau, q };
		}
	return best;
}

static size_t insert(size_t *at, size_t k, size_t value)
{
	size_t i = k;

	while (i > 0 && at[i - 1] > value) {
		at[i] = at[i - 1];
		i--;
	}
	at[i] = value;
	return k + 1;
}

static size_t begin_of(const size_t *at, size_t i)
{
	return i ? at[i - 1] : 0;
}

static size_t end_of(const size_t *at, size_t k, size_t i, size_t n)
{
	return i < k ? at[i] : n;
}

/* The best split of all k + 1 intervals; q is -INFINITY when none can be split. */
static struct candidate next_candidate(const double *x, size_t n, const size_t *at, size_t k,
				       double *within, size_t *interval)
{
	struct candidate best = { 0, -INFINITY };

	for (size_t i = 0; i <= k; i++) {
		size_t a = begin_of(at, i);
		size_t b = end_of(at, k, i, n);
		struct candidate c;

		if (b - a < 2)
			continue;
		c = best_split(x + a, b - a, within);
		if (c.q > best.q) {
			best = (struct candidate){ a + c.at, c.q };
			*interval = i;
		}
	}
	return best;
}

size_t cmp_edivisive(const double *x, size_t n, double max_p, size_t *at)
{
	double *within = xcalloc((n + 1) * (n + 1), sizeof(*within));
	size_t k = 0;

	for (;;) {
		size_t i = 0;
		struct candidate c = next_candidate(x, n, at, k, within, &i);

		if (!isfinite(c.q) ||
		    compare(x, begin_of(at, i), c.at, end_of(at, k, i, n)).p > max_p)
			break;
		k = insert(at, k, c.at);
	}
	free(within);
	return k;
}

/* ---- Otava ---- */

static bool known(const size_t *at, size_t k, size_t value)
{
	for (size_t i = 0; i < k; i++)
		if (at[i] == value)
			return true;
	return false;
}

static size_t split(const double *x, size_t n, const struct cmp_otava *rules, double max_p,
		    size_t *at)
{
	size_t *found = xcalloc(rules->window + 1, sizeof(*found));
	size_t step = rules->window / 2;
	size_t k = 0;

	for (size_t start = 0; start < n;) {
		size_t size = n - start < rules->window ? n - start : rules->window;
		size_t m = cmp_edivisive(x + start, size, max_p, found);
		size_t last = m ? start + found[m - 1] : 0;

		for (size_t i = 0; i < m; i++)
			if (!known(at, k, start + found[i]))
				k = insert(at, k, start + found[i]);
		start = last > start + step ? last : start + step;
	}
	free(found);
	return k;
}

static size_t weakest(const struct test *t, size_t k, const struct cmp_otava *rules)
{
	size_t w = 0;

	for (size_t i = 1; i < k; i++)
		if (t[i].p > t[w].p)
			w = i;
	if (t[w].p >= rules->max_p)
		return w;
	w = 0;
	for (size_t i = 1; i < k; i++)
		if (t[i].magnitude < t[w].magnitude)
			w = i;
	return t[w].magnitude > rules->min_magnitude ? k : w;
}

static size_t merge(const double *x, size_t n, const struct cmp_otava *rules, size_t *at, size_t k)
{
	struct test *t = xcalloc(k + 1, sizeof(*t));

	for (size_t i = 0; i < k; i++)
		t[i] = compare(x, begin_of(at, i), at[i], end_of(at, k, i + 1, n));
	while (k) {
		size_t w = weakest(t, k, rules);

		if (w == k)
			break;
		memmove(at + w, at + w + 1, (k - w - 1) * sizeof(*at));
		memmove(t + w, t + w + 1, (k - w - 1) * sizeof(*t));
		k--;
		for (size_t i = w; i < k && i < w + 2; i++)
			t[i] = compare(x, begin_of(at, i), at[i], end_of(at, k, i + 1, n));
	}
	free(t);
	return k;
}

size_t cmp_otava(const double *x, size_t n, const struct cmp_otava *rules, size_t *at)
{
	double first = rules->max_p;

	if (first < 0.05)
		first *= 10;
	else if (first < 0.5)
		first *= 2;
	return merge(x, n, rules, at, split(x, n, rules, first, at));
}
