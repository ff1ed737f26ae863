// SPDX-License-Identifier: GPL-2.0-or-later
/* results/import: whole, partial, torn and hostile run directories; kill -9 in the middle. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
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
	(void)state;
	path_remove(tmp);
	free(tmp);
	free(db);
	return 0;
}

static struct session *must_read(const char *dir)
{
	struct err err = ERR_INIT;
	struct session *s = import_read(dir, &err);

	if (!s)
		fail_msg("%s", err.message);
	return s;
}

static void assert_same_session(const struct session *a, const struct session *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->dir, b->dir);
	assert_string_equal(a->notes, b->notes);
	assert_string_equal(a->result, b->result);
	assert_string_equal(a->model, b->model);
	assert_int_equal(a->started_ms, b->started_ms);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->pairs_max, b->pairs_max);
	assert_int_equal(a->n_kernels, b->n_kernels);
	assert_int_equal(a->n_metrics, b->n_metrics);
	assert_int_equal(a->n_visits, b->n_visits);
	assert_int_equal(a->n_steps, b->n_steps);
	assert_int_equal(a->n_samples, b->n_samples);
	assert_int_equal(a->n_findings, b->n_findings);
	assert_int_equal(a->n_faults, b->n_faults);
	for (size_t i = 0; i < a->n_visits; i++) {
		assert_int_equal(a->visits[i].pair, b->visits[i].pair);
		assert_int_equal(a->visits[i].warmup, b->visits[i].warmup);
		assert_int_equal(a->visits[i].started_ms, b->visits[i].started_ms);
		assert_string_equal(a->visits[i].fingerprint, b->visits[i].fingerprint);
	}
	for (size_t i = 0; i < a->n_steps; i++) {
		assert_string_equal(a->steps[i].workload, b->steps[i].workload);
		assert_string_equal(a->steps[i].command, b->steps[i].command);
		assert_int_equal(a->steps[i].duration_ns, b->steps[i].duration_ns);
	}
	for (size_t i = 0; i < a->n_samples; i++) {
		double value;

		assert_int_equal(session_value(b, a->samples[i].step, a->samples[i].metric, &value),
				 0);
		assert_memory_equal(&value, &a->samples[i].value, sizeof(value));
	}
}

static void assert_same_findings(const struct session *a, const struct session *b)
{
	for (size_t i = 0; i < a->n_findings; i++) {
		assert_int_equal(a->findings[i].visit, b->findings[i].visit);
		assert_int_equal(a->findings[i].end, b->findings[i].end);
		assert_string_equal(a->findings[i].title, b->findings[i].title);
		assert_string_equal(a->findings[i].signature, b->findings[i].signature);
		assert_string_equal(a->findings[i].guilty, b->findings[i].guilty);
		assert_string_equal(a->findings[i].trace, b->findings[i].trace);
	}
}

static void finding_in_full(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_open(db);
	struct session *read = NULL;
	struct session *stored;

	(void)state;
	fixture_begin(&f, tmp, "full");
	fixture_visit(&f, 0, 1, "");
	fixture_event(&f, "finding", "%s",
		      ", \"visit\": 1, \"kind\": \"warning\", \"title\": \"WARNING in f\","
		      " \"severity\": \"error\", \"signature\": \"0123456789abcdef\", \"guilty\":"
		      " \"drivers/ufs/core/ufshcd.c\", \"trace\": [\"f\", \"g\"], \"begin\": 5,"
		      " \"end\": 9");
	fixture_end(&f, "complete");
	assert_int_equal(import_run(st, f.dir, &read, NULL), 0);
	assert_int_equal(read->n_findings, 1);
	assert_string_equal(read->findings[0].signature, "0123456789abcdef");
	assert_string_equal(read->findings[0].guilty, "drivers/ufs/core/ufshcd.c");
	assert_string_equal(read->findings[0].trace, "f\ng");
	stored = store_get_session(st, "full", NULL);
	assert_same_findings(read, stored);
	session_free(stored);
	session_free(read);
	store_close(st);
	fixture_release(&f);
}

/* The lab's rows are rows of the session: the verdict can be computed again without the lab. */
static void suppressed(void **state)
{
	static const struct {
		const char *until;
		enum verdict want;
	} cases[] = { { "2026-11-30", VERDICT_PASS }, { "2026-11-29", VERDICT_FAIL } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *rows =
			xasprintf("[{\"title\": \"WARNING in ufshcd_*\", \"kind\": \"warning\","
				  " \"guilty\": \"\", \"until\": \"%s\", \"reason\": \"mail\"}]",
				  cases[i].until);
		struct fixture f = fixture_usual();
		struct store *st = fixture_open(db);
		struct gate_set *set;
		struct session *s;
		char *what = NULL;

		f.finding[1] = "WARNING in ufshcd_foo";
		f.suppressions = rows;
		fixture_make(&f, tmp, i ? "suppressed-1" : "suppressed-0");
		assert_int_equal(import_run(st, f.dir, NULL, NULL), 0);
		s = store_get_session(st, i ? "suppressed-1" : "suppressed-0", NULL);
		assert_int_equal(s->n_suppressions, 1);
		assert_string_equal(s->suppressions[0].until, cases[i].until);
		set = gate_run(st, s->name, NULL);
		assert_int_equal(set->result, cases[i].want);
		gate_set_free(set);
		assert_int_equal(gate_replay(st, s->name, &what, NULL), 0);
		session_free(s);
		store_close(st);
		fixture_release(&f);
		free(rows);
	}
}

