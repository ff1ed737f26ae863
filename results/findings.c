// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings put together and told apart; see findings.h. Layer: results, pure. */
#include "results/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/day.h"
#include "results/session.h"
#include "scan/signature.h"
#include "scan/suppression.h"

/* A finding with what it is compared by. */
struct entry {
	const struct session_finding *finding;
	struct signature signature;
	size_t group; /* those that are the same */
};

struct sorting {
	struct entry *entries;
	size_t n;
	struct entry *heads; /* of each group, its fullest account */
	size_t n_groups;
};

/* ---- signatures ---- */

static unsigned int copy_frames(const char *trace, struct klog_finding *f)
{
	unsigned int n = 0;

	while (*trace && n < KLOG_TRACE_MAX) {
		size_t size = strcspn(trace, "\n");
		size_t fits = size < KLOG_FRAME_MAX - 1 ? size : KLOG_FRAME_MAX - 1;

		memcpy(f->trace[n], trace, fits);
		f->trace[n++][fits] = '\0';
		trace += size + (trace[size] == '\n');
	}
	return n;
}

/* A kind that this rig does not know is one of its own: its word is compared. */
static void make_signature(const struct session_finding *finding, struct signature *out)
{
	struct klog_finding f = { .kind = KLOG_N_KINDS };
	int kind = klog_kind_parse(finding->kind);
	size_t n = strlen(finding->title);

	if (kind >= 0)
		f.kind = (enum klog_kind)kind;
	memcpy(f.title, finding->title, n < KLOG_TITLE_MAX ? n : KLOG_TITLE_MAX - 1);
	f.n_frames = copy_frames(finding->trace, &f);
	signature_of(&f, out);
}

/* ---- order ---- */

static int by_address(const struct session_finding *a, const struct session_finding *b)
{
	return a->visit != b->visit ? (a->visit < b->visit ? -1 : 1) : a < b ? -1 : a > b;
}

/* What may be the same lies together, the longest traces first, in order of time. */
static int by_title(const void *va, const void *vb)
{
	const struct entry *a = va;
	const struct entry *b = vb;
	int order = strcmp(a->finding->kind, b->finding->kind);

	if (!order)
		order = strcmp(a->signature.title, b->signature.title);
	if (!order && a->signature.n_frames != b->signature.n_frames)
		order = a->signature.n_frames > b->signature.n_frames ? -1 : 1;
	return order ? order : by_address(a->finding, b->finding);
}

static int by_time(const void *va, const void *vb)
{
	const struct entry *a = va;
	const struct entry *b = vb;

	return by_address(a->finding, b->finding);
}

/* ---- groups ---- */

static void list_findings(const struct session *s, struct sorting *x)
{
	x->entries = xcalloc(s->n_findings + 1, sizeof(*x->entries));
	x->heads = xcalloc(s->n_findings + 1, sizeof(*x->heads));
	x->n = s->n_findings;
	for (size_t i = 0; i < x->n; i++) {
		x->entries[i].finding = &s->findings[i];
		make_signature(&s->findings[i], &x->entries[i].signature);
	}
}

static bool may_be_same(const struct entry *a, const struct entry *b)
{
	return !strcmp(a->finding->kind, b->finding->kind) &&
	       !strcmp(a->signature.title, b->signature.title);
}

/* A trace that was cut joins the first of the groups that it fits. */
static void make_groups(struct sorting *x)
{
	size_t from = 0;

	qsort(x->entries, x->n, sizeof(*x->entries), by_title);
	for (size_t i = 0; i < x->n; i++) {
		struct entry *e = &x->entries[i];
		size_t group;

		if (i && !may_be_same(e, e - 1))
			from = x->n_groups;
		group = from;
		while (group < x->n_groups &&
		       !signature_same(&x->heads[group].signature, &e->signature))
			group++;
		if (group == x->n_groups)
			x->heads[x->n_groups++] = *e;
		e->group = group;
	}
}

/* ---- items ---- */

static const struct session_suppression *find_suppression(const struct session *s,
							  const struct session_finding *f,
							  const char *day, bool *expired)
{
	const struct session_suppression *over = NULL;

	for (size_t i = 0; i < s->n_suppressions; i++) {
		const struct session_suppression *row = &s->suppressions[i];
		const struct suppression pattern = { row->title, row->kind, row->guilty,
						     row->until };

		if (!suppression_matches(&pattern, f->kind, f->title, f->guilty))
			continue;
		*expired = suppression_expired(&pattern, day);
		if (!*expired)
			return row;
		over = row;
	}
	return over;
}

static void add_item(struct findings *f, const struct session_finding *finding, const char *day)
{
	size_t kernels = f->session->n_kernels;
	struct findings_item *item = &f->items[f->n++];

	*item = (struct findings_item){ .finding = finding };
	item->suppression = find_suppression(f->session, finding, day, &item->expired);
	item->seen = xcalloc(kernels, sizeof(*item->seen));
	for (size_t k = 0; k < kernels; k++)
		item->seen[k].first = -1;
}

