// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts since some time; see store-verdicts.h. Layer: results. */
#include "results/store-verdicts.h"
#include "results/store-sqlite.h"

static const char verdicts_sql[] =
	"SELECT s.name, b.name, s.suite, s.profile, v.label, k.series, k.variant,"
	" CASE WHEN v.candidate > 0 THEN base.label ELSE '' END, v.result, v.blame, v.code,"
	" v.reason, s.started, v.pairs"
	" FROM session s JOIN board b ON b.id = s.board JOIN verdict v ON v.session = s.id"
	" JOIN session_kernel sk ON sk.session = s.id AND sk.idx = v.candidate"
	" JOIN kernel k ON k.id = sk.kernel"
	" JOIN session_kernel base ON base.session = s.id AND base.idx = 0"
	" WHERE s.started >= ? AND s.state = 'ended' ORDER BY s.started, s.id, v.candidate";

int store_verdicts(struct store *st, int64_t since_ms,
		   bool (*row)(void *ctx, const struct store_verdict *v), void *ctx,
		   struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, verdicts_sql, "i", since_ms);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct store_verdict v = {
			.session = sql_text(q, 0),
			.board = sql_text(q, 1),
			.suite = sql_text(q, 2),
			.profile = sql_text(q, 3),
			.label = sql_text(q, 4),
			.series = sql_text(q, 5),
			.variant = sql_text(q, 6),
			.baseline = sql_text(q, 7),
			.result = sql_text(q, 8),
			.blame = sql_text(q, 9),
			.code = sql_text(q, 10),
			.reason = sql_text(q, 11),
			.started_ms = sqlite3_column_int64(q, 12),
			.pairs = sqlite3_column_int(q, 13),
		};

		if (!row(ctx, &v))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}
