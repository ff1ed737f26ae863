// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig run: from a suite and kernel names to a verdict. Loads and checks everything first, builds
 * the kernels (or takes them from the cache), writes the plan, supervises the job, prints the
 * report. Layer: cli.
 */
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cli/progress.h"
#include "cli/suppress.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/log.h"
#include "base/path.h"
#include "base/runfiles.h"
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

static const char *board;
static const char *baseline;
static struct opt_list candidates;
static const char *pairs;
static bool quick;
static const char *profile;
static const char *base_spec;
static const char *lab_path;
static bool dry_run;

static const struct opt opts[] = {
	{ OPT_STRING, 'b', "board", "BOARD", "the board to run on (`rig boards`)", &board, 0, 0 },
	{ OPT_STRING, 0, "baseline", "KERNEL",
	  "VARIANT of the suite's series, SERIES:VARIANT, or ./DIR|MBOX of patches", &baseline, 0,
	  0 },
	{ OPT_LIST, 'c', "candidate", "KERNEL", "the same; may be repeated", &candidates, 0, 0 },
	{ OPT_STRING, 0, "pairs", "N|auto", "exactly N pairs, or until decided (default: auto)",
	  &pairs, 0, 0 },
	{ OPT_FLAG, 'q', "quick", NULL, "the suite's profile `quick`", &quick, 0, 0 },
	{ OPT_STRING, 'p', "profile", "NAME", "another profile of the suite", &profile, 0, 0 },
	{ OPT_STRING, 0, "base", "BASE", "what the patches go on top of (see `rig kernel`)",
	  &base_spec, 0, 0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &lab_path, 0,
	  0 },
	{ OPT_FLAG, 'n', "dry-run", NULL, "print the plan, build and run nothing", &dry_run, 0, 0 },
	{ .type = OPT_END },
};

static int set_pairs(struct plan *plan, struct err *err)
{
	char *end;
	long n;

	if (!pairs || !strcmp(pairs, "auto"))
		return 0;
	n = strtol(pairs, &end, 10);
	if (*end || end == pairs || n < 1 || n > PAIRS_MAX)
		return err_set(err, BLAME_USER, "usage",
			       "--pairs: '%s' is neither 'auto' nor a number from 1 to %d", pairs,
			       PAIRS_MAX);
	plan->pairs.fixed = n;
	return 0;
}

