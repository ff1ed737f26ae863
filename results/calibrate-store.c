// SPDX-License-Identifier: GPL-2.0-or-later
/* Calibrations out of, and for, stored sessions; see calibrate.h. Layer: results. */
#include "results/calibrate.h"

#include <stdlib.h>

#include "base/buf.h"
#include "results/session.h"
#include "results/store-calibrate.h"
#include "results/store.h"

/* More do not make it better: d0 has a cap. */
#define SESSIONS_MAX 40

struct names {
	char *names[SESSIONS_MAX];
	size_t n;
};

static bool add_name(void *ctx, const char *session)
{
	struct names *x = ctx;

	x->names[x->n++] = xstrdup(session);
	return x->n < SESSIONS_MAX;
}

/* What has been found so far, the newest first. */
struct found {
	struct session *sessions[SESSIONS_MAX];
	struct calibrate_input in[SESSIONS_MAX];
	size_t n;
	struct calibration *reference; /* of the newest alone: the set-up of all */
	struct buf *notes;
};

static enum verdict verdict_of(struct store *st, const char *name, int candidate)
{
	struct gate_set *set = store_get_verdicts(st, name, NULL);
	enum verdict verdict = VERDICT_NONE;

	for (size_t i = 0; set && i < set->n_verdicts; i++)
		if (set->verdicts[i].candidate == candidate)
			verdict = set->verdicts[i].result;
	gate_set_free(set);
	return verdict;
}

/* Takes the session over, or says why not. */
static void consider(struct store *st, struct found *f, struct session *s)
{
	int candidate = calibrate_candidate(s);
	struct buf why = BUF_INIT;

	if (candidate < 0)
		buf_adds(&why, "it compares no kernel with itself");
	else if (calibrate_usable(s, candidate, &why) && f->reference)
		calibration_holds(f->reference, s, &why);
	if (why.size) {
		buf_addf(f->notes, "left out: %s: %s\n", s->name, buf_str(&why));
		session_free(s);
	} else {
		f->in[f->n] = (struct calibrate_input){ s, candidate,
							verdict_of(st, s->name, candidate) };
		f->sessions[f->n] = s;
		if (!f->n++)
			f->reference = calibrate_new(f->in, 1, 0);
	}
	buf_release(&why);
}

static int find(struct store *st, const struct calibrate_key *key, struct found *f, struct err *err)
{
	struct names x = { .n = 0 };
	int rc = store_list_aa(st, key->board, key->suite, key->profile, add_name, &x, err);

	for (size_t i = 0; i < x.n; i++) {
		struct session *s = rc ? NULL : store_get_session(st, x.names[i], err);

		if (s)
			consider(st, f, s);
		else
			rc = -1;
		free(x.names[i]);
	}
	return rc;
}

struct calibration *calibrate_stored(struct store *st, const struct calibrate_key *key,
				     int64_t now_ms, struct buf *notes, struct err *err)
{
	struct found f = { .notes = notes };
	struct calibration *c = NULL;
	int rc = find(st, key, &f, err);

	if (!rc && f.n)
		c = calibrate_new(f.in, f.n, now_ms);
	else if (!rc)
		err_set(err, BLAME_USER, "no-aa",
			"%s, suite %s, profile %s: no stored session compares a kernel with itself "
			"and can be used%s%s",
			key->board, key->suite, key->profile, notes->size ? ":\n" : "",
			buf_str(notes));
	for (size_t i = 0; i < f.n; i++)
		session_free(f.sessions[i]);
	calibration_free(f.reference);
	return c;
}

static bool give_if_holds(void *ctx, const struct calibration *c)
{
	struct session *s = ctx;
	struct buf why = BUF_INIT;
	bool holds = calibration_holds(c, s, &why);

	if (holds)
		calibration_give(c, s);
	buf_release(&why);
	return !holds;
}

int calibrate_prior(struct store *st, struct session *s, int64_t before_ms, struct err *err)
{
	struct store_calibration_filter f = { .serial = s->serial,
					      .suite = s->suite,
					      .profile = s->profile,
					      .before_ms = before_ms };

	return store_list_calibrations(st, &f, give_if_holds, s, err);
}
