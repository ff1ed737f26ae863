// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig nightly: the schedules of the lab file; one of them run now, as rigd does when its time has
 * come: builds the tip, queues a session for each board and each kernel it is compared with.
 * Layer: cli.
 */
#include "cli/cli.h"
#include "cli/enqueue.h"
#include "cli/follow-job.h"
#include "cli/kernels.h"
#include "cli/launch.h"
#include "base/day.h"
#include "base/log.h"
#include "board/board.h"
#include "board/lab-schedule.h"
#include "board/lab-types.h"
#include "results/calibrate.h"
#include "results/store-calibrate.h"
#include "results/store-health.h"
#include "results/store-queue.h"
#include "results/store.h"
#include "suite/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a calibration session, as `rig calibrate` has it. */
#define CALIBRATE_PAIRS "20"

static struct {
	const char *lab;
	bool again;
} o;

static const struct opt opts[] = {
	{ OPT_FLAG, 0, "again", NULL, "even if the same work is stored already", &o.again, 0, 0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &o.lab, 0, 0 },
	{ .type = OPT_END },
};

/* ---- the list ---- */

static bool find_last(void *ctx, const struct store_audit *a)
{
	if (!strcmp(a->verb, "schedule"))
		*(int64_t *)ctx = a->at_ms;
	return true;
}

static void print_schedule(const struct lab *lab, const struct lab_schedule *s, struct store *store)
{
	char object[64], next[DAY_TIME_SIZE], last[DAY_TIME_SIZE] = "-";
	const struct lab_board *b;
	struct err err = ERR_INIT;
	int64_t last_ms = 0;
	int boards = 0;

	snprintf(object, sizeof(object), "schedule %s", s->name);
	if (store)
		store_audit_list(store,
				 &(struct store_audit_filter){ .object = object, .limit = 20 },
				 find_last, &last_ms, &err);
	day_minute((int64_t)cron_next(&s->cron, (time_t)(cli_now_ms() / 1000)) * 1000, next);
	if (last_ms)
		day_minute(last_ms, last);
	for (size_t i = 0; (b = lab_board(lab, i)); i++)
		boards += lab_schedule_has(s, b);
	printf("%-16s %-16s %-17s %-17s %6d  %s %s%s\n", s->name, s->at.s, next, last, boards,
	       s->suite, s->profile ? s->profile : "", s->calibrate ? " (calibrates)" : "");
}

static int list(const struct lab *lab)
{
	struct err none = ERR_INIT;
	struct store *store = store_open_home(false, &none);
	const struct lab_schedule *s;

	printf("%-16s %-16s %-17s %-17s %6s  %s\n", "SCHEDULE", "AT", "NEXT (UTC)", "LAST (UTC)",
	       "BOARDS", "SUITE");
	for (size_t i = 0; (s = lab_schedule(lab, i)); i++)
		print_schedule(lab, s, store);
	store_close(store);
	return 0;
}

/* ---- one board ---- */

struct night {
	const struct lab_schedule *s;
	const struct lab_board *board;
	const struct suite *suite;
	struct store *store;
	struct kernel_entry tip;
};

static struct enqueue queued;

static int submit(const struct launch *l, const struct plan *plan, struct err *err)
{
	return enqueue(l, plan, &queued, err);
}

static const char *profile(const struct night *n)
{
	return n->s->profile ? n->s->profile : suite_profile(n->suite, 0);
}

static int build_tip(struct night *n, struct err *err)
{
	bool path = strchr(n->s->tip, '/') && !strchr(n->s->tip, ':');
	struct kernel_request r = { .board = board_kernels(n->board->type),
				    .name = path ? NULL : n->s->tip,
				    .patches = path ? n->s->tip : NULL,
				    .patches_name = path ? "tip" : NULL,
				    .base = n->s->base };

	return kernel_build(&r, &n->tip, err);
}

/* baseline, candidate: kernels as on the command line; candidate NULL = measure alone. */
static int queue_session(struct night *n, const char *baseline, const char *candidate,
			 const char *pairs, struct err *err)
{
	struct launch l = { .suite = n->s->suite,
			    .board = n->board->name,
			    .baseline = baseline,
			    .profile = profile(n),
			    .pairs = pairs,
			    .lab = o.lab,
			    .submit = submit };

	if (candidate) {
		l.candidates.values[0] = candidate;
		l.candidates.count = 1;
	}
	queued = (struct enqueue){ .priority = n->s->priority,
				   .deadline_h = n->s->deadline_h,
				   .again = o.again || n->s->calibrate };
	if (launch(&l, err))
		return -1;
	printf("%s %s: job %" PRId64 "%s, %s against %s\n", n->s->name, n->board->name, queued.job,
	       queued.same ? " (the same work, done before)" : "", candidate ? candidate : baseline,
	       candidate ? baseline : "nothing");
	fflush(stdout);
	return 0;
}

