// SPDX-License-Identifier: GPL-2.0-or-later
/* rig run: a suite on a board, to a verdict; launch.h does it. Layer: cli. */
#include "cli/cli.h"
#include "cli/launch.h"

static struct launch l;

static const struct opt opts[] = {
	{ OPT_STRING, 'b', "board", "BOARD", "the board to run on (`rig boards`)", &l.board, 0, 0 },
	{ OPT_STRING, 0, "baseline", "KERNEL",
	  "VARIANT of the suite's series, SERIES:VARIANT, ./DIR|MBOX of patches, or id:PREFIX",
	  &l.baseline, 0, 0 },
	{ OPT_LIST, 'c', "candidate", "KERNEL", "the same; may be repeated", &l.candidates, 0, 0 },
	{ OPT_STRING, 0, "pairs", "N|auto", "exactly N pairs, or until decided (default: auto)",
	  &l.pairs, 0, 0 },
	{ OPT_FLAG, 'q', "quick", NULL, "the suite's profile `quick`", &l.quick, 0, 0 },
	{ OPT_STRING, 'p', "profile", "NAME", "another profile of the suite", &l.profile, 0, 0 },
	{ OPT_STRING, 0, "base", "BASE", "what the patches go on top of (see `rig kernel`)",
	  &l.base, 0, 0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &l.lab, 0, 0 },
	{ OPT_LIST, 0, "report", "FILE",
	  "write the report to FILE too, in the format of its ending; may be repeated", &l.reports,
	  0, 0 },
	{ OPT_FLAG, 'n', "dry-run", NULL, "print the plan, build and run nothing", &l.dry_run, 0,
	  0 },
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
