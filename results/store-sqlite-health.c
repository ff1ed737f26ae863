// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions of a board with their first fault; see store-health.h. Layer: results. */
#include "results/store-health.h"
#include "base/buf.h"
#include "results/store-sqlite.h"

/* Since somebody gave the board back into service: what was before is then forgotten. */
static const char sessions_sql[] =
	"SELECT s.name, s.suite, CASE s.state WHEN 'ended' THEN s.result ELSE '' END, s.started,"
	" (SELECT count(*) FROM boot v WHERE v.session = s.id),"
	" (SELECT count(*) FROM boot v WHERE v.session = s.id AND v.boot_ms >= 0),"
	" (SELECT count(*) FROM boot v WHERE v.session = s.id"
	"  AND (v.line_gaps > 0 OR v.line_errors > ?2)),"
	" coalesce(f.blame, ''), coalesce(f.code, ''), coalesce(f.message, '')"
	" FROM session s JOIN board b ON b.id = s.board"
	" LEFT JOIN fault f ON f.id = (SELECT min(id) FROM fault WHERE session = s.id)"
	" WHERE b.name = ?1 AND s.started >= coalesce((SELECT max(a.at) FROM audit a"
	"  WHERE a.object = 'board ' || ?1 AND a.uid >= 0 AND a.detail NOT LIKE 'hold %'"
	"  AND a.verb IN ('unknown', 'safe', 'busy')), 0) ORDER BY s.started DESC, s.id DESC";

int store_board_sessions(struct store *st, const char *board,
			 bool (*row)(void *ctx, const struct health_session *s), void *ctx,
			 struct err *err)
{
	sqlite3_stmt *q =
		sql_query(st, err, sessions_sql, "si", board, (int64_t)HEALTH_LINE_ERRORS);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct health_session s = {
			.session = sql_text(q, 0),
			.suite = sql_text(q, 1),
			.result = sql_text(q, 2),
			.started_ms = sqlite3_column_int64(q, 3),
			.boots = sqlite3_column_int(q, 4),
			.came_up = sqlite3_column_int(q, 5),
			.disturbed = sqlite3_column_int(q, 6),
			.blame = blame_parse(sql_text(q, 7)),
			.code = sql_text(q, 8),
			.message = sql_text(q, 9),
		};

		if (!row(ctx, &s))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

static const char good_sql[] =
	"SELECT k.hash FROM verdict v JOIN session s ON s.id = v.session"
	" JOIN board b ON b.id = s.board"
	" JOIN session_kernel sk ON sk.session = s.id AND sk.idx = v.candidate"
	" JOIN kernel k ON k.id = sk.kernel"
	" WHERE b.name = ? AND s.suite = ? AND s.profile = ? AND k.series = ? AND k.variant = ?"
	" AND v.result IN ('PASS', 'NONE') AND s.state = 'ended' AND s.result IN ('complete',"
	" 'enough') ORDER BY s.started DESC, s.id DESC LIMIT 1";

char *store_last_good(struct store *st, const struct good_key *key, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, good_sql, "sssss", key->board, key->suite,
				    key->profile, key->series, key->variant);
	char *hash = NULL;

	if (q && sql_next(st, q, err) == 1)
		hash = xstrdup(sql_text(q, 0));
	sqlite3_reset(q);
	return hash;
}
