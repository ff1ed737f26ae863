// SPDX-License-Identifier: GPL-2.0-or-later
/* What a client may ask for, one row each; see daemon.h and control.h. Layer: rigd. */
#include "rigd/daemon.h"
#include "rigd/control.h"
#include "rigd/loop.h"
#include "base/buf.h"
#include "base/log.h"
#include "version.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Open jobs; whoever wants more has a loop that went wrong. */
#define QUEUE_MAX 20000

#define TTL_MIN_S   5
#define TTL_MAX_S   (7 * 86400)
#define REASON_MAX  400
#define TTL_UNIT_MS 1000

struct ask {
	struct daemon *d;
	const struct client_id *who;
	const json_t *request;
	int64_t *watch;
	struct store_actor by;
};

static const char *text(const struct ask *a, const char *key)
{
	const char *s = json_string_value(json_object_get(a->request, key));

	return s ? s : "";
}

static int64_t number(const struct ask *a, const char *key)
{
	return (int64_t)json_integer_value(json_object_get(a->request, key));
}

static json_t *fine(void)
{
	return json_pack("{s:b}", "ok", 1);
}

/* One line for people, of bounded length. 0 or -1. */
static int get_reason(const struct ask *a, const char **reason, struct err *err)
{
	*reason = text(a, "reason");
	if (!**reason)
		return err_set(err, BLAME_USER, "usage",
			       "a reason is missing: others will want to know why");
	if (strlen(*reason) > REASON_MAX || !submit_is_printable(*reason))
		return err_set(err, BLAME_USER, "usage",
			       "the reason is one line of at most %d bytes", REASON_MAX);
	return 0;
}

static struct place *get_board(const struct ask *a, struct err *err)
{
	struct place *p = rack_find(a->d, text(a, "board"));

	if (!p)
		err_set(err, BLAME_USER, "unknown-board",
			"no board '%.60s'; `rig boards` lists them", text(a, "board"));
	return p;
}

/* Whose it is may change it, and who runs the rig. */
static int check_owner(const struct ask *a, int64_t uid, const char *owner, const char *what,
		       struct err *err)
{
	if (a->who->admin || a->who->uid == uid)
		return 0;
	return err_set(err, BLAME_USER, "denied", "%s belongs to %s", what, owner);
}

/* ---- jobs ---- */

static bool fill_job(void *ctx, const struct store_job *j)
{
	json_t **o = ctx;

	*o = json_pack(
		"{s:I, s:s, s:I, s:s, s:s, s:I, s:I, s:s, s:I, s:s, s:s, s:s, s:s, s:I, s:I}", "id",
		(json_int_t)j->id, "state", j->state, "priority", (json_int_t)j->priority, "board",
		j->board, "type", j->type, "submitted_ms", (json_int_t)j->submitted_ms,
		"deadline_ms", (json_int_t)j->deadline_ms, "requester", j->requester, "uid",
		(json_int_t)j->uid, "title", j->title, "plan", j->plan, "session", j->session,
		"ran_on", j->ran_on, "started_ms", (json_int_t)j->started_ms, "ended_ms",
		(json_int_t)j->ended_ms);
	json_object_update_new(*o, json_pack("{s:s, s:s, s:s}", "cancelled_by", j->cancelled_by,
					     "verdict", j->verdict, "reason", j->reason));
	return true;
}

static json_t *get_job(struct daemon *d, int64_t job, struct err *err)
{
	json_t *o = NULL;

	store_job_get(d->memory, job, fill_job, &o, err);
	return o;
}

json_t *ops_job(struct daemon *d, int64_t job)
{
	struct err err = ERR_INIT;

	return get_job(d, job, &err);
}

/* The job of the request; a client is not sent its own plan back. */
static json_t *asked_job(const struct ask *a, struct err *err)
{
	json_t *job = get_job(a->d, number(a, "job"), err);

	json_object_del(job, "plan");
	return job;
}

static const char *member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static int may_queue(const struct ask *a, struct err *err)
{
	int64_t queued = 0, open = 0;

	if (a->d->stopping)
		return err_set(err, BLAME_RIG, "stopping", "the daemon is about to end; try again");
	if (store_job_count(a->d->memory, &queued, &open, err) < 0)
		return -1;
	if (open < QUEUE_MAX)
		return 0;
	return err_set(err, BLAME_RIG, "queue-full", "%" PRId64 " jobs are open already", open);
}

static int queue(const struct ask *a, struct submission *s, int64_t *id, bool *same,
		 struct err *err)
{
	bool again = json_is_true(json_object_get(a->request, "again"));

