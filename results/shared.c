// SPDX-License-Identifier: GPL-2.0-or-later
/* Two kernels judged by what is stored; see shared.h. Layer: results. */
#include "results/shared.h"

#include <stdlib.h>
#include <string.h>

#include "results/calibrate.h"
#include "results/gate.h"
#include "results/session.h"
#include "results/store-shared.h"
#include "results/store.h"

/* Candidates for joining, newest first: more are not looked at. */
#define LOOK_AT 40

struct row {
	char *session, *profile;
	int base, cand;
};

struct rows {
	struct row rows[LOOK_AT];
	size_t n;
};

static bool add_row(void *ctx, const struct store_shared_row *r)
{
	struct rows *x = ctx;

	x->rows[x->n++] =
		(struct row){ xstrdup(r->session), xstrdup(r->profile), r->base, r->cand };
	return x->n < LOOK_AT;
}

static void rows_release(struct rows *x)
{
	for (size_t i = 0; i < x->n; i++) {
		free(x->rows[i].session);
		free(x->rows[i].profile);
	}
}

/* ---- which sessions ---- */

/* What the gate alone would refuse is not made good by joining it with others. */
static bool judgeable(const struct join_part *part, struct buf *why)
{
	struct session *s = join_sessions(part, 1);
	struct gate_set *set = gate_judge(s);
	bool good = set->result != VERDICT_INVALID;
	struct err pruned = ERR_INIT;

	if (session_check_pruned(part->s, &pruned) < 0) {
		buf_adds(why, pruned.message);
		good = false;
	} else if (part->s->state == SESSION_RUNNING) {
		buf_adds(why, "it is still running");
		good = false;
	} else if (!good) {
		buf_adds(why, set->verdicts[0].reason);
	}
	gate_set_free(set);
	session_free(s);
	return good;
}

/* Takes the session over; the newest comes first, and says what the others must be like. */
static void consider(struct shared *x, struct session *s, const struct row *r)
{
	struct join_part part = { s, r->base, r->cand };
	struct buf why = BUF_INIT;

	if (!judgeable(&part, &why) || (x->n && !join_same(&x->parts[0], &part, &why))) {
		buf_addf(&x->notes, "left out: %s: %s\n", s->name, buf_str(&why));
		session_free(s);
	} else {
		x->parts[x->n] = part;
		x->sessions[x->n++] = s;
	}
	buf_release(&why);
}

static int gather(struct store *st, const struct shared_query *q, const struct rows *rows,
		  struct shared *x, struct err *err)
{
	const char *profile = q->profile;

	for (size_t i = 0; i < rows->n && x->n < SHARED_MAX; i++) {
		const struct row *r = &rows->rows[i];
		struct session *s;

		if (profile && strcmp(profile, r->profile) != 0) {
			buf_addf(&x->notes, "left out: %s: profile %s\n", r->session, r->profile);
			continue;
		}
		s = store_get_session(st, r->session, err);
		if (!s)
			return -1;
		consider(x, s, r);
		profile = x->n ? r->profile : profile;
	}
	return 0;
}

static void oldest_first(struct shared *x)
{
	for (size_t i = 0, k = x->n; k && i < --k; i++) {
		struct join_part part = x->parts[i];
		struct session *s = x->sessions[i];

		x->parts[i] = x->parts[k];
		x->sessions[i] = x->sessions[k];
		x->parts[k] = part;
		x->sessions[k] = s;
	}
}

/* ---- judging ---- */

static struct gate_set *not_shared(const char *candidate, char *reason)
{
	struct gate_set *set = xcalloc(1, sizeof(*set));

	set->verdicts = xcalloc(1, sizeof(*set->verdicts));
	set->n_verdicts = 1;
	set->result = VERDICT_INVALID;
	set->blame = BLAME_TEST;
	set->verdicts[0] = (struct gate_verdict){ .candidate = 1,
						  .label = xstrdup(candidate),
						  .result = VERDICT_INVALID,
						  .blame = BLAME_TEST,
						  .code = "not-shared",
						  .reason = reason };
	return set;
}

/* Each kernel must have been seen at all; then say where. */
static int say_where(struct store *st, const struct shared_query *q, char **reason, struct err *err)
{
	const char *kernels[] = { q->baseline, q->candidate };
	char *seen[2] = { NULL, NULL };
	int rc = 0;

	for (int i = 0; i < 2 && !rc; i++) {
		seen[i] = store_kernel_seen(st, kernels[i], q->board, q->suite, err);
		if (!seen[i])
			rc = err_set(err, BLAME_USER, "no-kernel",
				     "no stored session on %s of suite %s ran a kernel '%s'; `rig"
				     " sessions` lists what was run",
				     q->board, q->suite, kernels[i]);
	}
	if (!rc)
		*reason = xasprintf("%s (last in %s) and %s (last in %s) never took turns in one "
				    "session: between sessions other things change, and no number "
				    "of pairs can tell them apart",
				    q->baseline, seen[0], q->candidate, seen[1]);
	free(seen[0]);
	free(seen[1]);
	return rc;
}

static int judge_none(struct store *st, const struct shared_query *q, size_t found,
		      struct shared *x, struct err *err)
{
	char *reason = NULL;

	if (found)
		reason = xasprintf("no session in which both ran can be judged:\n%s",
				   buf_str(&x->notes));
	else if (say_where(st, q, &reason, err) < 0)
		return -1;
	if (found)
		buf_reset(&x->notes);
	x->set = not_shared(q->candidate, reason);
	return 0;
}

static void say_joined(struct shared *x)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "%zu session%s:", x->n, x->n == 1 ? "" : "s, joined");
	for (size_t i = 0; i < x->n; i++)
		buf_addf(&text, " %s", x->sessions[i]->name);
	buf_addf(&text, "\n%s", buf_str(&x->notes));
	buf_reset(&x->notes);
	buf_adds(&x->notes, buf_str(&text));
	buf_release(&text);
}

int shared_judge(struct store *st, const struct shared_query *q, int64_t now_ms, struct shared *out,
		 struct err *err)
{
	const struct store_shared_filter f = { .baseline = q->baseline,
					       .candidate = q->candidate,
					       .board = q->board,
					       .suite = q->suite,
					       .profile = q->profile };
	struct rows rows = { .n = 0 };
	int rc = store_list_shared(st, &f, add_row, &rows, err);

	if (!rc)
		rc = gather(st, q, &rows, out, err);
	if (!rc && !out->n) {
		rc = judge_none(st, q, rows.n, out, err);
	} else if (!rc) {
		oldest_first(out);
		say_joined(out);
		out->s = join_sessions(out->parts, out->n);
		rc = calibrate_prior(st, out->s, now_ms, err);
		if (!rc)
			out->set = gate_judge(out->s);
	}
	rows_release(&rows);
	return rc;
}

void shared_release(struct shared *x)
{
	gate_set_free(x->set);
	session_free(x->s);
	for (size_t i = 0; i < x->n; i++)
		session_free(x->sessions[i]);
	buf_release(&x->notes);
}
