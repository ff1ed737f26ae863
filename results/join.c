// SPDX-License-Identifier: GPL-2.0-or-later
/* Two kernels out of one or several sessions; see join.h. Layer: results, pure. */
#include "results/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/session.h"
#include "results/setup.h"

#define VISIT_STEP 10000

/* One part being added to what there is. */
struct adding {
	struct session *to;
	const struct join_part *part;
	int number;   /* added to the numbers of visits */
	int pair;     /* added to those of pairs */
	int complete; /* pairs that count; -1 = as they are */
	int *visits;  /* of the part -> of the whole; -1 = left out */
	int *steps;
};

/* A control boot belongs to the kernel that failed before it. */
static int owner(const struct session *s, int visit)
{
	while (visit > 0 && s->visits[visit].control)
		visit--;
	return s->visits[visit].kernel;
}

static bool wanted(const struct join_part *p, int kernel)
{
	return kernel == p->base || kernel == p->cand;
}

static void add_visit(struct adding *a, size_t i)
{
	const struct session_visit *v = &a->part->s->visits[i];
	struct session_visit *copy;

	a->visits[i] = -1;
	if (!wanted(a->part, v->kernel) || !wanted(a->part, owner(a->part->s, (int)i)))
		return;
	a->visits[i] = (int)a->to->n_visits;
	copy = session_add_visit(a->to);
	*copy = *v;
	copy->kernel = v->kernel == a->part->cand;
	copy->number += a->number;
	if (a->complete >= 0)
		copy->pair = v->pair > a->complete || !v->pair ? 0 : v->pair + a->pair;
}

static void add_steps(struct adding *a)
{
	const struct session *s = a->part->s;

	for (size_t i = 0; i < s->n_steps; i++) {
		int visit = a->visits[s->steps[i].visit];
		struct session_step *copy;

		a->steps[i] = -1;
		if (visit < 0)
			continue;
		a->steps[i] = (int)a->to->n_steps;
		copy = session_add_step(a->to);
		*copy = s->steps[i];
		copy->visit = visit;
	}
	for (size_t i = 0; i < s->n_samples; i++) {
		struct session_sample *copy;

		if (a->steps[s->samples[i].step] < 0)
			continue;
		copy = session_add_sample(a->to);
		*copy = s->samples[i];
		copy->step = a->steps[s->samples[i].step];
	}
}

/* A fault of rig or board concerns all, also in a boot of a kernel that is left out. */
static void add_faults(struct adding *a)
{
	const struct session *s = a->part->s;

	for (size_t i = 0; i < s->n_faults; i++) {
		const struct session_fault *f = &s->faults[i];
		int visit = f->visit < 0 ? -1 : a->visits[f->visit];
		struct session_fault *copy;

		if (f->visit >= 0 && visit < 0 && f->blame == BLAME_KERNEL)
			continue;
		copy = session_add_fault(a->to);
		*copy = *f;
		copy->visit = visit;
	}
}

static void add_findings(struct adding *a)
{
	const struct session *s = a->part->s;

	for (size_t i = 0; i < s->n_findings; i++) {
		int visit = a->visits[s->findings[i].visit];
		struct session_finding *copy;

		if (visit < 0)
			continue;
		copy = session_add_finding(a->to);
		*copy = s->findings[i];
		copy->visit = visit;
	}
	for (size_t i = 0; i < s->n_anomalies; i++)
		*session_add_anomaly(a->to) = s->anomalies[i];
}

static void add_part(struct adding *a)
{
	const struct session *s = a->part->s;

	a->visits = xcalloc(s->n_visits + 1, sizeof(*a->visits));
	a->steps = xcalloc(s->n_steps + 1, sizeof(*a->steps));
	for (size_t i = 0; i < s->n_visits; i++)
		add_visit(a, i);
	add_steps(a);
	add_faults(a);
	add_findings(a);
	free(a->visits);
	free(a->steps);
}

/* Pairs from 1 without a gap in which both boots ended well. */
static int complete_pairs(const struct join_part *p)
{
	int pairs = 0;

	for (;; pairs++) {
		int base = session_pair_visit(p->s, p->base, pairs + 1);
		int cand = session_pair_visit(p->s, p->cand, pairs + 1);

		if (base < 0 || cand < 0 || p->s->visits[base].result != VISIT_OK ||
		    p->s->visits[cand].result != VISIT_OK)
			return pairs;
	}
}

/* Everything that is said once: as in the newest part. */
static struct session *head(const struct join_part *p)
{
	struct session *s = session_new();
	const struct session *from = p->s;

	s->name = from->name;
	s->dir = from->dir;
	s->started_ms = from->started_ms;
	s->state = from->state;
	s->result = from->result;
	s->user = from->user;
	s->host = from->host;
	s->rig_version = from->rig_version;
	s->suite = from->suite;
	s->suite_hash = from->suite_hash;
	s->profile = from->profile;
	s->notes = from->notes;
	s->board = from->board;
	s->serial = from->serial;
	s->model = from->model;
	s->setup = from->setup;
	s->pairs_fixed = from->pairs_fixed;
	s->pairs_min = from->pairs_min;
	s->pairs_max = from->pairs_max;
	s->warmup = from->warmup;
	s->seed = from->seed;
	*session_add_kernel(s) = from->kernels[p->base];
	*session_add_kernel(s) = from->kernels[p->cand];
	for (size_t i = 0; i < from->n_metrics; i++)
		*session_add_metric(s) = from->metrics[i];
	for (size_t i = 0; i < from->n_suppressions; i++)
		*session_add_suppression(s) = from->suppressions[i];
	return s;
}

struct session *join_sessions(const struct join_part *parts, size_t n)
{
	struct session *s = head(&parts[n - 1]);
	int pairs = 0;

	s->joined = (int)n;
	for (size_t i = 0; i < n; i++) {
		struct adding a = { .to = s, .part = &parts[i], .complete = -1 };

		if (n > 1) {
			a.number = VISIT_STEP * (int)i;
			a.pair = pairs;
			a.complete = complete_pairs(&parts[i]);
			pairs += a.complete;
		}
		add_part(&a);
	}
	return s;
}

static void same_kernel(const struct session_kernel *a, const struct session_kernel *b,
			struct buf *why)
{
	const char *between = why->size ? "; " : "";

	if (strcmp(a->id, b->id) != 0)
		buf_addf(why, "%sanother build of %s (%.12s / %.12s)", between, b->label, a->id,
			 b->id);
	else if (strcmp(a->cmdline, b->cmdline) != 0)
		buf_addf(why, "%sparameters of %s: %.60s / %.60s", between, b->label, a->cmdline,
			 b->cmdline);
}

bool join_same(const struct join_part *a, const struct join_part *b, struct buf *why)
{
	struct setup then = setup_of(a->s);
	struct setup now = setup_of(b->s);
	char *print_a = setup_print(a->s);
	char *print_b = setup_print(b->s);
	struct buf diff = BUF_INIT;
	bool same;

	then.print = print_a;
	now.print = print_b;
	same_kernel(&a->s->kernels[a->base], &b->s->kernels[b->base], &diff);
	same_kernel(&a->s->kernels[a->cand], &b->s->kernels[b->cand], &diff);
	if (!diff.size)
		setup_same(&then, &now, &diff);
	same = !diff.size;
	buf_adds(why, buf_str(&diff));
	buf_release(&diff);
	free(print_a);
	free(print_b);
	return same;
}
