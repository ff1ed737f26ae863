// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The jobs that run; see daemon.h. A job's state is in the store before what it stands for is
 * done, so that a daemon that dies at any point finds out what became of it. Layer: rigd.
 */
#include "rigd/daemon.h"
#include "rigd/loop.h"
#include "rigd/recover.h"
#include "rigd/strike.h"
#include "rigd/supervise.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "board/board.h"
#include "board/lab-daemon.h"
#include "board/lab.h"
#include "results/gate.h"
#include "results/store.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A job whose journal rests for that long hangs, whatever it does. */
#define STALL_MS (3u * 3600 * 1000)

/* So often rig-job may fail to begin on a board before the job pays for it. */
#define REFUSED_MAX 3

/* A job that has its lock listens in a moment. */
#define ADOPT_MS 60000

/* ---- a run ---- */

static struct run *run_new(struct daemon *d, int64_t job, enum job_state state, const char *session,
			   const char *board)
{
	struct run *r = xcalloc(1, sizeof(*r));

	r->daemon = d;
	r->job = job;
	r->state = state;
	r->saved = state;
	r->session = xstrdup(session);
	r->board = xstrdup(board);
	r->dir = path_in_home("runs/%s", session);
	r->place = rack_find(d, board);
	r->lock_fd = -1;
	r->began_ms = mono_ms();
	r->give_up = deadline_never();
	d->runs = xrealloc(d->runs, (d->n_runs + 1) * sizeof(struct run *));
	d->runs[d->n_runs++] = r;
	return r;
}

static void keep(const char **text, const char *value)
{
	if (!value)
		return;
	free((void *)(uintptr_t)*text);
	*text = xstrdup(value);
}

static void drop_change(struct store_job_change *c)
{
	free((void *)(uintptr_t)c->session);
	free((void *)(uintptr_t)c->ran_on);
	free((void *)(uintptr_t)c->verdict);
	free((void *)(uintptr_t)c->reason);
	*c = (struct store_job_change){ NULL };
}

static void run_free(struct run *r)
{
	supervise_free(r->supervise);
	if (r->lock_fd >= 0)
		close(r->lock_fd);
	drop_change(&r->change);
	free(r->session);
	free(r->board);
	free(r->dir);
	free(r);
}

static void forget(struct run *r)
{
	struct daemon *d = r->daemon;

	for (size_t i = 0; i < d->n_runs; i++) {
		if (d->runs[i] != r)
			continue;
		d->runs[i] = d->runs[--d->n_runs];
		run_free(r);
		return;
	}
}

/* Added to what an earlier move could not save. */
static void add_change(struct store_job_change *c, const struct store_job_change *more)
{
	keep(&c->session, more->session);
	keep(&c->ran_on, more->ran_on);
	keep(&c->verdict, more->verdict);
	keep(&c->reason, more->reason);
	c->started_ms = more->started_ms ? more->started_ms : c->started_ms;
	c->ended_ms = more->ended_ms ? more->ended_ms : c->ended_ms;
}

static int save_once(struct run *r, struct err *err)
{
	struct store_actor self = daemon_self();

	return store_job_move(r->daemon->memory, &self, r->job, job_state_name(r->saved),
			      job_state_name(r->state), &r->change, err);
}

/* A full disk keeps no job from its row: that is what the reserve is for. False: try again. */
static bool save(struct run *r)
{
	struct err err = ERR_INIT;
	int rc = 0;

	if (r->job && r->saved != r->state)
		rc = save_once(r, &err);
	if (rc < 0 && !strcmp(err.code, "disk-full") && space_use_reserve(r->daemon))
		rc = save_once(r, &err);
	if (daemon_note(&err, rc) < 0)
		return false;
	r->saved = r->state;
	drop_change(&r->change);
	return true;
}

static void move(struct run *r, enum job_state to, const struct store_job_change *change)
{
	const struct strike arrow = { "job", job_state_name(r->state), job_state_name(to), r->board,
				      r->session };

	assert(job_may_move(r->state, to));
	if (change)
		add_change(&r->change, change);
	strike("before", &arrow);
	r->state = to;
	save(r);
	strike("after", &arrow);
	if (r->job)
		server_tell(r->daemon, r->job,
			    json_pack("{s:s, s:s, s:s}", "state", job_state_name(to), "session",
				      r->session, "board", r->board));
}

/* ---- what it is at ---- */

static const char *text(const json_t *event, const char *key)
{
	const char *s = json_string_value(json_object_get(event, key));

	return s ? s : "";
}

