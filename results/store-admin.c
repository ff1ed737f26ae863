// SPDX-License-Identifier: GPL-2.0-or-later
/* Backup, retention and figures of the store; see store-admin.h. Layer: results. */
#include "results/store-admin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "results/store-sqlite.h"

#define BACKUP_PAGES 4096 /* a step: 16 MB, after which a waiting writer gets its turn */
#define BUSY_MS	     50
#define BUSY_TRIES   200

/* ---- backup ---- */

static int copy_pages(sqlite3_backup *backup)
{
	int busy = 0;
	int rc;

	while ((rc = sqlite3_backup_step(backup, BACKUP_PAGES)) != SQLITE_DONE) {
		if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) {
			if (++busy > BUSY_TRIES)
				break;
			sqlite3_sleep(BUSY_MS);
		} else if (rc != SQLITE_OK) {
			break;
		}
	}
	return rc;
}

/* The copy is one plain file, that needs no -wal beside it, and is on the disk. */
static int copy_to(struct store *st, const char *path, struct err *err)
{
	sqlite3 *copy = NULL;
	sqlite3_backup *backup = NULL;
	int rc = sqlite3_open(path, &copy);

	if (!rc)
		backup = sqlite3_backup_init(copy, "main", st->db, "main");
	if (backup) {
		rc = copy_pages(backup);
		sqlite3_backup_finish(backup);
		if (rc == SQLITE_DONE)
			rc = sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	} else {
		rc = sqlite3_errcode(copy);
	}
	if (rc)
		err_set(err, BLAME_RIG, "backup", "%s: copying to %s: %s", st->path, path,
			sqlite3_errstr(rc));
	sqlite3_close(copy);
	return rc ? -1 : 0;
}

static int flush_file(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 || fsync(fd) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return rc ? err_sys(err, BLAME_RIG, "backup", rc, "%s cannot be flushed", path) : 0;
}

/* link() and not rename(): a file that came to be there meanwhile is kept. */
static int put_in_place(const char *temporary, const char *path, struct err *err)
{
	if (flush_file(temporary, err) < 0)
		return -1;
	if (link(temporary, path) == 0)
		return 0;
	if (errno == EEXIST)
		return err_set(err, BLAME_USER, "exists", "%s is there already", path);
	return err_sys(err, BLAME_USER, "backup", -errno, "%s cannot be made", path);
}

int store_backup(struct store *st, const char *path, struct err *err)
{
	char *temporary;
	int rc;

	if (access(path, F_OK) == 0)
		return err_set(err, BLAME_USER, "exists", "%s is there already", path);
	temporary = xasprintf("%s.part%ld", path, (long)getpid());
	rc = copy_to(st, temporary, err);
	if (!rc)
		rc = put_in_place(temporary, path, err);
	unlink(temporary);
	free(temporary);
	return rc;
}

/* ---- retention ---- */

static int drop_samples(struct store *st, int64_t session, int64_t now_ms, int64_t *samples,
			struct err *err)
{
	if (sql_run(st, err,
		    "DELETE FROM sample WHERE run IN (SELECT r.id FROM boot b JOIN run r"
		    " ON r.boot = b.id WHERE b.session = ?)",
		    "i", session) < 0)
		return -1;
	*samples += sqlite3_changes(st->db);
	return sql_run(st, err, "UPDATE session SET pruned = ? WHERE id = ?", "ii", now_ms,
		       session);
}

static int count_samples(struct store *st, int64_t session, int64_t *samples, struct err *err)
{
	int64_t n = 0;
	int rc = sql_int(st, err, &n, 0,
			 "SELECT count(*) FROM boot b CROSS JOIN run r CROSS JOIN sample x"
			 " WHERE b.session = ? AND r.boot = b.id AND x.run = r.id",
			 "i", session);

	*samples += n;
	return rc;
}

