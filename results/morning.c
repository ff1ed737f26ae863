// SPDX-License-Identifier: GPL-2.0-or-later
/* What the night brought; see morning.h. Layer: results. */
#include "results/morning.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/day.h"
#include "results/health.h"
#include "results/history.h"
#include "results/store-queue.h"
#include "results/store-verdicts.h"

#define HOUR_MS INT64_C(3600000)
#define DAY_MS	(24 * HOUR_MS)

/* How far back an earlier verdict is looked for. */
#define BEFORE_MS (90 * DAY_MS)

/* A board that is not known to be off, a job that waits: for longer than that a person is told. */
#define UNKNOWN_MS (10 * 60000)
#define WAITS_MS   (12 * HOUR_MS)

struct building {
	struct morning *m;
	struct store *st;
};

static void say(struct morning_lines *l, enum verdict sign, char *subject, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* subject is taken over. */
static void say(struct morning_lines *l, enum verdict sign, char *subject, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	l->v = xrealloc(l->v, (l->n + 1) * sizeof(*l->v));
	l->v[l->n++] = (struct morning_line){ sign, subject, xstrdup(text) };
}

static char *first_line(const char *text)
{
	return strndup(text, strcspn(text, "\n"));
}

/* ---- verdicts ---- */

static bool take_verdict(void *ctx, const struct store_verdict *v)
{
	struct building *b = ctx;
	struct morning *m = b->m;
	int result = verdict_parse(v->result);
	struct morning_verdict *to;

	if (v->started_ms >= m->until_ms || result < 0)
		return true;
	m->verdicts = xrealloc(m->verdicts, (m->n_verdicts + 1) * sizeof(*m->verdicts));
	to = &m->verdicts[m->n_verdicts++];
	*to = (struct morning_verdict){
		.session = xstrdup(v->session),
		.board = xstrdup(v->board),
		.suite = xstrdup(v->suite),
		.profile = xstrdup(v->profile),
		.label = xstrdup(v->label),
		.series = xstrdup(v->series),
		.variant = xstrdup(v->variant),
		.baseline = xstrdup(v->baseline),
		.code = xstrdup(v->code),
		.reason = first_line(v->reason),
		.started_ms = v->started_ms,
		.result = (enum verdict)result,
		.blame = blame_parse(v->blame),
		.pairs = v->pairs,
	};
	if (v->started_ms < m->since_ms)
		m->first = m->n_verdicts;
	else
		m->counts[result]++;
	return true;
}

static bool same_tree(const struct morning_verdict *a, const struct morning_verdict *b)
{
	return !strcmp(a->board, b->board) && !strcmp(a->suite, b->suite) &&
	       !strcmp(a->profile, b->profile) && !strcmp(a->series, b->series) &&
	       !strcmp(a->variant, b->variant);
}

static bool tells(const struct morning_verdict *v)
{
	return *v->baseline && (v->result == VERDICT_PASS || v->result == VERDICT_FAIL ||
				v->result == VERDICT_INCONCLUSIVE);
}

/* The verdict before that one on the same tree; NULL = there is none. */
static const struct morning_verdict *verdict_before(const struct morning *m, size_t at)
{
	const struct morning_verdict *v = &m->verdicts[at];

	for (size_t i = at; i-- > 0;)
		if (tells(&m->verdicts[i]) && same_tree(&m->verdicts[i], v))
			return &m->verdicts[i];
	return NULL;
}

/* Since when the tree has had that verdict, without another in between. */
static int64_t since_when(const struct morning *m, size_t at)
{
	int64_t since = m->verdicts[at].started_ms;

	for (size_t i = at; i-- > 0;) {
		if (!tells(&m->verdicts[i]) || !same_tree(&m->verdicts[i], &m->verdicts[at]))
			continue;
		if (m->verdicts[i].result != m->verdicts[at].result)
			break;
		since = m->verdicts[i].started_ms;
	}
	return since;
}

/* Is there a later word on the same tree? Then the earlier one is no state of things. */
static bool is_outdated(const struct morning *m, size_t at)
{
	for (size_t i = at + 1; i < m->n_verdicts; i++)
		if (tells(&m->verdicts[i]) && same_tree(&m->verdicts[i], &m->verdicts[at]))
			return true;
	return false;
}

static char *tree_name(const struct morning_verdict *v)
{
	return xasprintf("%s, %s %s: %s against %s", v->board, v->suite, v->profile, v->label,
			 v->baseline);
}

static void compare(struct morning *m, size_t at)
{
	const struct morning_verdict *v = &m->verdicts[at];
	const struct morning_verdict *old = verdict_before(m, at);
	char date[DAY_TIME_SIZE];

	if (!tells(v))
		return;
	if (old)
		day_minute(old->started_ms, date);
	if (!old && v->result == VERDICT_FAIL)
		say(&m->changed, VERDICT_FAIL, tree_name(v), "FAIL, the first verdict on it: %s",
		    v->reason);
	else if (old && old->result != v->result)
		say(&m->changed, v->result, tree_name(v), "%s, was %s on %s%s%s",
		    verdict_name(v->result), verdict_name(old->result), date,
		    v->result == VERDICT_PASS ? "" : ": ",
		    v->result == VERDICT_PASS ? "" : v->reason);
	else if (old && v->result == VERDICT_FAIL && !is_outdated(m, at)) {
		day_minute(since_when(m, at), date);
		say(&m->person, VERDICT_FAIL, tree_name(v), "fails since %s: %s", date, v->reason);
	}
}

/* One line for a board and a code, however often it came. */
static void tell_invalid(struct morning *m, size_t at)
{
	const struct morning_verdict *v = &m->verdicts[at];
	int n = 0;

	if (v->result != VERDICT_INVALID || !strcmp(v->code, "cancelled"))
		return;
	for (size_t i = m->first; i < m->n_verdicts; i++) {
		const struct morning_verdict *o = &m->verdicts[i];

		if (o->result != VERDICT_INVALID || strcmp(o->board, v->board) != 0 ||
		    strcmp(o->code, v->code) != 0)
			continue;
		if (i > at)
			return; /* the last one speaks */
		n++;
	}
	say(&m->person, VERDICT_INVALID, xasprintf("board %s", v->board),
	    "%d verdict%s INVALID, blame %s (%s): %s", n, n == 1 ? "" : "s", blame_name(v->blame),
	    v->code, v->reason);
}

/* ---- boards ---- */

static bool tell_board(void *ctx, const struct store_board *b)
{
	struct building *x = ctx;
	struct morning_lines *l = &x->m->person;
	char since[DAY_TIME_SIZE];
	struct err err = ERR_INIT;
	struct health h;

	day_minute(b->since_ms, since);
	if (!strcmp(b->state, "quarantined") || !strcmp(b->state, "drained"))
		say(l, VERDICT_INVALID, xasprintf("board %s", b->name), "%s since %s: %s", b->state,
		    since, b->reason);
	else if (!strcmp(b->state, "unknown") && x->m->until_ms - b->since_ms > UNKNOWN_MS)
		say(l, VERDICT_INVALID, xasprintf("board %s", b->name),
		    "not known to be off since %s: %s", since, b->reason);
	else if (health_of(x->st, b->name, &h, &err) == 0 && h.state >= HEALTH_WATCH)
		say(l, VERDICT_INCONCLUSIVE, xasprintf("board %s", b->name), "health %d of 100: %s",
		    h.score, h.reason);
	return true;
}

/* ---- jobs and schedules ---- */

static bool tell_job(void *ctx, const struct store_job *j)
{
	struct building *x = ctx;
	struct morning_lines *l = &x->m->person;
	bool tonight = j->ended_ms >= x->m->since_ms && j->ended_ms < x->m->until_ms;
	const char *where = *j->ran_on ? j->ran_on : *j->board ? j->board : j->type;

	if (tonight && !*j->cancelled_by && !strcmp(j->state, "cancelled"))
		say(l, VERDICT_INVALID, xasprintf("job %" PRId64, j->id), "%s on %s: not run: %s",
		    j->title, where, j->reason);
	else if (tonight && !strcmp(j->state, "done") && !*j->session)
		say(l, VERDICT_INVALID, xasprintf("job %" PRId64, j->id), "%s on %s: %s", j->title,
		    where, j->reason);
	else if (!strcmp(j->state, "queued") && x->m->until_ms - j->submitted_ms > WAITS_MS)
		say(l, VERDICT_INCONCLUSIVE, xasprintf("job %" PRId64, j->id),
		    "%s on %s: has waited for %" PRId64 " h", j->title, where,
		    (x->m->until_ms - j->submitted_ms) / HOUR_MS);
	return true;
}

static bool tell_schedule(void *ctx, const struct store_audit *a)
{
	struct building *x = ctx;

	if (a->at_ms < x->m->since_ms || a->at_ms >= x->m->until_ms)
		return true;
	if (!strcmp(a->verb, "schedule-failed"))
		say(&x->m->person, VERDICT_INVALID, xstrdup(a->object), "%s", a->detail);
	else if (!strcmp(a->verb, "schedule") && strstr(a->detail, "times"))
		say(&x->m->person, VERDICT_INCONCLUSIVE, xstrdup(a->object),
		    "%s: rigd was down at the other times", a->detail);
	return true;
}

/* ---- history ---- */

static bool ran_tonight(const struct morning *m, const struct history_series *s)
{
	for (size_t i = m->first; i < m->n_verdicts; i++) {
		const struct morning_verdict *v = &m->verdicts[i];

		if (!strcmp(v->board, s->board) && !strcmp(v->suite, s->suite) &&
		    !strcmp(v->profile, s->profile))
			return true;
	}
	return false;
}

struct series_list {
	const struct morning *m;
	struct history_series *v;
	size_t n;
};

static bool want_series(void *ctx, const struct history_series *s)
{
	struct series_list *l = ctx;
	struct history_series *to;

	if (!s->primary || !ran_tonight(l->m, s))
		return true;
	l->v = xrealloc(l->v, (l->n + 1) * sizeof(*l->v));
	to = &l->v[l->n++];
	*to = *s;
	to->board = xstrdup(s->board);
	to->suite = xstrdup(s->suite);
	to->profile = xstrdup(s->profile);
	to->workload = xstrdup(s->workload);
	to->metric = xstrdup(s->metric);
	return true;
}

static void free_series(struct series_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free((char *)(uintptr_t)l->v[i].board);
		free((char *)(uintptr_t)l->v[i].suite);
		free((char *)(uintptr_t)l->v[i].profile);
		free((char *)(uintptr_t)l->v[i].workload);
		free((char *)(uintptr_t)l->v[i].metric);
	}
	free(l->v);
}