static int expand(const struct suite *suite, struct plan *plan, struct err *err)
{
	if (quick && profile)
		return err_set(err, BLAME_USER, "usage",
			       "--quick and --profile exclude each other");
	if (suite_expand(suite, quick ? "quick" : profile, plan, err) < 0)
		return -1;
	if (set_pairs(plan, err) < 0)
		return -1;
	plan_set_board(plan, board);
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

static char *path_label(const char *path)
{
	char *copy = xstrdup(path);
	size_t n = strlen(copy);
	char *slash;
	char *label;

	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	slash = strrchr(copy, '/');
	label = xstrdup(slash ? slash + 1 : copy);
	free(copy);
	return label;
}

static int add_path(struct plan *plan, const char *path, const char *type, struct err *err)
{
	struct kernel_request request = { .board = type, .patches = path, .base = base_spec };
	struct plan_kernel k = { 0 };
	struct kernel_entry entry;
	int rc;

	k.variant = path_label(path);
	request.patches_name = k.variant;
	rc = kernel_build(&request, &entry, err);
	if (!rc) {
		k.series = k.variant;
		k.id = entry.id;
		k.entry = entry.dir;
		k.cmdline = entry.cmdline;
		plan_add_kernel(plan, &k);
		kernel_entry_release(&entry);
	}
	free(k.variant);
	return rc;
}

static int add_variant(struct plan *plan, char *name, const char *type, struct err *err)
{
	struct kernel_request request = { .board = type, .name = name, .base = base_spec };
	struct plan_kernel k = { 0 };
	struct kernel_entry entry;
	char *colon;

	if (kernel_build(&request, &entry, err) < 0)
		return -1;
	colon = strchr(name, ':');
	*colon = '\0';
	k.series = name;
	k.variant = colon + 1;
	k.id = entry.id;
	k.entry = entry.dir;
	k.cmdline = entry.cmdline;
	plan_add_kernel(plan, &k);
	kernel_entry_release(&entry);
	return 0;
}

static int add_kernel(struct plan *plan, const struct suite *suite, const char *kernel,
		      const char *type, struct err *err)
{
	char *name;
	int rc;

	if (is_path(kernel))
		return add_path(plan, kernel, type, err);
	name = full_name(suite, kernel, err);
	if (!name)
		return -1;
	rc = add_variant(plan, name, type, err);
	free(name);
	return rc ? err_prefix(err, "kernel %s", kernel) : 0;
}

static int add_kernels(struct plan *plan, const struct suite *suite, const char *type,
		       struct err *err)
{
	if (add_kernel(plan, suite, baseline, type, err) < 0)
		return -1;
	for (size_t i = 0; i < candidates.count; i++)
		if (add_kernel(plan, suite, candidates.values[i], type, err) < 0)
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

static int print_outcome(struct store *store, const char *session, const char *dir, struct err *err)
{
	struct gate_set *set = store_get_verdicts(store, session, err);
	struct buf text = BUF_INIT;
	int rc = -1;

	if (set && report_session(store, session, NULL, NULL, &text, err) == 0) {
		printf("\n%s\nrun directory: %s\n", buf_str(&text), dir);
		rc = gate_exit_code(set);
	}
	buf_release(&text);
	gate_set_free(set);
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

static int run_plan(const struct plan *plan, const struct suite *suite, struct store *store,
		    struct err *err)
{
	struct progress progress = { .plan = plan };
	struct supervise_result result;
	struct supervise s = { .store = store, .event = progress_event, .ctx = &progress };
	char *session = new_session(plan->suite.name);
	char *dir = cli_run_dir(session);
	char *plan_path = NULL;
	int rc = write_plan(plan, dir, &plan_path, err);

	s.plan_path = plan_path;
	s.run_dir = dir;
	s.session = session;
	s.lab_path = lab_path;
	if (!rc) {
		announce(plan, suite, session);
		rc = supervise_session(&s, &result, err);
	}
	if (!rc) {
		rc = print_outcome(store, session, dir, err);
		if (result.cancelled)
			rc = EXIT_INVALID;
	} else {
		remove_unbegun(dir, plan_path);
	}
	free(plan_path);
	free(dir);
	free(session);
	return rc;
}

static int check_options(struct err *err)
{
	if (!board)
		return err_set(err, BLAME_USER, "usage",
			       "--board is missing; `rig boards` lists them");
	if (!baseline)
		return err_set(err, BLAME_USER, "usage", "--baseline is missing");
	return 0;
}

static int run_suite(const struct suite *suite, const struct lab *lab,
		     const struct lab_board *where, struct err *err)
{
	struct plan plan = PLAN_INIT;
	struct store *store = NULL;
	int rc = expand(suite, &plan, err);

	if (!rc)
		rc = suppress_plan(lab, &plan, err);
	if (!rc && dry_run) {
		rc = print_plan(&plan);
		goto out;
	}
	if (!rc && !(store = store_open_home(true, err)))
		rc = -1;
	if (!rc)
		rc = add_kernels(&plan, suite, where->type, err);
	if (!rc)
		rc = plan_check(&plan, err);
	if (!rc)
		rc = run_plan(&plan, suite, store, err);
out:
	store_close(store);
	plan_release(&plan);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	const struct lab_board *where;
	struct suite *suite = NULL;
	struct lab *lab = NULL;
	int rc = -1;

	(void)n;
	if (check_options(err) < 0)
		return -1;
	lab = lab_open(lab_path, err);
	where = lab ? lab_find(lab, board, err) : NULL;
	if (where)
		suite = suite_load(operands[0], err);
	if (suite)
		rc = run_suite(suite, lab, where, err);
	suite_free(suite);
	lab_free(lab);
	return rc;
}

const struct command cmd_run = {
	.name = "run",
	.args = "SUITE --board BOARD --baseline KERNEL [--candidate KERNEL...]",
	.summary = "run a suite on a board, compare kernels, judge; exits with the verdict",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