	*id = 0;
	if (!again && store_job_same(a->d->memory, s->identity, id, err) < 0)
		return -1;
	*same = *id != 0;
	return *id ? 0 : store_job_add(a->d->memory, &a->by, &s->job, id, err);
}

static json_t *op_submit(struct ask *a, struct err *err)
{
	struct submission s = { 0 };
	bool same = false;
	int64_t id = 0;
	int rc = may_queue(a, err);

	if (!rc)
		rc = submit_check(a->d, a->request, &s, err);
	if (!rc)
		rc = queue(a, &s, &id, &same, err);
	submit_release(&s);
	daemon_look_soon(a->d);
	return rc ? NULL
		  : json_pack("{s:b, s:I, s:b}", "ok", 1, "job", (json_int_t)id, "same", same);
}

static json_t *op_job(struct ask *a, struct err *err)
{
	json_t *job = asked_job(a, err);

	return job ? json_pack("{s:b, s:o}", "ok", 1, "job", job) : NULL;
}

/* A job that is over is answered at once, and not watched. */
static json_t *op_watch(struct ask *a, struct err *err)
{
	json_t *job = asked_job(a, err);
	int state = job_state_parse(member(job, "state"));

	if (!job)
		return NULL;
	if (state == JOB_DONE || state == JOB_CANCELLED)
		return json_pack("{s:b, s:o}", "ok", 1, "job", job);
	*a->watch = number(a, "job");
	return json_pack("{s:b, s:b, s:o}", "ok", 1, "watching", 1, "now", job);
}

static json_t *op_cancel(struct ask *a, struct err *err)
{
	json_t *job = asked_job(a, err);
	char what[32];
	int rc;

	if (!job)
		return NULL;
	snprintf(what, sizeof(what), "job %" PRId64, number(a, "job"));
	rc = check_owner(a, json_integer_value(json_object_get(job, "uid")),
			 member(job, "requester"), what, err);
	if (!rc &&
	    (!strcmp(member(job, "state"), "done") || !strcmp(member(job, "state"), "cancelled")))
		rc = err_set(err, BLAME_USER, "bad-state", "%s is over: %s %s", what,
			     member(job, "state"), member(job, "verdict"));
	json_decref(job);
	if (!rc)
		rc = runs_cancel(a->d, &a->by, number(a, "job"), err);
	return rc ? NULL : fine();
}

/* ---- leases ---- */

static json_t *op_lease(struct ask *a, struct err *err)
{
	struct place *p = get_board(a, err);
	int64_t ttl_s = number(a, "ttl_s");
	const char *reason;
	int64_t id;

	if (!p || get_reason(a, &reason, err))
		return NULL;
	if (ttl_s < TTL_MIN_S || ttl_s > TTL_MAX_S) {
		err_set(err, BLAME_USER, "usage", "a lease is for %d s to %d days", TTL_MIN_S,
			TTL_MAX_S / 86400);
		return NULL;
	}
	if (rack_lease(p, &a->by, reason, ttl_s * TTL_UNIT_MS, &id, err) < 0)
		return NULL;
	return json_pack("{s:b, s:I}", "ok", 1, "lease", (json_int_t)id);
}

struct wanted_lease {
	int64_t id, uid, ttl_ms;
	char owner[64], board[80];
};

static bool find_lease(void *ctx, const struct store_lease *l)
{
	struct wanted_lease *w = ctx;

	if (l->id != w->id)
		return true;
	w->uid = l->uid;
	w->ttl_ms = l->ttl_ms;
	snprintf(w->owner, sizeof(w->owner), "%.60s", l->owner);
	snprintf(w->board, sizeof(w->board), "%.70s", l->board);
	return false;
}

/* The board that the request's lease is of, which must be the client's. */
static struct place *own_lease(struct ask *a, struct wanted_lease *w, struct err *err)
{
	struct place *p;
	char what[32];

	*w = (struct wanted_lease){ .id = number(a, "lease") };
	if (store_lease_list(a->d->memory, find_lease, w, err) < 0)
		return NULL;
	p = rack_find(a->d, w->board);
	if (!w->board[0] || !p || p->lease != w->id) {
		err_set(err, BLAME_USER, "no-lease", "no lease %" PRId64 "; it may have expired",
			w->id);
		return NULL;
	}
	snprintf(what, sizeof(what), "lease %" PRId64, w->id);
	return check_owner(a, w->uid, w->owner, what, err) ? NULL : p;
}

