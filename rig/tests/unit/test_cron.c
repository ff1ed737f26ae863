// SPDX-License-Identifier: GPL-2.0-or-later
/* base/cron: what crontab(5) means, across months, leap years and daylight saving. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cron.h"

static time_t at(const char *text)
{
	struct tm t = { .tm_isdst = -1 };

	assert_non_null(strptime(text, "%Y-%m-%d %H:%M", &t));
	t.tm_isdst = -1;
	return mktime(&t);
}

static int set_up(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	return 0;
}

static void test_next(void **state)
{
	static const struct {
		const char *cron, *after, *next;
	} cases[] = {
		{ "0 22 * * *", "2026-11-30 21:59", "2026-11-30 22:00" },
		{ "0 22 * * *", "2026-11-30 22:00", "2026-12-01 22:00" },
		{ "*/15 8-9 * * *", "2026-12-31 09:45", "2027-01-01 08:00" },
		{ "5/20 * * * *", "2026-01-01 00:06", "2026-01-01 00:25" },
		{ "0 12 * * 0", "2026-11-30 00:00", "2026-12-06 12:00" },
		{ "0 12 * * 7", "2026-11-30 00:00", "2026-12-06 12:00" },
		{ "0 1 * * 1-5", "2026-12-04 02:00", "2026-12-07 01:00" },
		{ "0 0 29 2 *", "2026-03-01 00:00", "2028-02-29 00:00" },
		{ "0 0 1,15 * *", "2026-01-02 00:00", "2026-01-15 00:00" },
		/* both days restricted: either */
		{ "0 0 13 * 5", "2026-11-01 00:00", "2026-11-06 00:00" },
		/* the hour that is left out is made up for right after it */
		{ "30 2 * * *", "2026-03-28 12:00", "2026-03-29 03:30" },
		{ "30 2 * * *", "2026-03-29 03:30", "2026-03-30 02:30" },
	};
	struct cron c;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		time_t next;
		char text[32];
		struct tm t;

		assert_null(cron_parse(cases[i].cron, &c));
		next = cron_next(&c, at(cases[i].after));
		localtime_r(&next, &t);
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &t);
		assert_string_equal(text, cases[i].next);
	}
	assert_null(cron_parse("0 0 30 2 *", &c));
	assert_int_equal(cron_next(&c, at("2026-01-01 00:00")), -1);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *text, *word;
	} cases[] = {
		{ "", "minute" },
		{ "60 * * * *", "minute" },
		{ "* 24 * * *", "hour" },
		{ "* * 0 * *", "day of the month" },
		{ "* * * 13 *", "month" },
		{ "* * * * 8", "week" },
		{ "* * * *", "week" },
		{ "* * * * * *", "five" },
		{ "5-1 * * * *", "minute" },
		{ "*/0 * * * *", "minute" },
		{ "a * * * *", "minute" },
		{ "1, * * * *", "minute" },
		{ "1-* * * * *", "minute" },
		{ "-1 * * * *", "minute" },
	};
	struct cron c;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = cron_parse(cases[i].text, &c);

		if (!why || !strstr(why, cases[i].word))
			fail_msg("'%s': %s", cases[i].text, why ? why : "fine?");
	}
}

/* A daemon that was down for a week runs each schedule once. */
static void test_due(void **state)
{
	struct cron c;
	time_t next;

	(void)state;
	assert_null(cron_parse("0 22 * * *", &c));
	assert_int_equal(cron_due(&c, at("2026-11-29 22:00"), at("2026-11-30 21:59"), &next), 0);
	assert_int_equal(next, at("2026-11-30 22:00"));
	assert_int_equal(cron_due(&c, at("2026-11-29 22:00"), at("2026-11-30 22:00"), &next), 1);
	assert_int_equal(next, at("2026-12-01 22:00"));
	assert_int_equal(cron_due(&c, at("2026-11-23 22:00"), at("2026-11-30 23:00"), &next), 7);
	assert_int_equal(next, at("2026-12-01 22:00"));
	assert_null(cron_parse("* * * * *", &c));
	assert_int_equal(cron_due(&c, at("2026-01-01 00:00"), at("2026-11-30 23:00"), &next), 1000);
	assert_int_equal(next, at("2026-11-30 23:01"));
	/* a clock that was set back */
	assert_int_equal(cron_due(&c, at("2026-11-30 23:00"), at("2026-11-30 22:00"), &next), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_due),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