static void note_what(struct run *r, const json_t *event)
{
	const char *ev = text(event, "ev");

	if (!strcmp(ev, "visit-start")) {
		r->visit = (long)json_integer_value(json_object_get(event, "visit"));
		r->pair = (long)json_integer_value(json_object_get(event, "pair"));
		snprintf(r->what, sizeof(r->what), "deploy");
	} else if (!strcmp(ev, "power-on")) {
		snprintf(r->what, sizeof(r->what), "boot");
	} else if (!strcmp(ev, "step-start")) {
		const char *workload = text(event, "workload");

		snprintf(r->what, sizeof(r->what), "%.70s",
			 *workload ? workload : text(event, "kind"));
	}
}

static void on_event(void *ctx, const json_t *event)
{
	struct run *r = ctx;

	if (r->state == JOB_STARTING)
		move(r, JOB_RUNNING, NULL);
	note_what(r, event);
	if (r->job)
		server_tell(r->daemon, r->job,
			    json_pack("{s:O}", "event", (json_t *)(uintptr_t)event));
}

/* ---- the end ---- */

static bool has_begun(const struct run *r)
{
	char *path = path_join(r->dir, RUNDIR_SESSION);
	bool begun = path_exists(path);

	free(path);
	return begun;
}

static void on_gone(void *ctx)
{
	struct run *r = ctx;

	/* one that has not begun may be queued again */
	if (r->state == JOB_RUNNING || (r->state == JOB_STARTING && has_begun(r)))
		move(r, JOB_ENDING, NULL);
}

/* The verdict as a word; static storage. */
static const char *verdict_of(struct run *r)
{
	struct err err = ERR_INIT;
	struct gate_set *set = store_get_verdicts(r->daemon->results, r->session, &err);
	const char *word = set ? verdict_name(set->result) : "INVALID";

	gate_set_free(set);
	return word;
}

/* A full disk keeps no result from its row: that is what the reserve is for. */
static bool on_disk_full(void *ctx)
{
	struct run *r = ctx;

	return space_use_reserve(r->daemon);
}

static bool try_again(struct run *r, const struct supervise_result *result)
{
	return r->state == JOB_STARTING && !result->begun && !r->cancelled && r->place &&
	       result->err.blame != BLAME_USER && ++r->place->refused < REFUSED_MAX;
}

static void queue_again(struct run *r)
{
	struct store_job_change change = { .session = "", .ran_on = "" };

	log_info("job %" PRId64 ": rig-job did not begin on %s; queued again", r->job, r->board);
	move(r, JOB_QUEUED, &change);
	path_remove(r->dir);
}

static void finish(struct run *r, const struct supervise_result *result)
{
	const char *verdict = result->imported ? verdict_of(r) : "INVALID";
	bool cancelled = r->cancelled && !strcmp(verdict, "INVALID");
	struct store_job_change change = {
		.verdict = verdict,
		.reason = result->err.blame == BLAME_NONE ? "" : result->err.message,
		.ended_ms = now_ms(),
	};

	if (r->state != JOB_ENDING)
		move(r, JOB_ENDING, NULL);
	move(r, cancelled ? JOB_CANCELLED : JOB_DONE, &change);
	log_info("job %" PRId64 " (%s) on %s: %s%s%s", r->job, r->session, r->board,
		 cancelled ? "cancelled" : verdict, *change.reason ? ": " : "", change.reason);
	r->daemon->jobs_ended++;
}

/* It goes when the store knows its end. */
static void leave(struct run *r)
{
	if (!save(r))
		return;
	if (r->job && r->state != JOB_QUEUED)
		server_tell_end(r->daemon, r->job);
	forget(r);
}

static void on_ended(void *ctx, const struct supervise_result *given)
{
	struct run *r = ctx;
	struct supervise_result result = *given;
	struct place *p = r->place;

	if (try_again(r, &result)) {
		queue_again(r);
		result.safe = false;
	} else {
		finish(r, &result);
		if (p)
			p->refused = 0;
		if (p && result.imported)
			health_after(p);
	}
	if (p)
		rack_give_back(p, result.safe, result.err.message);
	daemon_look_soon(r->daemon);
	r->over = true;
	r->place = NULL;
	leave(r);
}

/* ---- supervision ---- */

static unsigned int grace_ms(const struct run *r)
{
	const struct board_row *row = r->place ? board_find(r->place->type) : NULL;

	return SUPERVISE_GRACE_MS + (row ? row->power_off_ms + row->off_settle_ms : 0);
}

struct paths {
	char *plan, *log;
	struct supervise_spec spec;
};

