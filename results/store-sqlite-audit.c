// SPDX-License-Identifier: GPL-2.0-or-later
/* Who changed what; see store-queue.h. Layer: results. */
#include "results/store-queue.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "results/store-sqlite.h"

int store_make_durable(struct store *st, struct err *err)
{
	return sqlite3_exec(st->db, "PRAGMA synchronous = FULL", NULL, NULL, NULL)
		       ? sql_fail(st, err, "making it durable")
		       : 0;
}

int store_audit_add(struct store *st, const struct store_actor *by, const char *verb,
		    const char *object, const char *detail, struct err *err)
{
	return sql_run(st, err,
		       "INSERT INTO audit (at, who, uid, verb, object, detail)"
		       " VALUES (?, ?, ?, ?, ?, ?)",
		       "isisss", by->at_ms, by->who, by->uid, verb, object, detail);
}

int sql_audit(struct store *st, const struct store_actor *by, const char *verb, const char *kind,
	      const char *name, struct err *err, const char *fmt, ...)
{
	char *object = xasprintf("%s %s", kind, name);
	char detail[600];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	rc = store_audit_add(st, by, verb, object, detail, err);
	free(object);
	return rc;
}

int store_audit_list(struct store *st, const struct store_audit_filter *f,
		     bool (*row)(void *ctx, const struct store_audit *audit), void *ctx,
		     struct err *err)
{
	sqlite3_stmt *q =
		sql_query(st, err,
			  "SELECT id, at, uid, who, verb, object, detail FROM"
			  " (SELECT * FROM audit WHERE (?1 IS NULL OR object = ?1)"
			  "  AND (?2 IS NULL OR who = ?2) ORDER BY id DESC LIMIT ?3) ORDER BY id",
			  "ssi", f->object, f->who, (int64_t)(f->limit ? f->limit : -1));
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct store_audit a = {
			.id = sqlite3_column_int64(q, 0),
			.at_ms = sqlite3_column_int64(q, 1),
			.uid = sqlite3_column_int64(q, 2),
			.who = sql_text(q, 3),
			.verb = sql_text(q, 4),
			.object = sql_text(q, 5),
			.detail = sql_text(q, 6),
		};

		if (!row(ctx, &a))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}
