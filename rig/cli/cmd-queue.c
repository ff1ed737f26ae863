// SPDX-License-Identifier: GPL-2.0-or-later
/* rig queue: the jobs of the daemon, from the store: it may be asked without one. Layer: cli. */
#include "cli/cli.h"
#include "base/day.h"
#include "results/store-queue.h"
#include "results/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	bool all;
	long limit;
	const char *user;
} o = { .limit = 50 };

static const struct opt opts[] = {
	{ OPT_FLAG, 'a', "all", NULL, "those that are over, too, the newest first", &o.all, 0, 0 },
	{ OPT_STRING, 'u', "user", "NAME", "only those of this requester", &o.user, 0, 0 },
	{ OPT_INT, 'n', "limit", "N", "at most so many lines (default: 50)", &o.limit, 1, 100000 },
	{ .type = OPT_END },
};

static const char *where(const struct store_job *j)
{
	return *j->ran_on ? j->ran_on : *j->board ? j->board : j->type;
}

static const char *outcome(const struct store_job *j)
{
	if (!strcmp(j->state, "done"))
		return j->verdict;
	if (*j->cancelled_by && strcmp(j->state, "cancelled") != 0)
		return "(being cancelled)";
	return j->reason;
}

static bool print(void *ctx, const struct store_job *j)
{
	size_t *n = ctx;
	char when[DAY_TIME_SIZE];

	if (!(*n)++)
		printf("%-6s %-10s %4s %-16s %-10s %-16s %-36s %s\n", "JOB", "STATE", "PRIO",
		       "BOARD", "USER", "SUBMITTED", "WHAT", "OUTCOME");
	day_minute(j->submitted_ms, when);
	printf("%-6" PRId64 " %-10s %4" PRId64 " %-16s %-10s %-16s %-36s %s\n", j->id, j->state,
	       j->priority, where(j), j->requester, when, j->title, outcome(j));
	return true;
}

static bool print_one(void *ctx, const struct store_job *j)
{
	char when[DAY_TIME_SIZE];

	(void)ctx;
	printf("job        %" PRId64 ", %s\n", j->id, j->state);
	printf("what       %s\n", j->title);
	printf("board      %s\n", where(j));
	day_minute(j->submitted_ms, when);
	printf("submitted  %s by %s, priority %" PRId64 "\n", when, j->requester, j->priority);
	if (j->deadline_ms) {
		day_minute(j->deadline_ms, when);
		printf("deadline   %s\n", when);
	}
	if (*j->session)
		printf("session    %s\n", j->session);
	if (j->started_ms) {
		day_minute(j->started_ms, when);
		printf("started    %s\n", when);
	}
	if (j->ended_ms) {
		day_minute(j->ended_ms, when);
		printf("ended      %s\n", when);
	}
	if (*j->verdict)
		printf("verdict    %s\n", j->verdict);
	if (*j->cancelled_by)
		printf("cancelled  by %s\n", j->cancelled_by);
	if (*j->reason)
		printf("reason     %s\n", j->reason);
	return true;
}

static int list(struct store *store, struct err *err)
{
	struct store_job_filter f = {
		.open = !o.all, .newest_first = o.all, .requester = o.user, .limit = (int)o.limit
	};
	size_t count = 0;
	int rc = store_job_list(store, &f, print, &count, err);

	if (!rc && !count)
		puts(o.all ? "no jobs" : "no open jobs; --all shows those that are over");
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	struct store *store = store_open_home(false, err);
	int64_t id = n ? strtoll(operands[0], NULL, 10) : 0;
	int rc = -1;

	if (store)
		rc = n ? store_job_get(store, id, print_one, NULL, err) : list(store, err);
	store_close(store);
	return rc;
}

const struct command cmd_queue = {
	.name = "queue",
	.args = "[JOB]",
	.summary = "the jobs that run and wait, or one of them in full",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
