// SPDX-License-Identifier: GPL-2.0-or-later
/* results/store-history and the migrations: points against their samples, from every version. */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fixture.h"
#include "results/import.h"
#include "results/schema.h"
#include "results/session.h"
#include "results/store-history.h"
#include "results/store.h"

static void must_import(struct store *st, const struct fixture *f)
{
	struct err err = ERR_INIT;

	if (import_run(st, f->dir, NULL, &err) < 0)
		fail_msg("%s", err.message);
}

/* ---- points ---- */

struct got {
	int n;
	struct history_point p[64];
};

static bool keep(void *ctx, const struct history_point *p)
{
	struct got *got = ctx;

	assert_true(got->n < 64);
	assert_true(*p->session && *p->label && *p->hash && *p->release && *p->serial);
	got->p[got->n++] = *p;
	return true;
}

static const struct history_key usual = { "virt-ufs", "ufs-irq", "quick", "randread/1",
					  "read.iops" };

static struct got history(struct store *st, struct history_key key, int64_t since_ms)
{
	struct got got = { .n = 0 };
	struct err err = ERR_INIT;

	if (store_history(st, &key, since_ms, keep, &got, &err) < 0)
		fail_msg("%s", err.message);
	return got;
}

/* Mean and deviation over the counted boots of a kernel, by hand. */
static void expect_mean(const struct session *s, const struct history_point *p)
{
	double x[16];
	double sum = 0;
	double squares = 0;
	int n = 0;

	for (int pair = 1; session_pair_visit(s, p->kernel_idx, pair) >= 0; pair++) {
		int visit = session_pair_visit(s, p->kernel_idx, pair);
		int step = session_find_step(s, visit, usual.workload);

		assert_int_equal(session_value(s, step, usual.metric, &x[n]), 0);
		sum += x[n++];
	}
	for (int i = 0; i < n; i++)
		squares += pow(x[i] - sum / n, 2);
	assert_int_equal(p->n, n);
	/* the sums may be taken in another order */
	assert_true(fabs(p->mean - sum / n) < 1e-9 * p->mean);
	assert_true(fabs(p->sd - sqrt(squares / (n - 1))) < 1e-9 * p->mean);
}

/* A trial of patches adds what they were tried on, a comparison of two trees the newer one. */
static void the_tree_of_a_session(void **state)
{
	static const struct {
		int unpatched, tree;
	} rows[] = { { 0, 0 }, { 1, 0 }, { 2, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f = fixture_usual();
		struct store *st = fixture_store();
		struct got got;

		f.unpatched = rows[i].unpatched;
		fixture_make(&f, fixture_tmp, "20261130-100000-h-000001");
		must_import(st, &f);
		got = history(st, usual, 0);
		assert_int_equal(got.n, 2);
		assert_int_equal(got.p[0].tree, rows[i].tree);
		assert_int_equal(got.p[1].tree, rows[i].tree);
		store_close(st);
		fixture_release(&f);
	}
}

static void points_are_means(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_store();
	struct session *s;
	struct got got;

	(void)state;
	fixture_make(&f, fixture_tmp, "20261130-100000-h-000001");
	must_import(st, &f);
	s = store_get_session(st, "20261130-100000-h-000001", NULL);
	got = history(st, usual, 0);
	assert_int_equal(got.n, 2);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(got.p[k].kernel_idx, k);
		assert_int_equal(got.p[k].n, 4);
		expect_mean(s, &got.p[k]);
	}
	assert_int_equal(history(st, usual, s->started_ms).n, 2);
	assert_int_equal(history(st, usual, s->started_ms + 1).n, 0);
	session_free(s);
	store_close(st);
	fixture_release(&f);
}

static void import_replaces(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_store();

	(void)state;
	fixture_begin(&f, fixture_tmp, "20261130-110000-h-000002");
	must_import(st, &f);
	assert_int_equal(store_history(st, &usual, 0, keep, &(struct got){ .n = 0 }, NULL), -1);
	/* neither the warm-up nor a visit that is not over counts */
	fixture_visit(&f, 0, 0, ", \"warmup\": true");
	fixture_visit_begin(&f, 0, 1, "");
	must_import(st, &f);
	assert_int_equal(store_history(st, &usual, 0, keep, &(struct got){ .n = 0 }, NULL), -1);
	fixture_event(&f, "visit-end", ", \"visit\": %d, \"result\": \"ok\"", f.visit);
	fixture_visit(&f, 1, 1, "");
	fixture_visit(&f, 1, 2, "");
	must_import(st, &f);
	must_import(st, &f);
	assert_int_equal(history(st, usual, 0).n, 1);
	assert_int_equal(history(st, usual, 0).p[0].n, 2);
	fixture_visit(&f, 0, 2, "");
	must_import(st, &f);
	assert_int_equal(history(st, usual, 0).n, 2);
	assert_int_equal(history(st, usual, 0).p[0].n, 1);
	assert_true(history(st, usual, 0).p[0].sd == 0);
	store_close(st);
	fixture_release(&f);
}

/* ---- keys ---- */

