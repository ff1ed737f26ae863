// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers of a look in words; see gate-judge.h. Layer: results, pure. */
#include "results/gate-judge.h"

#include <stdio.h>

/* An effect that is worth a word: 2 %. */
#define FASTER 0.02

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
		judge_reason(j,
			     "undecided, and %d more pairs would hardly settle it: %s; losses from"
			     " %.1f %% on would be found, %s would settle it if it stays there",
			     j->max_pairs - l->pairs, what, mde, need);
	else
		judge_reason(j,
			     "undecided: %s; losses from %.1f %% on would be found, %s would settle"
			     " it",
			     what, mde, need);
}

void judge_say_workload(struct judge *j, const struct gate_look *l, const struct gate_workload *w)
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
		judge_reason(j, "slower: %s, p = %.2g <= %.4g at %d pairs", what, e->p_adj,
			     l->level, l->pairs);
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

void judge_say_pass(struct judge *j, const struct gate_look *l)
{
	const struct gate_workload *w = worst_workload(l);
	bool lower = w->direction == DIRECTION_LOWER;

	judge_reason(
		j,
		"no loss as large as the stated one on any of %zu workloads at %d pairs; worst:"
		" %s %+.1f %% (95 %% interval %+.1f to %+.1f %%)",
		l->n_workloads, l->pairs, w->workload, 100 * gate_change(w->direction, w->est.mean),
		100 * gate_change(w->direction, lower ? w->est.hi : w->est.lo),
		100 * gate_change(w->direction, lower ? w->est.lo : w->est.hi));
}

void judge_say_faster(struct judge *j, const struct gate_look *l)
{
	for (size_t i = 0; i < l->n_workloads; i++) {
		const struct gate_workload *w = &l->workloads[i];

		if (w->est.lo > 0 && w->est.mean >= FASTER)
			judge_reason(j, "faster: %s %+.1f %%", w->workload,
				     100 * gate_change(w->direction, w->est.mean));
	}
}
