// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the samples of a session to the points of its series: at import, at the migration that
 * brought points, and again to check them. Always from the rows, so that there is one way only.
 * Layer: results.
 */
#include "results/store-sqlite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* ---- samples -> means ---- */

struct item {
	int64_t workload, metric, kernel;
	size_t order; /* sums are taken in the order of visits: the same bits each time */
	double value;
};

struct items {
	struct item *v;
	size_t n, cap;
};

struct mean {
	int64_t workload, metric, kernel;
	int64_t n;
	double mean, sd;
};

static int by_key(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;

	if (x->workload != y->workload)
		return x->workload < y->workload ? -1 : 1;
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static struct item *items_add(struct items *items)
{
	if (items->n == items->cap) {
		items->cap = items->cap ? 2 * items->cap : 256;
		items->v = xrealloc(items->v, items->cap * sizeof(*items->v));
	}
	return &items->v[items->n++];
}

static bool same_key(const struct item *x, const struct item *y)
{
	return x->workload == y->workload && x->metric == y->metric && x->kernel == y->kernel;
}

/* The items from first on that have its key; returns the index after them. */
static size_t next_mean(const struct items *items, size_t first, struct mean *m)
{
	const struct item *v = &items->v[first];
	size_t n = 0;
	double sum = 0;
	double squares = 0;

	while (first + n < items->n && same_key(v, &v[n]))
		sum += v[n++].value;
	*m = (struct mean){ v->workload, v->metric, v->kernel, (int64_t)n, sum / (double)n, 0 };
	for (size_t i = 0; i < n; i++)
		squares += (v[i].value - m->mean) * (v[i].value - m->mean);
	if (n > 1)
		m->sd = sqrt(squares / (double)(n - 1));
	return first + n;
}

static int read_items(struct store *st, int64_t session, struct items *items, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT r.workload, x.metric, b.kernel_idx, x.value FROM boot b"
		" CROSS JOIN run r CROSS JOIN sample x"
		" WHERE b.session = ? AND b.warmup = 0 AND b.control = 0 AND b.result = 'ok'"
		" AND r.boot = b.id AND r.status = 'ok' AND r.workload IS NOT NULL"
		" AND x.run = r.id ORDER BY b.visit, r.step",
		"i", session);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct item *item = items_add(items);

		item->order = items->n;
		item->workload = sqlite3_column_int64(q, 0);
		item->metric = sqlite3_column_int64(q, 1);
		item->kernel = sqlite3_column_int64(q, 2);
		item->value = sqlite3_column_double(q, 3);
	}
	if (!rc && items->n)
		qsort(items->v, items->n, sizeof(*items->v), by_key);
	return rc;
}

/* ---- series ---- */

struct series {
	int64_t id, workload, metric;
};

/* The series of the session's board, suite and profile, in order of workload and metric. */
struct series_list {
	struct series *v;
	size_t n, at;
};

static int read_series(struct store *st, int64_t session, struct series_list *list, struct err *err)
{
	sqlite3_stmt *q =
		sql_query(st, err,
			  "SELECT r.id, r.workload, r.metric FROM session s CROSS JOIN series r"
			  " WHERE s.id = ? AND r.board = s.board AND r.suite = s.suite"
			  " AND r.profile = s.profile ORDER BY r.workload, r.metric",
			  "i", session);
	int rc = q ? 1 : -1;
	size_t cap = 0;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		if (list->n == cap) {
			cap = cap ? 2 * cap : 256;
			list->v = xrealloc(list->v, cap * sizeof(*list->v));
		}
		list->v[list->n++] = (struct series){ sqlite3_column_int64(q, 0),
						      sqlite3_column_int64(q, 1),
						      sqlite3_column_int64(q, 2) };
	}
	return rc;
}

/* Both lists are in the same order: one walk. -1 = there is none yet. */
static int64_t walk_to(struct series_list *list, const struct mean *m)
{
	for (; list->at < list->n; list->at++) {
		const struct series *s = &list->v[list->at];

		if (s->workload == m->workload && s->metric == m->metric)
			return s->id;
		if (s->workload > m->workload ||
		    (s->workload == m->workload && s->metric > m->metric))
			break;
	}
	return -1;
}

static int64_t new_series(struct store *st, int64_t session, const struct mean *m, struct err *err)
{
	if (sql_run(st, err,
		    "INSERT INTO series (board, suite, profile, workload, metric, unit, direction,"
		    " is_primary) SELECT board, suite, profile, ?2, ?3, '', 'none', 0 FROM session"
		    " WHERE id = ?1",
		    "iii", session, m->workload, m->metric) < 0)
		return -1;
	return sqlite3_last_insert_rowid(st->db);
}

/* ---- what the plan says of the series ---- */

/* The plan's metrics whose series says otherwise, or cannot be found by its full name. */
static const char undeclared_sql[] =
	"SELECT sm.idx, r.id, s.board, s.suite, s.profile, sm.workload, m.name"
	" FROM session s CROSS JOIN session_metric sm CROSS JOIN metric m"
	" LEFT JOIN series r ON r.board = s.board AND r.suite = s.suite"
	"  AND r.profile = s.profile AND r.workload = sm.workload AND r.metric = sm.metric"
	" WHERE s.id = ? AND sm.session = s.id AND m.id = sm.metric AND (r.id IS NULL"
	"  OR (r.unit, r.direction, r.is_primary) IS NOT (sm.unit, sm.direction, sm.is_primary))";

