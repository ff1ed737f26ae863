// SPDX-License-Identifier: GPL-2.0-or-later
/* base: options from a table, and guesses. */
#include "base/err.h"
#include "base/guess.h"
#include "base/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool flag;
static const char *board;
static struct opt_list list;
static long number;

static const struct opt table[] = {
	{ OPT_FLAG, 'q', "quick", NULL, "a flag", &flag, 0, 0 },
	{ OPT_STRING, 'b', "board", "BOARD", "a string", &board, 0, 0 },
	{ OPT_LIST, 'c', "candidate", "KERNEL", "a list", &list, 0, 0 },
	{ OPT_INT, 0, "pairs", "N", "a number", &number, 1, 100 },
	{ .type = OPT_END },
};

static int reset(void **state)
{
	(void)state;
	flag = false;
	board = NULL;
	memset(&list, 0, sizeof(list));
	number = -1;
	return 0;
}

/* argv is never written through: its strings may be literals. */
static int parse(const char **words, int *n, struct err *err)
{
	int argc = 0;

	while (words[argc])
		argc++;
	return opt_parse(table, argc, (char **)(uintptr_t)words, n, err);
}

static void forms_and_operands(void **state)
{
	const char *argv[] = { "x",   "one",	 "--board=a", "-c", "k1",      "-ck2", "-q",
			       "two", "--pairs", "7",	      "--", "--three", NULL };
	struct err err = ERR_INIT;
	int n = 0;

	(void)state;
	assert_int_equal(parse(argv, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(argv[1], "one");
	assert_string_equal(argv[2], "two");
	assert_string_equal(argv[3], "--three");
	assert_string_equal(board, "a");
	assert_int_equal(list.count, 2);
	assert_string_equal(list.values[1], "k2");
	assert_true(flag);
	assert_int_equal(number, 7);
}

static void complaints(void **state)
{
	static const struct {
		const char *word;
		const char *message;
	} cases[] = {
		{ "--bord=x", "unknown option --bord; did you mean --board?" },
		{ "--zzzzzzzz", "unknown option --zzzzzzzz" },
		{ "-x", "unknown option -x" },
		{ "--board", "--board needs BOARD" },
		{ "--quick=yes", "--quick takes no argument" },
		{ "--pairs=0", "--pairs: '0' is not a whole number from 1 to 100" },
		{ "--pairs=4x", "--pairs: '4x' is not a whole number from 1 to 100" },
		{ "--pairs=99999999999999999999",
		  "--pairs: '99999999999999999999' is not a whole number from 1 to 100" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *argv[] = { "x", cases[i].word, NULL };
		struct err err = ERR_INIT;
		int n = 0;

		assert_int_equal(parse(argv, &n, &err), -1);
		assert_string_equal(err.message, cases[i].message);
		assert_int_equal(err.blame, BLAME_USER);
	}
}

static void list_is_bounded(void **state)
{
	const char *argv[2 * (OPT_LIST_MAX + 1) + 2] = { "x" };
	struct err err = ERR_INIT;
	int n = 0;

	(void)state;
	for (int i = 0; i <= OPT_LIST_MAX; i++) {
		argv[1 + 2 * i] = "-c";
		argv[2 + 2 * i] = "k";
	}
	assert_int_equal(parse(argv, &n, &err), -1);
	assert_int_equal(list.count, OPT_LIST_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(forms_and_operands, reset),
		cmocka_unit_test_setup(complaints, reset),
		cmocka_unit_test_setup(list_is_bounded, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
