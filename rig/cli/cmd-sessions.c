// SPDX-License-Identifier: GPL-2.0-or-later
/* rig sessions: what is stored, newest first. Layer: cli. */
#include "cli/cli.h"
#include "results/store.h"

#include <stdio.h>

static const char *suite;
static const char *board;
static long limit = 20;

static const struct opt opts[] = {
	{ OPT_STRING, 's', "suite", "SUITE", "only this suite", &suite, 0, 0 },
	{ OPT_STRING, 'b', "board", "BOARD", "only this board", &board, 0, 0 },
	{ OPT_INT, 'n', "limit", "N", "at most so many (0 = all; default 20)", &limit, 0, 1000000 },
	{ .type = OPT_END },
};

static bool print_row(void *ctx, const struct store_row *row)
{
	(void)ctx;
	printf("%-40s %-10s %-6s %-12s %-12s %3d  %s\n", row->session, row->board, row->profile,
	       row->result[0] ? row->result : row->state, row->verdict, row->visits, row->kernels);
	return true;
}

static int run(int n, char **operands, struct err *err)
{
	struct store_filter filter = { .suite = suite, .board = board, .limit = (int)limit };
	struct store *store = store_open_home(false, err);
	int rc;

	(void)n;
	(void)operands;
	if (!store)
		return -1;
	printf("%-40s %-10s %-6s %-12s %-12s %3s  %s\n", "SESSION", "BOARD", "PROF", "RESULT",
	       "VERDICT", "N", "KERNELS");
	rc = store_list(store, &filter, print_row, NULL, err);
	store_close(store);
	return rc;
}

const struct command cmd_sessions = {
	.name = "sessions",
	.args = "",
	.summary = "list the stored sessions, newest first",
	.opts = opts,
	.run = run,
};
