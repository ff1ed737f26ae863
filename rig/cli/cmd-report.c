// SPDX-License-Identifier: GPL-2.0-or-later
/* rig report: a session as the table that goes into the mail. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/report.h"

#include <stdio.h>

static int print(struct store *store, const char *session, struct err *err)
{
	struct buf text = BUF_INIT;
	int rc = report_session(store, session, &text, err);

	if (!rc)
		fputs(buf_str(&text), stdout);
	buf_release(&text);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	return cli_with_session(false, n ? operands[0] : NULL, print, err);
}

const struct command cmd_report = {
	.name = "report",
	.args = "[SESSION]",
	.summary = "print a session as a table (default: the newest)",
	.max_operands = 1,
	.run = run,
};
