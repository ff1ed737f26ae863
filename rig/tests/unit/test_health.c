// SPDX-License-Identifier: GPL-2.0-or-later
/* results/health: what is held against a board, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "results/health.h"

static const struct health_session fine = { .session = "s",
					    .suite = "ufs-irq",
					    .result = "complete",
					    .boots = 4,
					    .came_up = 4,
					    .code = "",
					    .message = "" };

static struct health_session fault(enum blame blame, const char *code)
{
	struct health_session s = fine;

	s.result = blame == BLAME_KERNEL ? "kernel-fault" : "fault";
	s.came_up = 3;
	s.started_ms = 77;
	s.blame = blame;
	s.code = code;
	s.message = "it broke";
	return s;
}

/* '.' fine, 'B' board, 'W' wiring, 'D' disk full, 'K' kernel, 'C' canary, 'c' bad canary; newest
 * first. */
static struct health judge(const char *history)
{
	struct health h;
	bool more = true;

	health_begin(&h);
	for (; *history && more; history++) {
		struct health_session s = *history == 'B' || *history == 'c'
						  ? fault(BLAME_BOARD, "boot-timeout")
					  : *history == 'W' ? fault(BLAME_RIG, "console")
					  : *history == 'D' ? fault(BLAME_RIG, "disk-full")
					  : *history == 'K' ? fault(BLAME_KERNEL, "boot-timeout")
							    : fine;

		if (*history == 'C' || *history == 'c')
			s.suite = HEALTH_CANARY_SUITE;
		more = health_add(&h, &s);
	}
	health_end(&h);
	return h;
}

static void test_states(void **state)
{
	static const struct {
		const char *history;
		enum health_state state;
	} cases[] = {
		{ "", HEALTH_UNKNOWN },	     { "....", HEALTH_GOOD },
		{ "DDDD", HEALTH_GOOD },     { "KKKKKKKK", HEALTH_GOOD },
		{ "B", HEALTH_WATCH },	     { "BB.", HEALTH_WATCH },
		{ "BBB", HEALTH_SICK },	     { "BWB.........", HEALTH_SICK },
		{ "BB.B", HEALTH_WATCH },    { "B.B.B.B.", HEALTH_SICK },
		{ "B.B.B..B", HEALTH_SICK }, { "B.B.B...B", HEALTH_WATCH },
		{ "BBDB", HEALTH_WATCH },    { "CBBBB", HEALTH_GOOD },
		{ "cBBB", HEALTH_SICK },     { ".CBBBB", HEALTH_GOOD },
		{ "BCBBB", HEALTH_WATCH },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (judge(cases[i].history).state != cases[i].state)
			fail_msg("%s: %s", cases[i].history,
				 health_state_name(judge(cases[i].history).state));
}

static void test_numbers(void **state)
{
	struct health h = judge("B...");

	(void)state;
	assert_int_equal(h.boots, 16);
	assert_int_equal(h.came_up, 15);
	assert_int_equal(h.score, 70); /* 15/16 x 3/4 */
	assert_int_equal(h.last_ms, 77);
	assert_int_equal(h.n_codes, 1);
	assert_string_equal(h.codes[0].code, "boot-timeout");
	assert_string_equal(h.reason,
			    "1 of its last 4 sessions ended by faults of board or wiring; "
			    "the last: boot-timeout: it broke");
	/* the boot that the kernel spoilt is not the board's */
	h = judge("K.");
	assert_int_equal(h.boots, 7);
	assert_int_equal(h.score, 100);
	assert_string_equal(h.reason, "");
	h = judge("....................BBB");
	assert_int_equal(h.sessions, HEALTH_SESSIONS);
	assert_int_equal(h.n_codes, 0);
	assert_true(judge("CBBB").canary_good);
	assert_false(judge(".CBBB").canary_good);
	assert_false(judge("cBBB").canary_good);
}

/* A line with errors is for a person to look at; it is no reason to take the board away. */
static void test_lines(void **state)
{
	struct health_session s = fine;
	struct health h;

	(void)state;
	s.disturbed = 1;
	health_begin(&h);
	for (int i = 0; i < 10; i++)
		health_add(&h, &s);
	health_end(&h);
	assert_int_equal(h.score, 75);
	assert_int_equal(h.state, HEALTH_WATCH);
	assert_string_equal(h.reason,
			    "in 10 of 40 boots the console's line had errors or was gone");
	s.disturbed = 4;
	health_begin(&h);
	health_add(&h, &s);
	health_end(&h);
	assert_int_equal(h.score, 0);
	assert_int_equal(h.state, HEALTH_WATCH);
}

static void test_counts(void **state)
{
	(void)state;
	assert_true(health_counts(BLAME_BOARD, "disk-full"));
	assert_true(health_counts(BLAME_RIG, "power"));
	assert_false(health_counts(BLAME_RIG, "job-lost"));
	assert_false(health_counts(BLAME_RIG, "keeper-lost"));
	assert_false(health_counts(BLAME_TEST, "step-failed"));
	assert_false(health_counts(BLAME_USER, "cancelled"));
	assert_false(health_counts(BLAME_NONE, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
