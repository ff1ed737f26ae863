// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig calibrate: a kernel against itself, to learn a board's own noise; or the list of what has
 * been learnt and what of it still holds. Layer: cli.
 */
#include "cli/cli.h"
#include "cli/launch.h"
#include "base/buf.h"
#include "base/day.h"
#include "board/lab-types.h"
#include "board/lab.h"
#include "results/calibrate.h"
#include "results/store-calibrate.h"
#include "results/store.h"
#include "suite/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_DEFAULT  "20"
#define SERIES_DEFAULT "original" /* by convention what every series has */

static struct launch l;
static bool stored;
static bool dry_run;
static const char *withdraw;
static const char *format;

static const struct opt opts[] = {
	{ OPT_STRING, 'b', "board", "BOARD", "the board to calibrate", &l.board, 0, 0 },
	{ OPT_STRING, 's', "suite", "SUITE", "the suite to calibrate it for", &l.suite, 0, 0 },
	{ OPT_FLAG, 'q', "quick", NULL, "the suite's profile `quick`", &l.quick, 0, 0 },
	{ OPT_STRING, 'p', "profile", "NAME", "another profile of the suite", &l.profile, 0, 0 },
	{ OPT_STRING, 0, "pairs", "N",
	  "pairs of the session to be run (default: " PAIRS_DEFAULT ")", &l.pairs, 0, 0 },
	{ OPT_STRING, 0, "series", "S:V",
	  "the kernel to run against itself (default: the suite's series:" SERIES_DEFAULT ")",
	  &l.baseline, 0, 0 },
	{ OPT_FLAG, 0, "stored", NULL, "run nothing, compute from the stored A/A sessions", &stored,
	  0, 0 },
	{ OPT_FLAG, 'n', "dry-run", NULL, "store nothing; without --stored, print the plan only",
	  &dry_run, 0, 0 },
	{ OPT_STRING, 0, "withdraw", "REASON",
	  "what is calibrated (of BOARD, or all) holds no more: a new cable, say", &withdraw, 0,
	  0 },
	{ OPT_STRING, 'f', "format", "FORMAT", "text or json (default: text)", &format, 0, 0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &l.lab, 0, 0 },
	{ .type = OPT_END },
};

static bool as_json(void)
{
	return format && !strcmp(format, "json");
}

/* ---- what holds? ---- */

/* The calibrations seen so far in a list, newest first: the older ones of one kind are not used. */
struct listing {
	const struct lab *lab; /* NULL = cannot be read */
	struct buf seen;       /* board, suite and profile, one a line */
	int n;
};

static bool superseded(struct listing *x, const struct calibration *c)
{
	char *line = xasprintf("\n%s %s %s\n", c->serial, c->suite, c->profile);
	bool before = strstr(buf_str(&x->seen), line) != NULL;

	if (!before)
		buf_adds(&x->seen, line);
	free(line);
	return before;
}

static const struct lab_board *find_board(const struct lab *lab, const struct calibration *c)
{
	const struct lab_board *b;

	for (size_t i = 0; lab && (b = lab_board(lab, i)); i++)
		if (!strcmp(b->serial, c->serial))
			return b;
	return NULL;
}

/* As the lab file and the suite are now. */
static void compare_now(const struct lab_board *b, const struct calibration *c, struct buf *why)
{
	char *setup = lab_board_setup(b);
	struct suite *suite = suite_load(c->suite, NULL);
	struct plan plan = PLAN_INIT;
	const char *hash = c->suite_hash;

	if (suite && suite_expand(suite, c->profile, &plan, NULL) == 0)
		hash = plan.suite.hash;
	calibration_holds_setup(c, setup, hash, why);
	plan_release(&plan);
	suite_free(suite);
	free(setup);
}

static void say_state(struct listing *x, const struct calibration *c, struct buf *out)
{
	const struct lab_board *b = find_board(x->lab, c);
	bool older = superseded(x, c);
	struct buf why = BUF_INIT;

	if (*c->withdrawn)
		buf_addf(&why, "withdrawn: %s", c->withdrawn);
	else if (x->lab && !b)
		buf_addf(&why, "the lab has no board of serial %s", c->serial);
	else if (b)
		compare_now(b, c, &why);
	if (why.size)
		buf_addf(out, "holds no more: %s", buf_str(&why));
	else
		buf_adds(out, older ? "superseded" : "holds");
	buf_release(&why);
}

static bool list_row(void *ctx, const struct calibration *c)
{
	struct listing *x = ctx;
	struct buf state = BUF_INIT;
	char *json;
	char date[DAY_TIME_SIZE];

	say_state(x, c, &state);
	if (as_json()) {
		json = calibrate_json(c, buf_str(&state));
		printf("%s%s", x->n ? ",\n" : "", json);
		free(json);
	} else {
		day_minute(c->made_ms, date);
		printf("%-16s  %-12s %-12s %-8s %2d %5d  %s\n", date, c->board, c->suite,
		       c->profile, c->sessions, c->n_series ? c->series[0].pairs : 0,
		       buf_str(&state));
	}
	x->n++;
	buf_release(&state);
	return true;
}

