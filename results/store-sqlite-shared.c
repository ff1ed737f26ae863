// SPDX-License-Identifier: GPL-2.0-or-later
/* Which sessions ran which kernels; see store-shared.h. Layer: results. */
#include "results/store-shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/store-sqlite.h"

/* Is the kernel (row k, as row sk of the session) the one that `name` names? */
#define NAMED(k, sk, name)                                                                         \
	"(" k ".series || ':' || " k ".variant = " name " OR " k ".variant = " name " OR " sk      \
	".label = " name " OR " k ".release = " name " OR (length(" name ") >= 6 AND substr(" k    \
	".hash, 1, length(" name ")) = " name "))"

static const char shared_sql[] =
	"SELECT s.name, b.name, s.suite, s.profile, a.idx, c.idx FROM session s"
	" JOIN board b ON b.id = s.board"
	" JOIN session_kernel a ON a.session = s.id JOIN kernel ka ON ka.id = a.kernel"
	" JOIN session_kernel c ON c.session = s.id AND c.idx <> a.idx"
	" JOIN kernel kc ON kc.id = c.kernel"
	" WHERE " NAMED("ka", "a", "?1") " AND " NAMED(
		"kc", "c", "?2") " AND (?3 IS NULL OR b.name = ?3) AND (?4 IS NULL OR s.suite = ?4)"
				 " AND (?5 IS NULL OR s.profile = ?5)"
				 " ORDER BY s.started DESC, s.name DESC, a.idx, c.idx";

int store_list_shared(struct store *st, const struct store_shared_filter *f,
		      bool (*row)(void *ctx, const struct store_shared_row *row), void *ctx,
		      struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, shared_sql, "sssss", f->baseline, f->candidate,
				    f->board, f->suite, f->profile);
	char *last = xstrdup("");
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct store_shared_row r = {
			.session = sql_text(q, 0),
			.board = sql_text(q, 1),
			.suite = sql_text(q, 2),
			.profile = sql_text(q, 3),
			.base = sqlite3_column_int(q, 4),
			.cand = sqlite3_column_int(q, 5),
		};

		/* a kernel that ran twice (A/A): the first of each */
		if (!strcmp(last, r.session))
			continue;
		free(last);
		last = xstrdup(r.session);
		if (!row(ctx, &r))
			break;
	}
	free(last);
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

char *store_kernel_seen(struct store *st, const char *kernel, const char *board, const char *suite,
			struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT s.name FROM session s JOIN board b ON b.id = s.board"
		" JOIN session_kernel sk ON sk.session = s.id JOIN kernel k ON k.id = sk.kernel"
		" WHERE " NAMED(
			"k", "sk",
			"?1") " AND (?2 IS NULL OR b.name = ?2) AND (?3 IS NULL OR s.suite = ?3)"
			      " ORDER BY s.started DESC, s.name DESC LIMIT 1",
		"sss", kernel, board, suite);
	char *name = NULL;

	if (q && sql_next(st, q, err) == 1)
		name = xstrdup(sql_text(q, 0));
	sqlite3_reset(q);
	return name;
}