static void paths_init(struct paths *p, struct run *r)
{
	p->plan = path_join(r->dir, RUNDIR_PLAN);
	p->log = path_join(r->dir, RUNDIR_LOG);
	p->spec = (struct supervise_spec){
		.plan_path = p->plan,
		.run_dir = r->dir,
		.session = r->session,
		.board = r->board,
		.lab_path = r->daemon->lab_path,
		.log_path = p->log,
		.store = r->daemon->results,
		.outlive = true,
		.grace_ms = grace_ms(r),
		.stall_ms = STALL_MS,
		.memory_mb = (unsigned long)lab_daemon(r->daemon->lab)->job_memory_mb,
		.nice = (int)lab_daemon(r->daemon->lab)->job_nice,
		.event = on_event,
		.disk_full = on_disk_full,
		.gone = on_gone,
		.ended = on_ended,
		.ctx = r,
	};
}

static void paths_release(struct paths *p)
{
	free(p->plan);
	free(p->log);
}

static void could_not_start(struct run *r, const struct err *err)
{
	struct supervise_result result = { .safe = true, .err = *err };

	on_ended(r, &result);
}

void runs_start(struct place *p, int64_t job)
{
	struct daemon *d = p->daemon;
	struct err err = ERR_INIT;
	struct paths paths;
	struct run *r;
	json_t *row = ops_job(d, job);
	char *session = submit_new_session(row ? text(row, "plan") : "");
	struct store_job_change change = { .session = session,
					   .ran_on = p->name,
					   .started_ms = now_ms() };

	r = run_new(d, job, JOB_QUEUED, session, p->name);
	rack_take(p, r);
	move(r, JOB_STARTING, &change);
	d->jobs_started++;
	paths_init(&paths, r);
	if (submit_write_plan(row ? text(row, "plan") : "", p->name, r->dir, &err) < 0 ||
	    !(r->supervise = supervise_start(d->loop, &paths.spec, &err)))
		could_not_start(r, &err);
	paths_release(&paths);
	json_decref(row);
	free(session);
}

/* ---- after a start of the daemon ---- */

static bool adopt(struct run *r)
{
	struct err err = ERR_INIT;
	struct paths paths;

	paths_init(&paths, r);
	r->supervise = supervise_adopt(r->daemon->loop, &paths.spec, &err);
	paths_release(&paths);
	if (r->supervise)
		log_info("job %" PRId64 " (%s) lives; taken over", r->job, r->session);
	return r->supervise;
}

static void bury(struct run *r)
{
	struct paths paths;

	paths_init(&paths, r);
	/* it must not be moved by what its journal says again */
	if (r->state == JOB_STARTING)
		move(r, JOB_RUNNING, NULL);
	if (r->state == JOB_RUNNING)
		move(r, JOB_ENDING, NULL);
	r->supervise = supervise_bury(r->daemon->loop, &paths.spec);
	paths_release(&paths);
}

/*
 * It may be about to begin: rig-job was started, and has no lock yet. Under the lock it is told not
 * to. False: it was faster.
 */
static bool make_void(struct run *r)
{
	char *lock = path_join(r->dir, RUNDIR_LOCK);
	char *mark = path_join(r->dir, RUNDIR_VOID);
	int fd = path_mkdirs(r->dir) ? -EIO : path_lock(lock);
	bool done = fd >= 0 && path_write(mark, "", 0) == 0;

	if (fd >= 0)
		close(fd);
	free(mark);
	free(lock);
	return done;
}

static void never_begun(struct run *r)
{
	struct place *p = r->place;
	struct store_job_change change = { .session = "", .ran_on = "" };

	if (!make_void(r)) {
		r->give_up = deadline_in(ADOPT_MS);
		return;
	}
	log_info("job %" PRId64 ": had not begun when the daemon ended; queued again", r->job);
	move(r, JOB_QUEUED, &change);
	if (p)
		rack_give_back(p, false, "");
	forget(r);
}

static void dir_is_gone(struct run *r)
{
	struct supervise_result result = { .safe = false };

	err_set(&result.err, BLAME_RIG, "run-dir", "%s is gone", r->dir);
	on_ended(r, &result);
}

/* What became of it while there was no daemon. */
static void look_at(struct run *r)
{
	int lock_fd = -1;

	switch (recover_look(r->dir, &lock_fd)) {
	case RECOVER_LIVE:
		if (adopt(r)) {
			r->give_up = deadline_never();
			if (r->cancelled)
				supervise_cancel(r->supervise);
			if (r->place && r->place->state != BOARD_BUSY)
				rack_take(r->place, r);
		} else if (r->give_up.at_ms == UINT64_MAX) {
			r->give_up = deadline_in(ADOPT_MS);
		}
		return;
	case RECOVER_DEAD:
		r->lock_fd = lock_fd;
		break;
	case RECOVER_UNKNOWN:
		r->give_up = deadline_in(ADOPT_MS);
		return;
	case RECOVER_NOTHING:
		if (has_begun(r))
			break; /* it ended by itself; it is not stored yet, or not known to be */
		if (r->state == JOB_STARTING)
			never_begun(r);
		else
			dir_is_gone(r);
		return;
	}
	bury(r);
}

