// SPDX-License-Identifier: GPL-2.0-or-later
/* Series and their points out of the store; see store-history.h. Layer: results. */
#include "results/store-history.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/store-sqlite.h"

/*
 * Ends in ".metric", unless a series of the same workload has that very name. instr() and substr()
 * and not LIKE: names may hold % and _.
 */
#define METRIC_FITS                                                                                \
	"(?5 IS NULL OR m.name = ?5 OR (substr(m.name, -length(?5) - 1) = '.' || ?5"               \
	" AND NOT EXISTS (SELECT 1 FROM series r2 JOIN metric m2 ON m2.id = r2.metric"             \
	"  WHERE r2.board = r.board AND r2.suite = r.suite AND r2.profile = r.profile"             \
	"  AND r2.workload = r.workload AND m2.name = ?5)))"

/* max(r.id): the newest of several boards of one name. */
static const char series_sql[] =
	"SELECT b.name, r.suite, r.profile, w.name, m.name, r.unit, r.direction, r.is_primary,"
	" max(r.id) FROM series r JOIN board b ON b.id = r.board"
	" JOIN workload w ON w.id = r.workload JOIN metric m ON m.id = r.metric"
	" WHERE (?1 IS NULL OR b.name = ?1) AND (?2 IS NULL OR r.suite = ?2)"
	" AND (?3 IS NULL OR r.profile = ?3) AND (?4 IS NULL OR w.name = ?4)"
	" AND " METRIC_FITS " GROUP BY b.name, r.suite, r.profile, w.name, m.name";

int store_series(struct store *st, const struct history_key *key,
		 bool (*series)(void *ctx, const struct history_series *series), void *ctx,
		 struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, series_sql, "sssss", key->board, key->suite,
				    key->profile, key->workload, key->metric);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct history_series s = {
			.board = sql_text(q, 0),
			.suite = sql_text(q, 1),
			.profile = sql_text(q, 2),
			.workload = sql_text(q, 3),
			.metric = sql_text(q, 4),
			.unit = sql_text(q, 5),
			.direction = (enum direction)direction_parse(sql_text(q, 6)),
			.primary = sqlite3_column_int(q, 7),
		};

		if (!series(ctx, &s))
			break;
	}
	sqlite3_reset(q);
	return rc < 0 ? -1 : 0;
}

/* ---- the one series that is meant ---- */

struct one_series {
	char *board, *suite, *profile, *workload, *metric;
	char *other; /* another one that fits, in words */
};

static bool take_series(void *ctx, const struct history_series *s)
{
	struct one_series *one = ctx;

	if (one->board) {
		one->other = xasprintf("%s %s %s %s %s", s->board, s->suite, s->profile,
				       s->workload, s->metric);
		return false;
	}
	one->board = xstrdup(s->board);
	one->suite = xstrdup(s->suite);
	one->profile = xstrdup(s->profile);
	one->workload = xstrdup(s->workload);
	one->metric = xstrdup(s->metric);
	return true;
}

static void one_series_release(struct one_series *one)
{
	free(one->board);
	free(one->suite);
	free(one->profile);
	free(one->workload);
	free(one->metric);
	free(one->other);
}

static const char *or_any(const char *name)
{
	return name ? name : "(any)";
}

static int find_series(struct store *st, const struct history_key *key, struct one_series *one,
		       struct err *err)
{
	if (store_series(st, key, take_series, one, err) < 0)
		return -1;
	if (!one->board)
		return err_set(err, BLAME_USER, "no-series",
			       "nothing is stored of board %s, suite %s, profile %s, workload %s,"
			       " metric %s",
			       or_any(key->board), or_any(key->suite), or_any(key->profile),
			       or_any(key->workload), or_any(key->metric));
	if (one->other)
		return err_set(err, BLAME_USER, "several-series",
			       "several series fit: '%s %s %s %s %s' and '%s'; say which",
			       one->board, one->suite, one->profile, one->workload, one->metric,
			       one->other);
	return 0;
}

/* ---- points ---- */

/* patches_hash of no patches at all: SHA-256 of nothing, see kernel/lib/source.sh. */
#define UNPATCHED "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/*
 * CROSS JOIN: this is the order to look in; without statistics SQLite would guess. The unpatched
 * kernels as a set, which is made once: a fifth less time than a look at each.
 */
static const char points_sql[] =
	"SELECT s.started, s.name, p.kernel_idx, sk.label, k.hash, k.release, k.series, k.variant,"
	" b.serial, s.result, (SELECT group_concat(result, ' ') FROM verdict WHERE session = s.id),"
	" p.n, p.mean, p.sd, COALESCE((SELECT max(t.idx) FROM session_kernel t"
	" WHERE t.session = s.id AND t.kernel IN (SELECT id FROM kernel WHERE patches_hash = ?7)),"
	" 0)"
	" FROM board b CROSS JOIN series r CROSS JOIN session s CROSS JOIN point p"
	" CROSS JOIN session_kernel sk CROSS JOIN kernel k"
	" WHERE b.name = ?1 AND r.board = b.id AND r.suite = ?2 AND r.profile = ?3"
	" AND r.workload = (SELECT id FROM workload WHERE name = ?4)"
	" AND r.metric = (SELECT id FROM metric WHERE name = ?5)"
	" AND s.board = b.id AND s.suite = ?2 AND s.profile = ?3 AND s.started >= ?6"
	" AND p.session = s.id AND p.series = r.id"
	" AND sk.session = s.id AND sk.idx = p.kernel_idx AND k.id = sk.kernel"
	" ORDER BY s.started, s.name, p.kernel_idx";

static void read_point(sqlite3_stmt *q, struct history_point *p)
{
	*p = (struct history_point){
		.started_ms = sqlite3_column_int64(q, 0),
		.session = sql_text(q, 1),
		.kernel_idx = sqlite3_column_int(q, 2),
		.label = sql_text(q, 3),
		.hash = sql_text(q, 4),
		.release = sql_text(q, 5),
		.series = sql_text(q, 6),
		.variant = sql_text(q, 7),
		.serial = sql_text(q, 8),
		.result = sql_text(q, 9),
		.verdict = sql_worst_verdict(sql_text(q, 10)),
		.n = sqlite3_column_int(q, 11),
		.mean = sqlite3_column_double(q, 12),
		.sd = sqlite3_column_double(q, 13),
		.tree = sqlite3_column_int(q, 14),
	};
}

int store_history(struct store *st, const struct history_key *key, int64_t since_ms,
		  bool (*point)(void *ctx, const struct history_point *point), void *ctx,
		  struct err *err)
{
	struct one_series one = { NULL };
	sqlite3_stmt *q = NULL;
	int rc = find_series(st, key, &one, err);

	if (rc < 0)
		goto out;
	q = sql_query(st, err, points_sql, "sssssis", one.board, one.suite, one.profile,
		      one.workload, one.metric, since_ms, UNPATCHED);
	rc = q ? 1 : -1;
	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct history_point p;

		read_point(q, &p);
		if (!point(ctx, &p))
			break;
	}
out:
	sqlite3_reset(q);
	one_series_release(&one);
	return rc < 0 ? -1 : 0;
}