/* An event ends a session, words about one do not. */
static void has_ended(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	assert_false(import_has_ended(tmp));
	fixture_begin(&f, tmp, "ended");
	fixture_visit(&f, 0, 1, "");
	fixture_fault(&f, 1, "BOARD", "x", "the console said \\\"session-end\\\"");
	assert_false(import_has_ended(f.dir));
	fprintf(f.events, "{\"ev\": \"session-end\", \"torn");
	fflush(f.events);
	assert_false(import_has_ended(f.dir));
	fprintf(f.events, "\n");
	fixture_end(&f, "fault");
	assert_true(import_has_ended(f.dir));
	fixture_release(&f);
}

static void round_trip(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_open(db);
	struct session *read = NULL;
	struct session *stored;
	double value;

	(void)state;
	f.finding[1] = "WARNING in ufshcd_foo";
	fixture_begin(&f, tmp, "round");
	fixture_rounds(&f);
	fixture_fault(&f, 3, "BOARD", "qemu-died", "gone");
	fixture_end(&f, "fault");
	assert_int_equal(import_run(st, f.dir, &read, NULL), 0);
	assert_int_equal(read->n_visits, 9);
	assert_int_equal(read->n_steps, 36);
	assert_int_equal(read->n_findings, 4);
	assert_true(read->visits[0].warmup && !read->visits[1].warmup);
	assert_int_equal(read->visits[2].boot_ms, 912);
	assert_int_equal(session_value(read, 0, "read.iops", &value), 0);
	assert_true(fabs(value / 5488.82 - 1) < 0.1);
	assert_int_equal(session_value(read, 0, "iops_avg", &value), 0);
	assert_int_equal(session_value(read, 0, "nothing", &value), -ENOENT);
	stored = store_get_session(st, "round", NULL);
	assert_non_null(stored);
	assert_same_session(read, stored);
	for (size_t i = 1; i < stored->n_visits; i++) {
		assert_int_equal(stored->visits[i].line_errors, 2);
		assert_int_equal(stored->visits[i].line_gaps, stored->visits[i].number % 3 == 0);
	}
	session_free(stored);
	session_free(read);
	store_close(st);
	fixture_release(&f);
}

