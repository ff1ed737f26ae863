// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/join, shared, compare: two kernels by what is stored of them; what is joined, what is
 * left out and why, what is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"
#include "base/path.h"
#include "results/compare.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/session.h"
#include "results/shared.h"
#include "results/store-admin.h"
#include "results/store.h"

#define NOW_MS 1796100000000LL

static struct store *st;

static int begin(void **state)
{
	struct err err = ERR_INIT;
	char *path;

	fixture_make_tmp(state);
	path = path_join(fixture_tmp, "results.db");
	st = store_open(path, &err);
	free(path);
	return st ? 0 : -1;
}

static int end(void **state)
{
	store_close(st);
	return fixture_remove_tmp(state);
}

/* Imports one session, number n: later numbers count as newer. */
static void add(struct fixture *f, int n)
{
	struct err err = ERR_INIT;
	char name[64];

	snprintf(name, sizeof(name), "20261130-150000-ufs-irq-%06d", n);
	fixture_make(f, fixture_tmp, name);
	if (import_run(st, f->dir, NULL, &err) < 0)
		fail_msg("%s", err.message);
	gate_set_free(gate_run(st, name, &err));
	fixture_release(f);
}

static void add_usual(int n, uint64_t seed)
{
	struct fixture f = fixture_usual();

	f.seed = seed;
	f.effect[1] = 0.9;
	add(&f, n);
}

static int judge(const char *baseline, const char *candidate, struct shared *x, struct err *err)
{
	const struct shared_query q = { .baseline = baseline,
					.candidate = candidate,
					.board = "virt-ufs",
					.suite = "ufs-irq" };

	return shared_judge(st, &q, NOW_MS, x, err);
}

static void judge_well(const char *baseline, const char *candidate, struct shared *x)
{
	struct err err = ERR_INIT;

	if (judge(baseline, candidate, x, &err) < 0)
		fail_msg("%s against %s: %s", candidate, baseline, err.message);
}

static void says(const struct buf *text, const char *wanted)
{
	if (!strstr(buf_str(text), wanted))
		fail_msg("\"%s\" is not in \"%s\"", wanted, buf_str(text));
}

/* ---- one session ---- */

static void one_session_as_the_gate(void **state)
{
	struct shared x = SHARED_INIT;
	struct err err = ERR_INIT;
	struct gate_set *set;

	(void)state;
	add_usual(1, 5);
	judge_well("original", "ufs-irq:threaded", &x);
	set = store_get_verdicts(st, "20261130-150000-ufs-irq-000001", &err);
	assert_int_equal(set->result, VERDICT_FAIL);
	assert_int_equal(x.set->result, set->result);
	assert_string_equal(x.set->verdicts[0].reason, set->verdicts[0].reason);
	assert_true(x.set->verdicts[0].looks[0].level == set->verdicts[0].looks[0].level);
	gate_set_free(set);
	shared_release(&x);
}

static void names_of_kernels(void **state)
{
	static const char *const names[] = { "threaded", "ufs-irq:threaded", "00000000000000a1",
					     "6.12.48-rig.a1" };
	static const char *const none[] = { "thread", "000000000000b", "6.12.48", "", "a1" };
	struct err err = ERR_INIT;

	(void)state;
	add_usual(1, 5);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct shared x = SHARED_INIT;

		judge_well("original", names[i], &x);
		assert_string_equal(x.s->kernels[1].variant, "threaded");
		shared_release(&x);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct shared x = SHARED_INIT;

		assert_int_equal(judge("original", none[i], &x, &err), -1);
		assert_string_equal(err.code, "no-kernel");
		assert_int_equal(err.blame, BLAME_USER);
		shared_release(&x);
	}
}

/* Two candidates of one session are a pair like any other, and so is the way back. */
static void any_two_of_a_session(void **state)
{
	struct fixture f = fixture_usual();
	struct shared x = SHARED_INIT;
	struct shared back = SHARED_INIT;

	(void)state;
	f.kernels = 3;
	f.effect[1] = 0.8;
	f.finding[0] = "WARNING in baseline_only";
	add(&f, 1);
	judge_well("timelimit", "threaded", &x);
	assert_int_equal(x.set->result, VERDICT_FAIL);
	assert_string_equal(x.set->verdicts[0].code, "regression");
	shared_release(&x);
	judge_well("threaded", "timelimit", &back);
	assert_int_equal(back.set->result, VERDICT_PASS);
	assert_int_equal(back.s->n_findings, 0);
	assert_int_equal(back.s->n_visits, 8);
	shared_release(&back);
}

