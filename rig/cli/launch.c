// SPDX-License-Identifier: GPL-2.0-or-later
/* From a suite and kernel names to a verdict; see launch.h. Layer: cli. */
#include "cli/launch.h"
#include "cli/borrow.h"
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cli/progress.h"
#include "cli/suppress.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/log.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "board/board.h"
#include "board/lab-types.h"
#include "results/gate.h"
#include "results/report.h"
#include "results/store.h"
#include "rigd/supervise.h"
#include "suite/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define PAIRS_MAX 1000

static int set_pairs(const struct launch *l, struct plan *plan, struct err *err)
{
	char *end;
	long n;

	if (!l->pairs || !strcmp(l->pairs, "auto"))
		return 0;
	n = strtol(l->pairs, &end, 10);
	if (*end || end == l->pairs || n < 1 || n > PAIRS_MAX)
		return err_set(err, BLAME_USER, "usage",
			       "--pairs: '%s' is neither 'auto' nor a number from 1 to %d",
			       l->pairs, PAIRS_MAX);
	plan->pairs.fixed = n;
	return 0;
}

const char *launch_profile(const struct launch *l, const struct suite *suite)
{
	if (l->quick)
		return "quick";
	return l->profile ? l->profile : suite_profile(suite, 0);
}

static int expand(const struct launch *l, const struct suite *suite, struct plan *plan,
		  struct err *err)
{
	if (l->quick && l->profile)
		return err_set(err, BLAME_USER, "usage",
			       "--quick and --profile exclude each other");
	if (suite_expand(suite, launch_profile(l, suite), plan, err) < 0)
		return -1;
	if (set_pairs(l, plan, err) < 0)
		return -1;
	plan_set_board(plan, l->type ? l->type : l->board);
	return 0;
}

/* Patches of the user are told from names by the slash: ./my-series, /some/where/series.mbox. */
static bool is_path(const char *kernel)
{
	return strchr(kernel, '/') != NULL;
}

/* "threaded" -> "ufs-irq:threaded" by the suite's series. The caller frees; NULL with *err. */
static char *full_name(const struct suite *suite, const char *kernel, struct err *err)
{
	if (strchr(kernel, ':'))
		return xstrdup(kernel);
	if (suite_series(suite))
		return xasprintf("%s:%s", suite_series(suite), kernel);
	err_set(err, BLAME_USER, "usage",
		"kernel '%s': the suite %s names no series; write SERIES:VARIANT", kernel,
		suite_name(suite));
	return NULL;
}

/* Where kernels are added to: what all of them share. */
struct adding {
	struct plan *plan;
	const struct suite *suite;
	const char *type; /* of the board */
	const char *base; /* NULL = the series' own */
};

static int add_path(const struct adding *a, const char *path, struct err *err)
{
	struct kernel_request request = { .board = a->type, .patches = path, .base = a->base };
	struct plan_kernel k = { 0 };
	struct kernel_entry entry;
	int rc;

	k.variant = path_last(path);
	request.patches_name = k.variant;
	rc = kernel_build(&request, &entry, err);
	if (!rc) {
		k.series = k.variant;
		k.id = entry.id;
		k.entry = entry.dir;
		k.cmdline = entry.cmdline;
		plan_add_kernel(a->plan, &k);
		kernel_entry_release(&entry);
	}
	free(k.variant);
	return rc;
}

/* A kernel by its id may be one of the user's patches, which have a name of one part. */
static int add_variant(const struct adding *a, const char *name, struct err *err)
{
	struct kernel_request request = { .board = a->type, .name = name, .base = a->base };
	struct plan_kernel k = { 0 };
	struct kernel_entry entry;
	char *colon;

	if (kernel_build(&request, &entry, err) < 0)
		return -1;
	colon = strchr(entry.name, ':');
	if (colon)
		*colon = '\0';
	k.series = entry.name;
	k.variant = colon ? colon + 1 : entry.name;
	k.id = entry.id;
	k.entry = entry.dir;
	k.cmdline = entry.cmdline;
	plan_add_kernel(a->plan, &k);
	kernel_entry_release(&entry);
	return 0;
}

