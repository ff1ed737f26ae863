// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/sim: the noise is what it says, the figures do not depend on the threads, and, on a fixed
 * seed with few repetitions, gate and tests are where `make sim` finds them with many.
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

#include "results/sim/sim-tests.h"
#include "results/sim/sim.h"
#include "results/stats.h"

/* Over 20,000 sessions of 12 the mean is known to .007, or .02 under AR(1) noise. */
static void noise(void **state)
{
	(void)state;
	for (enum sim_noise kind = SIM_GAUSS; kind < SIM_NOISES; kind++) {
		double sum = 0;
		double squares = 0;
		double lag = 0;
		int n = 0;

		for (uint64_t i = 0; i < 20000; i++) {
			struct sim_rng r;
			double x[12];

			sim_rng_init(&r, 3, i);
			sim_noise(kind, &r, x, 12);
			for (int k = 0; k < 12; k++, n++) {
				sum += x[k];
				squares += x[k] * x[k];
				lag += k ? x[k] * x[k - 1] : 0;
			}
		}
		lag /= n * 11 / 12;
		if (!(fabs(sum / n) < 0.02 && fabs(squares / n - 1) < 0.03 &&
		      fabs(lag - (kind == SIM_AR1 ? 0.6 : 0)) < 0.02))
			fail_msg("%s: mean %g, variance %g, lag 1 %g", sim_noise_name(kind),
				 sum / n, squares / n, lag);
	}
}

static void orders(void **state)
{
	static const int abba[2][4] = { { 0, 3, 4, 7 }, { 1, 2, 5, 6 } };

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(sim_slot(SIM_ABBA, 4, false, i), abba[0][i]);
		assert_int_equal(sim_slot(SIM_ABBA, 4, true, i), abba[1][i]);
		assert_int_equal(sim_slot(SIM_AABB, 4, false, i), i);
		assert_int_equal(sim_slot(SIM_AABB, 4, true, i), 4 + i);
	}
}

/* A difference that no judge overlooks, either way, and none that only a pair test may see. */
static void judges(void **state)
{
	static const double a[] = { 100, 101, 99, 100.5, 99.5, 100.2 };
	static const double b[] = { 80, 81, 79, 80.7, 79.4, 80.1 };
	struct sim_rng r;

	(void)state;
	sim_rng_init(&r, 1, 1);
	for (int t = 0; t < SIM_TESTS; t++) {
		struct sim_case slow = { .base = a, .cand = b, .n = 6, .rng = &r };
		struct sim_case fast = { .base = b, .cand = a, .n = 6, .rng = &r };
		struct sim_case same = {
			.base = a, .cand = a, .n = 6, .rng = &r, .d0 = 20, .s0sq = 1e-4
		};

		if (sim_test(t, &slow) != -1 || sim_test(t, &fast) != 1 || sim_test(t, &same) != 0)
			fail_msg("%s: %d %d %d", sim_test_name(t), sim_test(t, &slow),
				 sim_test(t, &fast), sim_test(t, &same));
	}
}

/* The prior of a quiet board: sd of a log ratio = 1 % times the root of 2, 20 degrees of freedom.
 */
static void prior(void **state)
{
	struct sim_board board = { .cv = 0.01 };
	double mean = 0;

	(void)state;
	for (uint64_t i = 0; i < 500; i++) {
		struct sim_rng r;
		double d0;
		double s0sq;

		sim_rng_init(&r, 5, i);
		sim_prior(&board, &r, &d0, &s0sq);
		assert_true(d0 == 20);
		mean += s0sq / 500;
	}
	assert_true(fabs(mean / 2e-4 - 1) < 0.06); /* four standard errors */
}

static struct sim few(FILE *out, int reps, int threads)
{
	return (struct sim){ .seed = 20261130, .reps = reps, .threads = threads, .out = out };
}

static void threads(void **state)
{
	char *one = NULL;
	char *two = NULL;
	size_t size;

	(void)state;
	for (int n = 1; n <= 2; n++) {
		FILE *out = open_memstream(n == 1 ? &one : &two, &size);
		struct sim s = few(out, 10, n);

		sim_single(&s);
		sim_verdict(&s);
		fclose(out);
	}
	assert_true(strlen(one) > 2000);
	assert_string_equal(one, two);
	free(one);
	free(two);
}

/*
 * Every goal, give or take four standard errors of so few repetitions. The mean number of boots is
 * not normal with so few; it gets 2 % more.
 */
static void goals(void **state)
{
	FILE *out = fopen("/dev/null", "we");
	struct sim s = few(out, 60, 1);

	(void)state;
	assert_non_null(out);
	sim_levels(&s);
	sim_patches(&s);
	s.reps = 200;
	sim_single(&s);
	fclose(out);
	assert_true(s.n_goals > 80);
	for (int i = 0; i < s.n_goals; i++) {
		struct sim_goal *g = &s.goals[i];

		if (strstr(g->what, "boots"))
			g->target *= 1.02;
		if (!sim_met(g, 4))
			fail_msg("%s: %s: %.2f +- %.2f, wanted %.2f", g->name, g->what, g->figure,
				 g->se, g->target);
	}
}

static void words(void **state)
{
	struct sim s = { 0 };
	char *text = NULL;
	size_t size;

	(void)state;
	s.out = open_memstream(&text, &size);
	sim_at_most(&s, "G0", 2, 1.5, 0.1, "below");
	sim_at_most(&s, "G0", 2, 2.15, 0.1, "near");
	sim_at_least(&s, "G0", 2, 1.5, 0.1, "short");
	assert_int_equal(sim_verdict(&s), 1);
	fclose(s.out);
	assert_non_null(strstr(text, "1.50 +- 0.10  ok\n"));
	assert_non_null(strstr(text, "2.15 +- 0.10  even\n"));
	assert_non_null(strstr(text, "1.50 +- 0.10  MISS\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise), cmocka_unit_test(orders),  cmocka_unit_test(judges),
		cmocka_unit_test(prior), cmocka_unit_test(threads), cmocka_unit_test(goals),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
