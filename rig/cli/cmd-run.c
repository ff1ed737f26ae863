// SPDX-License-Identifier: GPL-2.0-or-later
/* rig run: a suite on a board, to a verdict; launch.h does it. Layer: cli. */
#include "cli/cli.h"
#include "cli/launch.h"

static struct launch l;

static const struct opt opts[] = {
	LAUNCH_OPTS(l),
	{ .type = OPT_END },
};

static int run(int n, char **operands, struct err *err)
{
	(void)n;
	l.suite = operands[0];
	return launch(&l, err);
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
