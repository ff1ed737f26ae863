// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig gate: judge a stored session, or two kernels by every session that ran both; its exit code
 * is the verdict. Layer: cli.
 */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/gate.h"
#include "results/report.h"
#include "results/session.h"
#include "results/shared.h"
#include "results/store.h"

#include <stdio.h>
#include <stdlib.h>

static bool replay;
static struct shared_query query;

static const struct opt opts[] = {
	{ OPT_FLAG, 0, "replay", NULL, "recompute the stored verdict and compare it bit for bit",
	  &replay, 0, 0 },
	{ OPT_STRING, 0, "baseline", "KERNEL",
	  "judge what is stored of two kernels: SERIES:VARIANT, VARIANT, a release, or the first "
	  "digits of a build's hash",
	  &query.baseline, 0, 0 },
	{ OPT_STRING, 'c', "candidate", "KERNEL", "the other one", &query.candidate, 0, 0 },
	{ OPT_STRING, 's', "suite", "SUITE", "by sessions of this suite", &query.suite, 0, 0 },
	{ OPT_STRING, 'b', "board", "BOARD", "on this board", &query.board, 0, 0 },
	{ OPT_STRING, 'p', "profile", "NAME",
	  "of this profile (default: that of the newest session)", &query.profile, 0, 0 },
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

/* ---- two kernels ---- */

static void print_stored(const struct shared *x)
{
	struct buf text = BUF_INIT;

	if (x->s) {
		for (size_t i = 0; i < x->s->n_kernels; i++)
			printf("%-10s %s:%s, build %s\n", i ? "candidate" : "baseline",
			       x->s->kernels[i].series, x->s->kernels[i].variant,
			       x->s->kernels[i].id);
		printf("%s, suite %s, profile %s\n", x->s->board, x->s->suite, x->s->profile);
		report_verdicts(x->s, x->set, &text);
	} else {
		buf_addf(&text, "%s against %s: INVALID\n%s\n", query.candidate, query.baseline,
			 x->set->verdicts[0].reason);
	}
	printf("%s%s", buf_str(&x->notes), buf_str(&text));
	buf_release(&text);
}

static int judge_stored(struct err *err)
{
	struct store *store = store_open_home(false, err);
	struct shared x = SHARED_INIT;
	int rc = store ? shared_judge(store, &query, cli_now_ms(), &x, err) : -1;

	if (!rc) {
		print_stored(&x);
		rc = gate_exit_code(x.set);
	}
	shared_release(&x);
	store_close(store);
	return rc;
}

static int check_query(int n, struct err *err)
{
	if (!query.baseline || !query.candidate || !query.suite || !query.board)
		return err_set(err, BLAME_USER, "usage",
			       "--baseline, --candidate, --suite and --board go together");
	if (n || replay)
		return err_set(err, BLAME_USER, "usage",
			       "either a SESSION or two kernels; --replay is for a SESSION");
	return 0;
}

static int run(int n, char **operands, struct err *err)
{
	if (query.baseline || query.candidate || query.suite || query.board || query.profile)
		return check_query(n, err) < 0 ? -1 : judge_stored(err);
	return cli_with_session(true, n ? operands[0] : NULL, replay ? do_replay : judge, err);
}

const struct command cmd_gate = {
	.name = "gate",
	.args = "[SESSION | --baseline K --candidate K --suite S --board B]",
	.summary = "judge what is stored (default: the newest session); exits with the verdict",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
