// SPDX-License-Identifier: GPL-2.0-or-later
/* rig boards: the boards of the lab file, and what the daemon says of them. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "board/board.h"
#include "board/lab-types.h"
#include "board/lab.h"
#include "results/store-queue.h"
#include "results/store.h"
#include "rigd/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const char *lab, *drain, *quarantine, *resume, *reason;
} o;

static const struct opt opts[] = {
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &o.lab, 0, 0 },
	{ OPT_STRING, 0, "drain", "BOARD", "start no more jobs on it; needs --reason", &o.drain, 0,
	  0 },
	{ OPT_STRING, 0, "quarantine", "BOARD", "the same, because it is not to be trusted",
	  &o.quarantine, 0, 0 },
	{ OPT_STRING, 0, "resume", "BOARD", "the board is fine again", &o.resume, 0, 0 },
	{ OPT_STRING, 'r', "reason", "TEXT", "why; others will want to know", &o.reason, 0, 0 },
	{ .type = OPT_END },
};

/* The state of a board as the daemon has left it in the store; "-" = it has none of it. */
struct looked_for {
	const char *name;
	char text[256];
};

static bool find_state(void *ctx, const struct store_board *b)
{
	struct looked_for *f = ctx;

	if (strcmp(b->name, f->name) != 0)
		return true;
	snprintf(f->text, sizeof(f->text), "%s%s%s%.180s%s", b->state, *b->reason ? " (" : "",
		 *b->hold && strcmp(b->hold, b->state) != 0 ? "to be held: " : "", b->reason,
		 *b->reason ? ")" : "");
	return false;
}

static void print_board(const struct lab_board *b, struct store *store)
{
	const struct board_row *row = board_find(b->type);
	struct looked_for state = { .name = b->name, .text = "-" };
	struct err err = ERR_INIT;
	char more[200] = "";

	if (row->describe)
		row->describe(b, more, sizeof(more));
	if (store)
		store_board_list(store, find_state, &state, &err);
	printf("%-20s %-12s %-28s %-20s %-12s %s\n", b->name, b->type, b->model, b->serial,
	       state.text, more);
}

static int list(struct err *err)
{
	struct lab *lab = lab_open(o.lab, err);
	struct store *store = NULL;
	struct err none = ERR_INIT;
	const struct lab_board *b;

	if (!lab)
		return -1;
	/* without a store there has been no daemon yet */
	store = store_open_home(false, &none);
	printf("%-20s %-12s %-28s %-20s %-12s %s\n", "BOARD", "TYPE", "MODEL", "SERIAL", "STATE",
	       "NOTES");
	for (size_t i = 0; (b = lab_board(lab, i)); i++)
		print_board(b, store);
	printf("(%s)\n", lab_source(lab));
	store_close(store);
	lab_free(lab);
	return 0;
}

static int hold(const char *board, const char *as, struct err *err)
{
	if (*as && !o.reason)
		return err_set(err, BLAME_USER, "usage", "--reason is missing");
	return control_ask(json_pack("{s:s, s:s, s:s, s:s}", "op", "hold", "board", board, "hold",
				     as, "reason", o.reason ? o.reason : ""),
			   NULL, err);
}

static int run(int n, char **operands, struct err *err)
{
	(void)n;
	(void)operands;
	if (!!o.drain + !!o.quarantine + !!o.resume > 1)
		return err_set(err, BLAME_USER, "usage",
			       "--drain, --quarantine and --resume exclude each other");
	if (o.drain)
		return hold(o.drain, "drained", err);
	if (o.quarantine)
		return hold(o.quarantine, "quarantined", err);
	if (o.resume)
		return hold(o.resume, "", err);
	return list(err);
}

const struct command cmd_boards = {
	.name = "boards",
	.args = "",
	.summary = "the boards of this lab and their states; take one out of service",
	.opts = opts,
	.run = run,
};