static int list(struct store *store, struct err *err)
{
	const struct store_calibration_filter f = { .board = l.board };
	struct lab *lab = lab_open(l.lab, err);
	struct listing x = { .lab = lab, .seen = BUF_INIT };
	int rc;

	if (!lab)
		return -1;
	if (as_json())
		printf("[");
	else
		printf("%-16s  %-12s %-12s %-8s %2s %5s  %s\n", "MADE (UTC)", "BOARD", "SUITE",
		       "PROFILE", "N", "PAIRS", "STATE");
	rc = store_list_calibrations(store, &f, list_row, &x, err);
	if (as_json())
		printf("]\n");
	buf_release(&x.seen);
	lab_free(lab);
	return rc;
}

/* ---- calibrating ---- */

static void print(const struct calibration *c, const struct buf *notes)
{
	struct buf text = BUF_INIT;
	char *json;

	if (as_json()) {
		json = calibrate_json(c, "holds");
		printf("%s\n", json);
		free(json);
	} else {
		calibrate_text(c, &text);
		printf("%s%s", buf_str(&text), buf_str(notes));
	}
	buf_release(&text);
}

static int compute(struct store *store, const struct suite *suite, struct err *err)
{
	const struct calibrate_key key = { l.board, suite_name(suite), launch_profile(&l, suite) };
	struct buf notes = BUF_INIT;
	struct calibration *c = calibrate_stored(store, &key, cli_now_ms(), &notes, err);
	int rc = c ? 0 : -1;

	if (c && !dry_run)
		rc = store_put_calibration(store, c, err);
	if (c && !rc)
		print(c, &notes);
	buf_release(&notes);
	calibration_free(c);
	return rc;
}

/* The kernel against itself. 0: there is one more session; else the exit code, or -1. */
static int run_session(const struct suite *suite, struct err *err)
{
	struct launch run = l;
	int rc;

	if (!run.baseline)
		run.baseline = SERIES_DEFAULT;
	if (!suite_series(suite) && !strchr(run.baseline, ':'))
		return err_set(err, BLAME_USER, "usage",
			       "the suite %s names no series: give --series SERIES:VARIANT",
			       suite_name(suite));
	run.candidates.values[0] = run.baseline;
	run.candidates.count = 1;
	run.pairs = run.pairs ? run.pairs : PAIRS_DEFAULT;
	run.brief = true;
	run.dry_run = dry_run;
	rc = launch(&run, err);
	/* a false alarm, or nothing excluded, is what it is there to find out */
	return rc == EXIT_FAIL || rc == EXIT_INCONCLUSIVE ? 0 : rc;
}

static int calibrate(struct store *store, struct err *err)
{
	struct suite *suite = suite_load(l.suite, err);
	int rc = -1;

	if (!suite)
		return -1;
	rc = stored ? 0 : run_session(suite, err);
	if (!rc && (stored || !dry_run))
		rc = compute(store, suite, err);
	suite_free(suite);
	return rc;
}

static int do_withdraw(struct store *store, struct err *err)
{
	int n = store_withdraw_calibrations(store, l.board, withdraw, err);

	if (n < 0)
		return -1;
	printf("%d calibration%s withdrawn: %s\n", n, n == 1 ? "" : "s", withdraw);
	return 0;
}

static int check_options(struct err *err)
{
	if (format && strcmp(format, "json") != 0 && strcmp(format, "text") != 0)
		return err_set(err, BLAME_USER, "usage",
			       "--format: '%s' is neither 'text' nor 'json'", format);
	if (l.suite && !l.board)
		return err_set(err, BLAME_USER, "usage",
			       "--board is missing; `rig boards` lists them");
	if (!l.suite && (stored || l.baseline || l.pairs || l.quick || l.profile))
		return err_set(err, BLAME_USER, "usage",
			       "--suite is missing; `rig suite list` lists them");
	if (withdraw && l.suite)
		return err_set(err, BLAME_USER, "usage",
			       "--withdraw goes with --board, or with nothing");
	if (withdraw && !*withdraw)
		return err_set(err, BLAME_USER, "usage", "--withdraw needs a reason");
	return 0;
}

static int run(int n, char **operands, struct err *err)
{
	struct store *store;
	int rc;

	(void)n;
	(void)operands;
	if (check_options(err) < 0 || !(store = store_open_home(l.suite || withdraw, err)))
		return -1;
	if (withdraw)
		rc = do_withdraw(store, err);
	else
		rc = l.suite ? calibrate(store, err) : list(store, err);
	store_close(store);
	return rc;
}

const struct command cmd_calibrate = {
	.name = "calibrate",
	.args = "[--board BOARD --suite SUITE]",
	.summary = "learn a board's own noise; list what is known of it",
	.opts = opts,
	.run = run,
};