/* Again: nothing changes, verdicts included. */
static void idempotent(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_open(db);
	struct session *first = NULL;
	struct session *second = NULL;
	char *what = NULL;

	(void)state;
	fixture_make(&f, tmp, "again");
	assert_int_equal(import_run(st, f.dir, &first, NULL), 0);
	gate_set_free(gate_run(st, "again", NULL));
	for (int i = 0; i < 3; i++)
		assert_int_equal(import_run(st, f.dir, NULL, NULL), 0);
	second = store_get_session(st, "again", NULL);
	assert_same_session(first, second);
	assert_int_equal(gate_replay(st, "again", &what, NULL), 0);
	assert_null(what);
	session_free(first);
	session_free(second);
	store_close(st);
	fixture_release(&f);
}

/* A directory that grows, as the supervisor imports it after each visit; looks so far are kept. */
static void growing(void **state)
{
	struct fixture f = fixture_usual();
	struct store *st = fixture_open(db);
	struct gate_set *set = NULL;
	struct session *s = NULL;
	int lock;
	char *path;

	(void)state;
	f.cv = 0.025;
	f.seed = 5;
	f.pairs = 6;
	fixture_begin(&f, tmp, "grow");
	path = path_join(f.dir, "lock");
	lock = path_lock(path);
	assert_true(lock >= 0);
	fixture_visit(&f, 0, 0, ", \"warmup\": true");
	for (int pair = 1; pair <= 6; pair++) {
		fixture_round(&f, pair);
		assert_int_equal(import_run(st, f.dir, &s, NULL), 0);
		assert_int_equal(s->state, SESSION_RUNNING);
		assert_int_equal(s->n_faults, 0);
		assert_int_equal(session_complete_pairs(s, 0), pair);
		session_free(s);
		set = gate_run(st, "grow", NULL);
		assert_non_null(set);
		assert_int_equal(set->verdicts[0].n_looks, pair < 4 ? 0 : pair < 6 ? 1 : 2);
		gate_set_free(set);
	}
	close(lock);
	/* the lock is free and there is no session-end: the job died */
	assert_int_equal(import_run(st, f.dir, &s, NULL), 0);
	assert_int_equal(s->state, SESSION_ENDED);
	assert_int_equal(s->n_faults, 1);
	assert_string_equal(s->faults[0].code, "job-lost");
	set = gate_run(st, "grow", NULL);
	assert_int_equal(set->result, VERDICT_INVALID);
	assert_int_equal(set->blame, BLAME_RIG);
	assert_false(set->more);
	gate_set_free(set);
	session_free(s);
	store_close(st);
	free(path);
	fixture_release(&f);
}

/* Every prefix of a journal imports: cut at each byte of its last events. */
static void torn_anywhere(void **state)
{
	struct fixture f = fixture_usual();
	struct buf all = BUF_INIT;
	char *path;
	size_t size;

	(void)state;
	f.pairs = 1;
	fixture_make(&f, tmp, "torn");
	path = path_join(f.dir, "events.jsonl");
	assert_int_equal(path_read(path, &all, 1 << 20), 0);
	size = all.size;
	for (size_t cut = 0; cut < size; cut += cut < size - 700 ? 97 : 1) {
		struct session *s;

		assert_int_equal(truncate(path, (off_t)(size - cut)), 0);
		s = must_read(f.dir);
		assert_int_equal(s->state, SESSION_ENDED);
		assert_int_equal(s->n_faults, cut ? 1 : 0);
		session_free(s);
		fixture_file(f.dir, "events.jsonl", buf_str(&all));
	}
	free(path);
	buf_release(&all);
	path_remove(f.dir);
	fixture_release(&f);
}

/* The supervisor closes a torn line and adds its words. */
static void torn_then_job_lost(void **state)
{
	struct fixture f = fixture_usual();
	struct session *s;

	(void)state;
	f.pairs = 1;
	fixture_begin(&f, tmp, "lost");
	fixture_rounds(&f);
	fputs("{\"t\": \"2026-11-30T15:00:01.0\n", f.events);
	fixture_fault(&f, -1, "RIG", "job-lost", "rig-job ended with signal 9");
	fixture_end(&f, "fault");
	s = must_read(f.dir);
	assert_int_equal(s->n_faults, 1);
	assert_string_equal(s->faults[0].message, "rig-job ended with signal 9");
	session_free(s);
	path_remove(f.dir);
	fixture_release(&f);
}

