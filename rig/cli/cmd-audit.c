// SPDX-License-Identifier: GPL-2.0-or-later
/* rig audit: who changed what. Layer: cli. */
#include "cli/cli.h"
#include "base/day.h"
#include "results/store-queue.h"
#include "results/store.h"

#include <stdio.h>

static struct {
	const char *user;
	long limit;
} o = { .limit = 50 };

static const struct opt opts[] = {
	{ OPT_STRING, 'u', "user", "NAME", "only what this user did ('rigd': the daemon)", &o.user,
	  0, 0 },
	{ OPT_INT, 'n', "limit", "N", "the last so many lines (default: 50)", &o.limit, 1,
	  1000000 },
	{ .type = OPT_END },
};

static bool print(void *ctx, const struct store_audit *a)
{
	size_t *n = ctx;
	char when[DAY_TIME_SIZE];

	(*n)++;
	day_time(a->at_ms, when);
	printf("%s  %-10s %-10s %-22s %s\n", when, a->who, a->verb, a->object, a->detail);
	return true;
}

static int run(int n, char **operands, struct err *err)
{
	struct store *store = store_open_home(false, err);
	struct store_audit_filter f = { .object = n ? operands[0] : NULL,
					.who = o.user,
					.limit = (int)o.limit };
	size_t count = 0;
	int rc = store ? store_audit_list(store, &f, print, &count, err) : -1;

	if (!rc && !count)
		puts("nothing");
	store_close(store);
	return rc;
}

const struct command cmd_audit = {
	.name = "audit",
	.args = "['job N' | 'board NAME' | daemon]",
	.summary = "every change of jobs, boards and leases: when, by whom, why",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