static const struct {
	struct history_key key;
	const char *code;
	const char *words; /* in the message */
} keys[] = {
	{ { "virt-ufs", "ufs-irq", "quick", "randread/1", "read.iops" }, NULL, NULL },
	{ { NULL, NULL, NULL, "randread/1", "read.iops" }, NULL, NULL },
	{ { NULL, NULL, NULL, "randread/1", "iops" }, NULL, NULL },
	{ { NULL, NULL, NULL, "randread/1", "ops" }, "no-series", "metric ops" },
	{ { NULL, NULL, NULL, "randread/1", "%" }, "no-series", "metric %" },
	{ { "pixel6", NULL, NULL, NULL, NULL }, "no-series", "board pixel6" },
	{ { "virt-ufs", NULL, "full", NULL, NULL }, "no-series", "profile full" },
	{ { NULL, NULL, NULL, NULL, "read.iops" }, "several-series", "randread/8" },
	{ { NULL, NULL, NULL, "randread/1", NULL }, "several-series", "virt-ufs" },
};

static void key_table(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_store();

	(void)state;
	fixture_make(&f, fixture_tmp, "20261130-120000-h-000003");
	must_import(st, &f);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct got got = { .n = 0 };
		struct err err = ERR_INIT;
		int rc = store_history(st, &keys[i].key, 0, keep, &got, &err);

		assert_int_equal(rc, keys[i].code ? -1 : 0);
		assert_int_equal(got.n, keys[i].code ? 0 : 2);
		if (rc && (strcmp(err.code, keys[i].code) || !strstr(err.message, keys[i].words)))
			fail_msg("key %zu: %s: %s", i, err.code, err.message);
	}
	store_close(st);
	fixture_release(&f);
}

static bool see_series(void *ctx, const struct history_series *s)
{
	int *n = ctx;
	bool planned = !strcmp(s->metric, "read.iops") || !strcmp(s->metric, "write.iops");

	if (planned) {
		assert_string_equal(s->unit, "IOPS");
		assert_int_equal(s->direction, DIRECTION_HIGHER);
		n[1]++;
	}
	assert_int_equal(s->primary, planned);
	n[0]++;
	return true;
}

static void series_have_units(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_store();
	struct history_key all = { .board = "virt-ufs" };
	int n[2] = { 0 };

	(void)state;
	f.pairs = 1;
	fixture_make(&f, fixture_tmp, "20261130-130000-h-000004");
	must_import(st, &f);
	assert_int_equal(store_series(st, &all, see_series, n, NULL), 0);
	assert_true(n[0] >= 4 * 10);
	assert_int_equal(n[1], 4);
	store_close(st);
	fixture_release(&f);
}

/* ---- migration ---- */

/* A session as version 1 kept it; later versions only add columns that have defaults. */
static const char old_rows[] =
	"INSERT INTO board VALUES (1, 'virt-ufs', '0', 'QEMU');"
	"INSERT INTO kernel VALUES (1, 'a0', 's', 'original', '6.12', 'arm64', 'p', 'c', 'gcc');"
	"INSERT INTO workload VALUES (1, 'randread/1'), (2, 'other');"
	"INSERT INTO metric VALUES (1, 'iops'), (2, 'read.iops'), (3, 'sys_cpu');"
	"INSERT INTO session (id, name, dir, started, state, result, user, host, rig_version, suite,"
	" suite_hash, profile, notes, board, pairs_fixed, pairs_min, pairs_max, warmup, seed)"
	" VALUES (1, 'old', '/runs/old', 1000, 'ended', 'complete', 'me', 'lab', '0.1', 'ufs-irq',"
	" 'h', 'quick', '', 1, 0, 4, 12, 1, 7);"
	"INSERT INTO session_kernel VALUES (1, 0, 'original', 1, '');"
	"INSERT INTO session_metric VALUES (1, 0, 1, 1, 'IOPS', 'higher', 1, 0.02, 0.05);"
	"INSERT INTO boot (id, session, visit, kernel_idx, pair, position, warmup, control, result, dir,"
	" release, fingerprint, started, boot_ms)"
	" VALUES (1, 1, 1, 0, 0, 0, 1, 0, 'ok', 'v1', '6.12', '', 1000, 900),"
	" (2, 1, 2, 0, 1, 0, 0, 0, 'ok', 'v2', '6.12', '', 2000, 900),"
	" (3, 1, 3, 0, 2, 0, 0, 0, 'ok', 'v3', '6.12', '', 3000, 900),"
	" (4, 1, 4, 0, 3, 0, 0, 0, 'failed', 'v4', '6.12', '', 4000, 900);"
	"INSERT INTO run SELECT id, id, 2, 'fio', 1, 'ok', '', '', 'd', 'fio', 0, 0, 1, 1, 0 FROM boot;"
	"INSERT INTO sample VALUES (1, 2, 50), (2, 2, 100), (2, 3, 1), (3, 2, 104), (3, 3, 2),"
	" (4, 2, 9);"
	"INSERT INTO finding (boot, kind, title, severity, log_begin, log_end)"
	" VALUES (2, 'warning', 'WARNING in x', 'error', 10, 20);"
	"INSERT INTO fault VALUES (1, 1, 4, 'BOARD', 'boot-timeout', 'no hello', 4000);"
	"INSERT INTO verdict VALUES (1, 1, 1, 'threaded', 'PASS', 'NONE', '', 'fine', 2, 0, 77);"
	"INSERT INTO look VALUES (1, 1, 2, 0.01, 'PASS');"
	"INSERT INTO estimate VALUES (1, 0, 1, 2, 'IOPS', 'higher', 1, 1, NULL, 2, 0, 0, 0, 1, 0, 1, 1,"
	" 0, 0, 0, -1, 'PASS');";

