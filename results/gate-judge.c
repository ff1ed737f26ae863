// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the rows of a session mean, a candidate after the other; see gate.h and gate-judge.h.
 * Layer: results, pure: rows in, verdicts out.
 */
#include "results/gate-judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/gate-sanity.h"

void judge_reason(struct judge *j, const char *fmt, ...)
{
	char line[1600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	buf_addf(&j->reason, "%s%s", j->reason.size ? "\n" : "", line);
}

void judge_conclude(struct judge *j, enum verdict result, enum blame blame, const char *code)
{
	if (result <= j->v->result)
		return;
	j->v->result = result;
	j->v->blame = blame;
	snprintf(j->v->code, sizeof(j->v->code), "%s", code);
}

static void judge_sanity(struct judge *j, int pairs)
{
	struct sanity why = { .blame = BLAME_NONE };

	if (sanity_check(j->s, j->v->candidate, pairs, &why) == 0)
		return;
	judge_reason(j, "%s", why.message);
	judge_conclude(j, VERDICT_INVALID, why.blame, why.code);
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
		judge_reason(j, "measured only: one kernel, nothing to compare it with");
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
