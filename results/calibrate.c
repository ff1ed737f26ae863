// SPDX-License-Identifier: GPL-2.0-or-later
/* A/A calibration out of sessions; see calibrate.h. Layer: results, pure. */
#include "results/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/calibrate-fit.h"
#include "results/crosscheck.h"
#include "results/gate-sanity.h"
#include "results/session.h"
#include "results/setup.h"
#include "results/stats-tests.h"
#include "results/stats.h"

void calibration_free(struct calibration *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_series; i++) {
		free(c->series[i].workload);
		free(c->series[i].metric);
	}
	free(c->series);
	free(c->board);
	free(c->serial);
	free(c->model);
	free(c->suite);
	free(c->profile);
	free(c->suite_hash);
	free(c->host);
	free(c->setup);
	free(c->fingerprint);
	free(c->rig_version);
	free(c->newest);
	free(c->withdrawn);
	free(c);
}

/* ---- which sessions ---- */

int calibrate_candidate(const struct session *s)
{
	for (size_t i = 1; i < s->n_kernels; i++)
		if (*s->kernels[0].id && !strcmp(s->kernels[i].id, s->kernels[0].id) &&
		    !strcmp(s->kernels[i].cmdline, s->kernels[0].cmdline))
			return (int)i;
	return -1;
}

bool calibrate_usable(const struct session *s, int candidate, struct buf *why)
{
	int pairs = session_complete_pairs(s, candidate);
	struct err pruned = ERR_INIT;
	struct sanity sane;

	if (session_check_pruned(s, &pruned) < 0)
		buf_adds(why, pruned.message);
	else if (s->state == SESSION_RUNNING)
		buf_adds(why, "it is still running");
	else if (s->n_faults)
		buf_addf(why, "%s fault (%s)", blame_name(s->faults[0].blame), s->faults[0].code);
	else if (pairs < GATE_MIN_PAIRS)
		buf_addf(why, "%d complete pair%s, at least %d are needed", pairs,
			 pairs == 1 ? "" : "s", GATE_MIN_PAIRS);
	else if (sanity_check(s, candidate, pairs, &sane) < 0)
		buf_adds(why, sane.message);
	else
		return true;
	return false;
}

/* ---- what it holds for ---- */

static struct setup setup_then(const struct calibration *c)
{
	return (struct setup){
		.serial = c->serial,
		.model = c->model,
		.host = c->host,
		.suite = c->suite,
		.profile = c->profile,
		.suite_hash = c->suite_hash,
		.lab = c->setup,
		.print = c->fingerprint,
	};
}

bool calibration_holds_setup(const struct calibration *c, const char *setup, const char *suite_hash,
			     struct buf *why)
{
	struct setup then = setup_then(c);
	struct setup now = then;

	now.lab = setup;
	now.suite_hash = suite_hash;
	return setup_same(&then, &now, why);
}

bool calibration_holds(const struct calibration *c, const struct session *s, struct buf *why)
{
	struct setup then = setup_then(c);
	struct setup now = setup_of(s);
	char *print = setup_print(s);
	bool same;

	now.print = print;
	same = setup_same(&then, &now, why);
	if (*c->withdrawn)
		buf_addf(why, "%swithdrawn: %s", same ? "" : "; ", c->withdrawn);
	free(print);
	return same && !*c->withdrawn;
}

/* ---- the fit ---- */

/* What is gathered over all comparisons. */
struct gather {
	const struct calibrate_input *in;
	size_t n_in;
	struct fit_sample *samples; /* one for each series and comparison */
	size_t n_samples;
	double *p; /* all p-values, those of one series in a row */
	size_t n_p;
	int looks[GATE_MAX_LOOKS]; /* of the suite */
	int n_looks;
	int max_pairs; /* at the last one */
	double level;  /* of it */
};

/* The one-sided p of a block of pairs, by a plain paired t test. */
static double block_p(const double *d, size_t n)
{
	double mean = stats_mean(d, n);
	double se = sqrt(stats_variance(d, n) / (double)n);

	return se > 0 ? stats_t_cdf(mean / se, (double)n - 1) : 0.5;
}

/* One comparison on one workload: its variance, its p-values. Returns its pairs. */
static int gather_one(struct gather *g, const struct calibrate_input *in,
		      const struct session_metric *m, int workload)
{
	size_t pairs;
	double *d = crosscheck_effects(in->s, in->candidate, m, &pairs);

	if (!d)
		return 0;
	g->samples[g->n_samples++] = (struct fit_sample){
		.workload = workload,
		.variance = stats_variance(d, pairs),
		.df = (double)pairs - 1,
	};
	g->p = xrealloc(g->p, (g->n_p + pairs) * sizeof(*g->p));
	for (size_t i = 0; i + GATE_MIN_PAIRS <= pairs; i += GATE_MIN_PAIRS)
		g->p[g->n_p++] = block_p(d + i, GATE_MIN_PAIRS);
	free(d);
	return (int)pairs;
}

/* What a session that is judged with this prior can find. */
static void detectable(struct calibration_series *c, const struct gate_series *series,
		       const struct gather *g)
{
	struct gate_estimate est = { .n = g->max_pairs };

	est.sd = sqrt(c->s0sq);
	est.se = est.sd / sqrt(g->max_pairs);
	est.df = c->d0 + g->max_pairs - 1;
	gate_detectable(series, g->level, g->level, &est);
	c->mde = est.mde;
	c->mde_pairs = g->max_pairs;
	/* 0 stands for "no more than there are", and there are none: ask with none. */
	est.n = 0;
	gate_detectable(series, g->level, g->level, &est);
	c->pairs_needed = est.pairs_needed;
	if (c->pairs_needed >= 0 && c->pairs_needed < GATE_MIN_PAIRS)
		c->pairs_needed = GATE_MIN_PAIRS;
}

