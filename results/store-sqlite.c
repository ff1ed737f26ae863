// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The store in one SQLite file: opening, migration, errors, lists; see store.h. The rows of a
 * session are in store-sqlite-put.c and -get.c, verdicts in store-sqlite-verdict.c. Layer: results.
 *
 * PRAGMAs, and what `make bench` showed. Ratios are import rates to raw prepared inserts in
 * SQLite's defaults, of one series of a million samples on a busy machine: differences under a
 * fifth are not to be told from noise.
 *	journal_mode	WAL: readers (`rig report`, pages) never wait for the one writer
 *	synchronous	NORMAL: a power cut may lose the last commits but never the file; the
 *			run directories are the truth and are imported again
 *	page_size	8192 (new files): 0.72 and 0.64 against 0.53 and 0.57 with 4096, 0.61
 *			with 16384; at ten million samples no difference was seen
 *	foreign_keys	ON, though OFF gave 0.74 with 4096: a wrong row is dearer
 *	mmap_size	1 GiB for readers: half the CPU time of a history among ten million
 *			samples (8.7 -> 4.2 ms for 1,400 points). Not for the writer: no gain,
 *			and a failing disk would be a SIGBUS
 *	journal_size_limit	64 MiB: the -wal of a migration or of VACUUM is cut back
 *	cache_size, wal_autocheckpoint	SQLite's own: 16 MiB and 4000 pages gained nothing
 *	temp_store	SQLite's own, not measured
 */
#include "results/store-sqlite.h"

#include <assert.h>
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "results/gate.h"
#include "results/schema.h"

#define APPLICATION_ID	0x52494731 /* "RIG1" */
#define BUSY_TIMEOUT_MS 10000
#define POINTS_SINCE	5 /* schema version that brought points */

/* ---- errors ---- */

static bool disk_is_full(const char *path)
{
	char *copy = xstrdup(path);
	struct statvfs fs;
	bool full = statvfs(dirname(copy), &fs) == 0 && fs.f_bavail < 16;

	free(copy);
	return full;
}

static const struct {
	int primary;
	enum blame blame;
	const char *code, *hint;
} failures[] = {
	{ SQLITE_FULL, BLAME_RIG, "disk-full", "the disk is full; nothing of it was stored" },
	{ SQLITE_CORRUPT, BLAME_RIG, "store-corrupt",
	  "the file is damaged: move it away and import the run directories again" },
	{ SQLITE_NOTADB, BLAME_RIG, "store-corrupt",
	  "not a database: move it away and import the run directories again" },
	{ SQLITE_BUSY, BLAME_RIG, "store-busy", "another program keeps it locked" },
	{ SQLITE_LOCKED, BLAME_RIG, "store-busy", "another program keeps it locked" },
	{ SQLITE_READONLY, BLAME_RIG, "store-unwritable", "it cannot be written" },
	{ SQLITE_CANTOPEN, BLAME_RIG, "store-unwritable", "it cannot be opened or created" },
	{ SQLITE_PERM, BLAME_RIG, "store-unwritable", "permission denied" },
};

int sql_fail(struct store *st, struct err *err, const char *action)
{
	int code = sqlite3_extended_errcode(st->db);
	int primary = code & 0xff;

	/* A full tmpfs fails in mapping the shared memory file, with an I/O error. */
	if (primary == SQLITE_IOERR && disk_is_full(st->path))
		primary = SQLITE_FULL;
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].primary == primary)
			return err_set(err, failures[i].blame, failures[i].code,
				       "%s: %s: %s (SQLite: %s)", st->path, action,
				       failures[i].hint, sqlite3_errmsg(st->db));
	return err_set(err, BLAME_RIG, "store", "%s: %s: %s (SQLite error %d)", st->path, action,
		       sqlite3_errmsg(st->db), code);
}

/* ---- statements ---- */

static sqlite3_stmt *prepared(struct store *st, const char *sql, struct err *err)
{
	sqlite3_stmt *stmt = NULL;

	for (size_t i = 0; i < st->n_cache; i++) {
		if (st->cache[i].sql == sql) {
			sqlite3_reset(st->cache[i].stmt);
			return st->cache[i].stmt;
		}
	}
	if (sqlite3_prepare_v3(st->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL)) {
		sql_fail(st, err, "preparing a statement");
		return NULL;
	}
	assert(st->n_cache < STORE_MAX_STATEMENTS);
	st->cache[st->n_cache].sql = sql;
	st->cache[st->n_cache++].stmt = stmt;
	return stmt;
}

