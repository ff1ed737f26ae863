// SPDX-License-Identifier: GPL-2.0-or-later
/* Jobs of the daemon as rows; see store-queue.h. Layer: results. */
#include "results/store-queue.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>

#include "results/store-sqlite.h"

/* ---- changes ---- */

static const char *number(int64_t id, char text[24])
{
	snprintf(text, 24, "%" PRId64, id);
	return text;
}

static int add(struct store *st, const struct store_actor *by, const struct store_job *j,
	       int64_t *id, struct err *err)
{
	char n[24];

	if (sql_run(st, err,
		    "INSERT INTO job (state, priority, board, type, submitted, deadline, requester,"
		    " uid, title, identity, plan, session, ran_on, started, ended, cancelled_by,"
		    " verdict, reason) VALUES ('queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 0, 0,"
		    " '', '', '')",
		    "issiisisss", j->priority, j->board, j->type, by->at_ms, j->deadline_ms,
		    by->who, by->uid, j->title, j->identity, j->plan) < 0)
		return -1;
	*id = sqlite3_last_insert_rowid(st->db);
	return sql_audit(st, by, "submit", "job", number(*id, n), err,
			 "%s on %s, priority %" PRId64, j->title, *j->board ? j->board : j->type,
			 j->priority);
}

int store_job_add(struct store *st, const struct store_actor *by, const struct store_job *job,
		  int64_t *id, struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, add(st, by, job, id, err), err);
}

static int move(struct store *st, const struct store_actor *by, int64_t id, const char *from,
		const char *to, const struct store_job_change *c, struct err *err)
{
	char n[24];

	if (sql_run(st, err,
		    "UPDATE job SET state = ?3, session = coalesce(?4, session),"
		    " ran_on = coalesce(?5, ran_on), verdict = coalesce(?6, verdict),"
		    " reason = coalesce(?7, reason),"
		    " started = CASE WHEN ?8 THEN ?8 ELSE started END,"
		    " ended = CASE WHEN ?9 THEN ?9 ELSE ended END WHERE id = ?1 AND state = ?2",
		    "issssssii", id, from, to, c->session, c->ran_on, c->verdict, c->reason,
		    c->started_ms, c->ended_ms) < 0)
		return -1;
	if (sqlite3_changes(st->db) != 1)
		return err_set(err, BLAME_RIG, "bad-state", "job %" PRId64 " is not %s", id, from);
	return sql_audit(st, by, to, "job", number(id, n), err, "from %s%s%s%s%s%s%s", from,
			 c->ran_on && *c->ran_on ? " on " : "", c->ran_on ? c->ran_on : "",
			 c->verdict ? ": " : "", c->verdict ? c->verdict : "",
			 c->reason && *c->reason ? ": " : "", c->reason ? c->reason : "");
}

int store_job_move(struct store *st, const struct store_actor *by, int64_t id, const char *from,
		   const char *to, const struct store_job_change *change, struct err *err)
{
	static const struct store_job_change none;

	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, move(st, by, id, from, to, change ? change : &none, err), err);
}

static int note_cancel(struct store *st, const struct store_actor *by, int64_t id, struct err *err)
{
	char n[24];

	if (sql_run(st, err,
		    "UPDATE job SET cancelled_by = ?2 WHERE id = ?1 AND cancelled_by = ''"
		    " AND state NOT IN ('done', 'cancelled')",
		    "is", id, by->who) < 0)
		return -1;
	/* asked for twice, or too late: no change, and no line */
	return sqlite3_changes(st->db)
		       ? sql_audit(st, by, "cancel", "job", number(id, n), err, "%s", "")
		       : 0;
}

int store_job_cancel(struct store *st, const struct store_actor *by, int64_t id, struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, note_cancel(st, by, id, err), err);
}

/* ---- reading ---- */

#define COLUMNS                                                                                    \
	"id, state, priority, board, type, submitted, deadline, requester, uid, title, identity,"  \
	" session, ran_on, started, ended, cancelled_by, verdict, reason"

