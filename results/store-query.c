// SPDX-License-Identifier: GPL-2.0-or-later
/* Ad-hoc queries, fenced in; see store-query.h. Layer: results. */
#include "results/store-query.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/signals.h"
#include "results/store-sqlite.h"

#define CHECK_OPS  5000 /* instructions of SQLite between two looks at the clock */
#define VALUE_MAX  (16 << 20)
#define NEAR_BYTES 30 /* of the statement shown around a mistake */

/* ---- the fence ---- */

/* What a statement may do; the rest is denied. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *db,
		     const char *trigger)
{
	(void)ctx;
	(void)a;
	(void)db;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && !strcmp(b, "load_extension") ? SQLITE_DENY : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

static int is_over(void *ctx)
{
	const struct deadline *limit = ctx;

	return deadline_passed(*limit) || stop_requested();
}

static void fence(struct store *st, struct deadline *limit)
{
	sqlite3_set_authorizer(st->db, authorize, NULL);
	sqlite3_progress_handler(st->db, CHECK_OPS, is_over, limit);
	sqlite3_limit(st->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
}

static void unfence(struct store *st)
{
	sqlite3_set_authorizer(st->db, NULL, NULL);
	sqlite3_progress_handler(st->db, 0, NULL, NULL);
}

/* ---- errors ---- */

/* "line 2, column 8, near 'FORM session'": where SQLite stopped reading, if it tells. */
static char *place(const char *sql, int offset)
{
	const char *line = sql;
	int number = 1;

	if (offset < 0 || (size_t)offset > strlen(sql))
		return xstrdup("");
	for (const char *p = sql; p < sql + offset; p++) {
		if (*p == '\n') {
			line = p + 1;
			number++;
		}
	}
	return xasprintf("line %d, column %d, near '%.*s': ", number,
			 (int)(sql + offset - line) + 1,
			 (int)strcspn(sql + offset, "\n") < NEAR_BYTES
				 ? (int)strcspn(sql + offset, "\n")
				 : NEAR_BYTES,
			 sql + offset);
}

static int query_fail(struct store *st, const char *sql, uint64_t timeout_ms, struct err *err)
{
	int code = sqlite3_errcode(st->db) & 0xff;
	char *where;

	if (code == SQLITE_INTERRUPT && stop_requested())
		return err_set(err, BLAME_USER, "cancelled", "cancelled");
	if (code == SQLITE_INTERRUPT)
		return err_set(err, BLAME_USER, "query-timeout",
			       "not done within %llu s: ask for less, or raise --timeout",
			       (unsigned long long)(timeout_ms / 1000));
	if (code == SQLITE_AUTH || code == SQLITE_READONLY)
		return err_set(err, BLAME_USER, "query-write",
			       "only SELECT can be used here, on the tables of this database (%s)",
			       sqlite3_errmsg(st->db));
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_IOERR ||
	    code == SQLITE_BUSY)
		return sql_fail(st, err, "query");
	where = place(sql, sqlite3_error_offset(st->db));
	err_set(err, BLAME_USER, "query", "%s%s", where, sqlite3_errmsg(st->db));
	free(where);
	return -1;
}

/* ---- running ---- */

/* White space, semicolons and comments may follow a statement. */
static bool is_blank(const char *sql)
{
	while (*sql) {
		if (isspace((unsigned char)*sql) || *sql == ';') {
			sql++;
		} else if (!strncmp(sql, "--", 2)) {
			sql += strcspn(sql, "\n");
		} else if (!strncmp(sql, "/*", 2)) {
			const char *end = strstr(sql + 2, "*/");

			sql = end ? end + 2 : sql + strlen(sql);
		} else {
			return false;
		}
	}
	return true;
}

static int prepare(struct store *st, const char *sql, uint64_t timeout_ms, sqlite3_stmt **q,
		   struct err *err)
{
	const char *rest = NULL;

	if (sqlite3_prepare_v2(st->db, sql, -1, q, &rest))
		return query_fail(st, sql, timeout_ms, err);
	if (!*q)
		return err_set(err, BLAME_USER, "query", "there is no statement");
	if (!is_blank(rest))
		return err_set(err, BLAME_USER, "query", "one statement at a time: '%.*s'",
			       NEAR_BYTES, rest);
	if (!sqlite3_stmt_readonly(*q))
		return err_set(err, BLAME_USER, "query-write", "only SELECT can be used here");
	return 0;
}

static void give_columns(sqlite3_stmt *q, size_t n, const struct query_sink *sink, void *ctx)
{
	const char **names = xcalloc(n, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = sqlite3_column_name(q, (int)i);
	sink->columns(ctx, n, names);
	free(names);
}

static void read_value(sqlite3_stmt *q, int column, struct query_value *v)
{
	static const enum query_type types[] = {
		[SQLITE_INTEGER] = QUERY_INT, [SQLITE_FLOAT] = QUERY_REAL,
		[SQLITE_TEXT] = QUERY_TEXT,   [SQLITE_BLOB] = QUERY_TEXT,
		[SQLITE_NULL] = QUERY_NULL,
	};

	/* type first: the conversion to text changes it */
	v->type = types[sqlite3_column_type(q, column)];
	v->integer = sqlite3_column_int64(q, column);
	v->real = sqlite3_column_double(q, column);
	v->text = sql_text(q, column);
}

static int give_rows(struct store *st, const char *sql, sqlite3_stmt *q,
		     const struct query_sink *sink, void *ctx, uint64_t timeout_ms, struct err *err)
{
	size_t n = (size_t)sqlite3_column_count(q);
	struct query_value *values = xcalloc(n, sizeof(*values));
	int rc;

	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		for (size_t i = 0; i < n; i++)
			read_value(q, (int)i, &values[i]);
		if (!sink->row(ctx, n, values))
			break;
	}
	free(values);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : query_fail(st, sql, timeout_ms, err);
}

int store_query(struct store *st, const char *sql, const struct query_sink *sink, void *ctx,
		uint64_t timeout_ms, struct err *err)
{
	struct deadline limit = deadline_in(timeout_ms);
	sqlite3_stmt *q = NULL;
	int rc;

	fence(st, &limit);
	rc = prepare(st, sql, timeout_ms, &q, err);
	if (!rc) {
		give_columns(q, (size_t)sqlite3_column_count(q), sink, ctx);
		rc = give_rows(st, sql, q, sink, ctx, timeout_ms, err);
	}
	sqlite3_finalize(q);
	unfence(st);
	return rc;
}

int store_schema(struct store *st, void (*text)(void *ctx, const char *sql), void *ctx,
		 struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err,
				    "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'view')"
				    " AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
				    " ORDER BY type DESC, rowid",
				    "");
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1)
		text(ctx, sql_text(q, 0));
	sqlite3_reset(q);
	return rc;
}
