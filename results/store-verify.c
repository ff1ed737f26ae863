// SPDX-License-Identifier: GPL-2.0-or-later
/* Is the store what it claims to be? See store_verify() in store-admin.h. Layer: results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/store-admin.h"
#include "results/store-sqlite.h"

struct verify {
	struct store *st;
	void (*problem)(void *ctx, const char *text);
	void *ctx;
	struct err *err;
	int found;
};

static void report(struct verify *v, const char *text)
{
	v->found++;
	v->problem(v->ctx, text);
}

/* Queries that give one line of text a fault. SQLite's own two come first. */
static const char *const checks[] = {
	"SELECT integrity_check FROM pragma_integrity_check(20) WHERE integrity_check <> 'ok'",
	"SELECT format('%s row %d refers to a row of %s that is not there', \"table\", rowid,"
	" parent) FROM pragma_foreign_key_check LIMIT 20",
	"SELECT format('session %s has no baseline kernel', name) FROM session s WHERE NOT EXISTS"
	" (SELECT 1 FROM session_kernel WHERE session = s.id AND idx = 0)",
	"SELECT format('session %s: visit %d is of kernel %d, which it does not have', s.name,"
	" b.visit, b.kernel_idx) FROM session s JOIN boot b ON b.session = s.id WHERE NOT EXISTS"
	" (SELECT 1 FROM session_kernel WHERE session = s.id AND idx = b.kernel_idx)",
	"SELECT format('session %s: point of kernel %d, which it does not have', s.name,"
	" p.kernel_idx) FROM session s JOIN point p ON p.session = s.id WHERE NOT EXISTS"
	" (SELECT 1 FROM session_kernel WHERE session = s.id AND idx = p.kernel_idx)",
	"SELECT format('session %s is pruned but has raw samples', s.name) FROM session s"
	" WHERE s.pruned > 0 AND EXISTS (SELECT 1 FROM boot b JOIN run r ON r.boot = b.id"
	" JOIN sample x ON x.run = r.id WHERE b.session = s.id)",
	"SELECT format('%d samples are not finite', count(*)) FROM sample"
	" WHERE value NOT BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308"
	" HAVING count(*) > 0",
};

static int run_check(struct verify *v, const char *sql)
{
	sqlite3_stmt *q = sql_query(v->st, v->err, sql, "");
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(v->st, q, v->err)) == 1)
		report(v, sql_text(q, 0));
	sqlite3_reset(q);
	return rc;
}

static int check_points(struct verify *v)
{
	struct sql_ids ids = SQL_IDS_INIT;
	int rc = sql_ids(v->st, v->err, &ids, "SELECT id FROM session WHERE pruned = 0", "");

	for (size_t i = 0; rc >= 0 && i < ids.n; i++) {
		char text[160];

		rc = points_differ(v->st, ids.v[i], v->err);
		if (rc <= 0)
			continue;
		snprintf(text, sizeof(text),
			 "session number %lld: %d points are not what its samples give; import its"
			 " run directory again",
			 (long long)ids.v[i], rc);
		report(v, text);
	}
	free(ids.v);
	return rc < 0 ? -1 : 0;
}

int store_verify(struct store *st, void (*problem)(void *ctx, const char *text), void *ctx,
		 struct err *err)
{
	struct verify v = { st, problem, ctx, err, 0 };

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (run_check(&v, checks[i]) < 0)
			return -1;
		/* in a damaged file the rest would only fail or repeat it */
		if (v.found && i == 0)
			return v.found;
	}
	return check_points(&v) < 0 ? -1 : v.found;
}
