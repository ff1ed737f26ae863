// SPDX-License-Identifier: GPL-2.0-or-later
/* board/retry: scripted steps and remedies, and what was done in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/driver.h"
#include "board/retry.h"

/*
 * How each attempt ends: B board, R rig, U user, t the deadline passes first, then a board fault,
 * . well. How remedies end: v p r well, V P R badly, - not there.
 */
struct script {
	const char *attempts;
	const char *remedies;
	struct buf log; /* s v p r as they were called, n for a note */
	char notes[1024];
	size_t at;
	uint64_t limits[8];
};

static int attempt(void *ctx, struct deadline d, struct err *err)
{
	struct script *s = ctx;
	char how = s->attempts[s->at];

	s->limits[s->at] = d.at_ms;
	buf_adds(&s->log, "s");
	s->at++;
	switch (how) {
	case '.':
		return 0;
	case 'R':
		return err_set(err, BLAME_RIG, "rig", "rig %zu", s->at);
	case 'U':
		return err_set(err, BLAME_USER, "user", "user %zu", s->at);
	case 't':
		deadline_poll(-1, 0, d);
		return err_set(err, BLAME_BOARD, "late", "late");
	default:
		return err_set(err, BLAME_BOARD, "board", "board %zu", s->at);
	}
}

static int remedy(struct script *s, const char *name, size_t i, struct err *err)
{
	buf_adds(&s->log, name);
	if (s->remedies[i] == name[0])
		return 0;
	return err_set(err, BLAME_RIG, "power", "relay %s", name);
}

static int vbus(void *ctx, struct deadline d, struct err *err)
{
	(void)d;
	return remedy(ctx, "v", 0, err);
}

static int power(void *ctx, struct deadline d, struct err *err)
{
	(void)d;
	return remedy(ctx, "p", 1, err);
}

static int recovery(void *ctx, struct deadline d, struct err *err)
{
	(void)d;
	return remedy(ctx, "r", 2, err);
}

static void on_note(void *ctx, const char *text)
{
	struct script *s = ctx;

	buf_adds(&s->log, "n");
	snprintf(s->notes, sizeof(s->notes), "%s", text);
}

static const struct board_hooks hooks = { NULL, on_note };

static int run(struct script *s, unsigned int attempt_ms, struct deadline d, struct err *err)
{
	struct board board = { 0 };
	struct retry r = { &board, vbus, power, recovery, s };

	if (s->remedies[0] == '-')
		r.vbus_cycle = NULL;
	if (s->remedies[1] == '-')
		r.power_cycle = NULL;
	if (s->remedies[2] == '-')
		r.recovery = NULL;
	board_listen(&board, &hooks, s);
	return retry_run(&r, "flash", attempt, attempt_ms, d, err);
}

static void test_ladder(void **state)
{
	static const struct {
		const char *attempts, *remedies, *log, *message;
		int blame;
	} cases[] = {
		{ ".", "vpr", "s", "", BLAME_NONE },
		{ "B.", "vpr", "sns", "", BLAME_NONE },
		{ "BB.", "vpr", "snsnvs", "", BLAME_NONE },
		{ "BBBBB", "vpr", "snsnvsnpsnrs",
		  "flash: board 1 (tried 5 times, the last: board 5)", BLAME_BOARD },
		{ "BBBBB", "---", "sns", "flash: board 1 (tried 2 times, the last: board 2)",
		  BLAME_BOARD },
		{ "BBB", "-p-", "snsnps", "flash: board 1 (tried 3 times, the last: board 3)",
		  BLAME_BOARD },
		/* a remedy that fails is no attempt, and its blame is not the step's */
		{ "BBB.", "vPr", "snsnvsnpnnrs", "", BLAME_NONE },
		{ "BB", "VPR", "snsnvnnpnnrn", "flash: board 1 (tried 2 times, the last: board 2)",
		  BLAME_BOARD },
		{ "RRRR", "vpr", "sns", "flash: rig 1 (tried 2 times, the last: rig 2)",
		  BLAME_RIG },
		{ "R.", "vpr", "sns", "", BLAME_NONE },
		{ "U", "vpr", "s", "flash: user 1", BLAME_USER },
		/* the fault changes: from then on the other's rule holds */
		{ "RU", "vpr", "sns", "flash: rig 1 (tried 2 times, the last: user 2)", BLAME_RIG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct script s = { .attempts = cases[i].attempts, .remedies = cases[i].remedies };
		struct err err = ERR_INIT;
		int rc = run(&s, 0, deadline_never(), &err);

		assert_int_equal(rc, *cases[i].message ? -1 : 0);
		assert_string_equal(buf_str(&s.log), cases[i].log);
		assert_string_equal(err.message, cases[i].message);
		assert_int_equal(err.blame, cases[i].blame);
		buf_release(&s.log);
	}
}

static void test_deadlines(void **state)
{
	struct script s = { .attempts = "BBBB.", .remedies = "vpr" };
	struct script late = { .attempts = "t....", .remedies = "vpr" };
	struct deadline d = deadline_in(20);
	struct err err = ERR_INIT;

	(void)state;
	/* each attempt has its own limit, none a later one than the whole */
	assert_int_equal(run(&s, 1000, deadline_in(500), &err), 0);
	for (size_t i = 1; i < s.at; i++)
		assert_true(s.limits[i] == s.limits[0]);
	buf_release(&s.log);
	s = (struct script){ .attempts = ".", .remedies = "vpr" };
	assert_int_equal(run(&s, 1000, deadline_never(), &err), 0);
	assert_true(s.limits[0] != UINT64_MAX);
	buf_release(&s.log);
	/* nothing is tried after it */
	assert_int_equal(run(&late, 0, d, &err), -1);
	assert_string_equal(buf_str(&late.log), "s");
	assert_string_equal(err.message, "flash: late");
	assert_string_equal(err.code, "late");
	buf_release(&late.log);
}

static void test_notes(void **state)
{
	struct script s = { .attempts = "BB.", .remedies = "-p-" };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(run(&s, 0, deadline_never(), &err), 0);
	assert_string_equal(s.notes, "flash: board 2; trying again after a power cycle");
	assert_string_equal(err.message, "");
	buf_release(&s.log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ladder),
		cmocka_unit_test(test_deadlines),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
