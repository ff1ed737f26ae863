// SPDX-License-Identifier: GPL-2.0-or-later
/* Supervision of one job; see supervise.h. Layer: rigd. */
#include "rigd/supervise.h"
#include "rigd/endrun.h"
#include "rigd/follow.h"
#include "rigd/jobproc.h"
#include "rigd/loop.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "base/signals.h"
#include "base/spawn.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/store.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* `rig-job --safe` keeps the board's own limit; this one is for a program that hangs. */
#define SAFE_TIMEOUT_MS 300000

#define MINUTE_MS 60000

/* Questions are short; what is longer is not from our job. */
#define ASK_MAX_BYTES 4096

struct supervise {
	struct loop *loop;
	struct supervise_spec spec; /* its strings are ours */
	struct jobproc job;	    /* pid 0: none, or gone */
	struct loop_source *control, *exit;
	struct loop_timer *grace, *stall, *later;
	struct follow journal;
	struct buf asks;
	bool new_visit;	    /* a visit has ended since the last import */
	bool session_ended; /* session-end seen */
	bool import_failed;
	struct err import_err; /* the first failure */
	int status;	       /* of the job, as of waitpid(2); -1 = not known */
	struct supervise_result result;
};

/* ---- what the journal says ---- */

/* Nothing can be decided without a working store; but a daemon may make room in a full one. */
static bool failed(struct supervise *s, int rc, const struct err *err)
{
	bool again = rc < 0 && !strcmp(err->code, "disk-full") && s->spec.disk_full &&
		     s->spec.disk_full(s->spec.ctx);

	if (rc < 0 && !again) {
		s->import_failed = true;
		s->import_err = *err;
	}
	return again;
}

static void import(struct supervise *s)
{
	struct err err = ERR_INIT;
	int rc = 0;

	do {
		if (!s->import_failed)
			rc = import_run(s->spec.store, s->spec.run_dir, NULL, &err);
	} while (failed(s, rc, &err));
}

/* NULL: it could not be judged. */
static struct gate_set *judge(struct supervise *s)
{
	struct gate_set *set = NULL;
	struct err err = ERR_INIT;

	do {
		if (!s->import_failed)
			set = gate_run(s->spec.store, s->spec.session, &err);
	} while (!s->import_failed && failed(s, set ? 0 : -1, &err));
	return set;
}

static void handle_event(void *ctx, const json_t *event)
{
	struct supervise *s = ctx;
	const char *ev = json_string_value(json_object_get(event, "ev"));

	if (!ev)
		return;
	if (!strcmp(ev, "visit-end"))
		s->new_visit = true;
	else if (!strcmp(ev, "session-end"))
		s->session_ended = true;
	if (s->spec.event)
		s->spec.event(s->spec.ctx, event);
}

static void take_events(struct supervise *s)
{
	follow_read(&s->journal, handle_event, s);
	if (s->new_visit)
		import(s);
	s->new_visit = false;
	if (s->spec.stall_ms)
		loop_arm(s->stall, deadline_in(s->spec.stall_ms));
}

/* ---- the end ---- */

static bool run_dir_begun(const struct supervise *s)
{
	char *path = path_join(s->spec.run_dir, RUNDIR_SESSION);
	bool begun = path_exists(path);

	free(path);
	return begun;
}

static void no_begin(struct supervise *s)
{
	bool user = s->status >= 0 && WIFEXITED(s->status) && WEXITSTATUS(s->status) == EXIT_USAGE;
	char how[64] = "how it ended is not known";
	char words[400];

	if (s->status >= 0)
		spawn_status_text(s->status, how, sizeof(how));
	err_set(&s->result.err, user ? BLAME_USER : BLAME_RIG, "job-start",
		"rig-job could not begin (%s)%s%s", how, s->spec.log_path ? ": " : "; see above",
		s->spec.log_path ? jobproc_last_words(s->spec.log_path, words, sizeof(words)) : "");
}

/* All is over but the storing; s may be gone afterwards. */
static void store_and_end(void *ctx)
{
	struct supervise *s = ctx;
	struct supervise_result *r = &s->result;

	r->begun = run_dir_begun(s);
	if (!r->begun) {
		no_begin(s);
	} else {
		import(s);
		gate_set_free(judge(s));
		r->imported = !s->import_failed;
	}
	if (r->begun && s->import_failed) {
		r->err = s->import_err;
		err_prefix(&r->err, "the run is kept in %s; `rig import` stores it later",
			   s->spec.run_dir);
	}
	s->spec.ended(s->spec.ctx, r);
}

static void end_journal(struct supervise *s)
{
	char how[64] = "an unknown status";
	char *message;

	if (s->session_ended || !run_dir_begun(s))
		return;
	s->result.job_lost = true;
	if (s->status >= 0)
		spawn_status_text(s->status, how, sizeof(how));
	message = s->status >= 0
			  ? xasprintf("rig-job ended with %s before the session did", how)
			  : xstrdup("the job and its supervisor died before the session ended");
	endrun_journal(s->spec.run_dir, message);
	free(message);
	take_events(s);
}

