// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: a suite file of any bytes is refused with a message or expands to a plan
 * whose JSON reads back. Link with the rest of librig; see the list in the command.
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Irig -I. \
 *		rig/tests/fuzz/fuzz_suite.c rig/suite/[a-z]*.c rig/conf/[a-z]*.c rig/base/[a-z]*.c \
 *		-lyaml -ljansson -lmd -lm
 */
#include <stdint.h>
#include <stdlib.h>

#include "suite/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(const struct plan *plan)
{
	struct plan again = PLAN_INIT;
	struct err err = ERR_INIT;
	json_t *json = plan_to_json(plan);

	/* A plan without board and kernels: only its form is checked. */
	if (plan_from_json(json, &again, &err))
		abort();
	plan_release(&again);
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	struct suite *s = suite_parse("f.yaml", (const char *)data, size, &err);

	if (!s && (!err.message[0] || err.blame != BLAME_USER))
		abort();
	for (size_t i = 0; s && suite_profile(s, i); i++) {
		struct plan plan = PLAN_INIT;

		if (suite_expand(s, suite_profile(s, i), &plan, &err))
			abort();
		round_trip(&plan);
		plan_release(&plan);
	}
	suite_free(s);
	return 0;
}
