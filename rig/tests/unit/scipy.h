/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks scipy (python3-scipy), the oracle of the tests of statistics. Include after cmocka.h. */
#ifndef RIG_TESTS_UNIT_SCIPY_H
#define RIG_TESTS_UNIT_SCIPY_H

#include "base/buf.h"
#include "base/spawn.h"

/*
 * What the Python script prints, in an empty buffer that the caller releases. Skips the test when
 * the script exits with 77, as it does where scipy cannot be imported, or there is no Python.
 */
static void scipy_run(const char *script, struct buf *out)
{
	const char *argv[] = { "/usr/bin/python3", "-c", script, NULL };
	struct spawn sp = SPAWN_INIT;
	int rc;

	sp.argv = argv;
	rc = spawn_run(&sp, out, deadline_in(120000));
	if (rc == 77 || rc < 0) {
		buf_release(out);
		print_message("scipy is not installed (python3-scipy)\n");
		skip();
	}
	assert_int_equal(rc, 0);
}

#endif
