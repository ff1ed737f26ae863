// SPDX-License-Identifier: GPL-2.0-or-later
/* results/store-admin and store-query: checks that find what was done to the rows, backup,
 * retention, and a fence around queries. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fixture.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/session.h"
#include "results/store-admin.h"
#include "results/store-history.h"
#include "results/store-query.h"
#include "results/store.h"

#define NAME "20261130-100000-admin-000001"

/* A store with one judged session of two kernels and four pairs. */
struct place {
	char *path;
	struct store *st;
	struct fixture f;
};

static void place_init(struct place *p)
{
	struct err err = ERR_INIT;

	p->path = path_join(fixture_tmp, "results.db");
	p->st = store_open(p->path, &err);
	p->f = fixture_usual();
	fixture_make(&p->f, fixture_tmp, NAME);
	if (!p->st || import_run(p->st, p->f.dir, NULL, &err) < 0)
		fail_msg("%s", err.message);
	gate_set_free(gate_run(p->st, NAME, NULL));
}

static void place_release(struct place *p)
{
	store_close(p->st);
	fixture_release(&p->f);
	free(p->path);
}

static void raw_sql(const char *path, const char *sql)
{
	sqlite3 *raw;

	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_exec(raw, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(raw);
}

static int64_t raw_int(const char *path, const char *sql)
{
	sqlite3 *raw;
	sqlite3_stmt *q;
	int64_t value;

	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(raw, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	value = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	sqlite3_close(raw);
	return value;
}

/* ---- check ---- */

static void keep_text(void *ctx, const char *text)
{
	buf_addf(ctx, "%s\n", text);
}

/* Each is undone before the next: the session is imported again. */
static const struct {
	const char *sql, *words;
} damages[] = {
	{ "UPDATE sample SET value = value * 1.001 WHERE run = (SELECT max(run) FROM sample)",
	  "points are not what its samples give" },
	{ "DELETE FROM point WHERE series = (SELECT min(series) FROM point)",
	  "points are not what" },
	{ "UPDATE point SET n = n + 1", "points are not what" },
	{ "INSERT INTO point SELECT session, series, 1 - kernel_idx + 7, n, mean, sd FROM point"
	  " WHERE kernel_idx = 0 LIMIT 1",
	  "point of kernel 8" },
	{ "DELETE FROM session_kernel WHERE idx = 0", "no baseline" },
	{ "UPDATE boot SET kernel_idx = 5 WHERE visit = 2", "visit 2 is of kernel 5" },
	{ "UPDATE sample SET value = 9e999 WHERE run = (SELECT max(run) FROM sample)", "finite" },
	{ "UPDATE session SET pruned = 1", "pruned but has raw samples" },
	{ "DELETE FROM run WHERE id = (SELECT max(run) FROM sample)",
	  "sample row 0 refers to a row of run" },
};

static void check_finds(void **state)
{
	struct place p;

	(void)state;
	place_init(&p);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct buf text = BUF_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(store_verify(p.st, keep_text, &text, &err), 0);
		raw_sql(p.path, damages[i].sql);
		if (store_verify(p.st, keep_text, &text, &err) < 1 ||
		    !strstr(buf_str(&text), damages[i].words))
			fail_msg("%s: '%s' %s", damages[i].sql, buf_str(&text), err.message);
		raw_sql(p.path, "PRAGMA foreign_keys = OFF; DELETE FROM sample WHERE run NOT IN"
				" (SELECT id FROM run)");
		assert_int_equal(import_run(p.st, p.f.dir, NULL, NULL), 0);
		buf_release(&text);
	}
	place_release(&p);
}

/* ---- backup ---- */

static void backup(void **state)
{
	char *copy = path_join(fixture_tmp, "copy.db");
	char *nowhere = path_join(fixture_tmp, "no/where.db");
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct store *st;
	struct place p;

	(void)state;
	place_init(&p);
	assert_int_equal(store_backup(p.st, copy, &err), 0);
	st = store_open_readonly(copy, &err);
	assert_non_null(st);
	assert_int_equal(store_verify(st, keep_text, &text, &err), 0);
	store_close(st);
	assert_true(raw_int(copy, "SELECT count(*) FROM sample") > 0);
	assert_int_equal(raw_int(copy, "SELECT count(*) FROM sample"),
			 raw_int(p.path, "SELECT count(*) FROM sample"));
	assert_int_equal(store_backup(p.st, copy, &err), -1);
	assert_string_equal(err.code, "exists");
	assert_int_equal(store_backup(p.st, nowhere, &err), -1);
	assert_string_equal(err.code, "backup");
	assert_false(path_exists(nowhere));
	buf_release(&text);
	place_release(&p);
	free(copy);
	free(nowhere);
}

/* ---- retention ---- */

static bool count_point(void *ctx, const struct history_point *p)
{
	(void)p;
	++*(int *)ctx;
	return true;
}

static int points(struct store *st)
{
	static const struct history_key key = { .workload = "randread/1", .metric = "read.iops" };
	int n = 0;

	assert_int_equal(store_history(st, &key, 0, count_point, &n, NULL), 0);
	return n;
}

static int64_t prune(struct store *st, struct store_prune what)
{
	struct store_pruned done;
	struct err err = ERR_INIT;

	if (store_prune(st, &what, &done, &err) < 0)
		fail_msg("%s", err.message);
	return done.sessions ? done.samples : -1;
}

static void retention(void **state)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct session *s;
	struct gate_set *set;
	char *what = NULL;
	struct place p;
	int64_t all;

	(void)state;
	place_init(&p);
	all = raw_int(p.path, "SELECT count(*) FROM sample");
	s = store_get_session(p.st, NAME, NULL);
	/* not old enough; another suite; another board; only looked at */
	assert_int_equal(prune(p.st, (struct store_prune){ .before_ms = s->started_ms }), -1);
	assert_int_equal(prune(p.st, (struct store_prune){ .before_ms = INT64_MAX, .suite = "x" }),
			 -1);
	assert_int_equal(prune(p.st, (struct store_prune){ .before_ms = INT64_MAX, .board = "x" }),
			 -1);
	assert_int_equal(prune(p.st, (struct store_prune){ .before_ms = INT64_MAX, .dry_run = 1 }),
			 all);
	assert_int_equal(raw_int(p.path, "SELECT count(*) FROM sample"), all);
	session_free(s);
	/* dropped: history and verdict stay, nothing is computed from nothing */
	assert_int_equal(prune(p.st, (struct store_prune){ .before_ms = INT64_MAX, .now_ms = 99 }),
			 all);
	assert_int_equal(raw_int(p.path, "SELECT count(*) FROM sample"), 0);
	assert_int_equal(prune(p.st, (struct store_prune){ .before_ms = INT64_MAX }), -1);
	assert_int_equal(points(p.st), 2);
	assert_int_equal(store_verify(p.st, keep_text, &text, &err), 0);
	assert_null(gate_run(p.st, NAME, &err));
	assert_string_equal(err.code, "pruned");
	assert_int_equal(gate_replay(p.st, NAME, &what, &err), -1);
	s = store_get_session(p.st, NAME, NULL);
	assert_int_equal(s->pruned_ms, 99);
	assert_int_equal(store_put_session(p.st, s, &err), -1);
	session_free(s);
	set = store_get_verdicts(p.st, NAME, &err);
	assert_int_equal(set->n_verdicts, 1);
	gate_set_free(set);
	assert_int_equal(store_compact(p.st, &err), 0);
	/* the run directory brings them back */
	assert_int_equal(import_run(p.st, p.f.dir, NULL, NULL), 0);
	assert_int_equal(raw_int(p.path, "SELECT count(*) FROM sample"), all);
	assert_int_equal(gate_replay(p.st, NAME, &what, &err), 0);
	buf_release(&text);
	place_release(&p);
}

