// SPDX-License-Identifier: GPL-2.0-or-later
/* Calibrations and the priors of sessions as rows; see store-calibrate.h. Layer: results. */
#include "results/store-calibrate.h"

#include <stdlib.h>

#include "base/buf.h"
#include "results/calibrate.h"
#include "results/session.h"
#include "results/store-sqlite.h"

/* ---- storing ---- */

static int put_series(struct store *st, int64_t id, size_t i, const struct calibration_series *x,
		      struct err *err)
{
	int64_t workload = sql_workload(st, x->workload, err);
	int64_t metric = sql_metric(st, x->metric, err);

	if (workload < 0 || metric < 0)
		return -1;
	return sql_run(st, err,
		       "INSERT INTO calibration_series (calibration, idx, workload, metric, pairs,"
		       " d0, s0sq, ks_p, n_p, mde, mde_pairs, pairs_needed)"
		       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		       "iiiiidddidii", id, (int64_t)i, workload, metric, (int64_t)x->pairs, x->d0,
		       x->s0sq, x->ks_p, (int64_t)x->n_p, x->mde, (int64_t)x->mde_pairs,
		       (int64_t)x->pairs_needed);
}

static int put_calibration(struct store *st, struct calibration *c, struct err *err)
{
	int64_t board;

	/* Its sessions are stored, so is the board. */
	if (sql_int(st, err, &board, -1,
		    "SELECT id FROM board WHERE name = ? AND serial = ? AND model = ?", "sss",
		    c->board, c->serial, c->model) < 0 ||
	    sql_run(st, err,
		    "INSERT INTO calibration (board, suite, profile, suite_hash, host, setup,"
		    " fingerprint, rig_version, made, newest, sessions, gated, failed, ks_p,"
		    " withdrawn) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "isssssssisiiids", board, c->suite, c->profile, c->suite_hash, c->host,
		    c->setup, c->fingerprint, c->rig_version, c->made_ms, c->newest,
		    (int64_t)c->sessions, (int64_t)c->gated, (int64_t)c->failed, c->ks_p,
		    c->withdrawn) < 0)
		return -1;
	c->id = sqlite3_last_insert_rowid(st->db);
	for (size_t i = 0; i < c->n_series; i++)
		if (put_series(st, c->id, i, &c->series[i], err) < 0)
			return -1;
	return 0;
}

int store_put_calibration(struct store *st, struct calibration *c, struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, put_calibration(st, c, err), err);
}

int store_withdraw_calibrations(struct store *st, const char *board, const char *reason,
				struct err *err)
{
	if (sql_run(st, err,
		    "UPDATE calibration SET withdrawn = ?1 WHERE withdrawn = ''"
		    " AND (?2 IS NULL OR board IN (SELECT id FROM board WHERE name = ?2))",
		    "ss", reason, board) < 0)
		return -1;
	return sqlite3_changes(st->db);
}

static int put_priors(struct store *st, const struct session *s, struct err *err)
{
	int64_t id = sql_session(st, s->name, err);

	if (id < 0 || sql_run(st, err, "DELETE FROM session_prior WHERE session = ?", "i", id) < 0)
		return -1;
	for (size_t i = 0; i < s->n_priors; i++) {
		const struct session_prior *p = &s->priors[i];
		int64_t workload = sql_workload(st, p->workload, err);
		int64_t metric = sql_metric(st, p->metric, err);

		if (workload < 0 || metric < 0 ||
		    sql_run(st, err,
			    "INSERT INTO session_prior (session, idx, workload, metric, d0, s0sq,"
			    " made) VALUES (?, ?, ?, ?, ?, ?, ?)",
			    "iiiiddi", id, (int64_t)i, workload, metric, p->d0, p->s0sq,
			    p->made_ms) < 0)
			return -1;
	}
	return 0;
}

int store_put_priors(struct store *st, const struct session *s, struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, put_priors(st, s, err), err);
}

/* ---- loading ---- */

