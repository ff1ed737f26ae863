// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The numbers of a candidate: its pairs, the looks at them, what follows; see gate-judge.h.
 * Layer: results, pure.
 */
#include "results/gate-judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/gate-sanity.h"
#include "results/gate-zero.h"
#include "results/stats.h"

/* ---- the pairs ---- */

/* The primary metrics of the session, each with the pairs of one candidate. */
struct numbers {
	const struct session_metric **metrics;
	struct gate_series *series;
	double *values; /* base and cand of each series, max_n each */
	size_t count;
	int n;
};

static void numbers_release(struct numbers *x)
{
	free(x->metrics);
	free(x->series);
	free(x->values);
}

/* A workload that no boot of either kernel supports is left out, and said to be. */
static void collect(struct judge *j, struct numbers *x)
{
	const struct session *s = j->s;
	size_t n = (size_t)j->v->pairs;

	memset(x, 0, sizeof(*x));
	x->n = j->v->pairs;
	x->metrics = xcalloc(s->n_metrics + 1, sizeof(struct session_metric *));
	x->series = xcalloc(s->n_metrics + 1, sizeof(*x->series));
	x->values = xcalloc(s->n_metrics * 2 * n + 1, sizeof(*x->values));
	for (size_t i = 0; i < s->n_metrics; i++) {
		const struct session_metric *m = &s->metrics[i];
		const struct session_prior *prior;
		double *base = x->values + 2 * n * x->count;

		if (!m->primary || sanity_unsupported(s, j->v->candidate, m->workload))
			continue;
		for (int pair = 1; pair <= x->n; pair++) {
			sanity_primary(s, 0, pair, m, &base[pair - 1]);
			sanity_primary(s, j->v->candidate, pair, m, &base[n + (size_t)pair - 1]);
		}
		prior = session_find_prior(s, m->workload, m->metric);
		x->series[x->count] = (struct gate_series){
			.base = base,
			.cand = base + n,
			.n = x->n,
			.direction = m->direction,
			.min_effect = m->min_effect,
			.loss = m->loss,
			.d0 = prior ? prior->d0 : 0,
			.s0sq = prior ? prior->s0sq : 0,
		};
		x->metrics[x->count++] = m;
	}
}

static void fill_workload(struct gate_workload *w, const struct session_metric *m,
			  const struct gate_series *series, int pairs,
			  const struct gate_estimate *est)
{
	double d[64];
	int n = pairs < 64 ? pairs : 64;

	w->workload = xstrdup(m->workload);
	w->metric = xstrdup(m->metric);
	w->unit = xstrdup(m->unit);
	w->direction = m->direction;
	w->base_mean = stats_mean(series->base, (size_t)pairs);
	w->cand_mean = stats_mean(series->cand, (size_t)pairs);
	for (int i = 0; i < n; i++) {
		d[i] = log(series->cand[i] / series->base[i]);
		if (m->direction == DIRECTION_LOWER)
			d[i] = -d[i];
	}
	w->signflip_p = pairs <= 16 ? stats_signflip(d, (size_t)n) : NAN;
	w->est = *est;
}

static void keep_look(struct judge *j, const struct numbers *x, int i, const double *levels,
		      const struct gate_estimate *est)
{
	struct gate_look *l = &j->v->looks[i];

	l->pairs = j->looks[i];
	l->level = levels[i];
	l->result = VERDICT_PASS;
	l->n_workloads = x->count;
	l->workloads = xcalloc(x->count, sizeof(*l->workloads));
	for (size_t k = 0; k < x->count; k++) {
		struct gate_workload *w = &l->workloads[k];

		fill_workload(w, x->metrics[k], &x->series[k], l->pairs, &est[k]);
		gate_detectable(&x->series[k], l->level, levels[j->n_looks - 1], &w->est);
		if (w->est.result > l->result)
			l->result = w->est.result;
	}
}

/* Returns how many looks were taken. */
static int evaluate(struct judge *j, const struct numbers *x, double *levels,
		    struct gate_estimate *est)
{
	int taken = 0;

