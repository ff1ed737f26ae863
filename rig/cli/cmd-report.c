// SPDX-License-Identifier: GPL-2.0-or-later
/* rig report: a session as the table that goes into the mail. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/report.h"
#include "results/store.h"

#include <stdio.h>
#include <stdlib.h>

static int run(int n, char **operands, struct err *err)
{
	struct store *store = cli_store_open(false, err);
	struct buf text = BUF_INIT;
	char *session = NULL;
	int rc = -1;

	if (!store)
		return -1;
	session = cli_session(store, n ? operands[0] : NULL, err);
	if (session)
		rc = report_session(store, session, &text, err);
	if (!rc)
		fputs(buf_str(&text), stdout);
	buf_release(&text);
	free(session);
	store_close(store);
	return rc;
}

const struct command cmd_report = {
	.name = "report",
	.args = "[SESSION]",
	.summary = "print a session as a table (default: the newest)",
	.max_operands = 1,
	.run = run,
};
