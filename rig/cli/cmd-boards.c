// SPDX-License-Identifier: GPL-2.0-or-later
/* rig boards: the boards of the lab file. Layer: cli. */
#include "cli/cli.h"
#include "board/board.h"
#include "board/lab-types.h"
#include "board/lab.h"

#include <stdio.h>

static const char *lab_path;

static const struct opt opts[] = {
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &lab_path, 0,
	  0 },
	{ .type = OPT_END },
};

static void print_board(const struct lab_board *b)
{
	const struct board_row *row = board_find(b->type);
	char more[200] = "";

	if (row->describe)
		row->describe(b, more, sizeof(more));
	printf("%-20s %-12s %-28s %-20s %s\n", b->name, b->type, b->model, b->serial, more);
}

static int run(int n, char **operands, struct err *err)
{
	struct lab *lab = lab_open(lab_path, err);
	const struct lab_board *b;

	(void)n;
	(void)operands;
	if (!lab)
		return -1;
	printf("%-20s %-12s %-28s %-20s %s\n", "BOARD", "TYPE", "MODEL", "SERIAL", "NOTES");
	for (size_t i = 0; (b = lab_board(lab, i)); i++)
		print_board(b);
	printf("(%s)\n", lab_source(lab));
	lab_free(lab);
	return 0;
}

const struct command cmd_boards = {
	.name = "boards",
	.args = "",
	.summary = "list the boards of this lab",
	.opts = opts,
	.run = run,
};