	if (j->s->joined <= 1) {
		gate_prepare(x->series, x->count, j->looks, j->n_looks, levels);
		j->futile = gate_sequence(x->series, x->count, j->looks, j->n_looks, est, &taken) ==
			    VERDICT_INCONCLUSIVE;
	} else if (j->n_looks) {
		levels[0] = GATE_ALPHA / GATE_MAX_LOOKS;
		gate_weigh(x->series, x->count, j->looks[0], levels[0]);
		gate_evaluate(x->series, x->count, j->looks[taken++], levels[0], est);
	}
	return taken;
}

static void take_looks(struct judge *j, const struct numbers *x)
{
	struct gate_estimate *est = xcalloc(x->count * GATE_MAX_LOOKS, sizeof(*est));
	double levels[GATE_MAX_LOOKS];
	int taken = evaluate(j, x, levels, est);

	j->v->looks = xcalloc((size_t)taken + 1, sizeof(*j->v->looks));
	j->v->n_looks = (size_t)taken;
	for (int i = 0; i < taken; i++)
		keep_look(j, x, i, levels, est + (size_t)i * x->count);
	free(est);
}

/* ---- what follows ---- */

/* For good, or for now? */
static enum verdict undecided(const struct judge *j)
{
	if (j->futile || j->s->state != SESSION_RUNNING)
		return VERDICT_INCONCLUSIVE;
	return j->v->pairs < j->max_pairs ? VERDICT_PENDING : VERDICT_INCONCLUSIVE;
}

static void settle(struct gate_look *l, enum verdict verdict)
{
	for (size_t i = 0; i < l->n_workloads; i++)
		if (l->workloads[i].est.result == VERDICT_PENDING)
			l->workloads[i].est.result = verdict;
	if (l->result == VERDICT_PENDING)
		l->result = verdict;
}

static void reasons_for(struct judge *j, const struct gate_look *l, enum verdict result)
{
	for (size_t i = 0; i < l->n_workloads; i++)
		if (l->workloads[i].est.result == result)
			judge_say_workload(j, l, &l->workloads[i]);
}

static void judge_look(struct judge *j)
{
	struct gate_look *l = &j->v->looks[j->v->n_looks - 1];
	enum verdict rest = undecided(j);

	switch (l->result) {
	case VERDICT_FAIL:
		reasons_for(j, l, VERDICT_FAIL);
		judge_conclude(j, VERDICT_FAIL, BLAME_KERNEL, "regression");
		break;
	case VERDICT_PASS:
		judge_say_pass(j, l);
		judge_conclude(j, VERDICT_PASS, BLAME_NONE, "");
		break;
	default:
		reasons_for(j, l, VERDICT_PENDING);
		settle(l, rest);
		judge_conclude(j, rest, BLAME_NONE, "undecided");
	}
	judge_say_faster(j, l);
}

static bool has_primary(const struct session *s)
{
	for (size_t i = 0; i < s->n_metrics; i++)
		if (s->metrics[i].primary)
			return true;
	return false;
}

/* Why there is no look. A kernel that has failed already needs no more reasons. */
static void judge_no_look(struct judge *j, size_t workloads)
{
	if (j->v->result >= VERDICT_FAIL)
		return;
	if (!has_primary(j->s)) {
		judge_reason(j, "the suite gates no metric: measured and reported only");
		judge_conclude(j, VERDICT_INCONCLUSIVE, BLAME_NONE, "no-primary");
	} else if (!workloads) {
		judge_reason(j, "no gated workload could be run: unsupported by the board");
		judge_conclude(j, VERDICT_INVALID, BLAME_TEST, "no-numbers");
	} else {
		judge_reason(j, "%d complete pair%s; the gate looks from %d on", j->v->pairs,
			     j->v->pairs == 1 ? "" : "s",
			     j->n_looks ? j->looks[0] : GATE_MIN_PAIRS);
		judge_conclude(j, undecided(j), BLAME_NONE, "too-few-pairs");
	}
}

void judge_numbers(struct judge *j)
{
	struct numbers x;

	collect(j, &x);
	if (x.count)
		take_looks(j, &x);
	if (j->v->n_looks)
		judge_look(j);
	else
		judge_no_look(j, x.count);
	numbers_release(&x);
}