static void made_safe(void *ctx, int code)
{
	struct supervise *s = ctx;

	s->result.safe = code == 0;
	if (code)
		err_set(&s->result.err, BLAME_RIG, "make-safe",
			"making the board safe: exit code %d; check its power by hand", code);
	end_journal(s);
	store_and_end(s);
}

/* The job that is gone may have been killed at any point: what it left on is switched off. */
static void make_safe(struct supervise *s)
{
	const struct jobproc_safe safe = {
		.board = s->spec.board,
		.plan_path = s->spec.plan_path,
		.lab_path = s->spec.lab_path,
		.log_path = s->spec.log_path,
		.timeout_ms = SAFE_TIMEOUT_MS,
		.done = made_safe,
		.ctx = s,
	};

	jobproc_make_safe(s->loop, &safe);
}

static void job_gone(struct supervise *s)
{
	bool clean = s->status >= 0 && WIFEXITED(s->status) && WEXITSTATUS(s->status) == 0;

	take_events(s);
	loop_arm(s->stall, deadline_never());
	loop_arm(s->grace, deadline_never());
	if (s->spec.gone)
		s->spec.gone(s->spec.ctx);
	if (clean && s->session_ended) {
		s->result.safe = true;
		store_and_end(s);
	} else {
		make_safe(s);
	}
}

/* ---- the process ---- */

static void close_control(struct supervise *s)
{
	loop_unwatch(s->control);
	s->control = NULL;
	if (s->job.fd >= 0)
		close(s->job.fd);
	s->job.fd = -1;
}

static void on_exit_of_job(void *ctx, short revents)
{
	struct supervise *s = ctx;

	(void)revents;
	loop_unwatch(s->exit);
	s->exit = NULL;
	s->status = jobproc_reap(&s->job);
	close_control(s);
	job_gone(s);
}

static void answer(struct supervise *s)
{
	struct gate_set *set = judge(s);
	const char *text = set && set->more ? "more\n" : "enough\n";

	gate_set_free(set);
	/* a job that is gone is noticed by its pidfd */
	while (s->job.fd >= 0 && send(s->job.fd, text, strlen(text), MSG_NOSIGNAL) < 0 &&
	       errno == EINTR)
		;
}

/* Does what came hold a question? The job waits for the answer, so there is one at most. */
static bool take_asks(struct supervise *s)
{
	bool asked = false;
	char *end;

	while (s->asks.size && (end = memchr(s->asks.data, '\n', s->asks.size))) {
		*end = '\0';
		asked = asked || strstr(s->asks.data, "\"ev\":\"ask\"");
		buf_consume(&s->asks, (size_t)(end - s->asks.data) + 1);
	}
	if (s->asks.size > ASK_MAX_BYTES)
		buf_reset(&s->asks);
	return asked;
}

static void on_control(void *ctx, short revents)
{
	struct supervise *s = ctx;
	char chunk[16384];
	ssize_t n = recv(s->job.fd, chunk, sizeof(chunk), MSG_DONTWAIT);

	(void)revents;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		/* it closes its channel by ending */
		close_control(s);
		loop_arm(s->grace, deadline_in(s->spec.grace_ms));
		return;
	}
	buf_append(&s->asks, chunk, (size_t)n);
	take_events(s);
	if (take_asks(s))
		answer(s);
}

static void on_grace_over(void *ctx)
{
	struct supervise *s = ctx;

	jobproc_kill(&s->job);
}

/* Every wait of a job has a deadline, so this is one that was stopped, or a fault of ours. */
static void on_stall(void *ctx)
{
	struct supervise *s = ctx;

	take_events(s);
	jobproc_kill(&s->job);
}

void supervise_cancel(struct supervise *s)
{
	s->result.cancelled = true;
	if (!s->job.pid)
		return;
	jobproc_terminate(&s->job);
	loop_arm(s->grace, deadline_in(s->spec.grace_ms));
}

/* ---- making and freeing ---- */

static const char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void drop(const char *text)
{
	free((void *)(uintptr_t)text);
}

static struct supervise *new (struct loop *loop, const struct supervise_spec *spec)
{
	struct supervise *s = xcalloc(1, sizeof(*s));
	char *events = path_join(spec->run_dir, RUNDIR_EVENTS);

	s->loop = loop;
	s->spec = *spec;
	s->spec.plan_path = copy(spec->plan_path);
	s->spec.run_dir = copy(spec->run_dir);
	s->spec.session = copy(spec->session);
	s->spec.board = copy(spec->board);
	s->spec.lab_path = copy(spec->lab_path);
	s->spec.log_path = copy(spec->log_path);
	if (!s->spec.grace_ms)
		s->spec.grace_ms = SUPERVISE_GRACE_MS;
	s->job = (struct jobproc)JOBPROC_INIT;
	s->status = -1;
	s->grace = loop_timer(loop, on_grace_over, s);
	s->stall = loop_timer(loop, on_stall, s);
	s->later = loop_timer(loop, store_and_end, s);
	follow_init(&s->journal, events);
	free(events);
	return s;
}

