// SPDX-License-Identifier: GPL-2.0-or-later
/* Change points of a series; see changepoint.h. Layer: results. */
#include "results/changepoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/changepoint-model.h"
#include "results/stats.h"

#define CLIP_WIDTH   5
#define CLIP_SD	     3.0
#define PROPOSAL     2.0  /* sd^2 log n for a boundary that is only proposed */
#define NOISE_MIN    1e-6 /* of the mean magnitude: values are not printed finer */
#define REFINE	     3	  /* points to either side */
#define PLACE_REACH  30	  /* points to either side in which the place is looked for */
#define PLACE_INSIDE 0.95

const struct changepoint_rules changepoint_rules = {
	.min_segment = 3,
	.penalty = 2,
	.penalty_log = 3,
	.settled = 40,
	.rho_max = 0.65,
	.max_p = 0.001,
	.min_effect = 0.02,
};

/* ---- 1: scale and clip ---- */

/* Sorts v. */
static double median(double *v, size_t n)
{
	stats_sort(v, n);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double robust_sd(const double *x, size_t n)
{
	static const size_t lags[] = { 1, 2, 6, 10 };
	double *diff = xcalloc(n, sizeof(*diff));
	double most = 0;

	for (size_t i = 0; i < sizeof(lags) / sizeof(lags[0]); i++) {
		/* one step is seen by as many differences as the lag: they must stay few */
		if (i && n < 4 * lags[i])
			break;
		for (size_t t = lags[i]; t < n; t++)
			diff[t - lags[i]] = fabs(x[t] - x[t - lags[i]]);
		/* 1.4826: a median absolute deviation as sd of a normal distribution */
		most = fmax(most, 1.4826 * median(diff, n - lags[i]) / M_SQRT2);
	}
	free(diff);
	return most;
}

/*
 * At either end the five outermost points are taken for all of the last three: two strange nights
 * at the end are not yet a level of their own, and must not pull a good one over to them.
 */
static double clipped(const double *x, size_t n, size_t t, double limit)
{
	size_t size = n < CLIP_WIDTH ? n : CLIP_WIDTH;
	size_t from = t > CLIP_WIDTH / 2 ? t - CLIP_WIDTH / 2 : 0;
	double window[CLIP_WIDTH];
	double middle;

	if (from + size > n)
		from = n - size;
	memcpy(window, x + from, size * sizeof(*x));
	middle = median(window, size);
	return fmin(fmax(x[t], middle - limit), middle + limit);
}

/* What is worked on: y = (clipped x) / scale - center, of a magnitude near 1 at most. */
struct input {
	double *y;
	double scale, center, sd;
	double noise_min; /* the least sd that is believed */
	struct step_series series;
};

static void input_init(struct input *in, const double *x, size_t n, bool *spike)
{
	double *scaled = xcalloc(n, sizeof(*scaled));
	double magnitude = 0;

	in->scale = 0;
	for (size_t t = 0; t < n; t++)
		in->scale = fmax(in->scale, fabs(x[t]));
	if (in->scale == 0)
		in->scale = 1;
	for (size_t t = 0; t < n; t++) {
		scaled[t] = x[t] / in->scale;
		magnitude += fabs(scaled[t]) / (double)n;
	}
	in->noise_min = NOISE_MIN * fmax(magnitude, NOISE_MIN);
	in->sd = fmax(robust_sd(scaled, n), in->noise_min);
	in->y = xcalloc(n, sizeof(*in->y));
	for (size_t t = 0; t < n; t++) {
		in->y[t] = clipped(scaled, n, t, CLIP_SD * in->sd);
		spike[t] = in->y[t] != scaled[t];
	}
	in->center = stats_mean(in->y, n);
	for (size_t t = 0; t < n; t++)
		in->y[t] -= in->center;
	step_series_init(&in->series, in->y, n, (double)n * in->noise_min * in->noise_min);
	free(scaled);
}

static void input_release(struct input *in)
{
	step_series_release(&in->series);
	free(in->y);
}

/* ---- 2: propose ---- */

/* least[t]: cost of the best partition of the first t points, whose last segment begins at from[t]
 */
static void partition(const struct step_series *s, double penalty, size_t min_segment,
		      double *least, size_t *from)
{
	least[0] = -penalty;
	for (size_t t = 1; t <= s->n; t++)
		least[t] = INFINITY;
	for (size_t t = min_segment; t <= s->n; t++) {
		double best = INFINITY;
		size_t best_from = 0;

		for (size_t u = 0; u + min_segment <= t; u++) {
			double sum = s->sum[t] - s->sum[u];
			double cost = least[u] - s->square[u] - sum * sum / (double)(t - u);

			if (cost < best) {
				best = cost;
				best_from = u;
			}
		}
		least[t] = best + s->square[t] + penalty;
		from[t] = best_from;
	}
}

static void propose(const struct input *in, const struct changepoint_rules *rules,
		    struct step_model *m)
{
	size_t n = in->series.n;
	double *least = xcalloc(n + 1, sizeof(*least));
	size_t *from = xcalloc(n + 1, sizeof(*from));
	size_t k = 0;

	partition(&in->series, PROPOSAL * in->sd * in->sd * log((double)n), rules->min_segment,
		  least, from);
	for (size_t t = n; t > 0; t = from[t])
		k++;
	m->segments = k;
	m->bound[0] = 0;
	for (size_t t = n; t > 0; t = from[t])
		m->bound[k--] = t;
	free(least);
	free(from);
}

/* ---- 3: choose ---- */

static size_t weakest(const struct step_model *m)
{
	double least = INFINITY;
	size_t which = 0;

	for (size_t j = 0; j + 1 < m->segments; j++) {
		double d = m->level[j + 1] - m->level[j];

		if (d * d / m->var[j] < least) {
			least = d * d / m->var[j];
			which = j;
		}
	}
	return which;
}

static void refine_around(struct step_model *m, const struct step_series *s, size_t first,
			  size_t end, size_t min_segment)
{
	for (size_t j = first; j < end && j + 1 < m->segments; j++)
		step_model_refine(m, s, j, REFINE, min_segment);
}

/* Leaves the best model on the way from all proposals to none in m. */
static void choose(struct step_model *m, const struct step_series *s,
		   const struct changepoint_rules *rules, const struct step_noise *noise)
{
	double least = INFINITY;
	size_t *best = xcalloc(m->segments + 1, sizeof(*best));
	size_t best_segments = 1;
	size_t from = 0;
	size_t end = m->segments;

	for (;;) {
		double total;

		step_model_fit(m, s, noise);
		refine_around(m, s, from, end, rules->min_segment);
		refine_around(m, s, from, end, rules->min_segment);
		step_model_fit(m, s, noise);
		total = m->criterion + noise->wander_cost * (double)(m->segments - 1);
		if (total < least) {
			least = total;
			best_segments = m->segments;
			memcpy(best, m->bound, (m->segments + 1) * sizeof(*best));
		}
		if (m->segments == 1)
			break;
		end = weakest(m) + 1;
		from = end >= 2 ? end - 2 : 0;
		step_model_remove(m, end - 1);
	}
	m->segments = best_segments;
	memcpy(m->bound, best, (best_segments + 1) * sizeof(*best));
	free(best);
}

/* ---- 4: test and describe ---- */

static void describe(const struct step_model *m, const struct input *in, size_t boundary,
		     struct changepoint *c)
{
	double df = fmax((double)in->series.n - (double)m->segments - 1, 1);
	double se = sqrt(m->var[boundary] * m->rss / df);
	double before = m->level[boundary] + in->center;
	double d = m->level[boundary + 1] - m->level[boundary];
	double half = stats_t_quantile(0.975, df) * se;

	c->at = m->bound[boundary + 1];
	c->before = before * in->scale;
	c->after = (before + d) * in->scale;
	c->effect = d / fabs(before);
	c->lo = (d - half) / fabs(before);
	c->hi = (d + half) / fabs(before);
	c->df = df;
	c->t = d / se;
	c->p = 2 * stats_t_sf(fabs(c->t), df);
}

/* The boundary that is least worth keeping, or -1 when all are. */
static long untenable(const struct step_model *m, const struct input *in,
		      const struct changepoint_rules *rules)
{
	double worst = 0;
	long which = -1;

	for (size_t j = 0; j + 1 < m->segments; j++) {
		struct changepoint c;
		double badness = 0;

		describe(m, in, j, &c);
		if (fabs(c.effect) < rules->min_effect)
			badness = 1 + rules->min_effect - fabs(c.effect);
		else if (c.p >= rules->max_p)
			badness = c.p;
		if (badness > worst) {
			worst = badness;
			which = (long)j;
		}
	}
	return which;
}

/* The shortest range around the best place that holds 95 % of the likelihood. */
static void place(struct step_model *m, const struct input *in, size_t boundary, size_t min_segment,
		  struct changepoint *c)
{
	size_t *at = &m->bound[boundary + 1];
	size_t mid = *at;
	size_t lo = at[-1] + min_segment;
	size_t hi = at[1] - min_segment;
	double var = m->rss / c->df;
	double weight[2 * PLACE_REACH + 1] = { 0 };
	double total = 0;
	double inside;

	lo = lo + PLACE_REACH < mid ? mid - PLACE_REACH : lo;
	hi = hi > mid + PLACE_REACH ? mid + PLACE_REACH : hi;
	for (size_t t = lo; t <= hi; t++) {
		*at = t;
		weight[t - lo] =
			exp((m->rss - step_model_rss(m, &in->series, m->rho, 0)) / (2 * var));
		total += weight[t - lo];
	}
	*at = mid;
	c->first = c->last = mid;
	inside = weight[mid - lo];
	while (inside < PLACE_INSIDE * total) {
		double left = c->first > lo ? weight[c->first - 1 - lo] : -1;
		double right = c->last < hi ? weight[c->last + 1 - lo] : -1;

		if (left < 0 && right < 0)
			break;
		if (left >= right)
			c->first--;
		else
			c->last++;
		inside += fmax(left, right);
	}
}

static void report(struct step_model *m, const struct input *in, size_t min_segment,
		   struct changepoint_fit *fit)
{
	size_t n = in->series.n;

	fit->n_changes = m->segments - 1;
	fit->changes = xcalloc(m->segments, sizeof(*fit->changes));
	fit->rho = m->rho;
	fit->df = fmax((double)n - (double)m->segments - 1, 1);
	fit->sd = sqrt(m->rss / fit->df) * in->scale;
	fit->level = (m->level[fit->n_changes] + in->center) * in->scale;
	fit->level_se = fit->sd * sqrt(step_model_last_var(m));
	fit->residual = (in->y[n - 1] - m->level[fit->n_changes]) * in->scale;
	for (size_t j = 0; j < fit->n_changes; j++)
		describe(m, in, j, &fit->changes[j]);
	for (size_t j = 0; j < fit->n_changes; j++)
		place(m, in, j, min_segment, &fit->changes[j]);
}

void changepoint_find(const double *x, size_t n, const struct changepoint_rules *rules,
		      struct changepoint_fit *fit)
{
	struct step_noise noise;
	struct step_model m;
	struct input in;
	long drop;

	if (!rules)
		rules = &changepoint_rules;
	memset(fit, 0, sizeof(*fit));
	fit->n = n;
	fit->spike = xcalloc(n + 1, sizeof(*fit->spike));
	fit->level = fit->level_se = fit->residual = fit->sd = NAN;
	if (n < rules->min_segment)
		return;
	input_init(&in, x, n, fit->spike);
	step_model_init(&m, n / rules->min_segment + 1);
	noise.rho_max = rules->rho_max;
	noise.wander_cost =
		rules->penalty +
		rules->penalty_log * log((double)(n < rules->settled ? rules->settled : n));
	propose(&in, rules, &m);
	choose(&m, &in.series, rules, &noise);
	for (;;) {
		step_model_fit(&m, &in.series, &noise);
		drop = untenable(&m, &in, rules);
		if (drop < 0)
			break;
		step_model_remove(&m, (size_t)drop);
	}
	report(&m, &in, rules->min_segment, fit);
	step_model_release(&m);
	input_release(&in);
}

void changepoint_release(struct changepoint_fit *fit)
{
	free(fit->changes);
	free(fit->spike);
	memset(fit, 0, sizeof(*fit));
}

/* ---- what comes next ---- */

static bool can_tell(const struct changepoint_fit *fit)
{
	return isfinite(fit->sd) && fit->n > changepoint_rules.min_segment;
}

bool changepoint_expect(const struct changepoint_fit *fit, int steps, double probability,
			double *lo, double *hi)
{
	double var = 0; /* of the noise, in innovations */
	double power = 1;
	double middle;
	double half;

	if (!can_tell(fit))
		return false;
	for (int i = 0; i < steps; i++) {
		var += power * power;
		power *= fit->rho;
	}
	middle = fit->level + power * fit->residual;
	half = stats_t_quantile(0.5 + probability / 2, fit->df) *
	       sqrt(fit->level_se * fit->level_se + var * fit->sd * fit->sd);
	*lo = middle - half;
	*hi = middle + half;
	return true;
}

/*
 * A shift d is seen whole in the first innovation and (1 - rho) d in each further one; least
 * squares weighs them so.
 */
double changepoint_departs(const struct changepoint_fit *fit, const double *next, size_t m)
{
	double before = fit->residual;
	double information = 0;
	double sum = 0;
	double se;

	if (!can_tell(fit) || m == 0)
		return 1;
	for (size_t i = 0; i < m; i++) {
		double residual = next[i] - fit->level;
		double part = i ? 1 - fit->rho : 1;

		sum += part * (residual - fit->rho * before);
		information += part * part;
		before = residual;
	}
	se = sqrt(fit->level_se * fit->level_se + fit->sd * fit->sd / information);
	return 2 * stats_t_sf(fabs(sum / information) / se, fit->df);
}