/* ---- what is wrong with a step's file is wrong with that step only ---- */

static void broken_results(void **state)
{
	static const struct {
		const char *text; /* NULL = missing */
		enum blame blame;
		const char *words;
	} rows[] = {
		{ NULL, BLAME_RIG, "missing" },
		{ "", BLAME_TEST, "empty" },
		{ "{\"jobs\": [{\"jobname\": \"a\",\n\"read\": {\"iops\"", BLAME_TEST, "line 2" },
		{ "{\"jobs\": [{\"jobname\": \"a\", \"read\": {\"iops\": 1e308}}]}", BLAME_TEST,
		  "cannot be" },
		{ "{\"jobs\": [{\"jobname\": \"a\", \"read\": {\"iops\": NaN}}]}", BLAME_TEST,
		  "broken JSON" },
		{ "{\"jobs\": [{\"jobname\": \"a\", \"error\": 5, \"read\": {\"iops\": 7}}]}",
		  BLAME_TEST, "Input/output error" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f = fixture_usual();
		struct session *s;
		char *dir;
		int step;
		double value;

		f.pairs = 1;
		fixture_make(&f, tmp, "broken");
		dir = xasprintf("%s/visits/002-original/steps/03-randread_8", f.dir);
		if (rows[i].text) {
			fixture_file(dir, "fio.json", rows[i].text);
		} else {
			char *path = path_join(dir, "fio.json");

			unlink(path);
			free(path);
		}
		s = must_read(f.dir);
		step = session_find_step(s, 1, "randread/8");
		assert_int_equal(s->steps[step].status, STEP_FAILED);
		assert_int_equal(s->steps[step].blame, rows[i].blame);
		if (!strstr(s->steps[step].message, rows[i].words) ||
		    strncmp(s->steps[step].message, "fio.json: ", 10))
			fail_msg("%s", s->steps[step].message);
		assert_int_equal(session_value(s, step, "iops", &value), -ENOENT);
		assert_int_equal(session_value(s, step + 1, "iops", &value), 0);
		session_free(s);
		path_remove(f.dir);
		free(dir);
		fixture_release(&f);
	}
}

static void agent_metrics(void **state)
{
	static const struct {
		const char *text;
		enum step_status status;
	} rows[] = {
		{ "{\"name\": \"boot_ms\", \"value\": 4400, \"unit\": \"ms\"}\n", STEP_OK },
		{ "{\"name\": \"a\", \"value\": 1}\n\n{\"name\": \"b\", \"value\": -2.5}",
		  STEP_OK },
		{ "{\"name\": \"a\", \"value\": 1}\n{\"name\": \"a\", \"value\": 2}\n",
		  STEP_FAILED },
		{ "{\"name\": \"a\", \"value\": \"1\"}\n", STEP_FAILED },
		{ "{\"name\": \"a\", \"value\": 1e300}\n", STEP_FAILED },
		{ "{\"name\": \"a b\", \"value\": 1}\n", STEP_FAILED },
		{ "nonsense\n", STEP_FAILED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f = fixture_usual();
		struct session *s;
		char *dir;

		fixture_begin(&f, tmp, "metrics");
		fixture_visit_begin(&f, 0, 1, "");
		dir = xasprintf("%s/visits/001-original/steps/00-x", f.dir);
		path_mkdirs(dir);
		fixture_file(dir, "metrics.jsonl", rows[i].text);
		fixture_event(&f, "step-start",
			      ", \"visit\": 1, \"step\": 0, \"kind\": \"boot\", \"workload\": null,"
			      " \"dir\": \"visits/001-original/steps/00-x\"%s",
			      "");
		fixture_event(&f, "step-end", ", \"visit\": 1, \"step\": 0, \"status\": \"ok\"%s",
			      "");
		s = must_read(f.dir);
		assert_int_equal(s->steps[0].status, rows[i].status);
		assert_int_equal(s->n_samples > 0, rows[i].status == STEP_OK);
		session_free(s);
		path_remove(f.dir);
		free(dir);
		fixture_release(&f);
	}
}

/* ---- what is wrong with the journal or session.json refuses the whole ---- */

static void refused(const char *dir, const char *where)
{
	struct store *st = fixture_open(db);
	struct err err = ERR_INIT;

	if (import_run(st, dir, NULL, &err) == 0)
		fail_msg("imported: %s", where);
	if (!strstr(err.message, where))
		fail_msg("'%s' is not in: %s", where, err.message);
	assert_null(store_get_session(st, "hostile", NULL));
	store_close(st);
}

static void hostile_journal(void **state)
{
	/* each becomes line 4, after session-start, visit-start, agent-hello */
	static const char *const lines[] = {
		"nonsense",
		"[]",
		"{\"ev\": \"fault\"}",
		"{\"t\": \"yesterday\", \"ev\": \"x\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-start\", \"visit\": 1, \"kernel\": 0}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-start\", \"visit\": 2, \"kernel\": 9}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-start\", \"visit\": 2, \"kernel\": -1}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-start\", \"visit\": 2, \"kernel\": 0,"
		" \"pair\": 1}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-start\", \"visit\": 2, \"kernel\": 1,"
		" \"dir\": \"../../etc\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-start\", \"visit\": 2, \"kernel\": 1,"
		" \"dir\": \"/etc\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-end\", \"visit\": 7, \"result\": \"ok\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-end\", \"visit\": 1, \"result\": \"so\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-end\", \"visit\": 1, \"result\": \"ok\", \"console\": {\"frame\": -1}}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-end\", \"visit\": 1e3, \"result\": \"ok\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"step-end\", \"visit\": 1, \"step\": 5,"
		" \"status\": \"ok\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"fault\", \"visit\": 1, \"blame\": \"GOD\","
		" \"code\": \"x\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"finding\", \"visit\": 1, \"kind\": 5,"
		" \"title\": \"x\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"finding\", \"visit\": 1, \"kind\": \"bug\","
		" \"title\": \"x\", \"trace\": [\"f\", 5]}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"finding\", \"visit\": 1, \"kind\": \"bug\","
		" \"title\": \"x\", \"trace\": [\"f\\ng\"]}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"note\", \"text\": \"\xff\xfe\"}",
		"{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"note\", \"ev\": \"note\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct fixture f = fixture_usual();

		fixture_begin(&f, tmp, "hostile");
		fixture_visit_begin(&f, 0, 1, "");
		fprintf(f.events, "%s\n", lines[i]);
		fixture_end(&f, "complete");
		refused(f.dir, "hostile/events.jsonl:4: ");
		path_remove(f.dir);
		fixture_release(&f);
	}
}

static void long_line(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	fixture_begin(&f, tmp, "hostile");
	for (int i = 0; i < 3 << 20; i++)
		fputc('x', f.events);
	fputc('\n', f.events);
	fixture_end(&f, "complete");
	refused(f.dir, "events.jsonl:2: line of");
	path_remove(f.dir);
	fixture_release(&f);
}

static void hostile_session(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "", "session.json: line 1" },
		{ "{\"format\": 1", "session.json: line 1" },
		{ "[]", "'format' is missing" },
		{ "{\"format\": 2}", "'format' = 2" },
		{ "{\"format\": 1, \"session\": \"../x\"}", "no session name" },
		{ "{\"format\": 1, \"session\": \"x\", \"started\": 5}", "'started'" },
		{ "{\"format\": 1, \"session\": \"x\", \"started\": \"2026-11-30T15:00:00Z\","
		  "\"suite\": {\"name\": \"s\"}, \"board\": {\"name\": \"b\"}, \"kernels\": []}",
		  "'kernels' has 0" },
		{ "{\"format\": 1, \"session\": \"x\", \"started\": \"2026-11-30T15:00:00Z\","
		  "\"suite\": {\"name\": \"s\"}, \"board\": {\"name\": \"b\"}, \"kernels\":"
		  " [{\"label\": \"a\", \"id\": \"1\"}], \"plan\": {\"metrics\": [{\"workload\":"
		  " \"w\", \"metric\": \"m\", \"loss\": -1}]}}",
		  "'loss' = -1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *dir = path_join(tmp, "hostile");

		path_mkdirs(dir);
		fixture_file(dir, "session.json", rows[i].text);
		refused(dir, rows[i].words);
		path_remove(dir);
		free(dir);
	}
}

static void no_run_directory(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_null(import_read(tmp, &err));
	assert_string_equal(err.code, "no-run");
	assert_int_equal(err.blame, BLAME_USER);
	assert_null(import_read("/nonexistent/run", &err));
	assert_string_equal(err.code, "no-run");
}

/* A symbolic link out of the run directory is not followed. */
static void link_outside(void **state)
{
	struct fixture f = fixture_usual();
	struct session *s;
	char *path;
	int step;

	(void)state;
	f.pairs = 1;
	fixture_make(&f, tmp, "link");
	path = xasprintf("%s/visits/002-original/steps/02-randread_1/fio.json", f.dir);
	fixture_file(tmp, "outside.json", "{\"jobs\": [{\"read\": {\"iops\": 7}}]}");
	unlink(path);
	assert_int_equal(symlink("../../../../../outside.json", path), 0);
	s = must_read(f.dir);
	step = session_find_step(s, 1, "randread/1");
	assert_int_equal(s->steps[step].status, STEP_FAILED);
	assert_int_equal(s->steps[step].blame, BLAME_RIG);
	session_free(s);
	free(path);
	path_remove(f.dir);
	fixture_release(&f);
}

/* ---- kill -9 ---- */

static _Noreturn void import_for_ever(const char *dir)
{
	struct store *st = store_open(db, NULL);

	while (st && import_run(st, dir, NULL, NULL) == 0)
		gate_set_free(gate_run(st, "killed", NULL));
	_exit(1);
}

static void killed(void **state)
{
	struct fixture f = fixture_usual();
	struct session *want;
	struct session *got;
	struct store *st;
	uint64_t seed = 42;

	(void)state;
	fixture_make(&f, tmp, "killed");
	want = must_read(f.dir);
	for (int i = 0; i < 20; i++) {
		struct timespec delay = { 0, (long)(fixture_uniform(&seed) * 80e6) };
		pid_t pid = fork();

		if (!pid)
			import_for_ever(f.dir);
		nanosleep(&delay, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		st = fixture_open(db);
		assert_int_equal(store_check(st, NULL), 0);
		/* all of it, or nothing */
		got = store_get_session(st, "killed", NULL);
		if (got)
			assert_same_session(want, got);
		session_free(got);
		store_close(st);
	}
	st = fixture_open(db);
	assert_int_equal(import_run(st, f.dir, NULL, NULL), 0);
	got = store_get_session(st, "killed", NULL);
	assert_same_session(want, got);
	session_free(got);
	session_free(want);
	store_close(st);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_ended),	   cmocka_unit_test(finding_in_full),
		cmocka_unit_test(suppressed),	   cmocka_unit_test(round_trip),
		cmocka_unit_test(idempotent),	   cmocka_unit_test(growing),
		cmocka_unit_test(torn_anywhere),   cmocka_unit_test(torn_then_job_lost),
		cmocka_unit_test(broken_results),  cmocka_unit_test(agent_metrics),
		cmocka_unit_test(hostile_journal), cmocka_unit_test(long_line),
		cmocka_unit_test(hostile_session), cmocka_unit_test(no_run_directory),
		cmocka_unit_test(link_outside),	   cmocka_unit_test(killed),
	};

	return cmocka_run_group_tests(tests, make_tmp, remove_tmp);
}
