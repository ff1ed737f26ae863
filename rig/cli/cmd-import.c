// SPDX-License-Identifier: GPL-2.0-or-later
/* rig import: run directories and published tables into the database; repeating it changes nothing.
 * Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/literature.h"
#include "results/session.h"
#include "results/store.h"

#include <stdio.h>
#include <sys/stat.h>

#define TABLE_MAX ((size_t)64 << 20)

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

/* A table of published numbers: a file whose first line names its columns. */
static int import_table(struct store *store, const char *path, struct err *err)
{
	struct literature_sum sum = { .rows = 0 };
	struct buf text = BUF_INIT;
	int rc = path_read(path, &text, TABLE_MAX);

	if (rc)
		rc = err_sys(err, BLAME_USER, "no-file", rc, "%s", path);
	else
		rc = literature_import(store, path, buf_str(&text), text.size, &sum, err);
	buf_release(&text);
	if (!rc)
		printf("%s: %zu numbers of %zu documents; rig check: %zu errors, %zu warnings\n",
		       path, sum.rows, sum.sources, sum.errors, sum.warnings);
	return rc;
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int import_any(struct store *store, const char *path, struct err *err)
{
	return is_file(path) ? import_table(store, path, err) : import_one(store, path, err);
}

static int run(int n, char **operands, struct err *err)
{
	struct store *store = store_open_home(true, err);
	int failed = 0;

	if (!store)
		return -1;
	for (int i = 0; i < n; i++) {
		if (import_any(store, operands[i], err) == 0)
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
	.args = "RUNDIR|FILE.csv...",
	.summary = "store run directories or published tables (again); what is there is replaced",
	.min_operands = 1,
	.max_operands = 10000,
	.run = run,
};