static int prune_one(struct store *st, const struct store_prune *what, int64_t session,
		     struct store_pruned *done, struct err *err)
{
	int64_t samples = 0;
	int rc;

	if (what->dry_run) {
		rc = count_samples(st, session, &samples, err);
	} else {
		rc = sql_begin(st, err);
		if (!rc)
			rc = sql_end(st, drop_samples(st, session, what->now_ms, &samples, err),
				     err);
	}
	if (!rc) {
		done->sessions++;
		done->samples += samples;
	}
	return rc;
}

int store_prune(struct store *st, const struct store_prune *what, struct store_pruned *done,
		struct err *err)
{
	struct sql_ids ids = SQL_IDS_INIT;
	int rc = sql_ids(st, err, &ids,
			 "SELECT s.id FROM session s JOIN board b ON b.id = s.board"
			 " WHERE s.started < ?1 AND s.state = 'ended' AND s.pruned = 0"
			 " AND (?2 IS NULL OR s.suite = ?2) AND (?3 IS NULL OR b.name = ?3)"
			 " ORDER BY s.started",
			 "iss", what->before_ms, what->suite, what->board);

	*done = (struct store_pruned){ 0, 0 };
	for (size_t i = 0; !rc && i < ids.n; i++)
		rc = prune_one(st, what, ids.v[i], done, err);
	free(ids.v);
	return rc;
}

int store_compact(struct store *st, struct err *err)
{
	if (sql_run(st, err, "VACUUM", "") < 0)
		return -1;
	/* else the file in its new size lies in the -wal until somebody writes a lot */
	return sqlite3_wal_checkpoint_v2(st->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL)
		       ? sql_fail(st, err, "compacting")
		       : 0;
}

/* ---- figures ---- */

static int count_rows(struct store *st, const char *table, int64_t *rows, struct err *err)
{
	char *sql = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", table);
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(st->db, sql, -1, &q, NULL);

	if (!rc && sqlite3_step(q) == SQLITE_ROW)
		*rows = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_free(sql);
	return rc ? sql_fail(st, err, table) : 0;
}

int store_tables(struct store *st,
		 void (*row)(void *ctx, const char *table, int64_t rows, int64_t bytes), void *ctx,
		 struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT s.tbl_name, sum(d.pgsize) FROM dbstat('main', 1) d"
		" JOIN sqlite_schema s ON s.name = d.name WHERE s.type IN ('table', 'index')"
		" GROUP BY s.tbl_name ORDER BY 2 DESC, 1",
		"");
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		int64_t rows = 0;

		if (count_rows(st, sql_text(q, 0), &rows, err) < 0) {
			rc = -1;
			break;
		}
		row(ctx, sql_text(q, 0), rows, sqlite3_column_int64(q, 1));
	}
	sqlite3_reset(q);
	return rc;
}

int store_stats(struct store *st, struct store_stats *stats, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT count(*), coalesce(sum(pruned > 0), 0), coalesce(min(started), 0),"
		" coalesce(max(started), 0), (SELECT page_count FROM pragma_page_count),"
		" (SELECT freelist_count FROM pragma_freelist_count),"
		" (SELECT page_size FROM pragma_page_size),"
		" (SELECT user_version FROM pragma_user_version) FROM session",
		"");

	if (!q || sql_next(st, q, err) != 1)
		return -1;
	*stats = (struct store_stats){
		.sessions = sqlite3_column_int64(q, 0),
		.pruned = sqlite3_column_int64(q, 1),
		.oldest_ms = sqlite3_column_int64(q, 2),
		.newest_ms = sqlite3_column_int64(q, 3),
		.bytes = sqlite3_column_int64(q, 4) * sqlite3_column_int64(q, 6),
		.free_bytes = sqlite3_column_int64(q, 5) * sqlite3_column_int64(q, 6),
		.version = sqlite3_column_int(q, 7),
	};
	sqlite3_reset(q);
	return 0;
}
