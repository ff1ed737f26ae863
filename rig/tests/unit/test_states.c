// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of states against itself and against the arrows that rigd(8) shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "rigd/states.h"

#define MANUAL "rig/man/rigd.8.scd"

static const char *job_name(int s)
{
	return job_state_name((enum job_state)s);
}

static const char *board_name_(int s)
{
	return board_state_name((enum board_state)s);
}

static void names_are_inverse(void **state)
{
	(void)state;
	for (int s = JOB_QUEUED; s <= JOB_CANCELLED; s++)
		assert_int_equal(job_state_parse(job_name(s)), s);
	for (int s = BOARD_UNKNOWN; s <= BOARD_QUARANTINED; s++)
		assert_int_equal(board_state_parse(board_name_(s)), s);
	assert_int_equal(job_state_parse("safe"), -1);
	assert_int_equal(board_state_parse(""), -1);
}

static void check_table(const struct arrow *arrows, size_t n, int states)
{
	bool reached[8] = { true };

	for (size_t i = 0; i < n; i++) {
		assert_in_range(arrows[i].from, 0, states - 1);
		assert_in_range(arrows[i].to, 0, states - 1);
		assert_int_not_equal(arrows[i].from, arrows[i].to);
		assert_true(strlen(arrows[i].when) > 0);
		for (size_t k = 0; k < i; k++)
			assert_false(arrows[k].from == arrows[i].from &&
				     arrows[k].to == arrows[i].to);
	}
	for (int round = 0; round < states; round++)
		for (size_t i = 0; i < n; i++)
			reached[arrows[i].to] |= reached[arrows[i].from];
	for (int s = 0; s < states; s++)
		assert_true(reached[s]);
}

static void tables_are_sound(void **state)
{
	(void)state;
	check_table(job_arrows, job_arrows_n, JOB_CANCELLED + 1);
	check_table(board_arrows, board_arrows_n, BOARD_QUARANTINED + 1);
}

/* What is over stays so, and nothing starts on a board that is not known to be off. */
static void what_must_not_be(void **state)
{
	(void)state;
	for (int s = JOB_QUEUED; s <= JOB_CANCELLED; s++) {
		assert_false(job_may_move(JOB_DONE, (enum job_state)s));
		assert_false(job_may_move(JOB_CANCELLED, (enum job_state)s));
	}
	assert_false(job_may_move(JOB_RUNNING, JOB_QUEUED));
	assert_false(job_may_move(JOB_ENDING, JOB_QUEUED));
	assert_false(job_may_move(JOB_RUNNING, JOB_DONE));
	assert_false(board_may_move(BOARD_QUARANTINED, BOARD_SAFE));
	assert_false(board_may_move(BOARD_DRAINED, BOARD_SAFE));
	assert_true(job_may_move(JOB_QUEUED, JOB_STARTING));
	assert_true(board_may_move(BOARD_UNKNOWN, BOARD_SAFE));
}

/* Lines "from -> to: when" of the manual, in the order of the table. */
static size_t manual_arrows(const char *text, const struct arrow *arrows, size_t n,
			    const char *(*name)(int))
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		char *line = xasprintf("\n%s -> %s: %s\n", name(arrows[i].from), name(arrows[i].to),
				       arrows[i].when);

		if (strstr(text, line))
			found++;
		else
			print_error("%s lacks:%s", MANUAL, line);
		free(line);
	}
	return found;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void the_manual_shows_them(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	assert_int_equal(path_read(MANUAL, &text, 1 << 20), 0);
	assert_int_equal(manual_arrows(text.data, job_arrows, job_arrows_n, job_name),
			 job_arrows_n);
	assert_int_equal(manual_arrows(text.data, board_arrows, board_arrows_n, board_name_),
			 board_arrows_n);
	/* and none that is not there */
	assert_int_equal(count(text.data, " -> "), job_arrows_n + board_arrows_n);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_inverse),
		cmocka_unit_test(tables_are_sound),
		cmocka_unit_test(what_must_not_be),
		cmocka_unit_test(the_manual_shows_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
