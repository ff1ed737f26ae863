// SPDX-License-Identifier: GPL-2.0-or-later
/* What the lab measures by itself; see schedule.h. Layer: rigd. */
#include "rigd/schedule.h"
#include "rigd/daemon.h"
#include "rigd/jobproc.h"
#include "rigd/loop.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "base/spawn.h"
#include "board/lab-schedule.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Kernels for every board, and a calibration's sessions: longer than that is a program that hangs.
 */
#define RUN_MS (12u * 3600 * 1000)

/* How far back the audit trail of one schedule is read. */
#define AUDIT_ROWS 50

struct row {
	struct schedule *schedule;
	char *name;
	struct cron cron;
	time_t last, next;
	bool gone; /* from the lab file */
	pid_t pid; /* of `rig nightly`; 0 = it does not run */
	int pidfd;
	struct loop_source *exit;
	struct loop_timer *limit;
};

struct schedule {
	struct daemon *daemon;
	struct row **rows;
	size_t n;
};

static time_t now_s(void)
{
	return (time_t)(now_ms() / 1000);
}

static void note(struct row *r, const char *verb, const char *detail)
{
	struct store_actor self = daemon_self();
	char *object = xasprintf("schedule %s", r->name);
	struct err err = ERR_INIT;

	daemon_note(&err, store_audit_add(r->schedule->daemon->memory, &self, verb, object, detail,
					  &err));
	free(object);
}

/* ---- what runs ---- */

static char *log_of(const struct row *r)
{
	return path_in_home("schedule/%s.log", r->name);
}

static void stop_watching(struct row *r)
{
	loop_unwatch(r->exit);
	loop_untimer(r->limit);
	if (r->pidfd >= 0)
		close(r->pidfd);
	r->exit = NULL;
	r->limit = NULL;
	r->pidfd = -1;
	r->pid = 0;
}

static void on_exit_(void *ctx, short revents)
{
	struct row *r = ctx;
	char how[64], words[300], *detail, *log = log_of(r);
	int status = 0;

	(void)revents;
	if (waitpid(r->pid, &status, 0) != r->pid)
		status = 0;
	spawn_status_text(status, how, sizeof(how));
	jobproc_last_words(log, words, sizeof(words));
	detail = status ? xasprintf("%s: %s", how, words) : xstrdup("all is queued");
	if (status)
		log_warn("schedule %s: %s; see %s", r->name, detail, log);
	note(r, status ? "schedule-failed" : "schedule-done", detail);
	free(detail);
	free(log);
	stop_watching(r);
}

static void on_limit(void *ctx)
{
	struct row *r = ctx;

	kill(-r->pid, SIGKILL);
}

static pid_t start(const struct row *r)
{
	char *rig = path_program("rig");
	char *dir = path_in_home("schedule");
	char *log = log_of(r);
	const char *lab = r->schedule->daemon->lab_path;
	const char *argv[] = { rig, "nightly", r->name, lab ? "--lab" : NULL, lab, NULL };
	struct spawn sp = SPAWN_INIT;
	pid_t pid;
	int fd;

	path_mkdirs(dir);
	fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	sp.argv = argv;
	sp.out = sp.err = fd;
	/* what it has to queue can wait for the next daemon */
	sp.outlive_parent = true;
	pid = spawn_start(&sp);
	if (fd >= 0)
		close(fd);
	free(log);
	free(dir);
	free(rig);
	return pid;
}

static void run(struct row *r)
{
	struct loop *loop = r->schedule->daemon->loop;
	pid_t pid = start(r);

	if (pid < 0) {
		note(r, "schedule-failed", strerror((int)-pid));
		return;
	}
	r->pid = pid;
	r->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	r->exit = loop_watch(loop, r->pidfd, POLLIN, on_exit_, r);
	r->limit = loop_timer(loop, on_limit, r);
	loop_arm(r->limit, deadline_in(RUN_MS));
}

/* ---- when ---- */

static void look(struct row *r)
{
	time_t now = now_s();
	char detail[64];
	int n;

	if (r->gone || r->pid || (r->next != (time_t)-1 && now < r->next))
		return;
	n = cron_due(&r->cron, r->last, now, &r->next);
	if (!n)
		return;
	r->last = now;
	snprintf(detail, sizeof(detail), n > 1 ? "due %d times, run once" : "due", n);
	log_info("schedule %s: %s", r->name, detail);
	/* noted before it is done: a daemon that dies now does not do it twice */
	note(r, "schedule", detail);
	run(r);
}

void schedule_tick(struct schedule *s)
{
	for (size_t i = 0; i < s->n && !s->daemon->stopping; i++)
		look(s->rows[i]);
}

static bool find_last(void *ctx, const struct store_audit *a)
{
	if (!strcmp(a->verb, "schedule"))
		*(time_t *)ctx = (time_t)(a->at_ms / 1000);
	return true;
}

/* When it was last due; from now on, of one that nobody has heard of. */
static void remember(struct row *r)
{
	char *object = xasprintf("schedule %s", r->name);
	struct store_audit_filter f = { .object = object, .limit = AUDIT_ROWS };
	struct err err = ERR_INIT;

	r->last = 0;
	daemon_note(&err,
		    store_audit_list(r->schedule->daemon->memory, &f, find_last, &r->last, &err));
	if (!r->last) {
		r->last = now_s();
		note(r, "schedule", "begins");
	}
	free(object);
}

/* ---- the rows ---- */

static struct row *find(struct schedule *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->rows[i]->name, name))
			return s->rows[i];
	return NULL;
}

static struct row *add(struct schedule *s, const char *name)
{
	struct row *r = xcalloc(1, sizeof(*r));

	r->schedule = s;
	r->name = xstrdup(name);
	r->pidfd = -1;
	s->rows = xrealloc(s->rows, (s->n + 1) * sizeof(struct row *));
	s->rows[s->n++] = r;
	remember(r);
	return r;
}

void schedule_follow_lab(struct schedule *s)
{
	const struct lab_schedule *l;

	for (size_t i = 0; i < s->n; i++)
		s->rows[i]->gone = true;
	for (size_t i = 0; (l = lab_schedule(s->daemon->lab, i)); i++) {
		struct row *r = find(s, l->name);

		if (!r)
			r = add(s, l->name);
		r->gone = false;
		r->cron = l->cron;
		r->next = cron_next(&r->cron, r->last);
	}
}

struct schedule *schedule_new(struct daemon *d)
{
	struct schedule *s = xcalloc(1, sizeof(*s));

	s->daemon = d;
	schedule_follow_lab(s);
	return s;
}

void schedule_free(struct schedule *s)
{
	for (size_t i = 0; s && i < s->n; i++) {
		stop_watching(s->rows[i]);
		free(s->rows[i]->name);
		free(s->rows[i]);
	}
	if (s)
		free(s->rows);
	free(s);
}