/* A plan may name the end of a metric's name only (session_value()): the one that ends so. */
static const char by_end_sql[] =
	"SELECT min(r.id) FROM series r CROSS JOIN metric m WHERE r.board = ? AND r.suite = ?"
	" AND r.profile = ? AND r.workload = ? AND m.id = r.metric"
	" AND substr(m.name, -length(?5) - 1) = '.' || ?5 HAVING count(*) = 1";

static int declare(struct store *st, int64_t session, sqlite3_stmt *q, struct err *err)
{
	int64_t series = sqlite3_column_int64(q, 1);

	if (sqlite3_column_type(q, 1) == SQLITE_NULL &&
	    sql_int(st, err, &series, 0, by_end_sql, "issis", sqlite3_column_int64(q, 2),
		    sql_text(q, 3), sql_text(q, 4), sqlite3_column_int64(q, 5), sql_text(q, 6)) < 0)
		return -1;
	if (!series) /* no run gave this metric */
		return 0;
	return sql_run(st, err,
		       "UPDATE series SET (unit, direction, is_primary) = (SELECT unit, direction,"
		       " is_primary FROM session_metric WHERE session = ? AND idx = ?)"
		       " WHERE id = ?",
		       "iii", session, sqlite3_column_int64(q, 0), series);
}

static int declare_all(struct store *st, int64_t session, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err, undeclared_sql, "i", session);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1)
		if (declare(st, session, q, err) < 0)
			rc = -1;
	sqlite3_reset(q);
	return rc;
}

/* ---- points ---- */

static int put_means(struct store *st, int64_t session, const struct items *items,
		     struct series_list *list, struct err *err)
{
	int64_t fresh = -1; /* a series that is not in the list */
	struct mean last = { 0 };
	struct mean m;

	for (size_t i = 0; i < items->n; last = m) {
		int64_t series;

		i = next_mean(items, i, &m);
		series = walk_to(list, &m);
		if (series < 0) {
			if (fresh < 0 || last.workload != m.workload || last.metric != m.metric)
				fresh = new_series(st, session, &m, err);
			series = fresh;
		}
		if (series < 0 ||
		    sql_run(st, err,
			    "INSERT INTO point (session, series, kernel_idx, n, mean, sd)"
			    " VALUES (?, ?, ?, ?, ?, ?)",
			    "iiiidd", session, series, m.kernel, m.n, m.mean, m.sd) < 0)
			return -1;
	}
	return 0;
}

int points_put(struct store *st, int64_t session, struct err *err)
{
	struct items items = { NULL, 0, 0 };
	struct series_list list = { NULL, 0, 0 };
	int rc = sql_run(st, err, "DELETE FROM point WHERE session = ?", "i", session);

	if (!rc)
		rc = read_items(st, session, &items, err);
	if (!rc)
		rc = read_series(st, session, &list, err);
	if (!rc)
		rc = put_means(st, session, &items, &list, err);
	if (!rc)
		rc = declare_all(st, session, err);
	free(items.v);
	free(list.v);
	return rc;
}

/* In order of time: the newest plan has the last word on units. */
int points_put_all(struct store *st, struct err *err)
{
	struct sql_ids ids = SQL_IDS_INIT;
	int rc = sql_ids(st, err, &ids, "SELECT id FROM session ORDER BY started, id", "");

	for (size_t i = 0; !rc && i < ids.n; i++)
		rc = points_put(st, ids.v[i], err);
	free(ids.v);
	return rc;
}

/* ---- checking ---- */

static const char stored_sql[] =
	"SELECT r.workload, r.metric, p.kernel_idx, p.n, p.mean, p.sd FROM point p"
	" JOIN series r ON r.id = p.series WHERE p.session = ?"
	" ORDER BY r.workload, r.metric, p.kernel_idx";

static bool is_mean(sqlite3_stmt *q, const struct mean *m)
{
	return sqlite3_column_int64(q, 0) == m->workload &&
	       sqlite3_column_int64(q, 1) == m->metric && sqlite3_column_int64(q, 2) == m->kernel &&
	       sqlite3_column_int64(q, 3) == m->n && sqlite3_column_double(q, 4) == m->mean &&
	       sqlite3_column_double(q, 5) == m->sd;
}

/* Exactly the same: both were made by next_mean() from the same rows in the same order. */
int points_differ(struct store *st, int64_t session, struct err *err)
{
	struct items items = { NULL, 0, 0 };
	sqlite3_stmt *q = NULL;
	size_t i = 0;
	int differ = 0;
	int rc = read_items(st, session, &items, err);

	if (!rc)
		q = sql_query(st, err, stored_sql, "i", session);
	if (!q)
		rc = -1;
	while (!rc && (rc = sql_next(st, q, err)) == 1) {
		struct mean m = { .workload = -1 };

		if (i < items.n)
			i = next_mean(&items, i, &m);
		differ += !is_mean(q, &m);
		rc = 0;
	}
	for (struct mean m; !rc && i < items.n; differ++)
		i = next_mean(&items, i, &m);
	sqlite3_reset(q);
	free(items.v);
	return rc ? -1 : differ;
}