/* ---- several ---- */

static void joins_pairs(void **state)
{
	struct shared x = SHARED_INIT;
	const struct gate_verdict *v;

	(void)state;
	add_usual(1, 5);
	add_usual(2, 6);
	add_usual(3, 7);
	judge_well("original", "threaded", &x);
	v = &x.set->verdicts[0];
	assert_int_equal(x.n, 3);
	assert_int_equal(v->pairs, 12);
	assert_int_equal(v->n_looks, 1);
	assert_true(v->looks[0].level == GATE_ALPHA / GATE_MAX_LOOKS);
	assert_int_equal(v->result, VERDICT_FAIL);
	/* the warm-up of the second session, and its first pair */
	assert_int_equal(x.s->visits[9].number, 10001);
	assert_true(x.s->visits[9].warmup);
	assert_int_equal(x.s->visits[10].pair, 5);
	says(&x.notes, "3 sessions, joined: 20261130-150000-ufs-irq-000001");
	shared_release(&x);
}

/* A rebuilt agent is no other set-up. */
static void joins_over_agents(void **state)
{
	struct fixture f = fixture_usual();
	struct shared x = SHARED_INIT;

	(void)state;
	add_usual(1, 5);
	f.agent = ", \"agent\": \"1.1\"";
	f.effect[1] = 0.9;
	add(&f, 2);
	judge_well("original", "threaded", &x);
	assert_int_equal(x.n, 2);
	assert_int_equal(x.set->result, VERDICT_FAIL);
	shared_release(&x);
}

static const struct left_row {
	const char *setup, *governor, *fault;
	const char *says;
} left_rows[] = {
	{ "type=virt-ufs\\ncpus=2\\n", NULL, NULL, "cpus: 1 / 2" },
	{ NULL, "powersave", NULL, "scaling_governor: " },
	{ NULL, NULL, "RIG", "RIG fault" },
};

/* The newest one is what the others must be like. */
static void leaves_out(void **state)
{
	(void)state;
	add_usual(50, 5);
	for (size_t i = 0; i < sizeof(left_rows) / sizeof(left_rows[0]); i++) {
		const struct left_row *row = &left_rows[i];
		struct fixture f = fixture_usual();
		struct shared x = SHARED_INIT;
		struct err err = ERR_INIT;

		f.setup = row->setup;
		f.fingerprint[0] = f.fingerprint[1] = row->governor;
		f.effect[1] = 0.9;
		fixture_begin(&f, fixture_tmp, "20261130-150000-ufs-irq-000001");
		fixture_rounds(&f);
		if (row->fault)
			fixture_fault(&f, -1, row->fault, "wire-lost", "gone");
		fixture_end(&f, row->fault ? "fault" : "enough");
		assert_int_equal(import_run(st, f.dir, NULL, &err), 0);
		fixture_release(&f);
		judge_well("original", "threaded", &x);
		assert_int_equal(x.n, 1);
		says(&x.notes, "left out: 20261130-150000-ufs-irq-000001");
		says(&x.notes, row->says);
		shared_release(&x);
	}
}

/* Without samples there is nothing to be judged. */
static void pruned(void **state)
{
	const struct store_prune what = { .before_ms = NOW_MS, .now_ms = NOW_MS };
	struct store_pruned done;
	struct shared x = SHARED_INIT;
	struct err err = ERR_INIT;

	(void)state;
	add_usual(1, 5);
	assert_int_equal(store_prune(st, &what, &done, &err), 0);
	judge_well("original", "threaded", &x);
	assert_int_equal(x.set->result, VERDICT_INVALID);
	assert_non_null(strstr(x.set->verdicts[0].reason, "rig db prune"));
	shared_release(&x);
}

/* ---- refused ---- */

static void never_shared(void **state)
{
	struct fixture f = fixture_usual();
	struct shared x = SHARED_INIT;

	(void)state;
	add_usual(1, 5);
	f.labels[1] = "timelimit";
	add(&f, 2);
	judge_well("threaded", "timelimit", &x);
	assert_int_equal(x.set->result, VERDICT_INVALID);
	assert_string_equal(x.set->verdicts[0].code, "not-shared");
	assert_non_null(strstr(x.set->verdicts[0].reason, "never took turns"));
	assert_non_null(strstr(x.set->verdicts[0].reason, "20261130-150000-ufs-irq-000001"));
	assert_null(x.s);
	assert_int_equal(gate_exit_code(x.set), EXIT_INVALID);
	shared_release(&x);
}