/* ---- figures ---- */

struct seen {
	int64_t samples, bytes;
};

static void see_table(void *ctx, const char *table, int64_t rows, int64_t bytes)
{
	struct seen *seen = ctx;

	if (!strcmp(table, "sample"))
		seen->samples = rows;
	seen->bytes += bytes;
}

static void figures(void **state)
{
	struct seen seen = { 0, 0 };
	struct store_stats stats;
	struct place p;

	(void)state;
	place_init(&p);
	assert_int_equal(store_stats(p.st, &stats, NULL), 0);
	assert_int_equal(store_tables(p.st, see_table, &seen, NULL), 0);
	assert_int_equal(stats.sessions, 1);
	assert_int_equal(stats.pruned, 0);
	assert_int_equal(stats.oldest_ms, stats.newest_ms);
	assert_int_equal(stats.version, store_schema_version());
	assert_int_equal(seen.samples, raw_int(p.path, "SELECT count(*) FROM sample"));
	/* all but the table of tables and free pages */
	assert_true(seen.bytes > stats.bytes / 2 && seen.bytes <= stats.bytes);
	place_release(&p);
}

/* ---- queries ---- */

static const struct {
	const char *sql;
	const char *code; /* NULL = it works */
	const char *words;
} queries[] = {
	{ "SELECT count(*) FROM v_sample", NULL, NULL },
	{ "SELECT * FROM v_session; -- and no more\n ; /* really */", NULL, NULL },
	{ "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT x FROM c",
	  NULL, NULL },
	{ "SELECT mean, sd FROM v_point UNION SELECT 1, 2", NULL, NULL },
	{ "SELECT result FROM v_verdict", NULL, NULL },
	{ "SELECT 1 +", "query", "incomplete" },
	{ "SELECT x\nFROM v_sample", "query", "line 1, column 8" },
	{ "SELECT 1\nFROM session s\nWHERE s.nam = 1", "query", "line 3, column 7" },
	{ "", "query", "no statement" },
	{ " -- nothing", "query", "no statement" },
	{ "SELECT 1; SELECT 2", "query", "one statement" },
	{ "DELETE FROM session", "query-write", "SELECT" },
	{ "INSERT INTO metric (name) VALUES ('x')", "query-write", "SELECT" },
	{ "UPDATE session SET name = 'x'", "query-write", "SELECT" },
	{ "WITH x AS (SELECT 1) DELETE FROM session", "query-write", "SELECT" },
	{ "DROP TABLE sample", "query-write", "SELECT" },
	{ "CREATE TEMP TABLE x (y)", "query-write", "SELECT" },
	{ "PRAGMA query_only = OFF", "query-write", "SELECT" },
	{ "PRAGMA user_version", "query-write", "SELECT" },
	{ "ATTACH '/etc/passwd' AS x", "query-write", "SELECT" },
	{ "BEGIN", "query-write", "SELECT" },
	{ "VACUUM INTO 'x.db'", "query-write", "SELECT" },
	{ "SELECT load_extension('x')", "query", "load_extension" },
	{ "SELECT hex(zeroblob(100000000))", "query", "too big" },
	{ "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
	  "query-timeout", "--timeout" },
};

