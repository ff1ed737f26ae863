// SPDX-License-Identifier: GPL-2.0-or-later
/* The gate over stored sessions: judge, keep, and judge again; see gate.h. Layer: results. */
#include "results/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/calibrate.h"
#include "results/session.h"
#include "results/store-calibrate.h"
#include "results/store.h"

/* Has it been judged by numbers before? What it was judged with then is kept. */
static int judged(struct store *st, const char *session, bool *yes, struct err *err)
{
	struct gate_set *set = store_get_verdicts(st, session, err);

	*yes = false;
	for (size_t i = 0; set && i < set->n_verdicts; i++)
		*yes |= set->verdicts[i].pairs > 0;
	gate_set_free(set);
	return set ? 0 : -1;
}

static bool has_pairs(const struct session *s)
{
	for (size_t i = 1; i < s->n_kernels; i++)
		if (session_complete_pairs(s, (int)i))
			return true;
	return false;
}

/* The first time that there are numbers the session gets its priors, or none, for good. */
static int settle_priors(struct store *st, struct session *s, struct err *err)
{
	bool before;

	if (s->n_priors || !has_pairs(s))
		return 0;
	if (judged(st, s->name, &before, err) < 0)
		return -1;
	if (before)
		return 0;
	if (calibrate_prior(st, s, s->started_ms, err) < 0)
		return -1;
	return s->n_priors ? store_put_priors(st, s, err) : 0;
}

struct gate_set *gate_run(struct store *st, const char *session, struct err *err)
{
	struct session *s = store_get_session(st, session, err);
	struct gate_set *set = NULL;

	if (s && session_check_pruned(s, err) == 0 && settle_priors(st, s, err) == 0)
		set = gate_judge(s);
	session_free(s);
	if (set && store_put_verdicts(st, session, set, err) < 0) {
		gate_set_free(set);
		return NULL;
	}
	return set;
}

/* ---- replay ---- */

static bool same_real(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_estimate(const struct gate_estimate *a, const struct gate_estimate *b)
{
	return a->n == b->n && same_real(a->mean, b->mean) && same_real(a->sd, b->sd) &&
	       same_real(a->se, b->se) && same_real(a->df, b->df) && same_real(a->t, b->t) &&
	       same_real(a->p, b->p) && same_real(a->p_adj, b->p_adj) && same_real(a->lo, b->lo) &&
	       same_real(a->hi, b->hi) && same_real(a->mde, b->mde) &&
	       a->pairs_needed == b->pairs_needed && a->result == b->result;
}

static bool same_workload(const struct gate_workload *a, const struct gate_workload *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->metric, b->metric) &&
	       a->direction == b->direction && same_real(a->base_mean, b->base_mean) &&
	       same_real(a->cand_mean, b->cand_mean) && same_real(a->signflip_p, b->signflip_p) &&
	       same_estimate(&a->est, &b->est);
}

static char *diff_look(const struct gate_look *a, const struct gate_look *b)
{
	if (a->pairs != b->pairs || !same_real(a->level, b->level) || a->result != b->result ||
	    a->n_workloads != b->n_workloads)
		return xasprintf("look at %d pairs: %s, now at %d pairs: %s", a->pairs,
				 verdict_name(a->result), b->pairs, verdict_name(b->result));
	for (size_t i = 0; i < a->n_workloads; i++) {
		const struct gate_workload *x = &a->workloads[i];
		const struct gate_workload *y = &b->workloads[i];

		if (!same_workload(x, y))
			return xasprintf("look at %d pairs, %s: effect %.17g p %.17g, now %.17g"
					 " and %.17g",
					 a->pairs, x->workload, x->est.mean, x->est.p_adj,
					 y->est.mean, y->est.p_adj);
	}
	return NULL;
}

/* The first look at the same pairs that was judged by another level: the gate itself has changed.
 */
static char *diff_levels(const struct gate_verdict *a, const struct gate_verdict *b)
{
	for (size_t i = 0; i < a->n_looks && i < b->n_looks; i++) {
		const struct gate_look *x = &a->looks[i];
		const struct gate_look *y = &b->looks[i];

		if (x->pairs == y->pairs && !same_real(x->level, y->level))
			return xasprintf("look at %d pairs: judged at level %.4g then, %.4g by this"
					 " version",
					 x->pairs, x->level, y->level);
	}
	return NULL;
}

static char *diff_looks(const struct gate_verdict *a, const struct gate_verdict *b)
{
	char *what = NULL;

	for (size_t i = 0; i < a->n_looks && i < b->n_looks && !what; i++)
		what = diff_look(&a->looks[i], &b->looks[i]);
	if (!what && a->n_looks != b->n_looks)
		what = xasprintf("%s: %zu looks then, %zu by this version", a->label, a->n_looks,
				 b->n_looks);
	if (!what && strcmp(a->reason, b->reason) != 0)
		what = xasprintf("%s: the reasons are put differently", a->label);
	return what;
}

static char *diff_verdict(const struct gate_verdict *a, const struct gate_verdict *b)
{
	char *levels = diff_levels(a, b);
	char *what;

	if (a->candidate == b->candidate && a->result == b->result && a->blame == b->blame &&
	    !strcmp(a->code, b->code) && a->pairs == b->pairs)
		return levels ? levels : diff_looks(a, b);
	what = xasprintf("%s: %s %s %s at %d pairs, now %s %s %s at %d%s%s", a->label,
			 verdict_name(a->result), blame_name(a->blame), a->code, a->pairs,
			 verdict_name(b->result), blame_name(b->blame), b->code, b->pairs,
			 levels ? "; " : "", levels ? levels : "");
	free(levels);
	return what;
}

static char *diff_set(const struct gate_set *a, const struct gate_set *b)
{
	char *what = NULL;
	char *full;

	if (!a->n_verdicts)
		return xstrdup("no verdict is stored");
	if (a->n_verdicts != b->n_verdicts)
		return xasprintf("%zu verdicts, now %zu", a->n_verdicts, b->n_verdicts);
	for (size_t i = 0; i < a->n_verdicts && !what; i++)
		what = diff_verdict(&a->verdicts[i], &b->verdicts[i]);
	if (a->rows_hash == b->rows_hash)
		return what;
	full = xasprintf("the rows have changed since it was judged%s%s", what ? ": " : "",
			 what ? what : "");
	free(what);
	return full;
}

int gate_replay(struct store *st, const char *session, char **what, struct err *err)
{
	struct session *s = store_get_session(st, session, err);
	struct gate_set *stored = s ? store_get_verdicts(st, session, err) : NULL;
	struct gate_set *now = NULL;

	*what = NULL;
	if (stored && session_check_pruned(s, err) == 0) {
		now = gate_judge(s);
		*what = diff_set(stored, now);
	}
	session_free(s);
	gate_set_free(now);
	gate_set_free(stored);
	if (!now)
		return -1;
	return *what ? 1 : 0;
}
