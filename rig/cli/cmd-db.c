// SPDX-License-Identifier: GPL-2.0-or-later
/* rig db check|backup|prune|stats: looking after the database. Layer: cli. */
#include "cli/cli.h"
#include "base/day.h"
#include "results/store-admin.h"
#include "results/store.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DAY_MS INT64_C(86400000)

static const char *suite;
static const char *board;
static long keep_days = -1;
static bool dry_run;
static bool compact;

static const struct opt opts[] = {
	{ OPT_INT, 'k', "keep-raw", "DAYS",
	  "prune: raw samples of sessions older than that are dropped", &keep_days, 1, 100000 },
	{ OPT_STRING, 's', "suite", "SUITE", "prune: only this suite", &suite, 0, 0 },
	{ OPT_STRING, 'b', "board", "BOARD", "prune: only this board", &board, 0, 0 },
	{ OPT_FLAG, 'n', "dry-run", NULL, "prune: only say what would be dropped", &dry_run, 0, 0 },
	{ OPT_FLAG, 0, "compact", NULL, "prune: give the room back to the file system", &compact, 0,
	  0 },
	{ .type = OPT_END },
};

static void day(int64_t ms, char text[DAY_SIZE])
{
	day_of(ms / 1000, text);
	if (!*text)
		snprintf(text, DAY_SIZE, "?");
}

/* ---- check ---- */

static void print_problem(void *ctx, const char *text)
{
	(void)ctx;
	printf("%s\n", text);
}

static int check(struct store *store, const char *operand, struct err *err)
{
	int found = store_verify(store, print_problem, NULL, err);

	(void)operand;
	if (found < 0)
		return -1;
	if (!found)
		printf("ok\n");
	return found ? EXIT_INVALID : 0;
}

/* ---- backup ---- */

static int backup(struct store *store, const char *path, struct err *err)
{
	return store_backup(store, path, err);
}

/* ---- prune ---- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int prune(struct store *store, const char *operand, struct err *err)
{
	struct store_prune what = {
		.suite = suite, .board = board, .now_ms = now_ms(), .dry_run = dry_run
	};
	struct store_pruned done;
	char until[DAY_SIZE];

	(void)operand;
	if (keep_days < 0)
		return err_set(err, BLAME_USER, "usage", "db prune: --keep-raw DAYS is missing");
	what.before_ms = what.now_ms - keep_days * DAY_MS;
	if (store_prune(store, &what, &done, err) < 0)
		return -1;
	day(what.before_ms, until);
	printf("%s%" PRId64 " samples of %" PRId64 " sessions before %s dropped\n",
	       dry_run ? "would be: " : "", done.samples, done.sessions, until);
	return compact && !dry_run ? store_compact(store, err) : 0;
}

/* ---- stats ---- */

static void print_table(void *ctx, const char *table, int64_t rows, int64_t bytes)
{
	(void)ctx;
	printf("  %-20s %12" PRId64 " rows %9.1f MB\n", table, rows, (double)bytes / 1e6);
}

static int stats(struct store *store, const char *operand, struct err *err)
{
	struct store_stats s;
	char oldest[DAY_SIZE];
	char newest[DAY_SIZE];

	(void)operand;
	if (store_stats(store, &s, err) < 0)
		return -1;
	day(s.oldest_ms, oldest);
	day(s.newest_ms, newest);
	printf("%" PRId64 " sessions", s.sessions);
	if (s.sessions)
		printf(" from %s to %s, %" PRId64 " of them without raw samples", oldest, newest,
		       s.pruned);
	printf("\n%.1f MB, of them %.1f MB unused; schema version %d\n", (double)s.bytes / 1e6,
	       (double)s.free_bytes / 1e6, s.version);
	return store_tables(store, print_table, NULL, err);
}

/* ---- the verbs ---- */

static const struct {
	const char *name;
	bool writable, operand;
	int (*run)(struct store *store, const char *operand, struct err *err);
} verbs[] = {
	{ "check", false, false, check },
	{ "backup", false, true, backup },
	{ "prune", true, false, prune },
	{ "stats", false, false, stats },
};

static int run_verb(size_t i, const char *operand, struct err *err)
{
	struct store *store;
	int rc;

	if (!operand != !verbs[i].operand)
		return err_set(err, BLAME_USER, "usage", "db %s: %s", verbs[i].name,
			       operand ? "takes no file" : "to which file?");
	store = store_open_home(verbs[i].writable, err);
	if (!store)
		return -1;
	rc = verbs[i].run(store, operand, err);
	store_close(store);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i].name, operands[0]))
			return run_verb(i, n > 1 ? operands[1] : NULL, err);
	return err_set(err, BLAME_USER, "usage",
		       "db: unknown verb '%s' (known: check, backup, prune, stats)", operands[0]);
}

const struct command cmd_db = {
	.name = "db",
	.args = "check|backup|prune|stats [FILE]",
	.summary = "check, copy, thin out or measure the database",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 2,
	.run = run,
};