static void not_interleaved(void **state)
{
	struct fixture f = fixture_usual();
	struct shared x = SHARED_INIT;

	(void)state;
	f.blocks = true;
	add(&f, 1);
	judge_well("original", "threaded", &x);
	assert_int_equal(x.set->result, VERDICT_INVALID);
	assert_non_null(strstr(x.set->verdicts[0].reason, "in a row"));
	shared_release(&x);
}

/* ---- across boards ---- */

static void add_board(const char *board, double effect, int n)
{
	struct fixture f = fixture_usual();

	f.board = board;
	f.effect[1] = effect;
	f.seed = (uint64_t)n;
	add(&f, n);
}

static void said(const struct compare *c, size_t row, const char *wanted)
{
	struct buf text = BUF_INIT;

	compare_say(&c->rows[row], &text);
	if (strcmp(buf_str(&text), wanted) != 0)
		fail_msg("row %zu: \"%s\", not \"%s\"", row, buf_str(&text), wanted);
	buf_release(&text);
}

/* Slower here, faster there: the verdict is the board's, and there is no mean of the two. */
static void boards(void **state)
{
	const struct compare_query q = { .baseline = "original", .candidate = "threaded" };
	struct err err = ERR_INIT;
	struct compare *c;

	(void)state;
	add_board("sm8650", 1.1, 1);
	add_board("pixel6", 0.9, 2);
	add_board("realtek", 1.0, 3);
	c = compare_new(st, &q, NOW_MS, &err);
	assert_non_null(c);
	assert_int_equal(c->n, 3);
	assert_string_equal(c->rows[0].board, "pixel6");
	said(c, 0, "is slower on randread/1, randread/8, randwrite/1, randwrite/8");
	said(c, 1, "is no slower");
	said(c, 2, "is faster on randread/1, randread/8, randwrite/1, randwrite/8");
	assert_int_equal(compare_worst(c), VERDICT_FAIL);
	compare_free(c);
}

static void add_alone(const char *board, const char *kernel, int n)
{
	struct fixture f = fixture_usual();

	f.board = board;
	f.kernels = 1;
	f.labels[0] = kernel;
	add(&f, n);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void formats(void **state)
{
	static const char *const asked[] = { "pixel6", "sm8650" };
	const struct compare_query q = {
		.baseline = "original", .candidate = "threaded", .boards = asked, .n_boards = 2
	};
	static const struct {
		const char *format, *what;
		size_t n;
	} rows[] = {
		{ "text", "pixel6: threaded is slower on randread/1", 1 },
		{ "text", "sm8650: threaded cannot be compared (not-shared)", 1 },
		{ "text", "\n  pixel6         rand", 4 },
		{ "csv", "\r\n", 6 },
		{ "csv", "pixel6,ufs-irq,quick,original,threaded,randread/", 2 },
		{ "csv", "INVALID,not-shared", 1 },
		{ "json", "\"verdict\": \"FAIL\"", 5 },
	};
	struct err err = ERR_INIT;
	struct compare *c;

	(void)state;
	add_board("pixel6", 0.9, 2);
	c = compare_new(st, &q, NOW_MS, &err);
	assert_null(c);
	assert_string_equal(err.code, "no-kernel");
	add_board("other", 0.9, 3);
	add_alone("sm8650", "original", 4);
	add_alone("sm8650", "threaded", 5);
	c = compare_new(st, &q, NOW_MS, &err);
	assert_non_null(c);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = BUF_INIT;

		for (const struct compare_format *f = compare_formats; f->name; f++)
			if (!strcmp(f->name, rows[i].format))
				f->print(c, &out);
		if (count(buf_str(&out), rows[i].what) != rows[i].n)
			fail_msg("row %zu: %zu times \"%s\" in %s", i,
				 count(buf_str(&out), rows[i].what), rows[i].what, buf_str(&out));
		buf_release(&out);
	}
	compare_free(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_session_as_the_gate),
		TEST(names_of_kernels),
		TEST(any_two_of_a_session),
		TEST(joins_pairs),
		TEST(joins_over_agents),
		TEST(pruned),
		TEST(leaves_out),
		TEST(never_shared),
		TEST(not_interleaved),
		TEST(boards),
		TEST(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