static void bind_all(sqlite3_stmt *stmt, const char *types, va_list ap)
{
	for (int i = 1; *types; i++, types++) {
		switch (*types) {
		case 'i':
			sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
			break;
		case 'd':
			sqlite3_bind_double(stmt, i, va_arg(ap, double));
			break;
		case 's':
			sqlite3_bind_text(stmt, i, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
			break;
		default:
			assert(!"type letter");
		}
	}
}

static sqlite3_stmt *query_va(struct store *st, struct err *err, const char *sql, const char *types,
			      va_list ap)
{
	sqlite3_stmt *stmt = prepared(st, sql, err);

	if (stmt)
		bind_all(stmt, types, ap);
	return stmt;
}

sqlite3_stmt *sql_query(struct store *st, struct err *err, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt;
	va_list ap;

	va_start(ap, types);
	stmt = query_va(st, err, sql, types, ap);
	va_end(ap);
	return stmt;
}

int sql_next(struct store *st, sqlite3_stmt *stmt, struct err *err)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		sql_fail(st, err, "reading or storing");
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? 0 : -1;
}

int sql_run(struct store *st, struct err *err, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt;
	va_list ap;

	va_start(ap, types);
	stmt = query_va(st, err, sql, types, ap);
	va_end(ap);
	return stmt ? sql_next(st, stmt, err) : -1;
}

int sql_int(struct store *st, struct err *err, int64_t *value, int64_t fallback, const char *sql,
	    const char *types, ...)
{
	sqlite3_stmt *stmt;
	va_list ap;
	int rc;

	va_start(ap, types);
	stmt = query_va(st, err, sql, types, ap);
	va_end(ap);
	if (!stmt)
		return -1;
	rc = sql_next(st, stmt, err);
	*value = rc == 1 ? sqlite3_column_int64(stmt, 0) : fallback;
	sqlite3_reset(stmt);
	return rc < 0 ? -1 : 0;
}

int sql_ids(struct store *st, struct err *err, struct sql_ids *ids, const char *sql,
	    const char *types, ...)
{
	sqlite3_stmt *stmt;
	va_list ap;
	int rc;

	va_start(ap, types);
	stmt = query_va(st, err, sql, types, ap);
	va_end(ap);
	rc = stmt ? 1 : -1;
	while (rc > 0 && (rc = sql_next(st, stmt, err)) == 1) {
		if (!(ids->n & (ids->n - 1)))
			ids->v = xrealloc(ids->v, (ids->n ? 2 * ids->n : 1) * sizeof(*ids->v));
		ids->v[ids->n++] = sqlite3_column_int64(stmt, 0);
	}
	return rc;
}

const char *sql_text(sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? text : "";
}

int sql_begin(struct store *st, struct err *err)
{
	return sql_run(st, err, "BEGIN IMMEDIATE", "");
}

int sql_end(struct store *st, int rc, struct err *err)
{
	if (!rc)
		rc = sql_run(st, err, "COMMIT", "");
	if (rc) {
		names_release(&st->workloads);
		names_release(&st->metrics);
	}
	/* SQLite itself has rolled back after some errors. */
	if (rc && !sqlite3_get_autocommit(st->db))
		sql_run(st, NULL, "ROLLBACK", "");
	return rc;
}

/* ---- names ---- */

int64_t sql_session(struct store *st, const char *name, struct err *err)
{
	int64_t id;

	if (sql_int(st, err, &id, -1, "SELECT id FROM session WHERE name = ?", "s", name) < 0)
		return -1;
	if (id < 0)
		err_set(err, BLAME_USER, "no-session", "no session '%s' in %s", name, st->path);
	return id;
}

/* ---- opening ---- */

static int exec(struct store *st, const char *sql, const char *action, struct err *err)
{
	return sqlite3_exec(st->db, sql, NULL, NULL, NULL) ? sql_fail(st, err, action) : 0;
}