static json_t *op_renew(struct ask *a, struct err *err)
{
	struct wanted_lease w;
	struct place *p = own_lease(a, &w, err);

	if (!p || store_lease_renew(a->d->memory, &a->by, w.id, err) < 0)
		return NULL;
	rack_renewed(p, w.uid, w.owner, a->by.at_ms + w.ttl_ms);
	return json_pack("{s:b, s:I}", "ok", 1, "expires_ms", (json_int_t)p->lease_expires_ms);
}

static json_t *op_release(struct ask *a, struct err *err)
{
	struct wanted_lease w;
	struct place *p = own_lease(a, &w, err);

	return p && rack_release(p, &a->by, "release", err) == 0 ? fine() : NULL;
}

/* ---- boards ---- */

static json_t *op_hold(struct ask *a, struct err *err)
{
	const char *word = text(a, "hold");
	int hold = *word ? board_state_parse(word) : BOARD_UNKNOWN;
	struct place *p = get_board(a, err);
	const char *reason = "";

	if (!p)
		return NULL;
	if (hold != BOARD_UNKNOWN && hold != BOARD_DRAINED && hold != BOARD_QUARANTINED) {
		err_set(err, BLAME_USER, "usage", "a board is held as drained or quarantined");
		return NULL;
	}
	if (hold != BOARD_UNKNOWN && get_reason(a, &reason, err))
		return NULL;
	return rack_hold(p, &a->by, (enum board_state)hold, reason, err) == 0 ? fine() : NULL;
}

static json_t *op_canary(struct ask *a, struct err *err)
{
	struct place *p = get_board(a, err);
	int64_t job;

	if (!p || health_canary(p, &a->by, &job, err))
		return NULL;
	return json_pack("{s:b, s:I}", "ok", 1, "job", (json_int_t)job);
}

static json_t *place_json(const struct place *p)
{
	const struct run *r = p->run;
	json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "board", p->name, "type",
			      p->type, "state", board_state_name(p->state), "hold",
			      p->hold == BOARD_UNKNOWN ? "" : board_state_name(p->hold), "reason",
			      p->reason, "lease", (json_int_t)p->lease, "lease_expires_ms",
			      (json_int_t)p->lease_expires_ms);

	if (r)
		json_object_update_new(o, json_pack("{s:I, s:s, s:s, s:I, s:I, s:s, s:I}", "job",
						    (json_int_t)r->job, "job_state",
						    job_state_name(r->state), "session", r->session,
						    "visit", (json_int_t)r->visit, "pair",
						    (json_int_t)r->pair, "what", r->what, "for_ms",
						    (json_int_t)(mono_ms() - r->began_ms)));
	return o;
}

static json_t *op_status(struct ask *a, struct err *err)
{
	struct daemon *d = a->d;
	json_t *boards = json_array();
	int64_t queued = 0, open = 0;

	if (store_job_count(d->memory, &queued, &open, err) < 0) {
		json_decref(boards);
		return NULL;
	}
	for (size_t i = 0; i < d->n_places; i++)
		json_array_append_new(boards, place_json(d->places[i]));
	return json_pack("{s:b, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:b, s:o}", "ok", 1,
			 "version", RIG_VERSION, "pid", (int)getpid(), "uptime_ms",
			 (json_int_t)(mono_ms() - d->started_ms), "queued", (json_int_t)queued,
			 "open", (json_int_t)open, "clients", (json_int_t)server_clients(d),
			 "started", (json_int_t)d->jobs_started, "ended", (json_int_t)d->jobs_ended,
			 "space", space_reason(d), "stopping", d->stopping, "boards", boards);
}

/* ---- the table ---- */

static const struct {
	const char *name;
	json_t *(*answer)(struct ask *a, struct err *err);
} ops[] = {
	{ "status", op_status }, { "submit", op_submit },   { "job", op_job },
	{ "watch", op_watch },	 { "cancel", op_cancel },   { "lease", op_lease },
	{ "renew", op_renew },	 { "release", op_release }, { "hold", op_hold },
	{ "canary", op_canary },
};

static void answer(struct ask *a, json_t **out)
{
	const char *op = text(a, "op");
	struct err err = ERR_INIT;

	*out = NULL;
	err_set(&err, BLAME_USER, "op", "no operation '%.40s'", op);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (strcmp(ops[i].name, op) != 0)
			continue;
		err_set(&err, BLAME_USER, "text", "an answer that is not UTF-8");
		*out = ops[i].answer(a, &err);
		break;
	}
	if (!*out)
		*out = control_failure(&err);
}

json_t *ops_answer(struct daemon *d, const struct client_id *who, const json_t *request,
		   int64_t *watch)
{
	struct ask a = { d, who, request, watch, { who->user, who->uid, now_ms() } };
	json_t *out;

	answer(&a, &out);
	return out;
}
