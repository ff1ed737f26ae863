// SPDX-License-Identifier: GPL-2.0-or-later
/* Marks on the console of a boot (boottime.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "job/boottime.h"

/* Bursts at 900, 1000, 1020 and 3000 ms; power came at 950. */
static const char log_text[] = "SPL: Linux version of old\r\n"			 /* 0 */
			       "U-Boot 2024.01\r\n"				 /* 27 */
			       "[    0.000000] Linux version 6.12\r\n"		 /* 43 */
			       "<6>[    1.250000] Run /init as init process\r\n" /* 78 */
			       "[x] odd stamp: ready\r\n";
static const char index_text[] = "900 0\n1000 27\n1020 43\n3000 100\n";

static const struct boottime boot = { log_text, sizeof(log_text) - 1, index_text, 950 };

static void marks(void **state)
{
	struct boottime_at at;

	(void)state;
	assert_true(boottime_find(&boot, "U-Boot", &at));
	assert_int_equal(at.since_ms, 50);
	assert_int_equal(at.uptime_ns, -1);
	/* not the one that came before power-on */
	assert_true(boottime_find(&boot, "Linux version", &at));
	assert_int_equal(at.since_ms, 70);
	assert_int_equal(at.uptime_ns, 0);
	/* its line began in one burst, the mark itself came in the next */
	assert_true(boottime_find(&boot, "init process", &at));
	assert_int_equal(at.since_ms, 2050);
	assert_int_equal(at.uptime_ns, 1250000000);
	assert_true(boottime_find(&boot, "ready", &at));
	assert_int_equal(at.uptime_ns, -1);
}

static void no_marks(void **state)
{
	struct boottime none = boot, late = boot, broken = boot;
	struct boottime_at at;

	(void)state;
	assert_false(boottime_find(&boot, "login:", &at));
	assert_false(boottime_find(&boot, "SPL", &at));
	assert_false(boottime_find(&boot, "", &at));
	late.power_on_ms = 5000;
	assert_false(boottime_find(&late, "Linux", &at));
	none.index = "";
	assert_false(boottime_find(&none, "Linux", &at));
	/* an index of something else, one that is torn, and one beyond the log */
	broken.index = "x\n";
	assert_false(boottime_find(&broken, "Linux", &at));
	broken.index = "1000 0\n1020";
	assert_true(boottime_find(&broken, "Run", &at));
	assert_int_equal(at.since_ms, 50);
	broken.index = "1000 99999\n";
	assert_false(boottime_find(&broken, "Linux", &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks),
		cmocka_unit_test(no_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