static int add_kernel(const struct adding *a, const char *kernel, struct err *err)
{
	char *name;
	int rc;

	if (is_path(kernel))
		return add_path(a, kernel, err);
	name = full_name(a->suite, kernel, err);
	if (!name)
		return -1;
	rc = add_variant(a, name, err);
	free(name);
	return rc ? err_prefix(err, "kernel %s", kernel) : 0;
}

static int add_kernels(const struct launch *l, const struct adding *a, struct err *err)
{
	if (add_kernel(a, l->baseline, err) < 0)
		return -1;
	for (size_t i = 0; i < l->candidates.count; i++)
		if (add_kernel(a, l->candidates.values[i], err) < 0)
			return -1;
	return 0;
}

/* YYYYMMDD-HHMMSS-<suite>-<6 hex>; the caller frees. */
static char *new_session(const char *suite)
{
	uint32_t salt = 0;
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];

	if (getrandom(&salt, sizeof(salt), 0) < 0)
		salt = (uint32_t)mono_ns();
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	return xasprintf("%s-%s-%06" PRIx32, stamp, suite, salt & 0xffffff);
}

static int write_plan(const struct plan *plan, const char *dir, char **path, struct err *err)
{
	json_t *json = plan_to_json(plan);
	char *text = json_dumps(json, JSON_INDENT(1));
	int rc = path_mkdirs(dir);

	*path = path_join(dir, RUNDIR_PLAN);
	if (!rc)
		rc = path_write(*path, text, strlen(text));
	if (rc)
		err_sys(err, BLAME_RIG, "run-dir", rc, "%s cannot be written", *path);
	free(text);
	json_decref(json);
	return rc ? -1 : 0;
}

static int print_plan(const struct plan *plan)
{
	json_t *json = plan_to_json(plan);

	json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
	return 0;
}

int launch_outcome(struct store *store, const char *session, struct err *err)
{
	char *dir = cli_run_dir(session);
	struct gate_set *set = store_get_verdicts(store, session, err);
	struct buf text = BUF_INIT;
	int rc = -1;

	if (set && report_session(store, session, NULL, NULL, &text, err) == 0) {
		printf("\n%s\nrun directory: %s\n", buf_str(&text), dir);
		rc = gate_exit_code(set);
	}
	buf_release(&text);
	gate_set_free(set);
	free(dir);
	return rc;
}

static int print_brief(struct store *store, const char *session, struct err *err)
{
	struct gate_set *set = store_get_verdicts(store, session, err);
	int rc = set ? gate_exit_code(set) : -1;

	if (set)
		log_info("session %s: %s", session, verdict_name(set->result));
	gate_set_free(set);
	return rc;
}

static int outcome(const struct launch *l, struct store *store, const char *session,
		   struct err *err)
{
	return l->brief ? print_brief(store, session, err) : launch_outcome(store, session, err);
}

/* What could not be written is an error, but takes no verdict's place. */
int launch_reports(const struct launch *l, struct store *store, const char *session, int rc,
		   struct err *err)
{
	for (size_t i = 0; i < l->reports.count; i++) {
		const char *path = l->reports.values[i];

		if (!cli_report(store, session, report_find_by_file(path), NULL, path, err))
			continue;
		if (rc == EXIT_PASS)
			return -1;
		log_err(err);
	}
	return rc;
}

/* A session that never began leaves no empty shell behind. */
static void remove_unbegun(const char *dir, const char *plan_path)
{
	char *begun = path_join(dir, RUNDIR_SESSION);

	if (!path_exists(begun)) {
		remove(plan_path);
		path_remove(dir);
	}
	free(begun);
}

static void announce(const struct plan *plan, const struct suite *suite, const char *session)
{
	long visit_s = suite_estimate_ms(suite, plan->suite.profile) / 1000;

	if (plan->pairs.fixed)
		log_info("session %s: %ld pairs of %zu kernels on %s, about %ld s a visit", session,
			 plan->pairs.fixed, plan->n_kernels, plan->board, visit_s);
	else
		log_info("session %s: %ld to %ld pairs of %zu kernels on %s, about %ld s a visit",
			 session, plan->pairs.min, plan->pairs.max, plan->n_kernels, plan->board,
			 visit_s);
}