static void raw_exec(sqlite3 *raw, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(raw, sql, NULL, NULL, &message))
		fail_msg("%s", message);
}

static void make_old(const char *path, int version)
{
	sqlite3 *raw;

	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	for (int i = 0; i < version; i++) {
		char pragma[96];

		raw_exec(raw, schema_steps[i].sql);
		snprintf(pragma, sizeof(pragma),
			 "PRAGMA application_id = %d; PRAGMA user_version = %d", 0x52494731,
			 schema_steps[i].version);
		raw_exec(raw, pragma);
	}
	raw_exec(raw, old_rows);
	sqlite3_close(raw);
}

static int count_rows(void *ctx, int n, char **values, char **names)
{
	int *rows = ctx;

	(void)names;
	*rows += n && strcmp(values[0] ? values[0] : "", "ok") != 0;
	return 0;
}

/* Neither check may give a row, but for "ok". */
static void expect_sound(const char *path)
{
	sqlite3 *raw;
	int bad = 0;

	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_exec(raw, "PRAGMA integrity_check; PRAGMA foreign_key_check",
				      count_rows, &bad, NULL),
			 SQLITE_OK);
	assert_int_equal(bad, 0);
	sqlite3_close(raw);
}

static bool declared(void *ctx, const struct history_series *s)
{
	bool *seen = ctx;

	if (!strcmp(s->metric, "read.iops"))
		*seen = s->primary && !strcmp(s->unit, "IOPS") && s->direction == DIRECTION_HIGHER;
	return true;
}

static void expect_content(struct store *st, bool filled)
{
	struct session *s = store_get_session(st, "old", NULL);
	struct got got = { .n = 0 };
	bool seen = false;

	assert_non_null(s);
	assert_int_equal(s->n_visits, 4);
	assert_int_equal(s->n_samples, 6);
	assert_int_equal(s->n_findings, 1);
	assert_string_equal(s->findings[0].title, "WARNING in x");
	assert_int_equal(s->n_faults, 1);
	assert_int_equal(store_history(st, &usual, 0, keep, &got, NULL), filled ? 0 : -1);
	if (filled) {
		assert_int_equal(store_series(st, &usual, declared, &seen, NULL), 0);
		assert_true(seen);
		/* the warm-up (50) and the failed boot (9) stay out; the plan says "iops" */
		assert_int_equal(got.n, 1);
		assert_int_equal(got.p[0].n, 2);
		assert_true(got.p[0].mean == 102 && fabs(got.p[0].sd - sqrt(8)) < 1e-12);
	}
	session_free(s);
}

static void from_every_version(void **state)
{
	(void)state;
	for (int version = 1; version <= store_schema_version(); version++) {
		char *path = xasprintf("%s/v%d.db", fixture_tmp, version);
		struct err err = ERR_INIT;
		struct store *st;

		make_old(path, version);
		st = store_open_readonly(path, &err);
		if (version < store_schema_version()) {
			assert_null(st);
			assert_string_equal(err.code, "store-older");
		}
		store_close(st);
		st = fixture_open(path);
		/* rows that somebody put into a version with points are left alone */
		expect_content(st, version < 5);
		assert_int_equal(store_check(st, NULL), 0);
		store_close(st);
		expect_sound(path);
		free(path);
	}
}

/* A migration that fails half-way leaves the old file as it was. */
static void broken_migration(void **state)
{
	char *path = path_join(fixture_tmp, "broken.db");
	struct err err = ERR_INIT;
	sqlite3 *raw;
	sqlite3_stmt *q;

	(void)state;
	make_old(path, 3);
	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	raw_exec(raw, "CREATE TABLE point (x)"); /* in the way of 005.sql, the last table of it */
	assert_null(store_open(path, &err));
	assert_non_null(strstr(err.message, "005.sql"));
	assert_int_equal(sqlite3_prepare_v2(raw,
					    "SELECT (SELECT user_version FROM pragma_user_version),"
					    " (SELECT count(*) FROM sqlite_schema WHERE name IN"
					    "  ('anomaly', 'series'))",
					    -1, &q, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(q, 0), 3);
	assert_int_equal(sqlite3_column_int(q, 1), 0);
	sqlite3_finalize(q);
	sqlite3_close(raw);
	expect_sound(path);
	free(path);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make_tmp, fixture_remove_tmp)
	const struct CMUnitTest tests[] = {
		TEST(the_tree_of_a_session), TEST(points_are_means),
		TEST(import_replaces),	     TEST(key_table),
		TEST(series_have_units),     TEST(from_every_version),
		TEST(broken_migration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
