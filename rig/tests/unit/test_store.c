// SPDX-License-Identifier: GPL-2.0-or-later
/* results/store: opening, migration, lists, verdicts, and the ways a file can be bad. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <cmocka.h>

#include "fixture.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/session.h"
#include "results/store.h"

static char *tmp;
static char *db;

static int make_tmp(void **state)
{
	(void)state;
	tmp = fixture_tmpdir();
	db = path_join(tmp, "results.db");
	return 0;
}

static int remove_tmp(void **state)
{
	char *mnt = path_join(tmp, "mnt");

	(void)state;
	/* left mounted by a failed test */
	umount2(mnt, MNT_DETACH);
	path_remove(tmp);
	free(mnt);
	free(tmp);
	free(db);
	return 0;
}

static void must_fail(struct store *st, const struct err *err, enum blame blame, const char *code,
		      const char *words)
{
	if (st)
		fail_msg("opened, wanted %s", code);
	if (err->blame != blame || strcmp(err->code, code) || !strstr(err->message, words))
		fail_msg("%s %s: %s", blame_name(err->blame), err->code, err->message);
}

static void raw_sql(const char *path, const char *sql)
{
	sqlite3 *raw;

	assert_int_equal(sqlite3_open(path, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_exec(raw, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(raw);
}

/* ---- opening ---- */

static void new_and_again(void **state)
{
	struct store *st = fixture_open(db);

	(void)state;
	assert_int_equal(store_check(st, NULL), 0);
	store_close(st);
	st = fixture_open(db);
	store_close(st);
	store_close(NULL);
}

static void read_only(void **state)
{
	struct err err = ERR_INIT;
	struct fixture f = fixture_usual();
	char *missing = path_join(tmp, "missing.db");
	struct store *st;
	struct session *s;

	(void)state;
	must_fail(store_open_readonly(missing, &err), &err, BLAME_USER, "no-store", "no results");
	assert_false(path_exists(missing));
	f.pairs = 1;
	fixture_make(&f, tmp, "20261130-100000-ro-000001");
	st = fixture_open(db);
	assert_int_equal(import_run(st, f.dir, NULL, NULL), 0);
	store_close(st);
	st = store_open_readonly(db, &err);
	assert_non_null(st);
	s = store_get_session(st, "20261130-100000-ro-000001", &err);
	assert_non_null(s);
	assert_int_equal(store_put_session(st, s, &err), -1);
	session_free(s);
	store_close(st);
	free(missing);
	fixture_release(&f);
}

static void newer_and_foreign(void **state)
{
	char *newer = path_join(tmp, "newer.db");
	char *foreign = path_join(tmp, "foreign.db");
	struct err err = ERR_INIT;

	(void)state;
	store_close(fixture_open(newer));
	raw_sql(newer, "PRAGMA user_version = 99");
	must_fail(store_open(newer, &err), &err, BLAME_USER, "store-newer", "99");
	must_fail(store_open_readonly(newer, &err), &err, BLAME_USER, "store-newer", "99");
	raw_sql(foreign, "CREATE TABLE bookmarks (url TEXT)");
	must_fail(store_open(foreign, &err), &err, BLAME_USER, "store-foreign", foreign);
	free(newer);
	free(foreign);
}

static void not_writable(void **state)
{
	char *nowhere = path_join(tmp, "no/such/directory/results.db");
	struct err err = ERR_INIT;

	(void)state;
	must_fail(store_open(nowhere, &err), &err, BLAME_RIG, "store-unwritable", nowhere);
	must_fail(store_open(tmp, &err), &err, BLAME_RIG, "store-unwritable", tmp);
	free(nowhere);
}

static void overwrite(const char *path, off_t offset, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	char junk[4096];

	memset(junk, 0xa5, sizeof(junk));
	assert_true(fd >= 0);
	while (size) {
		size_t n = size < sizeof(junk) ? size : sizeof(junk);

		assert_int_equal(pwrite(fd, junk, n, offset), n);
		offset += (off_t)n;
		size -= n;
	}
	close(fd);
}

static void corrupt(void **state)
{
	char *head = path_join(tmp, "head.db");
	char *body = path_join(tmp, "body.db");
	struct fixture f = fixture_usual();
	struct err err = ERR_INIT;
	struct store *st;

	(void)state;
	fixture_file(tmp, "head.db", "this was a database once, before the disk had other ideas\n");
	overwrite(head, 60, 8000);
	must_fail(store_open(head, &err), &err, BLAME_RIG, "store-corrupt", "import");
	f.pairs = 2;
	fixture_make(&f, tmp, "corrupt");
	st = fixture_open(body);
	assert_int_equal(import_run(st, f.dir, NULL, NULL), 0);
	store_close(st);
	overwrite(body, 3 * 4096, 60 * 4096);
	memset(&err, 0, sizeof(err));
	st = store_open(body, &err);
	if (st) {
		assert_int_equal(store_check(st, &err), -1);
		assert_null(store_get_session(st, "corrupt", &err));
		store_close(st);
	}
	assert_string_equal(err.code, "store-corrupt");
	assert_int_equal(err.blame, BLAME_RIG);
	fixture_release(&f);
	free(head);
	free(body);
}

/* ---- a full disk ---- */

static void fill(const char *dir)
{
	char *path = path_join(dir, "filler");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	char zeros[4096] = { 0 };

	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	close(fd);
	free(path);
}

static void full_disk(void **state)
{
	struct fixture f = fixture_usual();
	char *mnt = path_join(tmp, "mnt");
	char *file = path_join(mnt, "results.db");
	char *filler = path_join(mnt, "filler");
	struct err err = ERR_INIT;
	struct store *st;

	(void)state;
	path_mkdirs(mnt);
	if (mount("tmpfs", mnt, "tmpfs", 0, "size=3m") < 0) {
		print_message("tmpfs cannot be mounted here\n");
		free(mnt);
		free(file);
		free(filler);
		skip();
	}
	fixture_make(&f, tmp, "full");
	/* full before there is a database */
	fill(mnt);
	must_fail(store_open(file, &err), &err, BLAME_RIG, "disk-full", "full");
	unlink(filler);
	/* full while a session is stored */
	st = fixture_open(file);
	fill(mnt);
	assert_int_equal(import_run(st, f.dir, NULL, &err), -1);
	assert_string_equal(err.code, "disk-full");
	assert_int_equal(err.blame, BLAME_RIG);
	assert_null(store_get_session(st, "full", &err));
	assert_string_equal(err.code, "no-session");
	unlink(filler);
	/* room again: the same store goes on */
	assert_int_equal(import_run(st, f.dir, NULL, &err), 0);
	assert_int_equal(store_check(st, &err), 0);
	store_close(st);
	assert_int_equal(umount(mnt), 0);
	fixture_release(&f);
	free(mnt);
	free(file);
	free(filler);
}

static void busy(void **state)
{
	(void)state;
	/* a reader of a snapshot does not keep the writer from storing */
	struct fixture f = fixture_usual();
	struct store *st = fixture_open(db);
	sqlite3 *reader;

	f.pairs = 1;
	fixture_make(&f, tmp, "20261130-110000-busy-000001");
	assert_int_equal(sqlite3_open(db, &reader), SQLITE_OK);
	assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM session", NULL, NULL,
				      NULL),
			 SQLITE_OK);
	assert_int_equal(import_run(st, f.dir, NULL, NULL), 0);
	sqlite3_close(reader);
	store_close(st);
	fixture_release(&f);
}

/* ---- lists and names ---- */

static bool count_row(void *ctx, const struct store_row *row)
{
	int *n = ctx;

	(void)row;
	(*n)++;
	return true;
}

static bool first_row(void *ctx, const struct store_row *row)
{
	assert_string_equal(row->kernels, "original vs threaded");
	assert_string_equal(row->board, "virt-ufs");
	assert_string_equal(row->profile, "quick");
	assert_string_equal(row->state, "ended");
	assert_string_equal(row->verdict, "INCONCLUSIVE");
	assert_int_equal(row->visits, 3);
	*(bool *)ctx = true;
	return false;
}

static void lists(void **state)
{
	char *file = path_join(tmp, "list.db");
	struct store *st = fixture_open(file);
	struct store_filter f = { .suite = "ufs-irq" };
	struct err err = ERR_INIT;
	bool seen = false;
	char *name;
	int n = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct fixture x = fixture_usual();
		char run[64];

		x.pairs = 1;
		snprintf(run, sizeof(run), "20261130-15000%d-ufs-irq-00000%d", i, i);
		fixture_make(&x, tmp, run);
		assert_int_equal(import_run(st, x.dir, NULL, NULL), 0);
		gate_set_free(gate_run(st, run, NULL));
		fixture_release(&x);
	}
	assert_int_equal(store_list(st, NULL, count_row, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(store_list(st, NULL, first_row, &seen, NULL), 0);
	assert_true(seen);
	n = 0;
	f.limit = 2;
	store_list(st, &f, count_row, &n, NULL);
	assert_int_equal(n, 2);
	n = 0;
	f.board = "pixel6";
	store_list(st, &f, count_row, &n, NULL);
	assert_int_equal(n, 0);
	name = store_resolve(st, "last", NULL);
	assert_string_equal(name, "20261130-150002-ufs-irq-000002");
	free(name);
	name = store_resolve(st, "20261130-150001", NULL);
	assert_string_equal(name, "20261130-150001-ufs-irq-000001");
	free(name);
	assert_null(store_resolve(st, "2026", &err));
	assert_non_null(strstr(err.message, "3 sessions begin"));
	assert_null(store_resolve(st, "2025", &err));
	assert_int_equal(err.blame, BLAME_USER);
	store_close(st);
	free(file);
}

/* ---- verdicts ---- */

static void verdicts(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_open(db);
	struct gate_set *set;
	struct gate_set *stored;
	char *what = NULL;

	(void)state;
	f.effect[1] = 0.93;
	f.pairs = 8;
	f.cv = 0.03;
	f.kernels = 3;
	fixture_make(&f, tmp, "verdicts");
	assert_int_equal(import_run(st, f.dir, NULL, NULL), 0);
	/* not judged yet */
	assert_int_equal(gate_replay(st, "verdicts", &what, NULL), 1);
	assert_string_equal(what, "no verdict is stored");
	free(what);
	set = gate_run(st, "verdicts", NULL);
	stored = store_get_verdicts(st, "verdicts", NULL);
	assert_int_equal(stored->result, set->result);
	assert_int_equal(stored->n_verdicts, 2);
	assert_string_equal(stored->verdicts[0].reason, set->verdicts[0].reason);
	assert_int_equal(stored->verdicts[1].n_looks, set->verdicts[1].n_looks);
	assert_memory_equal(&stored->verdicts[0].looks[0].workloads[3].est.p,
			    &set->verdicts[0].looks[0].workloads[3].est.p, sizeof(double));
	assert_int_equal(gate_replay(st, "verdicts", &what, NULL), 0);
	/* a number changes behind our back */
	raw_sql(db, "UPDATE sample SET value = value * 1.01 WHERE run = (SELECT max(run) FROM"
		    " sample)");
	assert_int_equal(gate_replay(st, "verdicts", &what, NULL), 1);
	assert_non_null(strstr(what, "rows have changed"));
	free(what);
	/* a verdict does */
	gate_set_free(gate_run(st, "verdicts", NULL));
	raw_sql(db, "UPDATE estimate SET p_adj = 0.5 WHERE idx = 0");
	assert_int_equal(gate_replay(st, "verdicts", &what, NULL), 1);
	assert_non_null(strstr(what, "now"));
	free(what);
	/* it was judged by a version with other levels, and so otherwise */
	gate_set_free(gate_run(st, "verdicts", NULL));
	raw_sql(db, "UPDATE look SET level = 0.00306 WHERE pairs = 4");
	assert_int_equal(gate_replay(st, "verdicts", &what, NULL), 1);
	assert_non_null(strstr(what, "look at 4 pairs: judged at level 0.00306 then, 0.00"));
	free(what);
	raw_sql(db, "UPDATE verdict SET result = 'PASS'");
	assert_int_equal(gate_replay(st, "verdicts", &what, NULL), 1);
	assert_non_null(strstr(what, " PASS "));
	assert_non_null(strstr(what, "; look at 4 pairs: judged at level 0.00306 then, 0.00"));
	free(what);
	assert_int_equal(gate_replay(st, "nothing", &what, NULL), -1);
	gate_set_free(set);
	gate_set_free(stored);
	store_close(st);
	fixture_release(&f);
}

/* ---- anomalies ---- */

static void anomalies_are_kept(void **state)
{
	struct store *st = fixture_open(db);
	struct session *s = session_new();
	struct session_anomaly *a;

	(void)state;
	s->name = "20261130-150000-anomaly-000001";
	session_add_kernel(s)->label = "original";
	a = session_add_anomaly(s);
	a->rule = "bw-vs-iops";
	a->severity = SEVERITY_ERROR;
	a->message = "21.46 is not 22.48";
	session_add_anomaly(s)->severity = SEVERITY_WARN;
	/* twice: an import again replaces */
	assert_int_equal(store_put_session(st, s, NULL), 0);
	assert_int_equal(store_put_session(st, s, NULL), 0);
	session_free(s);
	s = store_get_session(st, "20261130-150000-anomaly-000001", NULL);
	assert_non_null(s);
	assert_int_equal(s->n_anomalies, 2);
	assert_string_equal(s->anomalies[0].rule, "bw-vs-iops");
	assert_int_equal(s->anomalies[0].severity, SEVERITY_ERROR);
	assert_string_equal(s->anomalies[0].message, "21.46 is not 22.48");
	assert_int_equal(s->anomalies[1].severity, SEVERITY_WARN);
	assert_string_equal(s->anomalies[1].place, "");
	session_free(s);
	store_close(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_and_again),
		cmocka_unit_test(read_only),
		cmocka_unit_test(newer_and_foreign),
		cmocka_unit_test(not_writable),
		cmocka_unit_test(corrupt),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(busy),
		cmocka_unit_test(lists),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(anomalies_are_kept),
	};

	return cmocka_run_group_tests(tests, make_tmp, remove_tmp);
}