static char *series_name(const struct history *h)
{
	return xasprintf("%s, %s %s: %s %s", h->board, h->suite, h->profile, h->workload,
			 h->metric);
}

/* An alarm of the newest nights, or a change that was found to have begun in this one. */
static void tell_history(struct morning *m, const struct history *h)
{
	const struct history_outlook *o = &h->outlook;

	if (o->state == HISTORY_ALARM)
		say(&m->changed, o->kind == HISTORY_REGRESSION ? VERDICT_FAIL : VERDICT_PASS,
		    series_name(h), "%s of %.1f %% since the night of %s (%s)",
		    history_kind_name(o->kind), 100 * fabs(o->effect), h->nights[o->first].date,
		    h->nights[o->first].label);
	else if (o->state == HISTORY_SUSPECTED)
		say(&m->changed, VERDICT_INCONCLUSIVE, series_name(h),
		    "%.1f %% off the level before; one night proves nothing yet",
		    100 * fabs(o->effect));
	for (size_t i = 0; i < h->n_changes; i++) {
		const struct history_change *c = &h->changes[i];

		if (c->standing && h->nights[c->point.at].started_ms >= m->since_ms)
			say(&m->changed,
			    c->kind == HISTORY_REGRESSION ? VERDICT_FAIL : VERDICT_PASS,
			    series_name(h), "%s, first with %s", history_kind_name(c->kind),
			    h->nights[c->point.at].label);
	}
}