struct found {
	struct {
		int64_t id;
		enum job_state state;
		bool cancelled;
		char *session, *board;
	} * v;
	size_t n;
};

static bool find_open(void *ctx, const struct store_job *j)
{
	struct found *f = ctx;
	int state = job_state_parse(j->state);

	if (state == JOB_QUEUED)
		return true;
	f->v = xrealloc(f->v, (f->n + 1) * sizeof(*f->v));
	f->v[f->n].id = j->id;
	f->v[f->n].state = (enum job_state)state;
	f->v[f->n].cancelled = *j->cancelled_by;
	f->v[f->n].session = xstrdup(j->session);
	f->v[f->n++].board = xstrdup(j->ran_on);
	return true;
}

/* Runs of nobody's queue: a `rig run` and its job that died together. */
static void find_orphan(void *ctx, const char *dir)
{
	struct daemon *d = ctx;
	const char *session = strrchr(dir, '/') + 1;
	char *board = NULL;
	struct run *r;
	int lock_fd;

	for (size_t i = 0; i < d->n_runs; i++)
		if (!strcmp(d->runs[i]->session, session))
			return;
	if (recover_look(dir, &lock_fd) != RECOVER_DEAD)
		return;
	board = recover_board(dir);
	r = run_new(d, 0, JOB_RUNNING, session, board ? board : "");
	r->lock_fd = lock_fd;
	if (r->place && r->place->run)
		r->place = NULL;
	if (r->place)
		r->place->run = r;
	log_info("%s: its job was dead", session);
	bury(r);
	free(board);
}

void runs_recover(struct daemon *d)
{
	struct store_job_filter open = { .open = true };
	struct found found = { NULL, 0 };
	struct err err = ERR_INIT;

	daemon_note(&err, store_job_list(d->memory, &open, find_open, &found, &err));
	for (size_t i = 0; i < found.n; i++) {
		struct run *r = run_new(d, found.v[i].id, found.v[i].state, found.v[i].session,
					found.v[i].board);

		r->cancelled = found.v[i].cancelled;
		if (r->place)
			r->place->run = r;
		free(found.v[i].session);
		free(found.v[i].board);
	}
	free(found.v);
	for (size_t i = d->n_runs; i-- > 0;)
		look_at(d->runs[i]);
	daemon_note(&err, recover_each(find_orphan, d, &err));
}

/* Those that could not be taken over yet. */
void runs_tick(struct daemon *d)
{
	for (size_t i = d->n_runs; i-- > 0;) {
		struct run *r = d->runs[i];

		if (r->over) {
			leave(r);
			continue;
		}
		if (r->supervise || r->give_up.at_ms == UINT64_MAX)
			continue;
		if (deadline_passed(r->give_up)) {
			log_warn("job %" PRId64 ": its rig-job cannot be taken over", r->job);
			r->give_up = deadline_in(ADOPT_MS);
		}
		look_at(r);
	}
}

/* ---- cancelling ---- */

static struct run *find(struct daemon *d, int64_t job)
{
	for (size_t i = 0; i < d->n_runs; i++)
		if (d->runs[i]->job == job)
			return d->runs[i];
	return NULL;
}

int runs_cancel_queued(struct daemon *d, const struct store_actor *by, int64_t job,
		       const char *reason, struct err *err)
{
	const struct strike arrow = { "job", "queued", "cancelled", "", "" };
	struct store_job_change change = { .reason = reason, .ended_ms = by->at_ms };
	int rc;

	strike("before", &arrow);
	rc = store_job_move(d->memory, by, job, "queued", "cancelled", &change, err);
	strike("after", &arrow);
	if (!rc)
		server_tell_end(d, job);
	return rc;
}

int runs_cancel(struct daemon *d, const struct store_actor *by, int64_t job, struct err *err)
{
	struct run *r = find(d, job);

	if (store_job_cancel(d->memory, by, job, err) < 0)
		return -1;
	if (r) {
		r->cancelled = true;
		if (r->supervise && r->state != JOB_ENDING)
			supervise_cancel(r->supervise);
		return 0;
	}
	return runs_cancel_queued(d, by, job, "cancelled", err);
}

void runs_close(struct daemon *d)
{
	for (size_t i = 0; i < d->n_runs; i++)
		run_free(d->runs[i]);
	free(d->runs);
	d->runs = NULL;
	d->n_runs = 0;
}
