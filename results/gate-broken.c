// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What breaks a candidate whatever its numbers say: faults, the kernel log, metrics that must be 0;
 * see gate-judge.h. Layer: results, pure.
 */
#include "results/gate-judge.h"

#include <string.h>

#include "results/findings.h"
#include "results/gate-zero.h"

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
		judge_reason(j, "%s fault (%s): %s", blame_name(f->blame), f->code, f->message);
	else
		judge_reason(j, "%s fault in visit %d, %s (%s): %s", blame_name(f->blame),
			     s->visits[f->visit].number,
			     s->kernels[s->visits[f->visit].kernel].label, f->code, f->message);
}

static void judge_fault(struct judge *j, const struct session_fault *f)
{
	int kernel = fault_kernel(j->s, f);

	if (f->blame != BLAME_KERNEL) {
		fault_reason(j, f);
		judge_conclude(j, VERDICT_INVALID, f->blame, f->code);
	} else if (kernel == j->v->candidate || kernel < 0) {
		fault_reason(j, f);
		judge_conclude(j, VERDICT_FAIL, BLAME_KERNEL, f->code);
	} else if (kernel == 0) {
		fault_reason(j, f);
		judge_reason(j,
			     "it is the baseline that fails: nothing can be said of a candidate");
		judge_conclude(j, VERDICT_INVALID, BLAME_KERNEL, f->code);
	}
}

void judge_faults(struct judge *j)
{
	const struct session *s = j->s;

	for (size_t i = 0; i < s->n_faults; i++)
		judge_fault(j, &s->faults[i]);
	if (!s->n_faults && s->state == SESSION_ENDED &&
	    (!strcmp(s->result, "fault") || !strcmp(s->result, "cancelled"))) {
		judge_reason(j, "the session ended as '%s' and names no fault", s->result);
		judge_conclude(j, VERDICT_INVALID, BLAME_RIG, s->result);
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
	judge_reason(j,
		     "new in the kernel log: %s (%s), in %d of its visits, first in visit %d;"
		     " the baseline never shows it%s",
		     item->finding->title, item->finding->kind, seen->boots,
		     j->s->visits[seen->first].number, buf_str(&more));
	buf_release(&more);
}

void judge_findings(struct judge *j)
{
	struct findings *all = findings_new(j->s);

	for (size_t i = 0; i < all->n; i++) {
		if (!findings_fails(all, i, j->v->candidate))
			continue;
		finding_reason(j, all, i);
		judge_conclude(j, VERDICT_FAIL, BLAME_KERNEL, "finding");
	}
	findings_free(all);
}

/* ---- what must be 0 ---- */

static void zero_reason(struct judge *j, const struct zero_hit *hit, int kernel)
{
	const struct session *s = j->s;

	judge_reason(j, "%s %s is %g in visit %d of %s and must be 0 (%d visit%s where it is not)",
		     hit->metric->workload, hit->metric->metric, hit->value,
		     s->visits[hit->visit].number, s->kernels[kernel].label, hit->visits,
		     hit->visits == 1 ? "" : "s");
}

void judge_zeros(struct judge *j)
{
	const struct session *s = j->s;
	struct zero_hit hit;

	for (size_t i = 0; i < s->n_metrics; i++) {
		if (!metric_must_be_zero(&s->metrics[i]))
			continue;
		if (zero_find(s, 0, &s->metrics[i], &hit)) {
			zero_reason(j, &hit, 0);
			judge_reason(j, "it is the baseline that fails: nothing can be said of a"
					" candidate");
			judge_conclude(j, VERDICT_INVALID, BLAME_KERNEL, "not-zero");
		} else if (zero_find(s, j->v->candidate, &s->metrics[i], &hit)) {
			zero_reason(j, &hit, j->v->candidate);
			judge_conclude(j, VERDICT_FAIL, BLAME_KERNEL, "not-zero");
		}
	}
}
