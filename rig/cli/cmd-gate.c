// SPDX-License-Identifier: GPL-2.0-or-later
/* rig gate: judge a stored session; its exit code is the verdict. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/gate.h"
#include "results/report.h"
#include "results/store.h"

#include <stdio.h>
#include <stdlib.h>

static bool replay;

static const struct opt opts[] = {
	{ OPT_FLAG, 0, "replay", NULL, "recompute the stored verdict and compare it bit for bit",
	  &replay, 0, 0 },
	{ .type = OPT_END },
};

static int do_replay(struct store *store, const char *session, struct err *err)
{
	char *what = NULL;
	int rc = gate_replay(store, session, &what, err);

	if (rc == 0)
		printf("%s: the stored verdict is reproduced bit for bit\n", session);
	else if (rc > 0)
		printf("%s: the recomputed verdict differs: %s\n", session, what);
	free(what);
	return rc > 0 ? EXIT_INVALID : rc;
}

static int judge(struct store *store, const char *name, struct err *err)
{
	struct session *session = store_get_session(store, name, err);
	struct gate_set *set = session ? gate_run(store, name, err) : NULL;
	struct buf text = BUF_INIT;
	int rc = -1;

	if (set) {
		report_verdicts(session, set, &text);
		fputs(buf_str(&text), stdout);
		rc = gate_exit_code(set);
	}
	buf_release(&text);
	gate_set_free(set);
	session_free(session);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	return cli_with_session(true, n ? operands[0] : NULL, replay ? do_replay : judge, err);
}

const struct command cmd_gate = {
	.name = "gate",
	.args = "[SESSION]",
	.summary = "judge a stored session (default: the newest); exits with its verdict",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
