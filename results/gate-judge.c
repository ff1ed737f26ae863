// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the rows of a session mean: faults, the kernel log, the sanity of the comparison, and the
 * numbers, in that order; see gate.h. Pure: rows in, verdicts out. Layer: results.
 */
#include "results/gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/findings.h"
#include "results/gate-sanity.h"
#include "results/gate-zero.h"
#include "results/stats.h"

/* An effect that is worth a word: 2 %. */
#define FASTER 0.02

/* One candidate being judged. */
struct judge {
	const struct session *s;
	struct gate_verdict *v;
	struct buf reason;
	int looks[GATE_MAX_LOOKS];
	int n_looks;
	int max_pairs;
	bool futile; /* the looks that are left will hardly settle it */
	bool more;
};

static void add_reason(struct judge *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_reason(struct judge *j, const char *fmt, ...)
{
	char line[1600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	buf_addf(&j->reason, "%s%s", j->reason.size ? "\n" : "", line);
}

/* A verdict never becomes better: the first reason names code and blame, later ones add lines. */
static void conclude(struct judge *j, enum verdict result, enum blame blame, const char *code)
{
	if (result <= j->v->result)
		return;
	j->v->result = result;
	j->v->blame = blame;
	snprintf(j->v->code, sizeof(j->v->code), "%s", code);
}

/* ---- faults ---- */

/*
 * Whose boot it was: a control boot of the baseline is made on behalf of the kernel that failed
 * before it. -1 = nobody's in particular.
 */
static int fault_kernel(const struct session *s, const struct session_fault *f)
{
	int visit = f->visit;

	while (visit > 0 && s->visits[visit].control)
		visit--;
	return visit < 0 ? -1 : s->visits[visit].kernel;
}

static void fault_reason(struct judge *j, const struct session_fault *f)
{
	const struct session *s = j->s;

	if (f->visit < 0)
		add_reason(j, "%s fault (%s): %s", blame_name(f->blame), f->code, f->message);
	else
		add_reason(j, "%s fault in visit %d, %s (%s): %s", blame_name(f->blame),
			   s->visits[f->visit].number, s->kernels[s->visits[f->visit].kernel].label,
			   f->code, f->message);
}

static void judge_fault(struct judge *j, const struct session_fault *f)
{
	int kernel = fault_kernel(j->s, f);

	if (f->blame != BLAME_KERNEL) {
		fault_reason(j, f);
		conclude(j, VERDICT_INVALID, f->blame, f->code);
	} else if (kernel == j->v->candidate || kernel < 0) {
		fault_reason(j, f);
		conclude(j, VERDICT_FAIL, BLAME_KERNEL, f->code);
	} else if (kernel == 0) {
		fault_reason(j, f);
		add_reason(j, "it is the baseline that fails: nothing can be said of a candidate");
		conclude(j, VERDICT_INVALID, BLAME_KERNEL, f->code);
	}
}

static void judge_faults(struct judge *j)
{
	const struct session *s = j->s;

	for (size_t i = 0; i < s->n_faults; i++)
		judge_fault(j, &s->faults[i]);
	if (!s->n_faults && s->state == SESSION_ENDED &&
	    (!strcmp(s->result, "fault") || !strcmp(s->result, "cancelled"))) {
		add_reason(j, "the session ended as '%s' and names no fault", s->result);
		conclude(j, VERDICT_INVALID, BLAME_RIG, s->result);
	}
}

/* ---- the kernel log ---- */

/* The frames of a call trace that a reason shows. */
#define REASON_FRAMES 3

static void finding_reason(struct judge *j, const struct findings *all, size_t i)
{
	const struct findings_item *item = &all->items[i];
	const struct findings_seen *seen = &item->seen[j->v->candidate];
	struct buf more = BUF_INIT;

	findings_where(item->finding, REASON_FRAMES, &more);
	findings_why(item, &more);
	add_reason(j,
		   "new in the kernel log: %s (%s), in %d of its visits, first in visit %d;"
		   " the baseline never shows it%s",
		   item->finding->title, item->finding->kind, seen->boots,
		   j->s->visits[seen->first].number, buf_str(&more));
	buf_release(&more);
}

static void judge_findings(struct judge *j)
{
	struct findings *all = findings_new(j->s);

	for (size_t i = 0; i < all->n; i++) {
		if (!findings_fails(all, i, j->v->candidate))
			continue;
		finding_reason(j, all, i);
		conclude(j, VERDICT_FAIL, BLAME_KERNEL, "finding");
	}
	findings_free(all);
}

/* ---- what must be 0 ---- */

static void zero_reason(struct judge *j, const struct zero_hit *hit, int kernel)
{
	const struct session *s = j->s;

	add_reason(j, "%s %s is %g in visit %d of %s and must be 0 (%d visit%s where it is not)",
		   hit->metric->workload, hit->metric->metric, hit->value,
		   s->visits[hit->visit].number, s->kernels[kernel].label, hit->visits,
		   hit->visits == 1 ? "" : "s");
}

static void judge_zeros(struct judge *j)
{
	const struct session *s = j->s;
	struct zero_hit hit;

	for (size_t i = 0; i < s->n_metrics; i++) {
		if (!metric_must_be_zero(&s->metrics[i]))
			continue;
		if (zero_find(s, 0, &s->metrics[i], &hit)) {
			zero_reason(j, &hit, 0);
			add_reason(j, "it is the baseline that fails: nothing can be said of a"
				      " candidate");
			conclude(j, VERDICT_INVALID, BLAME_KERNEL, "not-zero");
		} else if (zero_find(s, j->v->candidate, &s->metrics[i], &hit)) {
			zero_reason(j, &hit, j->v->candidate);
			conclude(j, VERDICT_FAIL, BLAME_KERNEL, "not-zero");
		}
	}
}

/* ---- the numbers ---- */

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

/* "about 20 pairs", at least two more than there are. */
static void pairs_words(int pairs, int have, char *out, size_t size)
{
	if (pairs < 0)
		snprintf(out, size, "more than 1000 pairs");
	else
		snprintf(out, size, "about %d pairs", pairs > have ? pairs : have + 2);
}

static void undecided_reason(struct judge *j, const struct gate_look *l,
			     const struct gate_workload *w, const char *what)
{
	const struct gate_estimate *e = &w->est;
	double mde = 100 * e->mde;
	char need[64];

	pairs_words(e->stuck ? e->pairs_to_settle : e->pairs_needed, e->n, need, sizeof(need));
	if (e->stuck)
		add_reason(j,
			   "undecided, and %d more pairs would hardly settle it: %s; losses from"
			   " %.1f %% on would be found, %s would settle it if it stays there",
			   j->max_pairs - l->pairs, what, mde, need);
	else
		add_reason(j,
			   "undecided: %s; losses from %.1f %% on would be found, %s would settle"
			   " it",
			   what, mde, need);
}

static void workload_reason(struct judge *j, const struct gate_look *l,
			    const struct gate_workload *w)
{
	const struct gate_estimate *e = &w->est;
	bool lower = w->direction == DIRECTION_LOWER;
	double lo = 100 * gate_change(w->direction, lower ? e->hi : e->lo);
	double hi = 100 * gate_change(w->direction, lower ? e->lo : e->hi);
	double change = 100 * gate_change(w->direction, e->mean);
	char what[512];

	snprintf(what, sizeof(what), "%s %s %+.1f %% (95 %% interval %+.1f to %+.1f %%)",
		 w->workload, w->metric, change, lo, hi);
	if (e->result == VERDICT_FAIL)
		add_reason(j, "slower: %s, p = %.2g <= %.4g at %d pairs", what, e->p_adj, l->level,
			   l->pairs);
	else
		undecided_reason(j, l, w, what);
}

static const struct gate_workload *worst_workload(const struct gate_look *l)
{
	const struct gate_workload *worst = &l->workloads[0];

	for (size_t i = 1; i < l->n_workloads; i++)
		if (l->workloads[i].est.lo < worst->est.lo)
			worst = &l->workloads[i];
	return worst;
}

static void pass_reason(struct judge *j, const struct gate_look *l)
{
	const struct gate_workload *w = worst_workload(l);
	bool lower = w->direction == DIRECTION_LOWER;

	add_reason(j,
		   "no loss as large as the stated one on any of %zu workloads at %d pairs; worst:"
		   " %s %+.1f %% (95 %% interval %+.1f to %+.1f %%)",
		   l->n_workloads, l->pairs, w->workload,
		   100 * gate_change(w->direction, w->est.mean),
		   100 * gate_change(w->direction, lower ? w->est.hi : w->est.lo),
		   100 * gate_change(w->direction, lower ? w->est.lo : w->est.hi));
}

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

/* Good news is told, though nothing depends on it. */
static void faster_reasons(struct judge *j, const struct gate_look *l)
{
	for (size_t i = 0; i < l->n_workloads; i++) {
		const struct gate_workload *w = &l->workloads[i];

		if (w->est.lo > 0 && w->est.mean >= FASTER)
			add_reason(j, "faster: %s %+.1f %%", w->workload,
				   100 * gate_change(w->direction, w->est.mean));
	}
}

static void reasons_for(struct judge *j, const struct gate_look *l, enum verdict result)
{
	for (size_t i = 0; i < l->n_workloads; i++)
		if (l->workloads[i].est.result == result)
			workload_reason(j, l, &l->workloads[i]);
}

static void judge_look(struct judge *j)
{
	struct gate_look *l = &j->v->looks[j->v->n_looks - 1];
	enum verdict rest = undecided(j);

	switch (l->result) {
	case VERDICT_FAIL:
		reasons_for(j, l, VERDICT_FAIL);
		conclude(j, VERDICT_FAIL, BLAME_KERNEL, "regression");
		break;
	case VERDICT_PASS:
		pass_reason(j, l);
		conclude(j, VERDICT_PASS, BLAME_NONE, "");
		break;
	default:
		reasons_for(j, l, VERDICT_PENDING);
		settle(l, rest);
		conclude(j, rest, BLAME_NONE, "undecided");
	}
	faster_reasons(j, l);
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
		add_reason(j, "the suite gates no metric: measured and reported only");
		conclude(j, VERDICT_INCONCLUSIVE, BLAME_NONE, "no-primary");
	} else if (!workloads) {
		add_reason(j, "no gated workload could be run: unsupported by the board");
		conclude(j, VERDICT_INVALID, BLAME_TEST, "no-numbers");
	} else {
		add_reason(j, "%d complete pair%s; the gate looks from %d on", j->v->pairs,
			   j->v->pairs == 1 ? "" : "s", j->n_looks ? j->looks[0] : GATE_MIN_PAIRS);
		conclude(j, undecided(j), BLAME_NONE, "too-few-pairs");
	}
}

static void judge_numbers(struct judge *j)
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

/* ---- a candidate ---- */

static void judge_sanity(struct judge *j, int pairs)
{
	struct sanity why = { .blame = BLAME_NONE };

	if (sanity_check(j->s, j->v->candidate, pairs, &why) == 0)
		return;
	add_reason(j, "%s", why.message);
	conclude(j, VERDICT_INVALID, why.blame, why.code);
}

/* Sessions joined: one look at all pairs, at a level as if it were one of many. */
static void plan_joined(struct judge *j)
{
	j->n_looks = j->v->pairs >= GATE_MIN_PAIRS;
	j->looks[0] = j->v->pairs;
	j->max_pairs = j->v->pairs;
}

static void judge_plan(struct judge *j)
{
	const struct session *s = j->s;

	if (s->joined > 1) {
		plan_joined(j);
		return;
	}
	j->n_looks = gate_looks(s->pairs_fixed, s->pairs_min, s->pairs_max, j->looks);
	if (s->pairs_fixed > 0)
		j->max_pairs = s->pairs_fixed;
	else
		j->max_pairs = j->n_looks ? j->looks[j->n_looks - 1] : s->pairs_max;
}

/*
 * Another pair helps a candidate that is undecided; and one that has failed by its kernel log or by
 * a count that must be 0 until the first look, so that there are numbers to report.
 */
static bool wants_more(const struct judge *j)
{
	const struct gate_verdict *v = j->v;

	if (j->s->state != SESSION_RUNNING || v->pairs >= j->max_pairs)
		return false;
	return v->result == VERDICT_PENDING ||
	       (v->result == VERDICT_FAIL && !v->n_looks &&
		(!strcmp(v->code, "finding") || !strcmp(v->code, "not-zero")));
}

/*
 * A kernel that broke down has failed whatever the numbers before it were worth, if only it was the
 * right kernel.
 */
static void judge_candidate(struct judge *j)
{
	bool broke;

	judge_faults(j);
	broke = j->v->result == VERDICT_FAIL;
	judge_sanity(j, broke ? 0 : j->v->pairs);
	if (!broke && j->v->result != VERDICT_INVALID) {
		judge_findings(j);
		judge_zeros(j);
		judge_numbers(j);
	}
	j->more = wants_more(j);
}

/* One kernel only: it was measured, there is nothing to compare it with. */
static void judge_single(struct judge *j)
{
	j->max_pairs = j->s->pairs_fixed > 0 ? j->s->pairs_fixed : j->s->pairs_min;
	judge_faults(j);
	if (j->v->result == VERDICT_NONE)
		add_reason(j, "measured only: one kernel, nothing to compare it with");
	j->more = j->s->state == SESSION_RUNNING && j->v->result == VERDICT_NONE &&
		  j->v->pairs < j->max_pairs;
}

static void judge_one(struct gate_set *set, const struct session *s, int candidate)
{
	struct judge j = { .s = s, .reason = BUF_INIT };

	j.v = &set->verdicts[set->n_verdicts++];
	j.v->candidate = candidate;
	j.v->label = xstrdup(s->kernels[candidate].label);
	j.v->pairs = session_complete_pairs(s, candidate);
	judge_plan(&j);
	if (candidate)
		judge_candidate(&j);
	else
		judge_single(&j);
	buf_adds(&j.reason, "");
	j.v->reason = buf_detach(&j.reason);
	if (j.v->result > set->result || set->n_verdicts == 1) {
		set->result = j.v->result;
		set->blame = j.v->blame;
	}
	set->more |= j.more;
}

struct gate_set *gate_judge(const struct session *s)
{
	struct gate_set *set = xcalloc(1, sizeof(*set));

	set->verdicts = xcalloc(s->n_kernels + 1, sizeof(*set->verdicts));
	if (s->n_kernels == 1)
		judge_one(set, s, 0);
	for (size_t i = 1; i < s->n_kernels; i++)
		judge_one(set, s, (int)i);
	set->rows_hash = sanity_rows_hash(s);
	return set;
}
