// SPDX-License-Identifier: GPL-2.0-or-later
/* rig cancel: ends queued and running jobs, the running ones cleanly. Layer: cli. */
#include "cli/cli.h"
#include "rigd/control.h"

#include <stdio.h>
#include <stdlib.h>

static int cancel(struct control *c, const char *operand, struct err *err)
{
	char *end;
	long long id = strtoll(operand, &end, 10);

	if (*end || id < 1)
		return err_set(err, BLAME_USER, "usage", "'%.40s' is no job number; `rig queue`",
			       operand);
	if (control_call(c, json_pack("{s:s, s:I}", "op", "cancel", "job", (json_int_t)id), NULL,
			 err))
		return -1;
	printf("job %lld: cancelled\n", id);
	return 0;
}

static int run(int n, char **operands, struct err *err)
{
	struct control *c = NULL;
	int rc = control_open(&c, err);

	for (int i = 0; !rc && i < n; i++)
		rc = cancel(c, operands[i], err);
	control_close(c);
	return rc;
}

const struct command cmd_cancel = {
	.name = "cancel",
	.args = "JOB...",
	.summary = "end jobs of yours: those that wait at once, a running one with its board off",
	.min_operands = 1,
	.max_operands = 1000,
	.run = run,
};