void supervise_free(struct supervise *s)
{
	if (!s)
		return;
	close_control(s);
	loop_unwatch(s->exit);
	loop_untimer(s->grace);
	loop_untimer(s->stall);
	loop_untimer(s->later);
	jobproc_release(&s->job);
	follow_release(&s->journal);
	buf_release(&s->asks);
	drop(s->spec.plan_path);
	drop(s->spec.run_dir);
	drop(s->spec.session);
	drop(s->spec.board);
	drop(s->spec.lab_path);
	drop(s->spec.log_path);
	free(s);
}

static void watch(struct supervise *s)
{
	s->control = loop_watch(s->loop, s->job.fd, POLLIN, on_control, s);
	s->exit = loop_watch(s->loop, s->job.pidfd, POLLIN, on_exit_of_job, s);
	take_events(s);
}

struct supervise *supervise_start(struct loop *loop, const struct supervise_spec *spec,
				  struct err *err)
{
	const struct jobproc_start start = {
		.plan_path = spec->plan_path,
		.run_dir = spec->run_dir,
		.lab_path = spec->lab_path,
		.log_path = spec->log_path,
		.listen = spec->outlive,
		.memory_mb = spec->memory_mb,
		.nice = spec->nice,
	};
	struct supervise *s = new (loop, spec);

	if (jobproc_start(&s->job, &start, err) < 0) {
		supervise_free(s);
		return NULL;
	}
	watch(s);
	return s;
}

struct supervise *supervise_adopt(struct loop *loop, const struct supervise_spec *spec,
				  struct err *err)
{
	struct supervise *s = new (loop, spec);

	if (jobproc_adopt(&s->job, spec->run_dir, err) < 0) {
		supervise_free(s);
		return NULL;
	}
	watch(s);
	return s;
}

struct supervise *supervise_bury(struct loop *loop, const struct supervise_spec *spec)
{
	struct supervise *s = new (loop, spec);

	take_events(s);
	loop_arm(s->stall, deadline_never());
	make_safe(s);
	return s;
}

/* ---- one session ---- */

struct alone {
	struct loop *loop;
	struct supervise *s;
	struct supervise_result *result;
	const struct supervise_spec *spec;
	struct loop_timer *timer;
	void (*minute)(void *ctx);
	void *minute_ctx;
};

static void alone_minute(void *ctx)
{
	struct alone *a = ctx;

	a->minute(a->minute_ctx);
	loop_arm(a->timer, deadline_in(MINUTE_MS));
}

static void alone_event(void *ctx, const json_t *event)
{
	struct alone *a = ctx;

	if (a->spec->event)
		a->spec->event(a->spec->ctx, event);
}

static void alone_ended(void *ctx, const struct supervise_result *result)
{
	struct alone *a = ctx;

	*a->result = *result;
	loop_stop(a->loop);
}

static void alone_signal(void *ctx, int sig)
{
	struct alone *a = ctx;

	(void)sig;
	if (a->s)
		supervise_cancel(a->s);
}

int supervise_session(const struct supervise_spec *spec, void (*minute)(void *ctx),
		      void *minute_ctx, struct supervise_result *result, struct err *err)
{
	struct alone a = { .loop = loop_new(),
			   .result = result,
			   .spec = spec,
			   .minute = minute,
			   .minute_ctx = minute_ctx };
	struct supervise_spec own = *spec;
	sigset_t set;
	int rc = -1;

	memset(result, 0, sizeof(*result));
	own.event = alone_event;
	own.ended = alone_ended;
	own.gone = NULL;
	own.disk_full = NULL;
	own.ctx = &a;
	a.timer = loop_timer(a.loop, alone_minute, &a);
	if (minute)
		loop_arm(a.timer, deadline_in(MINUTE_MS));
	stop_signals(&set);
	rc = loop_signals(a.loop, &set, alone_signal, &a);
	if (rc)
		rc = err_sys(err, BLAME_RIG, "supervise", rc, "signals");
	else if (!(a.s = supervise_start(a.loop, &own, err)))
		rc = -1;
	/* one that came before they were blocked */
	if (!rc && stop_requested())
		supervise_cancel(a.s);
	if (!rc)
		rc = loop_run(a.loop) ? err_set(err, BLAME_RIG, "supervise", "event loop") : 0;
	supervise_free(a.s);
	loop_free(a.loop);
	if (!rc && result->err.blame != BLAME_NONE) {
		*err = result->err;
		rc = -1;
	}
	return rc;
}
