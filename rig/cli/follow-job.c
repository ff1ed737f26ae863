// SPDX-License-Identifier: GPL-2.0-or-later
/* A queued job, followed to its end; see follow-job.h. Layer: cli. */
#include "cli/follow-job.h"
#include "cli/launch.h"
#include "cli/progress.h"
#include "base/log.h"
#include "base/signals.h"
#include "results/store.h"
#include "rigd/control.h"

#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* So long a daemon that went away is waited for. */
#define AWAY_MS	 120000
#define KNOCK_MS 500

struct following {
	int64_t job;
	bool shared;
	struct progress progress;
	struct control *control;
	bool cancelled; /* we have asked for it */
	json_t *row;	/* of the job, when it is over */
};

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* ---- what comes ---- */

static void show_state(const struct following *f, const json_t *o)
{
	const char *state = text(o, "state");

	if (!strcmp(state, "starting"))
		log_info("job %" PRId64 ": session %s on %s", f->job, text(o, "session"),
			 text(o, "board"));
	else if (!strcmp(state, "queued"))
		log_info("job %" PRId64 ": queued", f->job);
}

static void take(struct following *f, json_t *o)
{
	json_t *row = json_object_get(o, "job");

	if (json_object_get(o, "event"))
		progress_event(&f->progress, json_object_get(o, "event"));
	else if (json_is_object(row))
		f->row = json_incref(row);
	else
		show_state(f, o);
}

/* ---- the daemon ---- */

static int watch(struct following *f, struct err *err)
{
	json_t *answer = NULL;
	int rc = control_open(&f->control, err);

	if (!rc)
		rc = control_call(f->control,
				  json_pack("{s:s, s:I}", "op", "watch", "job", (json_int_t)f->job),
				  &answer, err);
	if (!rc) {
		take(f, answer);
		if (!f->row)
			show_state(f, json_object_get(answer, "now"));
	}
	json_decref(answer);
	return rc;
}

static void unwatch(struct following *f)
{
	control_close(f->control);
	f->control = NULL;
}

static bool is_away(const struct err *err)
{
	return !strcmp(err->code, "daemon-lost") || !strcmp(err->code, "no-daemon");
}

/* 0; -1 when it did not come back, or does not want us. */
static int watch_again(struct following *f, struct err *err)
{
	struct deadline d = deadline_in(AWAY_MS);

	log_info("rigd is away; job %" PRId64 " is not lost, waiting for it", f->job);
	do {
		unwatch(f);
		poll(NULL, 0, KNOCK_MS);
		if (watch(f, err) == 0)
			return 0;
	} while (is_away(err) && !deadline_passed(d) && !stop_requested());
	return -1;
}

/* On a connection of its own: the other one is in the middle of a watch. */
static void cancel(struct following *f)
{
	struct err err = ERR_INIT;

	stop_clear();
	f->cancelled = true;
	log_info("cancelling job %" PRId64, f->job);
	if (control_ask(json_pack("{s:s, s:I}", "op", "cancel", "job", (json_int_t)f->job), NULL,
			&err))
		log_err(&err);
}

static int wait_for_end(struct following *f, struct err *err)
{
	int rc = watch(f, err);

	while (!rc && !f->row) {
		json_t *o = NULL;

		rc = control_next(f->control, &o, deadline_never(), err);
		if (!rc)
			take(f, o);
		json_decref(o);
		/* a second Ctrl-C leaves at once: the daemon knows what to do */
		if (rc && !strcmp(err->code, "cancelled") && !f->cancelled && !f->shared) {
			cancel(f);
			rc = 0;
		} else if (rc && is_away(err)) {
			rc = watch_again(f, err);
		}
	}
	return rc;
}

/* ---- the outcome ---- */

static int outcome(const struct following *f, const struct launch *l, struct err *err)
{
	const char *reason = text(f->row, "reason");
	struct store *store = NULL;
	int rc = EXIT_INVALID;

	if (*text(f->row, "session") && *text(f->row, "verdict"))
		store = store_open_home(false, err);
	if (store)
		rc = launch_outcome(store, text(f->row, "session"), err);
	if (rc >= 0 && store && l)
		rc = launch_reports(l, store, text(f->row, "session"), rc, err);
	store_close(store);
	/* one that could not begin has no rows */
	if (rc < 0 && !strcmp(err->code, "no-session"))
		rc = EXIT_INVALID;
	log_info("job %" PRId64 ": %s%s%s%s%s", f->job, text(f->row, "state"),
		 *text(f->row, "verdict") ? ", " : "", text(f->row, "verdict"), *reason ? ": " : "",
		 reason);
	return strcmp(text(f->row, "state"), "cancelled") != 0 ? rc : EXIT_INVALID;
}

int follow_job(const struct follow_job *job, struct err *err)
{
	struct following f = { .job = job->id,
			       .shared = job->shared,
			       .progress = { .plan = job->plan } };
	int rc = wait_for_end(&f, err);

	if (!rc) {
		rc = outcome(&f, job->l, err);
	} else if (!strcmp(err->code, "cancelled")) {
		log_info("job %" PRId64 " goes on; `rig queue %" PRId64 "`", f.job, f.job);
		rc = EXIT_INVALID;
	}
	unwatch(&f);
	json_decref(f.row);
	return rc;
}