static void count(struct findings_item *item, const struct session *s,
		  const struct session_finding *finding, int *last)
{
	struct findings_seen *seen = &item->seen[s->visits[finding->visit].kernel];

	if (seen->first < 0)
		seen->first = finding->visit;
	seen->boots += *last != finding->visit;
	seen->serious |= strcmp(finding->severity, "notice") != 0;
	*last = finding->visit;
}

static void make_items(struct findings *f, struct sorting *x)
{
	size_t *items = xcalloc(x->n_groups + 1, sizeof(*items)); /* of each group, plus 1 */
	int *last = xcalloc(x->n_groups + 1, sizeof(*last));
	char day[DAY_SIZE];

	day_of(f->session->started_ms / 1000, day);
	f->items = xcalloc(x->n_groups + 1, sizeof(*f->items));
	qsort(x->entries, x->n, sizeof(*x->entries), by_time);
	for (size_t i = 0; i < x->n; i++) {
		size_t group = x->entries[i].group;

		if (!items[group]) {
			add_item(f, x->heads[group].finding, day);
			items[group] = f->n;
			last[group] = -1;
		}
		count(&f->items[items[group] - 1], f->session, x->entries[i].finding, &last[group]);
	}
	free(items);
	free(last);
}

struct findings *findings_new(const struct session *s)
{
	struct findings *f = xcalloc(1, sizeof(*f));
	struct sorting x = { .n_groups = 0 };

	f->session = s;
	list_findings(s, &x);
	make_groups(&x);
	make_items(f, &x);
	free(x.entries);
	free(x.heads);
	return f;
}

void findings_free(struct findings *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		free(f->items[i].seen);
	free(f->items);
	free(f);
}

/* ---- classes ---- */

static bool booted_well(const struct session *s, int kernel)
{
	for (size_t i = 0; i < s->n_visits; i++)
		if (s->visits[i].kernel == kernel && s->visits[i].result == VISIT_OK)
			return true;
	return false;
}

static enum findings_state compare(const struct findings *f, const struct findings_item *item,
				   int candidate)
{
	bool base = item->seen[0].boots > 0;
	bool cand = item->seen[candidate].boots > 0;

	if (base && cand)
		return FINDINGS_KNOWN;
	if (!base && !cand)
		return FINDINGS_ABSENT;
	if (!booted_well(f->session, base ? candidate : 0))
		return FINDINGS_SEEN;
	return cand ? FINDINGS_NEW : FINDINGS_GONE;
}

enum findings_state findings_state(const struct findings *f, size_t i, int candidate)
{
	const struct findings_item *item = &f->items[i];

	if (item->suppression && !item->expired &&
	    (item->seen[0].boots || item->seen[candidate].boots))
		return FINDINGS_SUPPRESSED;
	if (!candidate)
		return item->seen[0].boots ? FINDINGS_SEEN : FINDINGS_ABSENT;
	return compare(f, item, candidate);
}

enum findings_state findings_overall(const struct findings *f, size_t i)
{
	enum findings_state worst = findings_state(f, i, f->session->n_kernels > 1);

	for (size_t k = 2; k < f->session->n_kernels; k++) {
		enum findings_state state = findings_state(f, i, (int)k);

		if (state > worst)
			worst = state;
	}
	return worst;
}

const char *findings_state_name(enum findings_state state)
{
	static const char *const names[] = {
		[FINDINGS_ABSENT] = "absent", [FINDINGS_GONE] = "gone",
		[FINDINGS_KNOWN] = "known",   [FINDINGS_SEEN] = "seen",
		[FINDINGS_NEW] = "new",	      [FINDINGS_SUPPRESSED] = "suppressed",
	};

	return names[state];
}

bool findings_fails(const struct findings *f, size_t i, int candidate)
{
	return findings_state(f, i, candidate) == FINDINGS_NEW &&
	       f->items[i].seen[candidate].serious;
}

/* ---- words ---- */

void findings_where(const struct session_finding *finding, int frames, struct buf *out)
{
	const char *p = finding->trace;

	if (*finding->guilty)
		buf_addf(out, "; guilty file %s", finding->guilty);
	for (int i = 0; *p && i < frames; i++) {
		size_t n = strcspn(p, "\n");

		buf_addf(out, "%s%.*s", i ? " <- " : "; call trace: ", (int)n, p);
		p += n + (p[n] == '\n');
	}
}

void findings_why(const struct findings_item *item, struct buf *out)
{
	if (!item->suppression)
		return;
	buf_addf(out,
		 item->expired ? "; no longer suppressed, as it was until %s: %s"
			       : "; suppressed until %s: %s",
		 item->suppression->until, item->suppression->reason);
}
