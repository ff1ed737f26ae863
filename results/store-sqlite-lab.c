// SPDX-License-Identifier: GPL-2.0-or-later
/* Leases and states of boards as rows; see store-queue.h. Layer: results. */
#include "results/store-queue.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/day.h"
#include "results/store-sqlite.h"

/* ---- leases ---- */

static int held(struct store *st, const char *board, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err, "SELECT owner, reason, expires FROM lease WHERE board = ?", "s", board);
	int rc = q ? sql_next(st, q, err) : -1;
	char until[DAY_TIME_SIZE];

	if (rc == 1) {
		day_time(sqlite3_column_int64(q, 2), until);
		rc = err_set(err, BLAME_USER, "lease-held", "board %s is leased by %s until %s: %s",
			     board, sql_text(q, 0), until, sql_text(q, 1));
	}
	sqlite3_reset(q);
	return rc;
}

static int take(struct store *st, const struct store_actor *by, const char *board,
		const char *reason, int64_t ttl_ms, int64_t *id, struct err *err)
{
	if (held(st, board, err) ||
	    sql_run(st, err,
		    "INSERT INTO lease (board, owner, uid, reason, taken, expires, ttl_ms)"
		    " VALUES (?, ?, ?, ?, ?, ?, ?)",
		    "ssisiii", board, by->who, by->uid, reason, by->at_ms, by->at_ms + ttl_ms,
		    ttl_ms) < 0)
		return -1;
	*id = sqlite3_last_insert_rowid(st->db);
	return sql_audit(st, by, "lease", "board", board, err,
			 "lease %" PRId64 " for %" PRId64 " s: %s", *id, ttl_ms / 1000, reason);
}

int store_lease_take(struct store *st, const struct store_actor *by, const char *board,
		     const char *reason, int64_t ttl_ms, int64_t *id, struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, take(st, by, board, reason, ttl_ms, id, err), err);
}

/* The board of a lease into name. 0, or -1 with *err (no-lease). */
static int board_of(struct store *st, int64_t id, char *name, size_t size, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, "SELECT board FROM lease WHERE id = ?", "i", id);
	int rc = q ? sql_next(st, q, err) : -1;

	if (rc == 1)
		snprintf(name, size, "%s", sql_text(q, 0));
	else if (!rc)
		rc = err_set(err, BLAME_USER, "no-lease",
			     "no lease %" PRId64 "; it may have expired", id);
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

static int renew(struct store *st, const struct store_actor *by, int64_t id, struct err *err)
{
	char board[80];

	if (board_of(st, id, board, sizeof(board), err) < 0 ||
	    sql_run(st, err, "UPDATE lease SET expires = ?2 + ttl_ms WHERE id = ?1", "ii", id,
		    by->at_ms) < 0)
		return -1;
	return sql_audit(st, by, "renew", "board", board, err, "lease %" PRId64, id);
}

int store_lease_renew(struct store *st, const struct store_actor *by, int64_t id, struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, renew(st, by, id, err), err);
}

static int drop(struct store *st, const struct store_actor *by, int64_t id, const char *verb,
		struct err *err)
{
	char board[80];

	if (board_of(st, id, board, sizeof(board), err) < 0 ||
	    sql_run(st, err, "DELETE FROM lease WHERE id = ?", "i", id) < 0)
		return -1;
	return sql_audit(st, by, verb, "board", board, err, "lease %" PRId64, id);
}

int store_lease_drop(struct store *st, const struct store_actor *by, int64_t id, const char *verb,
		     struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, drop(st, by, id, verb, err), err);
}

int store_lease_list(struct store *st, bool (*row)(void *ctx, const struct store_lease *lease),
		     void *ctx, struct err *err)
{
	sqlite3_stmt *q =
		sql_query(st, err,
			  "SELECT id, board, owner, uid, reason, taken, expires, ttl_ms FROM lease"
			  " ORDER BY board",
			  "");
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct store_lease lease = {
			.id = sqlite3_column_int64(q, 0),
			.board = sql_text(q, 1),
			.owner = sql_text(q, 2),
			.uid = sqlite3_column_int64(q, 3),
			.reason = sql_text(q, 4),
			.taken_ms = sqlite3_column_int64(q, 5),
			.expires_ms = sqlite3_column_int64(q, 6),
			.ttl_ms = sqlite3_column_int64(q, 7),
		};

		if (!row(ctx, &lease))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

/* ---- boards ---- */

static int put(struct store *st, const struct store_actor *by, const struct store_board *b,
	       struct err *err)
{
	if (sql_run(st, err,
		    "INSERT INTO board_state (name, type, state, hold, since, reason, job)"
		    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET"
		    " type = excluded.type, state = excluded.state, hold = excluded.hold,"
		    " since = excluded.since, reason = excluded.reason, job = excluded.job",
		    "ssssisi", b->name, b->type, b->state, b->hold, by->at_ms, b->reason,
		    b->job) < 0)
		return -1;
	return sql_audit(st, by, b->state, "board", b->name, err, "%s%s%s%s",
			 *b->hold ? "hold " : "", b->hold, *b->hold && *b->reason ? ": " : "",
			 b->reason);
}

int store_board_put(struct store *st, const struct store_actor *by, const struct store_board *board,
		    struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, put(st, by, board, err), err);
}

static int forget(struct store *st, const struct store_actor *by, const char *name, struct err *err)
{
	if (sql_run(st, err, "DELETE FROM board_state WHERE name = ?", "s", name) < 0)
		return -1;
	return sql_audit(st, by, "forget", "board", name, err, "%s", "not in the lab file");
}

int store_board_drop(struct store *st, const struct store_actor *by, const char *name,
		     struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, forget(st, by, name, err), err);
}

int store_board_list(struct store *st, bool (*row)(void *ctx, const struct store_board *board),
		     void *ctx, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT name, type, state, hold, since, reason, job FROM board_state ORDER BY name",
		"");
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct store_board b = {
			.name = sql_text(q, 0),
			.type = sql_text(q, 1),
			.state = sql_text(q, 2),
			.hold = sql_text(q, 3),
			.since_ms = sqlite3_column_int64(q, 4),
			.reason = sql_text(q, 5),
			.job = sqlite3_column_int64(q, 6),
		};

		if (!row(ctx, &b))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}
