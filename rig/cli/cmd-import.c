// SPDX-License-Identifier: GPL-2.0-or-later
/* rig import: run directories into the database; repeating it changes nothing. Layer: cli. */
#include "cli/cli.h"
#include "base/log.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/session.h"
#include "results/store.h"

#include <stdio.h>

static int import_one(struct store *store, const char *dir, struct err *err)
{
	struct session *session = NULL;
	struct gate_set *set;

	if (import_run(store, dir, &session, err) < 0)
		return -1;
	set = gate_run(store, session->name, err);
	if (set)
		printf("%s: %zu visits, %s\n", session->name, session->n_visits,
		       verdict_name(set->result));
	session_free(session);
	gate_set_free(set);
	return set ? 0 : -1;
}

static int run(int n, char **operands, struct err *err)
{
	struct store *store = store_open_home(true, err);
	int failed = 0;

	if (!store)
		return -1;
	for (int i = 0; i < n; i++) {
		if (import_one(store, operands[i], err) == 0)
			continue;
		failed++;
		if (n > 1)
			log_err(err);
	}
	store_close(store);
	if (failed && n == 1)
		return -1;
	return failed ? EXIT_INVALID : 0;
}

const struct command cmd_import = {
	.name = "import",
	.args = "RUNDIR...",
	.summary = "store run directories (again); what is already there is replaced",
	.min_operands = 1,
	.max_operands = 10000,
	.run = run,
};
