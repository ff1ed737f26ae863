// SPDX-License-Identifier: GPL-2.0-or-later
/* Published numbers in the store; see literature.h. Layer: results. */
#include "results/literature.h"

#include <math.h>
#include <string.h>

#include "results/store-sqlite.h"

/* A document may be scattered over the file: all of it goes before the first row comes. */
static int clear(struct store *st, const struct literature_row *rows, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (i && !strcmp(rows[i].source, rows[i - 1].source))
			continue;
		if (sql_run(st, err, "DELETE FROM literature WHERE source = ?", "s",
			    rows[i].source) < 0)
			return -1;
	}
	return 0;
}

static int put(struct store *st, const struct literature_row *rows, size_t n, struct err *err)
{
	if (clear(st, rows, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct literature_row *r = &rows[i];

		if (sql_run(st, err,
			    "INSERT INTO literature (source, line, board, workload, variant, metric,"
			    " printed, printed_unit, value, unit, n_runs, note)"
			    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			    "sissssssdsis", r->source, (int64_t)r->line, r->board, r->workload,
			    r->variant, r->metric, r->printed, r->printed_unit, r->value, r->unit,
			    (int64_t)r->runs, r->note) < 0)
			return -1;
	}
	return 0;
}

int store_put_literature(struct store *st, const struct literature_row *rows, size_t n,
			 struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, put(st, rows, n, err), err);
}

int store_list_literature(struct store *st, const char *source,
			  bool (*row)(void *ctx, const struct literature_row *row), void *ctx,
			  struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT source, board, workload, variant, metric, printed, printed_unit, value, unit,"
		" note, line, n_runs FROM literature WHERE substr(source, 1, length(?1)) = ?1"
		" ORDER BY line",
		"s", source);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		const struct literature_row r = {
			.source = sql_text(q, 0),
			.board = sql_text(q, 1),
			.workload = sql_text(q, 2),
			.variant = sql_text(q, 3),
			.metric = sql_text(q, 4),
			.printed = sql_text(q, 5),
			.printed_unit = sql_text(q, 6),
			.value = sqlite3_column_type(q, 7) == SQLITE_NULL
					 ? NAN
					 : sqlite3_column_double(q, 7),
			.unit = sql_text(q, 8),
			.note = sql_text(q, 9),
			.line = sqlite3_column_int(q, 10),
			.runs = sqlite3_column_int(q, 11),
		};

		if (!row(ctx, &r))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}