static int add_history(struct building *x, struct err *err)
{
	const struct history_key all = { NULL, NULL, NULL, NULL, NULL };
	struct series_list l = { .m = x->m };
	int rc = store_series(x->st, &all, want_series, &l, err);

	for (size_t i = 0; !rc && i < l.n; i++) {
		const struct history_key key = { l.v[i].board, l.v[i].suite, l.v[i].profile,
						 l.v[i].workload, l.v[i].metric };
		struct history *h = history_load(x->st, &key, NULL, err);

		if (h)
			tell_history(x->m, h);
		rc = h ? 0 : -1;
		history_free(h);
	}
	free_series(&l);
	return rc;
}

/* ---- all of it ---- */

struct morning *morning_new(struct store *st, int64_t since_ms, int64_t until_ms, struct err *err)
{
	const struct store_job_filter jobs = { .newest_first = true };
	const struct store_audit_filter audit = { .who = "rigd", .limit = 20000 };
	struct morning *m = xcalloc(1, sizeof(*m));
	struct building x = { m, st };

	m->since_ms = since_ms;
	m->until_ms = until_ms;
	if (store_verdicts(st, since_ms - BEFORE_MS, take_verdict, &x, err) < 0 ||
	    store_board_list(st, tell_board, &x, err) < 0)
		goto fail;
	for (size_t i = m->first; i < m->n_verdicts; i++) {
		compare(m, i);
		tell_invalid(m, i);
	}
	if (store_job_list(st, &jobs, tell_job, &x, err) < 0 ||
	    store_audit_list(st, &audit, tell_schedule, &x, err) < 0 || add_history(&x, err) < 0)
		goto fail;
	return m;
fail:
	morning_free(m);
	return NULL;
}

