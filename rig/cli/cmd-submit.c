// SPDX-License-Identifier: GPL-2.0-or-later
/* rig submit: what rig run does, by way of the daemon's queue. Layer: cli. */
#include "cli/cli.h"
#include "cli/enqueue.h"
#include "cli/follow-job.h"
#include "cli/launch.h"
#include "base/log.h"
#include "suite/plan.h"

#include <inttypes.h>
#include <stdio.h>

static struct launch l;
static struct {
	long priority, deadline_h;
	bool wait, again;
} o;

static const struct opt opts[] = {
	LAUNCH_OPTS(l),
	{ OPT_STRING, 't', "type", "TYPE", "instead of --board: any board of this type", &l.type, 0,
	  0 },
	{ OPT_INT, 0, "priority", "N", "higher comes first, -1000 to 1000 (default: 0)",
	  &o.priority, -1000, 1000 },
	{ OPT_INT, 0, "deadline", "HOURS", "cancel it if it has not started by then", &o.deadline_h,
	  1, 10000 },
	{ OPT_FLAG, 'w', "wait", NULL, "show its progress, end with its verdict; Ctrl-C cancels it",
	  &o.wait, 0, 0 },
	{ OPT_FLAG, 0, "again", NULL, "even if the same work is stored already", &o.again, 0, 0 },
	{ .type = OPT_END },
};

static int submit(const struct launch *launch, const struct plan *plan, struct err *err)
{
	struct enqueue e = { .priority = o.priority, .deadline_h = o.deadline_h, .again = o.again };

	if (enqueue(launch, plan, &e, err))
		return -1;
	printf("%" PRId64 "\n", e.job);
	fflush(stdout);
	if (e.same)
		log_info("job %" PRId64 " is the same work; --again runs it once more", e.job);
	if (!o.wait)
		return 0;
	return follow_job(&(struct follow_job){ e.job, e.same, plan, launch }, err);
}

static int run(int n, char **operands, struct err *err)
{
	(void)n;
	if (l.board && l.type)
		return err_set(err, BLAME_USER, "usage", "--board and --type exclude each other");
	if (l.reports.count && !o.wait)
		return err_set(err, BLAME_USER, "usage", "--report needs --wait");
	l.suite = operands[0];
	l.submit = submit;
	return launch(&l, err);
}

const struct command cmd_submit = {
	.name = "submit",
	.args = "SUITE --board BOARD|--type TYPE --baseline KERNEL [--candidate KERNEL...]",
	.summary = "queue what `rig run` would do; with --wait, follow it to its verdict",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
