// SPDX-License-Identifier: GPL-2.0-or-later
/* rig sessions: what is stored, newest first. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/report-format.h"
#include "results/report.h"
#include "results/store.h"

#include <stdio.h>

static const char *suite;
static const char *board;
static const char *format = "text";
static long limit = 20;

static const struct opt opts[] = {
	{ OPT_STRING, 's', "suite", "SUITE", "only this suite", &suite, 0, 0 },
	{ OPT_STRING, 'b', "board", "BOARD", "only this board", &board, 0, 0 },
	{ OPT_INT, 'n', "limit", "N", "at most so many (0 = all; default 20)", &limit, 0, 1000000 },
	{ OPT_STRING, 'f', "format", "FORMAT", "text, json or csv", &format, 0, 0 },
	{ .type = OPT_END },
};

struct list {
	const struct report_ops *ops;
	bool begun;
};

static void flush(struct buf *out)
{
	fwrite(buf_str(out), 1, out->size, stdout);
	buf_release(out);
}

static bool print_row(void *ctx, const struct store_row *row)
{
	struct list *list = ctx;
	struct buf out = BUF_INIT;

	list->ops->list_row(row, !list->begun, &out);
	list->begun = true;
	flush(&out);
	return true;
}

static void print_part(void (*part)(struct buf *out))
{
	struct buf out = BUF_INIT;

	if (part)
		part(&out);
	flush(&out);
}

static int run(int n, char **operands, struct err *err)
{
	struct store_filter filter = { .suite = suite, .board = board, .limit = (int)limit };
	struct list list = { .ops = report_find(format, err) };
	struct store *store;
	int rc;

	(void)n;
	(void)operands;
	if (!list.ops)
		return -1;
	if (!list.ops->list_row)
		return err_set(err, BLAME_USER, "usage", "the format '%s' has no list of sessions",
			       format);
	store = store_open_home(false, err);
	if (!store)
		return -1;
	print_part(list.ops->list_begin);
	rc = store_list(store, &filter, print_row, &list, err);
	print_part(list.ops->list_end);
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
