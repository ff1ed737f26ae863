// SPDX-License-Identifier: GPL-2.0-or-later
/* Start, stop and reload of the daemon; see daemon.h. Layer: rigd. */
#include "rigd/daemon.h"
#include "rigd/jobproc.h"
#include "rigd/loop.h"
#include "rigd/notify.h"
#include "rigd/schedule.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "board/lab-types.h"
#include "board/lab.h"
#include "results/store.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 1000

/* The first time after a while: a daemon that starts has better things to do. */
#define TIDY_FIRST_MS (15u * 60 * 1000)
#define TIDY_MS	      (24u * 3600 * 1000)

/* ---- small things for all parts ---- */

int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

struct store_actor daemon_self(void)
{
	return (struct store_actor){ "rigd", -1, now_ms() };
}

int daemon_note(const struct err *err, int rc)
{
	if (rc < 0)
		log_warn("%s", err->message);
	return rc;
}

void daemon_look_soon(struct daemon *d)
{
	loop_arm(d->soon, deadline_in(0));
}

/* ---- the loop ---- */

static void on_soon(void *ctx)
{
	struct daemon *d = ctx;

	dispatch(d);
}

static void on_tick(void *ctx)
{
	struct daemon *d = ctx;

	loop_arm(d->tick, deadline_in(TICK_MS));
	rack_tick(d);
	runs_tick(d);
	health_tick(d);
	schedule_tick(d->schedule);
	daemon_look_soon(d);
	if (notify_watchdog_ms())
		notify_send("WATCHDOG=1");
}

/* A process of its own: it may take minutes. */
static void on_tidy(void *ctx)
{
	struct daemon *d = ctx;

	loop_arm(d->tidy, deadline_in(TIDY_MS));
	jobproc_tidy(d->loop, d->lab_path);
}

/* A lab file that is wrong changes nothing. */
static void reload(struct daemon *d)
{
	struct store_actor self = daemon_self();
	struct err err = ERR_INIT;
	struct lab *lab;

	notify_send("RELOADING=1");
	lab = lab_open(d->lab_path, &err);
	if (lab) {
		lab_free(d->lab);
		d->lab = lab;
		rack_follow_lab(d);
		schedule_follow_lab(d->schedule);
		log_info("%s read again", lab_source(lab));
	} else {
		log_warn("the lab file stays as it was: %s", err.message);
	}
	daemon_note(&err, store_audit_add(d->memory, &self, "reload", "daemon",
					  lab ? lab_source(lab) : err.message, &err));
	notify_send("READY=1");
}

static void on_signal(void *ctx, int sig)
{
	struct daemon *d = ctx;

	if (sig == SIGHUP) {
		reload(d);
		return;
	}
	log_info("ending; %zu jobs go on and will be taken over", d->n_runs);
	notify_send("STOPPING=1");
	d->stopping = true;
	loop_stop(d->loop);
}

/* ---- start and stop ---- */

static int lock_home(struct daemon *d, struct err *err)
{
	char *home = path_home();
	char *lock = path_in_home("rigd.lock");
	char *boards = path_in_home("boards");
	int rc = path_mkdirs(boards);

	d->lock_fd = rc ? rc : path_lock(lock);
	if (d->lock_fd == -EWOULDBLOCK)
		err_set(err, BLAME_USER, "running", "another rigd has %s", home);
	else if (d->lock_fd < 0)
		err_sys(err, BLAME_RIG, "home", d->lock_fd, "%s", lock);
	free(boards);
	free(lock);
	free(home);
	return d->lock_fd < 0 ? -1 : 0;
}

static int open_stores(struct daemon *d, struct err *err)
{
	d->results = store_open_home(true, err);
	d->memory = d->results ? store_open_home(true, err) : NULL;
	if (!d->memory)
		return -1;
	return store_make_durable(d->memory, err);
}

static int open_loop(struct daemon *d, struct err *err)
{
	sigset_t set;
	int rc;

	d->loop = loop_new();
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	rc = loop_signals(d->loop, &set, on_signal, d);
	d->tick = loop_timer(d->loop, on_tick, d);
	d->soon = loop_timer(d->loop, on_soon, d);
	d->tidy = loop_timer(d->loop, on_tidy, d);
	return rc ? err_sys(err, BLAME_RIG, "signals", rc, "signals") : 0;
}

static int open_all(struct daemon *d, const struct daemon_options *o, struct err *err)
{
	struct store_actor self = daemon_self();

	if (lock_home(d, err))
		return -1;
	d->lab = lab_open(o->lab_path, err);
	if (!d->lab || open_loop(d, err) || open_stores(d, err))
		return -1;
	space_open(d);
	if (store_audit_add(d->memory, &self, "start", "daemon", lab_source(d->lab), err) ||
	    rack_open(d, err) || server_open(d, o->group, err))
		return -1;
	d->schedule = schedule_new(d);
	return 0;
}

static void close_all(struct daemon *d)
{
	server_close(d);
	schedule_free(d->schedule);
	runs_close(d);
	rack_close(d);
	space_close(d);
	store_close(d->memory);
	store_close(d->results);
	lab_free(d->lab);
	loop_free(d->loop);
	if (d->lock_fd >= 0)
		close(d->lock_fd);
}

static int serve(struct daemon *d, struct err *err)
{
	int rc;

	runs_recover(d);
	for (size_t i = 0; i < d->n_places; i++)
		rack_make_safe(d->places[i]);
	loop_arm(d->tick, deadline_in(0));
	loop_arm(d->tidy, deadline_in(TIDY_FIRST_MS));
	notify_send("READY=1");
	rc = loop_run(d->loop);
	return rc ? err_sys(err, BLAME_RIG, "loop", rc, "poll") : 0;
}

int daemon_run(const struct daemon_options *o, struct err *err)
{
	struct daemon d = { .lab_path = o->lab_path, .lock_fd = -1, .started_ms = mono_ms() };
	int rc = open_all(&d, o, err);

	if (!rc)
		rc = serve(&d, err);
	close_all(&d);
	return rc;
}