/* The id of the last good tip, "" = there is none; NULL with *err. The caller frees. */
static char *last_good(const struct night *n, struct err *err)
{
	char *series = xstrdup(n->tip.name);
	char *colon = strchr(series, ':');
	struct good_key key = { n->board->name, suite_name(n->suite), profile(n), series,
				colon ? colon + 1 : series };
	char *id;

	if (colon)
		*colon = '\0';
	id = store_last_good(n->store, &key, err);
	free(series);
	if (!id && err->blame != BLAME_NONE)
		return NULL;
	return id ? id : xstrdup("");
}

static int against_last_good(struct night *n, const char *tip, struct err *err)
{
	char *good = last_good(n, err);
	char *name = NULL;
	int rc = -1;

	if (!good)
		return -1;
	if (!*good && n->s->against.n > 1) {
		printf("%s %s: no tip was good yet\n", n->s->name, n->board->name);
		rc = 0;
	} else if (!*good) {
		rc = queue_session(n, tip, NULL, NULL, err);
	} else if (!strcmp(good, n->tip.id)) {
		printf("%s %s: the tip is the last good one still\n", n->s->name, n->board->name);
		rc = 0;
	} else {
		name = xasprintf("id:%s", good);
		rc = queue_session(n, name, tip, NULL, err);
	}
	free(name);
	free(good);
	return rc;
}

/* Waits for the session, and learns from all there are. */
static int calibrate(struct night *n, const char *tip, struct err *err)
{
	const struct calibrate_key key = { n->board->name, suite_name(n->suite), profile(n) };
	struct plan none = PLAN_INIT;
	struct buf notes = BUF_INIT;
	struct calibration *c;
	int rc = queue_session(n, tip, tip, CALIBRATE_PAIRS, err);

	if (!rc)
		rc = follow_job(&(struct follow_job){ queued.job, false, &none, NULL }, err);
	if (rc < 0 || rc == EXIT_INVALID)
		return rc < 0 ? -1
			      : err_set(err, BLAME_BOARD, "calibrate",
					"job %" PRId64 " ended without numbers", queued.job);
	c = calibrate_stored(n->store, &key, cli_now_ms(), &notes, err);
	rc = c ? store_put_calibration(n->store, c, err) : -1;
	calibration_free(c);
	buf_release(&notes);
	return rc;
}

static int compare(struct night *n, const char *tip, struct err *err)
{
	static const struct conf_text good = { .s = LAB_LAST_GOOD };
	const struct conf_text *items = n->s->against.n ? n->s->against.items : &good;
	size_t count = n->s->against.n ? n->s->against.n : 1;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = strcmp(items[i].s, LAB_LAST_GOOD)
			     ? queue_session(n, items[i].s, tip, NULL, err)
			     : against_last_good(n, tip, err);
	return rc;
}

static int run_board(struct night *n, struct err *err)
{
	char *tip;
	int rc;

	if (build_tip(n, err))
		return -1;
	tip = xasprintf("id:%s", n->tip.id);
	rc = n->s->calibrate ? calibrate(n, tip, err) : compare(n, tip, err);
	free(tip);
	kernel_entry_release(&n->tip);
	return rc;
}

/* What fails on one board does not keep the others from their night. */
static int run_schedule(const struct lab *lab, const struct lab_schedule *s, struct err *err)
{
	struct night n = { .s = s };
	const struct lab_board *b;
	int failed = 0;

	n.suite = suite_load(s->suite, err);
	n.store = n.suite ? store_open_home(true, err) : NULL;
	for (size_t i = 0; n.store && (b = lab_board(lab, i)); i++) {
		struct err one = ERR_INIT;

		n.board = b;
		if (!lab_schedule_has(s, b) || !run_board(&n, &one))
			continue;
		err_prefix(&one, "schedule %s, board %s", s->name, b->name);
		log_err(&one);
		failed++;
	}
	if (!n.store)
		failed = -1;
	store_close(n.store);
	suite_free((struct suite *)(uintptr_t)n.suite);
	return failed > 0 ? EXIT_INVALID : failed;
}

static int run(int n, char **operands, struct err *err)
{
	const struct lab_schedule *s;
	struct lab *lab = lab_open(o.lab, err);
	int rc = -1;

	if (lab && !n)
		rc = list(lab);
	else if (lab && (s = lab_schedule_find(lab, operands[0], err)))
		rc = run_schedule(lab, s, err);
	lab_free(lab);
	return rc;
}

const struct command cmd_nightly = {
	.name = "nightly",
	.args = "[SCHEDULE]",
	.summary = "the schedules of the lab; run one now",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
