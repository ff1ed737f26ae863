// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arithmetic of the gate: pure functions over arrays; see gate.h. What a session's rows mean
 * is in gate-judge.c. Layer: results.
 */
#include "results/gate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/stats.h"

#define PAIRS_MIN_DEFAULT GATE_MIN_PAIRS
#define PAIRS_MAX_DEFAULT 12

static const char *const verdict_names[] = {
	[VERDICT_NONE] = "NONE",       [VERDICT_PASS] = "PASS",
	[VERDICT_PENDING] = "PENDING", [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
	[VERDICT_FAIL] = "FAIL",       [VERDICT_INVALID] = "INVALID",
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

const char *verdict_name(enum verdict v)
{
	return verdict_names[v];
}

int verdict_parse(const char *name)
{
	for (int i = 0; i < COUNT(verdict_names); i++)
		if (!strcmp(verdict_names[i], name))
			return i;
	return -1;
}

int gate_exit_code(const struct gate_set *set)
{
	static const int codes[] = {
		[VERDICT_NONE] = EXIT_PASS,
		[VERDICT_PASS] = EXIT_PASS,
		[VERDICT_PENDING] = EXIT_INCONCLUSIVE,
		[VERDICT_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
		[VERDICT_FAIL] = EXIT_FAIL,
		[VERDICT_INVALID] = EXIT_INVALID,
	};

	return codes[set->result];
}

static void look_release(struct gate_look *l)
{
	for (size_t i = 0; i < l->n_workloads; i++) {
		free(l->workloads[i].workload);
		free(l->workloads[i].metric);
		free(l->workloads[i].unit);
	}
	free(l->workloads);
}

void gate_set_free(struct gate_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n_verdicts; i++) {
		struct gate_verdict *v = &set->verdicts[i];

		for (size_t k = 0; k < v->n_looks; k++)
			look_release(&v->looks[k]);
		free(v->looks);
		free(v->label);
		free(v->reason);
	}
	free(set->verdicts);
	free(set);
}

/* ---- looks ---- */

int gate_looks(int fixed, int min, int max, int looks[GATE_MAX_LOOKS])
{
	int n = 0;
	int step;

	if (fixed > 0)
		min = max = fixed;
	if (min < GATE_MIN_PAIRS && fixed <= 0)
		min = PAIRS_MIN_DEFAULT;
	if (max <= 0)
		max = PAIRS_MAX_DEFAULT;
	if (max < GATE_MIN_PAIRS)
		return 0;
	if (max <= min) {
		looks[0] = max;
		return 1;
	}
	/* Even steps keep the mirrored order balanced at each look. */
	step = (max - min + 2 * (GATE_MAX_LOOKS - 1) - 1) / (2 * (GATE_MAX_LOOKS - 1)) * 2;
	for (int pairs = min; pairs < max && n < GATE_MAX_LOOKS - 1; pairs += step)
		looks[n++] = pairs;
	looks[n++] = max;
	return n;
}

void gate_prepare(struct gate_series *series, size_t count, const int *looks, int n_looks,
		  double levels[GATE_MAX_LOOKS])
{
	int early = n_looks / 3;
	double d0 = series[0].d0;

	for (size_t i = 1; i < count; i++)
		d0 = fmin(d0, series[i].d0);
	gate_levels(looks, n_looks, count, d0, levels);
	if (n_looks)
		gate_weigh(series, count, looks[early], levels[early]);
}

/* ---- one look ---- */

static double pair_effect(const struct gate_series *s, int i)
{
	double d = log(s->cand[i] / s->base[i]);

	return s->direction == DIRECTION_LOWER ? -d : d;
}

double gate_change(enum direction direction, double effect)
{
	return expm1(direction == DIRECTION_LOWER ? -effect : effect);
}

double gate_loss_effect(enum direction direction, double loss)
{
	return direction == DIRECTION_LOWER ? -log1p(loss) : log1p(-loss);
}

/* And back: the fraction that is lost with an effect of -size. */
static double loss_of(enum direction direction, double size)
{
	return direction == DIRECTION_LOWER ? expm1(size) : -expm1(-size);
}

/* One-sided p of a loss. Without any spread the sign of the mean is all there is. */
static double loss_p(double mean, double se, double df)
{
	if (se > 0)
		return stats_t_cdf(mean / se, df);
	if (mean < 0)
		return 0;
	return mean > 0 ? 1 : 0.5;
}

/* Mean and variance of the effects, without an array of them (Welford). */
static void effects(const struct gate_series *s, int pairs, double *mean, double *variance)
{
	double squares = 0;

	*mean = 0;
	for (int i = 0; i < pairs; i++) {
		double d = pair_effect(s, i);
		double delta = d - *mean;

		*mean += delta / (i + 1);
		squares += delta * (d - *mean);
	}
	*variance = squares / (pairs - 1);
}

static void estimate(const struct gate_series *s, int pairs, struct gate_estimate *e)
{
	double variance;
	double t95;

	memset(e, 0, sizeof(*e));
	effects(s, pairs, &e->mean, &variance);
	e->n = pairs;
	e->df = s->d0 + pairs - 1;
	e->sd = sqrt((s->d0 * s->s0sq + (pairs - 1) * variance) / e->df);
	e->se = e->sd / sqrt(pairs);
	e->t = e->se > 0 ? e->mean / e->se : 0;
	e->p = loss_p(e->mean, e->se, e->df);
	t95 = stats_t_quantile(GATE_CONFIDENCE, e->df);
	e->lo = e->mean - t95 * e->se;
	e->hi = e->mean + t95 * e->se;
}

static enum verdict decide(const struct gate_series *s, double level, const struct gate_estimate *e)
{
	if (e->p_adj <= level && e->mean <= gate_loss_effect(s->direction, s->min_effect))
		return VERDICT_FAIL;
	return e->lo > gate_loss_effect(s->direction, s->loss) ? VERDICT_PASS : VERDICT_PENDING;
}

static void adjust(const struct gate_series *series, struct gate_estimate *est, size_t count)
{
	double *p = xcalloc(3 * count, sizeof(*p));
	double *weights = p + count;
	double *adj = weights + count;

	for (size_t i = 0; i < count; i++) {
		p[i] = est[i].p;
		weights[i] = gate_share(&series[i], count);
	}
	stats_holm(p, weights, adj, count);
	for (size_t i = 0; i < count; i++)
		est[i].p_adj = adj[i];
	free(p);
}

enum verdict gate_evaluate(const struct gate_series *series, size_t count, int pairs, double level,
			   struct gate_estimate *est)
{
	enum verdict worst = VERDICT_PASS;

	assert(count >= 1 && pairs >= 2);
	for (size_t i = 0; i < count; i++)
		estimate(&series[i], pairs, &est[i]);
	adjust(series, est, count);
	for (size_t i = 0; i < count; i++) {
		est[i].result = decide(&series[i], level, &est[i]);
		if (est[i].result > worst)
			worst = est[i].result;
	}
	return worst;
}

void gate_detectable(const struct gate_series *series, double level, double last_level,
		     struct gate_estimate *est)
{
	double limit = -gate_loss_effect(series->direction, series->loss);
	double share = gate_share(series, 1);

	est->mde = loss_of(series->direction, stats_mde(est->se, est->df, share * level));
	est->pairs_needed = stats_pairs_needed(est->sd, series->d0, share * last_level, limit);
	if (est->pairs_needed > 0 && est->pairs_needed <= est->n)
		est->pairs_needed = 0;
}

enum verdict gate_sequence(struct gate_series *series, size_t count, const int *looks, int n_looks,
			   struct gate_estimate *est, int *taken)
{
	enum verdict result = VERDICT_PENDING;
	double levels[GATE_MAX_LOOKS];

	gate_prepare(series, count, looks, n_looks, levels);
	*taken = 0;
	while (*taken < n_looks && looks[*taken] <= series[0].n && result == VERDICT_PENDING) {
		result = gate_evaluate(series, count, looks[*taken], levels[*taken],
				       est + (size_t)*taken * count);
		(*taken)++;
	}
	if (result == VERDICT_PENDING && *taken > 0 && *taken < n_looks &&
	    gate_futile(series, count, looks[n_looks - 1], levels[n_looks - 1],
			est + (size_t)(*taken - 1) * count))
		result = VERDICT_INCONCLUSIVE;
	return result;
}