static void ignore_columns(void *ctx, size_t n, const char *const *names)
{
	(void)ctx;
	assert_true(n > 0 && *names[n - 1]);
}

static bool count_value_rows(void *ctx, size_t n, const struct query_value *values)
{
	assert_true(n > 0 && values[n - 1].text);
	++*(int *)ctx;
	return true;
}

static void query_table(void **state)
{
	static const struct query_sink sink = { ignore_columns, count_value_rows };
	struct place p;
	struct store *st;

	(void)state;
	place_init(&p);
	st = store_open_readonly(p.path, NULL);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		struct err err = ERR_INIT;
		int rows = 0;
		int rc = store_query(st, queries[i].sql, &sink, &rows, 50, &err);

		if (rc != (queries[i].code ? -1 : 0) ||
		    (rc &&
		     (strcmp(err.code, queries[i].code) || !strstr(err.message, queries[i].words))))
			fail_msg("%s: %d %s: %s", queries[i].sql, rc, err.code, err.message);
		assert_true(rc || rows > 0);
		if (rc)
			assert_int_equal(err.blame, BLAME_USER);
	}
	/* the fence is gone with the query */
	assert_int_equal(points(st), 2);
	store_close(st);
	place_release(&p);
}

static bool stop_at_three(void *ctx, size_t n, const struct query_value *values)
{
	(void)n;
	assert_int_equal(values[0].type, QUERY_INT);
	assert_int_equal(values[1].type, QUERY_NULL);
	assert_int_equal(values[2].type, QUERY_REAL);
	assert_string_equal(values[3].text, "a");
	return ++*(int *)ctx < 3;
}

static void values_have_types(void **state)
{
	static const struct query_sink sink = { ignore_columns, stop_at_three };
	struct place p;
	int rows = 0;

	(void)state;
	place_init(&p);
	assert_int_equal(store_query(p.st, "SELECT visit, NULL, visit + 0.5, 'a' FROM boot", &sink,
				     &rows, 1000, NULL),
			 0);
	assert_int_equal(rows, 3);
	place_release(&p);
}

static void schema_text(void **state)
{
	struct buf text = BUF_INIT;
	struct place p;

	(void)state;
	place_init(&p);
	assert_int_equal(store_schema(p.st, keep_text, &text, NULL), 0);
	assert_non_null(strstr(buf_str(&text), "CREATE TABLE sample"));
	assert_non_null(strstr(buf_str(&text), "-- identity of the build"));
	assert_non_null(strstr(buf_str(&text), "CREATE VIEW v_point"));
	assert_null(strstr(buf_str(&text), "sqlite_"));
	buf_release(&text);
	place_release(&p);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make_tmp, fixture_remove_tmp)
	const struct CMUnitTest tests[] = {
		TEST(check_finds), TEST(backup),      TEST(retention),
		TEST(figures),	   TEST(query_table), TEST(values_have_types),
		TEST(schema_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