static struct store_job read_job(sqlite3_stmt *q)
{
	return (struct store_job){
		.id = sqlite3_column_int64(q, 0),
		.state = sql_text(q, 1),
		.priority = sqlite3_column_int64(q, 2),
		.board = sql_text(q, 3),
		.type = sql_text(q, 4),
		.submitted_ms = sqlite3_column_int64(q, 5),
		.deadline_ms = sqlite3_column_int64(q, 6),
		.requester = sql_text(q, 7),
		.uid = sqlite3_column_int64(q, 8),
		.title = sql_text(q, 9),
		.identity = sql_text(q, 10),
		.session = sql_text(q, 11),
		.ran_on = sql_text(q, 12),
		.started_ms = sqlite3_column_int64(q, 13),
		.ended_ms = sqlite3_column_int64(q, 14),
		.cancelled_by = sql_text(q, 15),
		.verdict = sql_text(q, 16),
		.reason = sql_text(q, 17),
		.plan = "",
	};
}

#define WANTED                                                                                     \
	" FROM job WHERE (?1 = 0 OR id = ?1) AND id > ?2"                                          \
	" AND (?3 = 0 OR state NOT IN ('done', 'cancelled')) AND (?4 IS NULL OR state = ?4)"       \
	" AND (?5 IS NULL OR requester = ?5)"

/* In the order of their start: what runs already, then as store_job_next() takes them. */
static const char list_sql[] = "SELECT " COLUMNS WANTED " ORDER BY state = 'queued', priority DESC,"
			       " CASE WHEN deadline THEN deadline ELSE 9e18 END, id LIMIT ?6";
static const char newest_sql[] = "SELECT " COLUMNS WANTED " ORDER BY id DESC LIMIT ?6";

int store_job_list(struct store *st, const struct store_job_filter *f, store_job_row *row,
		   void *ctx, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, f->newest_first ? newest_sql : list_sql, "iiissi",
				    f->id, f->after, (int64_t)f->open, f->state, f->requester,
				    (int64_t)(f->limit ? f->limit : -1));
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct store_job job = read_job(q);

		if (!row(ctx, &job))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

int store_job_get(struct store *st, int64_t id, store_job_row *row, void *ctx, struct err *err)
{
	sqlite3_stmt *q =
		sql_query(st, err, "SELECT " COLUMNS ", plan FROM job WHERE id = ?", "i", id);
	int rc = q ? sql_next(st, q, err) : -1;

	if (rc == 1) {
		struct store_job job = read_job(q);

		job.plan = sql_text(q, 18);
		row(ctx, &job);
	} else if (!rc) {
		rc = err_set(err, BLAME_USER, "no-job", "no job %" PRId64, id);
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

int store_job_next(struct store *st, const char *board, const char *type, int64_t *id,
		   struct err *err)
{
	return sql_int(st, err, id, 0,
		       "SELECT id FROM job WHERE state = 'queued' AND cancelled_by = ''"
		       " AND (board = ?1 OR (board = '' AND type = ?2))"
		       " ORDER BY priority DESC, CASE WHEN deadline THEN deadline ELSE 9e18 END, id"
		       " LIMIT 1",
		       "ss", board, type);
}

int store_job_overdue(struct store *st, int64_t now_ms, int64_t *id, struct err *err)
{
	return sql_int(st, err, id, 0,
		       "SELECT id FROM job WHERE state = 'queued' AND deadline > 0 AND deadline < ?"
		       " LIMIT 1",
		       "i", now_ms);
}

int store_job_withdrawn(struct store *st, int64_t *id, struct err *err)
{
	return sql_int(st, err, id, 0,
		       "SELECT id FROM job WHERE state = 'queued' AND cancelled_by <> '' LIMIT 1",
		       "");
}

int store_job_same(struct store *st, const char *identity, int64_t *id, struct err *err)
{
	*id = 0;
	if (!*identity)
		return 0;
	return sql_int(st, err, id, 0,
		       "SELECT id FROM job WHERE identity = ? AND cancelled_by = ''"
		       " AND (state IN ('queued', 'starting', 'running', 'ending')"
		       "  OR (state = 'done' AND verdict NOT IN ('', 'INVALID')))"
		       " ORDER BY id DESC LIMIT 1",
		       "s", identity);
}

int store_job_count(struct store *st, int64_t *queued, int64_t *open, struct err *err)
{
	if (sql_int(st, err, queued, 0, "SELECT count(*) FROM job WHERE state = 'queued'", "") < 0)
		return -1;
	return sql_int(st, err, open, 0,
		       "SELECT count(*) FROM job WHERE state IN"
		       " ('queued', 'starting', 'running', 'ending')",
		       "");
}
