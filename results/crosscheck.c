// SPDX-License-Identifier: GPL-2.0-or-later
/* A second look at pairs; see crosscheck.h. Layer: results, pure. */
#include "results/crosscheck.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "results/gate-sanity.h"
#include "results/session.h"
#include "results/stats.h"

#define BIMODAL (5.0 / 9)
#define OUTLIER 0.001
#define SCATTER 0.01

static double bimodality(const double *x, size_t count)
{
	double n = (double)count;
	double mean = stats_mean(x, count);
	double m2 = 0;
	double m3 = 0;
	double m4 = 0;
	double skew;
	double kurtosis;

	for (size_t i = 0; i < count; i++) {
		double d = x[i] - mean;

		m2 += d * d / n;
		m3 += d * d * d / n;
		m4 += d * d * d * d / n;
	}
	if (m2 <= 0)
		return 0;
	skew = m3 / pow(m2, 1.5) * sqrt(n * (n - 1)) / (n - 2);
	kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (m4 / (m2 * m2) - 3) + 6);
	return (skew * skew + 1) / (kurtosis + 3 * (n - 1) * (n - 1) / ((n - 2) * (n - 3)));
}

/* The first one was in no part of what it is held against. */
static double first_t(const double *x, size_t n)
{
	double sd = sqrt(stats_variance(x + 1, n - 1));

	return sd > 0 ? (x[0] - stats_mean(x + 1, n - 1)) / (sd * sqrt(1 + 1.0 / (double)(n - 1)))
		      : 0;
}

struct crosscheck crosscheck(const double *effects, size_t n)
{
	struct crosscheck c = { .bimodal = false };

	if (n >= CROSSCHECK_SHAPE_MIN) {
		c.bimodality = bimodality(effects, n);
		c.bimodal = c.bimodality > BIMODAL;
		c.lag1 = stats_lag1(effects, n);
		c.correlated = fabs(c.lag1) > 2 / sqrt((double)n);
	}
	if (n >= CROSSCHECK_FIRST_MIN) {
		c.first_t = first_t(effects, n);
		c.first_outlier = c.first_t != 0 &&
				  2 * stats_t_sf(fabs(c.first_t), (double)n - 2) < OUTLIER;
	}
	return c;
}

double crosscheck_scatter(const double *effects, size_t n, double d0, double s0sq)
{
	double df = (double)n - 1;
	double f;

	if (n < 2 || d0 <= 0 || s0sq <= 0)
		return 1;
	f = stats_variance(effects, n) / s0sq;
	return stats_beta(d0 / 2, df / 2, d0 / (d0 + df * f));
}

double *crosscheck_effects(const struct session *s, int candidate, const struct session_metric *m,
			   size_t *n)
{
	int pairs = session_complete_pairs(s, candidate);
	double *d;

	*n = 0;
	if (!pairs || sanity_unsupported(s, candidate, m->workload))
		return NULL;
	d = xcalloc((size_t)pairs, sizeof(*d));
	for (int pair = 1; pair <= pairs; pair++) {
		double base;
		double cand;

		sanity_primary(s, 0, pair, m, &base);
		sanity_primary(s, candidate, pair, m, &cand);
		d[(*n)++] = m->direction == DIRECTION_LOWER ? log(base / cand) : log(cand / base);
	}
	return d;
}

/* Where a line begins. */
static const char *next(const struct buf *out)
{
	return out->size ? "\n" : "";
}

static void say(const struct session_metric *m, const struct crosscheck *c, struct buf *out)
{
	if (c->first_outlier)
		buf_addf(
			out,
			"%scross-check: %s: the first pair is far off the others (t = %.1f): was the"
			" board warm?",
			next(out), m->workload, c->first_t);
	if (c->bimodal)
		buf_addf(out,
			 "%scross-check: %s: the pairs look like two groups (coefficient %.2f)",
			 next(out), m->workload, c->bimodality);
	if (c->correlated)
		buf_addf(out,
			 "%scross-check: %s: each pair goes %s the one before it (r = %.2f):"
			 " something drifts",
			 next(out), m->workload, c->lag1 > 0 ? "with" : "against", c->lag1);
}

static void say_scatter(const struct session *s, const struct session_metric *m,
			const double *effects, size_t n, struct buf *out)
{
	const struct session_prior *prior = session_find_prior(s, m->workload, m->metric);
	double p = prior ? crosscheck_scatter(effects, n, prior->d0, prior->s0sq) : 1;

	if (prior && p < SCATTER)
		buf_addf(out,
			 "%scross-check: %s: the pairs scatter %.1f times as much as those of the"
			 " calibration (p = %.2g): calibrate again",
			 next(out), m->workload, sqrt(stats_variance(effects, n) / prior->s0sq), p);
}

void crosscheck_say(const struct session *s, int candidate, struct buf *out)
{
	for (size_t i = 0; i < s->n_metrics; i++) {
		struct crosscheck c;
		double *effects;
		size_t n;

		if (!s->metrics[i].primary)
			continue;
		effects = crosscheck_effects(s, candidate, &s->metrics[i], &n);
		c = crosscheck(effects, n);
		say(&s->metrics[i], &c, out);
		say_scatter(s, &s->metrics[i], effects, n, out);
		free(effects);
	}
}