int store_schema_version(void)
{
	return schema_steps[schema_steps_n - 1].version;
}

/* Whose file is it, and how old? *version = 0 for a new file. */
static int read_version(struct store *st, int64_t *version, struct err *err)
{
	int64_t application;
	int64_t tables;

	if (sql_int(st, err, version, 0, "PRAGMA user_version", "") < 0 ||
	    sql_int(st, err, &application, 0, "PRAGMA application_id", "") < 0 ||
	    sql_int(st, err, &tables, 0, "SELECT count(*) FROM sqlite_schema", "") < 0)
		return -1;
	if (application != APPLICATION_ID && (tables || *version || application))
		return err_set(err, BLAME_USER, "store-foreign",
			       "%s is not a results database of the rig", st->path);
	if (*version > store_schema_version())
		return err_set(err, BLAME_USER, "store-newer",
			       "%s has schema version %lld, this rig knows up to %d: use the newer "
			       "rig that wrote it",
			       st->path, (long long)*version, store_schema_version());
	return 0;
}

static int migrate_locked(struct store *st, struct err *err)
{
	char pragma[96];
	int64_t version;

	/* Read again under the lock: somebody may have been faster. */
	if (read_version(st, &version, err) < 0)
		return -1;
	for (size_t i = (size_t)version; i < schema_steps_n; i++) {
		if (exec(st, schema_steps[i].sql, schema_steps[i].file, err) < 0)
			return -1;
		snprintf(pragma, sizeof(pragma),
			 "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
			 schema_steps[i].version);
		if (exec(st, pragma, schema_steps[i].file, err) < 0)
			return -1;
	}
	/* After the last step: they are made by today's code, which knows today's tables. */
	return version < POINTS_SINCE ? points_put_all(st, err) : 0;
}

static int migrate(struct store *st, struct err *err)
{
	int64_t version;

	if (read_version(st, &version, err) < 0)
		return -1;
	if (version == store_schema_version())
		return 0;
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, migrate_locked(st, err), err);
}

static struct store *store_new(const char *path, int flags, struct err *err)
{
	struct store *st = xcalloc(1, sizeof(*st));

	st->path = xstrdup(path);
	if (sqlite3_open_v2(path, &st->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
			    NULL) ||
	    sqlite3_busy_timeout(st->db, BUSY_TIMEOUT_MS)) {
		sql_fail(st, err, "opening");
		store_close(st);
		return NULL;
	}
	return st;
}

struct store *store_open(const char *path, struct err *err)
{
	struct store *st = store_new(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);

	if (!st)
		return NULL;
	if (sqlite3_db_readonly(st->db, "main") == 1) {
		err_set(err, BLAME_RIG, "store-unwritable", "%s cannot be written", path);
		goto fail;
	}
	/* page_size first: it is settled when the first page is written */
	if (exec(st, "PRAGMA page_size = 8192; PRAGMA foreign_keys = ON", "opening", err) < 0 ||
	    exec(st, "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 67108864", "opening",
		 err) < 0 ||
	    exec(st, "PRAGMA journal_mode = WAL", "opening", err) < 0 || migrate(st, err) < 0)
		goto fail;
	return st;
fail:
	store_close(st);
	return NULL;
}

struct store *store_open_readonly(const char *path, struct err *err)
{
	struct store *st;
	int64_t version;

	if (access(path, F_OK) < 0) {
		err_set(err, BLAME_USER, "no-store", "no results yet: %s does not exist", path);
		return NULL;
	}
	st = store_new(path, SQLITE_OPEN_READONLY, err);
	if (!st)
		return NULL;
	if (exec(st, "PRAGMA query_only = ON; PRAGMA mmap_size = 1073741824", "opening", err) < 0 ||
	    read_version(st, &version, err) < 0)
		goto fail;
	if (version < store_schema_version()) {
		err_set(err, BLAME_USER, "store-older",
			"%s has schema version %lld: any command that writes brings it to %d", path,
			(long long)version, store_schema_version());
		goto fail;
	}
	return st;
fail:
	store_close(st);
	return NULL;
}