static void free_lines(struct morning_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].subject);
		free(l->v[i].text);
	}
	free(l->v);
}

void morning_free(struct morning *m)
{
	if (!m)
		return;
	free_lines(&m->person);
	free_lines(&m->changed);
	for (size_t i = 0; i < m->n_verdicts; i++) {
		struct morning_verdict *v = &m->verdicts[i];
		char *texts[] = { v->session, v->board,	  v->suite,    v->profile, v->label,
				  v->series,  v->variant, v->baseline, v->code,	   v->reason };

		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
			free(texts[k]);
	}
	free(m->verdicts);
	free(m);
}

char *morning_sentence(const struct morning *m)
{
	struct buf b = BUF_INIT;
	size_t n = m->n_verdicts - m->first;

	buf_addf(&b, "%zu verdict%s", n, n == 1 ? "" : "s");
	for (int v = 0, some = 0; v <= VERDICT_INVALID; v++)
		if (m->counts[v])
			buf_addf(&b, "%s%d %s", some++ ? ", " : ": ", m->counts[v],
				 v == VERDICT_NONE ? "measured" : verdict_name((enum verdict)v));
	if (m->person.n)
		buf_addf(&b, "; %zu need%s a person", m->person.n, m->person.n == 1 ? "s" : "");
	else
		buf_adds(&b, "; nothing needs a person");
	if (m->changed.n)
		buf_addf(&b, "; %zu changed", m->changed.n);
	else
		buf_adds(&b, "; nothing has changed");
	return buf_detach(&b);
}