static int get_series(struct store *st, struct calibration *c, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT w.name, m.name, x.pairs, x.d0, x.s0sq, x.ks_p, x.n_p, x.mde, x.mde_pairs,"
		" x.pairs_needed FROM calibration_series x JOIN workload w ON w.id = x.workload"
		" JOIN metric m ON m.id = x.metric WHERE x.calibration = ? ORDER BY x.idx",
		"i", c->id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		c->series = xrealloc(c->series, (c->n_series + 1) * sizeof(*c->series));
		c->series[c->n_series++] = (struct calibration_series){
			.workload = xstrdup(sql_text(q, 0)),
			.metric = xstrdup(sql_text(q, 1)),
			.pairs = sqlite3_column_int(q, 2),
			.d0 = sqlite3_column_double(q, 3),
			.s0sq = sqlite3_column_double(q, 4),
			.ks_p = sqlite3_column_double(q, 5),
			.n_p = sqlite3_column_int(q, 6),
			.mde = sqlite3_column_double(q, 7),
			.mde_pairs = sqlite3_column_int(q, 8),
			.pairs_needed = sqlite3_column_int(q, 9),
		};
	}
	return rc;
}

static struct calibration *read_calibration(sqlite3_stmt *q)
{
	struct calibration *c = xcalloc(1, sizeof(*c));
	char **texts[] = { &c->board,	    &c->serial,	     &c->model,	 &c->suite,
			   &c->profile,	    &c->suite_hash,  &c->host,	 &c->setup,
			   &c->fingerprint, &c->rig_version, &c->newest, &c->withdrawn };
	size_t n = sizeof(texts) / sizeof(texts[0]);

	c->id = sqlite3_column_int64(q, 0);
	for (size_t i = 0; i < n; i++)
		*texts[i] = xstrdup(sql_text(q, (int)i + 1));
	c->made_ms = sqlite3_column_int64(q, (int)n + 1);
	c->sessions = sqlite3_column_int(q, (int)n + 2);
	c->gated = sqlite3_column_int(q, (int)n + 3);
	c->failed = sqlite3_column_int(q, (int)n + 4);
	c->ks_p = sqlite3_column_double(q, (int)n + 5);
	return c;
}

static const char list_sql[] =
	"SELECT c.id, b.name, b.serial, b.model, c.suite, c.profile, c.suite_hash, c.host, c.setup,"
	" c.fingerprint, c.rig_version, c.newest, c.withdrawn, c.made, c.sessions, c.gated,"
	" c.failed, c.ks_p FROM calibration c JOIN board b ON b.id = c.board"
	" WHERE (?1 IS NULL OR b.name = ?1) AND (?2 IS NULL OR b.serial = ?2)"
	" AND (?3 IS NULL OR c.suite = ?3) AND (?4 IS NULL OR c.profile = ?4)"
	" AND (?5 = 0 OR c.made <= ?5) ORDER BY c.made DESC, c.id DESC";

int store_list_calibrations(struct store *st, const struct store_calibration_filter *f,
			    bool (*row)(void *ctx, const struct calibration *c), void *ctx,
			    struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, list_sql, "ssssi", f->board, f->serial, f->suite,
				    f->profile, f->before_ms);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct calibration *c = read_calibration(q);
		bool more = false;

		if (get_series(st, c, err) < 0)
			rc = -1;
		else
			more = row(ctx, c);
		calibration_free(c);
		if (!more)
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

static const char aa_sql[] =
	"SELECT s.name FROM session s JOIN board b ON b.id = s.board"
	" JOIN session_kernel k ON k.session = s.id AND k.idx = 0"
	" WHERE b.name = ?1 AND s.suite = ?2 AND s.profile = ?3 AND s.state = 'ended'"
	" AND EXISTS (SELECT 1 FROM session_kernel o WHERE o.session = s.id AND o.idx > 0"
	"  AND o.kernel = k.kernel AND o.cmdline = k.cmdline)"
	" ORDER BY s.started DESC, s.name DESC";

int store_list_aa(struct store *st, const char *board, const char *suite, const char *profile,
		  bool (*row)(void *ctx, const char *session), void *ctx, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, aa_sql, "sss", board, suite, profile);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1)
		if (!row(ctx, sql_text(q, 0)))
			break;
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}