void store_close(struct store *st)
{
	if (!st)
		return;
	for (size_t i = 0; i < st->n_cache; i++)
		sqlite3_finalize(st->cache[i].stmt);
	sqlite3_close(st->db);
	names_release(&st->workloads);
	names_release(&st->metrics);
	free(st->path);
	free(st);
}

int store_check(struct store *st, struct err *err)
{
	sqlite3_stmt *stmt = sql_query(st, err, "PRAGMA integrity_check(1)", "");
	int rc = stmt ? sql_next(st, stmt, err) : -1;

	if (rc == 1 && strcmp(sql_text(stmt, 0), "ok") != 0)
		rc = err_set(err, BLAME_RIG, "store-corrupt", "%s: %s", st->path,
			     sql_text(stmt, 0));
	sqlite3_reset(stmt);
	return rc < 0 ? -1 : 0;
}

/* ---- lists ---- */

const char *sql_worst_verdict(const char *words)
{
	int bad = -1;
	size_t n;

	for (; *words; words += n + (words[n] == ' ')) {
		char word[16];
		int v;

		n = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, words);
		v = verdict_parse(word);
		bad = v > bad ? v : bad;
	}
	return bad < 0 ? "" : verdict_name((enum verdict)bad);
}

static const char list_sql[] =
	"SELECT s.name, s.started, s.suite, s.profile, b.name,"
	" (SELECT group_concat(label, ' vs ') FROM"
	"  (SELECT label FROM session_kernel WHERE session = s.id ORDER BY idx)),"
	" s.state, s.result,"
	" (SELECT group_concat(result, ' ') FROM verdict WHERE session = s.id),"
	" s.dir, (SELECT count(*) FROM boot WHERE session = s.id)"
	" FROM session s JOIN board b ON b.id = s.board"
	" WHERE (?1 IS NULL OR s.suite = ?1) AND (?2 IS NULL OR b.name = ?2)"
	" AND (?3 IS NULL OR substr(s.name, 1, length(?3)) = ?3)"
	" ORDER BY s.started DESC, s.name DESC LIMIT ?4";

int store_list(struct store *st, const struct store_filter *f,
	       bool (*row)(void *ctx, const struct store_row *row), void *ctx, struct err *err)
{
	static const struct store_filter all;
	sqlite3_stmt *q;
	int rc;

	f = f ? f : &all;
	q = sql_query(st, err, list_sql, "sssi", f->suite, f->board, f->prefix,
		      (int64_t)(f->limit ? f->limit : -1));
	if (!q)
		return -1;
	while ((rc = sql_next(st, q, err)) == 1) {
		struct store_row r = {
			.session = sql_text(q, 0),
			.started_ms = sqlite3_column_int64(q, 1),
			.suite = sql_text(q, 2),
			.profile = sql_text(q, 3),
			.board = sql_text(q, 4),
			.kernels = sql_text(q, 5),
			.state = sql_text(q, 6),
			.result = sql_text(q, 7),
			.verdict = sql_worst_verdict(sql_text(q, 8)),
			.dir = sql_text(q, 9),
			.visits = sqlite3_column_int(q, 10),
		};

		if (!row(ctx, &r))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

struct match {
	const char *wanted;
	char *found;
	int n;
};

static bool match_row(void *ctx, const struct store_row *row)
{
	struct match *m = ctx;
	bool exact = !strcmp(row->session, m->wanted);

	if (!m->n++ || exact) {
		free(m->found);
		m->found = xstrdup(row->session);
	}
	if (exact)
		m->n = 1;
	return !exact;
}

char *store_resolve(struct store *st, const char *name, struct err *err)
{
	bool last = !strcmp(name, "last");
	struct store_filter f = { .prefix = last ? NULL : name, .limit = last ? 1 : 0 };
	struct match m = { .wanted = name };

	if (store_list(st, &f, match_row, &m, err) < 0)
		goto fail;
	if (m.n == 1)
		return m.found;
	if (!m.n)
		err_set(err, BLAME_USER, "no-session", "no session '%s' in %s", name, st->path);
	else
		err_set(err, BLAME_USER, "no-session", "%d sessions begin with '%s', e.g. %s", m.n,
			name, m.found);
fail:
	free(m.found);
	return NULL;
}
