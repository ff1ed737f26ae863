// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The detectors of others that `make sim` compares with: they must find what their own tests
 * expect, or the comparison is worth nothing. G7 and G8 need ../shared and skip without it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "fixture.h"
#include "results/sim/cmp.h"
#include "results/sim/sim-data.h"

static void need_data(void)
{
	if (!sim_data_there()) {
		print_message("skipped: no datasets in ${RIG_SHARED:-../shared}\n");
		skip();
	}
}

static void otava_finds_what_its_tests_expect(void **state)
{
	struct sim_conformance c;

	(void)state;
	need_data();
	c = sim_conformance_otava();
	assert_int_equal(c.of, 10);
	assert_int_equal(c.equal, 10);
}

static void mozilla_finds_what_its_tests_expect(void **state)
{
	struct sim_conformance c;

	(void)state;
	need_data();
	c = sim_conformance_mozilla();
	assert_int_equal(c.of, 7);
	assert_int_equal(c.equal, 7);
}

static size_t nothing(const double *x, size_t n, size_t *at)
{
	(void)x;
	(void)n;
	(void)at;
	return 0;
}

static void turing_series_are_scored_as_published(void **state)
{
	struct sim_tcpd t;

	(void)state;
	need_data();
	t = sim_tcpd(nothing);
	assert_int_equal(t.series, 30);
	/* published with three digits */
	assert_true(fabs(t.f1 - 0.668) < 0.0005 && fabs(t.cover - 0.575) < 0.0005);
	t = sim_tcpd(sim_rig);
	assert_true(t.f1 > 0.690 && t.cover > 0.639);
}

/* ---- without data: a step of 20 % in noise of 1 % ---- */

#define NIGHTS 60

static void step(double *x)
{
	uint64_t seed = 4;

	for (int t = 0; t < NIGHTS; t++)
		x[t] = (t < 30 ? 100 : 80) + fixture_gauss(&seed);
}

static size_t otava(const double *x, size_t n, size_t *at)
{
	return cmp_otava(x, n, &cmp_otava_default, at);
}

static size_t edivisive(const double *x, size_t n, size_t *at)
{
	return cmp_edivisive(x, n, 0.001, at);
}

static void each_finds_a_plain_step(void **state)
{
	static sim_detector *const all[] = { otava, edivisive, cmp_mozilla, cmp_zscore, cmp_pelt };
	double x[NIGHTS];

	(void)state;
	step(x);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t at[NIGHTS];

		assert_int_equal(all[i](x, NIGHTS, at), 1);
		assert_int_equal(at[0], 30);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(otava_finds_what_its_tests_expect),
		cmocka_unit_test(mozilla_finds_what_its_tests_expect),
		cmocka_unit_test(turing_series_are_scored_as_published),
		cmocka_unit_test(each_finds_a_plain_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
