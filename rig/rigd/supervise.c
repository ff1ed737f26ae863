// SPDX-License-Identifier: GPL-2.0-or-later
/* Supervision of one job; see supervise.h. Layer: rigd. */
#include "rigd/supervise.h"
#include "rigd/endrun.h"
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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a job may take from SIGTERM to its end: it switches the board off and closes its journal. */
#define CANCEL_GRACE_MS 15000

/* One event is a line; anything longer is not from our job. */
#define LINE_MAX_BYTES (256u * 1024)

struct job {
	const struct supervise *s;
	pid_t pid;
	int fd; /* our end of the control channel */
	struct buf line;
	bool ended; /* session-end seen */
	bool cancelled;
	bool import_failed;
	struct err import_err; /* the first failure */
};

static void import(struct job *j)
{
	struct err err = ERR_INIT;

	if (j->import_failed)
		return;
	if (import_run(j->s->store, j->s->run_dir, NULL, &err) < 0) {
		j->import_failed = true;
		j->import_err = err;
	}
}

/*
 * Another pair, or enough? The round is imported: its last visit-end came before the question.
 * Without a working store nothing can be decided: stop measuring.
 */
static bool wants_more(struct job *j)
{
	struct gate_set *set;
	bool more;

	if (j->import_failed)
		return false;
	set = gate_run(j->s->store, j->s->session, &j->import_err);
	if (!set) {
		j->import_failed = true;
		return false;
	}
	more = set->more;
	gate_set_free(set);
	return more;
}

static void answer(struct job *j, const char *text)
{
	/* a job that is gone is noticed by the end of its channel */
	while (send(j->fd, text, strlen(text), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static void handle_event(struct job *j, const json_t *event)
{
	const char *ev = json_string_value(json_object_get(event, "ev"));

	if (!ev)
		return;
	if (!strcmp(ev, "ask"))
		answer(j, wants_more(j) ? "more\n" : "enough\n");
	else if (!strcmp(ev, "visit-end"))
		import(j);
	else if (!strcmp(ev, "session-end"))
		j->ended = true;
	if (j->s->event)
		j->s->event(j->s->ctx, event);
}

static void handle_lines(struct job *j)
{
	char *end;

	while (j->line.size && (end = memchr(j->line.data, '\n', j->line.size))) {
		size_t size = (size_t)(end - j->line.data);
		json_t *event = json_loadb(j->line.data, size, 0, NULL);

		if (event)
			handle_event(j, event);
		json_decref(event);
		buf_consume(&j->line, size + 1);
	}
	if (j->line.size > LINE_MAX_BYTES)
		buf_reset(&j->line);
}

/* Until the job closes its channel, which it does by ending. */
static void follow(struct job *j, struct deadline d)
{
	char chunk[4096];

	for (;;) {
		int rc = deadline_poll(j->fd, POLLIN, d);
		ssize_t n;

		if (rc == -EINTR) {
			j->cancelled = true;
			kill(j->pid, SIGTERM);
			stop_clear();
			d = deadline_min(d, deadline_in(CANCEL_GRACE_MS));
			continue;
		}
		if (rc <= 0)
			return;
		n = read(j->fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		buf_append(&j->line, chunk, (size_t)n);
		handle_lines(j);
	}
}

static int start(struct job *j, struct err *err)
{
	char *program = path_program("rig-job");
	struct spawn sp = SPAWN_INIT;
	int fds[2] = { -1, -1 };
	char fd_text[16];
	const char *argv[] = { program,	      "--plan",	   j->s->plan_path, "--dir",
			       j->s->run_dir, "--control", fd_text,	    NULL,
			       NULL,	      NULL };
	int rc = -1;

	if (j->s->lab_path) {
		argv[7] = "--lab";
		argv[8] = j->s->lab_path;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		err_sys(err, BLAME_RIG, "supervise", errno, "control channel");
		goto out;
	}
	snprintf(fd_text, sizeof(fd_text), "%d", fds[1]);
	sp.argv = argv;
	sp.out = STDOUT_FILENO;
	sp.err = STDERR_FILENO;
	sp.pass_fd = fds[1];
	/* when we die it sees its channel close, switches the board off and closes its journal */
	sp.outlive_parent = true;
	j->pid = spawn_start(&sp);
	close(fds[1]);
	if (j->pid < 0) {
		err_sys(err, BLAME_RIG, "supervise", j->pid, "%s cannot be started", program);
		close(fds[0]);
		goto out;
	}
	j->fd = fds[0];
	rc = 0;
out:
	free(program);
	return rc;
}

/* The exit status of the job, killed with its whole group if it does not end by itself. */
static int reap(struct job *j)
{
	struct deadline d = deadline_in(CANCEL_GRACE_MS);
	int status = 0;
	int rc;

	do {
		rc = spawn_wait(j->pid, &status, d);
		if (rc == -EINTR) {
			j->cancelled = true;
			stop_clear();
		}
	} while (rc == -EINTR);
	if (rc)
		spawn_kill(j->pid, 0, &status);
	else
		kill(-j->pid, SIGKILL);
	return status;
}

static void end_lost(const struct job *j, int status)
{
	char how[64];
	char *message = xasprintf("rig-job ended with %s before the session did",
				  spawn_status_text(status, how, sizeof(how)));

	endrun_journal(j->s->run_dir, message);
	free(message);
}

static bool run_dir_begun(const struct job *j)
{
	char *path = path_join(j->s->run_dir, RUNDIR_SESSION);
	bool begun = path_exists(path);

	free(path);
	return begun;
}

static int finish(struct job *j, int status, struct supervise_result *result, struct err *err)
{
	struct gate_set *set;
	int rc = 0;

	result->cancelled = j->cancelled;
	if (!j->ended) {
		result->job_lost = run_dir_begun(j);
		rc = endrun_make_safe(j->s->plan_path, j->s->lab_path, err);
		if (result->job_lost)
			end_lost(j, status);
	}
	if (!run_dir_begun(j)) {
		char how[64];

		return err_set(err,
			       WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE ? BLAME_USER
										      : BLAME_RIG,
			       "job-start", "rig-job could not begin (%s); see the message above",
			       spawn_status_text(status, how, sizeof(how)));
	}
	import(j);
	if (!j->import_failed) {
		set = gate_run(j->s->store, j->s->session, &j->import_err);
		j->import_failed = !set;
		gate_set_free(set);
	}
	result->imported = !j->import_failed;
	if (j->import_failed) {
		*err = j->import_err;
		return err_prefix(err, "the run is kept in %s; `rig import` stores it later",
				  j->s->run_dir);
	}
	return rc;
}

int supervise_session(const struct supervise *s, struct supervise_result *result, struct err *err)
{
	struct job j = { .s = s, .fd = -1, .line = BUF_INIT, .import_err = ERR_INIT };
	int status;
	int rc;

	memset(result, 0, sizeof(*result));
	if (start(&j, err) < 0)
		return -1;
	follow(&j, deadline_never());
	close(j.fd);
	status = reap(&j);
	rc = finish(&j, status, result, err);
	buf_release(&j.line);
	return rc;
}