static void add_series(struct calibration *c, struct gather *g, const struct session_metric *m)
{
	struct calibration_series *x;
	size_t first = g->n_p;
	int pairs = 0;
	double df;

	for (size_t i = 0; i < g->n_in; i++)
		pairs += gather_one(g, &g->in[i], m, (int)c->n_series);
	if (!pairs)
		return;
	x = &c->series[c->n_series];
	x->workload = xstrdup(m->workload);
	x->metric = xstrdup(m->metric);
	x->pairs = pairs;
	x->s0sq = fit_pooled(g->samples, g->n_samples, (int)c->n_series, &df);
	x->d0 = df; /* capped once the board's is known */
	x->n_p = (int)(g->n_p - first);
	x->ks_p = stats_ks_uniform(g->p + first, g->n_p - first);
	c->n_series++;
}

/* All workloads, as a family. */
static void detect(struct calibration *c, const struct session *s, const struct gather *g)
{
	struct gate_series *series = xcalloc(c->n_series + 1, sizeof(*series));
	double levels[GATE_MAX_LOOKS];
	size_t k = 0;

	for (size_t i = 0; i < s->n_metrics && k < c->n_series; i++) {
		const struct session_metric *m = &s->metrics[i];

		if (!m->primary || strcmp(m->workload, c->series[k].workload) != 0)
			continue;
		series[k] = (struct gate_series){ .direction = m->direction,
						  .loss = m->loss,
						  .d0 = c->series[k].d0,
						  .s0sq = c->series[k].s0sq };
		k++;
	}
	if (k)
		gate_prepare(series, k, g->looks, g->n_looks, levels);
	for (size_t i = 0; i < k; i++)
		detectable(&c->series[i], &series[i], g);
	free(series);
}

static void fit(struct calibration *c, struct gather *g)
{
	const struct session *s = g->in[0].s;
	double d0;

	for (size_t i = 0; i < s->n_metrics; i++)
		if (s->metrics[i].primary)
			add_series(c, g, &s->metrics[i]);
	d0 = fmin(fit_d0(g->samples, g->n_samples), CALIBRATE_D0_MAX);
	for (size_t i = 0; i < c->n_series; i++)
		c->series[i].d0 = fmin(c->series[i].d0, d0);
	detect(c, s, g);
	c->ks_p = stats_ks_uniform(g->p, g->n_p);
}

static void describe(struct calibration *c, const struct session *s)
{
	c->board = xstrdup(s->board);
	c->serial = xstrdup(s->serial);
	c->model = xstrdup(s->model);
	c->suite = xstrdup(s->suite);
	c->profile = xstrdup(s->profile);
	c->suite_hash = xstrdup(s->suite_hash);
	c->host = xstrdup(s->host);
	c->setup = xstrdup(s->setup);
	c->fingerprint = setup_print(s);
	c->rig_version = xstrdup(s->rig_version);
	c->newest = xstrdup(s->name);
	c->withdrawn = xstrdup("");
}

static void plan_looks(struct gather *g, const struct session *s)
{
	double levels[GATE_MAX_LOOKS];
	size_t primary = 0;

	for (size_t i = 0; i < s->n_metrics; i++)
		primary += s->metrics[i].primary;
	g->n_looks = gate_looks(0, s->pairs_min, s->pairs_max, g->looks);
	if (!g->n_looks)
		g->looks[g->n_looks++] = GATE_MIN_PAIRS;
	gate_levels(g->looks, g->n_looks, primary ? primary : 1, CALIBRATE_D0_MAX, levels);
	g->max_pairs = g->looks[g->n_looks - 1];
	g->level = levels[g->n_looks - 1];
}

struct calibration *calibrate_new(const struct calibrate_input *in, size_t n, int64_t made_ms)
{
	struct calibration *c = xcalloc(1, sizeof(*c));
	const struct session *s = in[0].s;
	struct gather g = { .in = in, .n_in = n };

	describe(c, s);
	c->made_ms = made_ms;
	c->sessions = (int)n;
	for (size_t i = 0; i < n; i++) {
		c->gated += in[i].verdict != VERDICT_NONE && in[i].verdict != VERDICT_INVALID;
		c->failed += in[i].verdict == VERDICT_FAIL;
	}
	plan_looks(&g, s);
	g.samples = xcalloc(n * s->n_metrics + 1, sizeof(*g.samples));
	c->series = xcalloc(s->n_metrics + 1, sizeof(*c->series));
	fit(c, &g);
	free(g.samples);
	free(g.p);
	return c;
}

void calibration_give(const struct calibration *c, struct session *s)
{
	for (size_t i = 0; i < c->n_series; i++) {
		struct session_prior *p;

		if (c->series[i].d0 <= 0 || c->series[i].s0sq <= 0)
			continue;
		p = session_add_prior(s);
		p->workload = session_str(s, c->series[i].workload);
		p->metric = session_str(s, c->series[i].metric);
		p->d0 = c->series[i].d0;
		p->s0sq = c->series[i].s0sq;
		p->made_ms = c->made_ms;
	}
}