static int run_plan(const struct launch *l, const struct plan *plan, const struct suite *suite,
		    struct store *store, struct err *err)
{
	struct progress progress = { .plan = plan };
	struct supervise_result result = { .imported = false };
	struct borrow borrow = { 0 };
	struct supervise_spec s = { .store = store, .event = progress_event, .ctx = &progress };
	char *session = new_session(plan->suite.name);
	char *dir = cli_run_dir(session);
	char *plan_path = NULL;
	int rc = write_plan(plan, dir, &plan_path, err);

	s.plan_path = plan_path;
	s.run_dir = dir;
	s.session = session;
	s.board = plan->board;
	s.lab_path = l->lab;
	if (!rc)
		rc = borrow_board(&borrow, plan->board, session, err);
	if (!rc) {
		announce(plan, suite, session);
		rc = supervise_session(&s, borrow_renew, &borrow, &result, err);
	}
	borrow_return(&borrow);
	if (!rc) {
		rc = outcome(l, store, session, err);
		rc = launch_reports(l, store, session, rc, err);
		if (result.cancelled)
			rc = EXIT_INVALID;
	} else if (result.imported) {
		/* the error, a board that is not safe, takes no verdict's place either */
		outcome(l, store, session, NULL);
	} else {
		remove_unbegun(dir, plan_path);
	}
	free(plan_path);
	free(dir);
	free(session);
	return rc;
}

static int check_options(const struct launch *l, struct err *err)
{
	if (!l->board && !l->type)
		return err_set(err, BLAME_USER, "usage",
			       "--board is missing; `rig boards` lists them");
	if (!l->baseline)
		return err_set(err, BLAME_USER, "usage", "--baseline is missing");
	for (size_t i = 0; i < l->reports.count; i++)
		if (!report_find_by_file(l->reports.values[i]))
			return err_set(err, BLAME_USER, "usage",
				       "--report %s: its ending names no format of rig report",
				       l->reports.values[i]);
	return 0;
}

static int run_suite(const struct launch *l, const struct suite *suite, const struct lab *lab,
		     const struct lab_board *where, struct err *err)
{
	struct plan plan = PLAN_INIT;
	const struct adding adding = { &plan, suite, board_kernels(where->type), l->base };
	struct store *store = NULL;
	int rc = expand(l, suite, &plan, err);

	if (!rc)
		rc = suppress_plan(lab, &plan, err);
	if (!rc && l->dry_run) {
		rc = print_plan(&plan);
		goto out;
	}
	if (!rc && !l->submit && !(store = store_open_home(true, err)))
		rc = -1;
	if (!rc)
		rc = add_kernels(l, &adding, err);
	if (!rc)
		rc = plan_check(&plan, err);
	if (!rc)
		rc = l->submit ? l->submit(l, &plan, err) : run_plan(l, &plan, suite, store, err);
out:
	store_close(store);
	plan_release(&plan);
	return rc;
}

/* The board that is meant, or one that stands for its type. */
static const struct lab_board *find_where(const struct launch *l, const struct lab *lab,
					  struct err *err)
{
	const struct lab_board *b;

	if (!l->type)
		return lab_find(lab, l->board, err);
	for (size_t i = 0; (b = lab_board(lab, i)); i++)
		if (!strcmp(b->type, l->type))
			return b;
	err_set(err, BLAME_USER, "unknown-board", "%s: no board of type '%.60s'; `rig boards`",
		lab_source(lab), l->type);
	return NULL;
}

int launch(const struct launch *l, struct err *err)
{
	const struct lab_board *where;
	struct suite *suite = NULL;
	struct lab *lab = NULL;
	int rc = -1;

	if (check_options(l, err) < 0)
		return -1;
	lab = lab_open(l->lab, err);
	where = lab ? find_where(l, lab, err) : NULL;
	if (where)
		suite = suite_load(l->suite, err);
	if (suite)
		rc = run_suite(l, suite, lab, where, err);
	suite_free(suite);
	lab_free(lab);
	return rc;
}
