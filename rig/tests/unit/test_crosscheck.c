// SPDX-License-Identifier: GPL-2.0-or-later
/* results/crosscheck: flags that are raised, and that stay down on plain noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"
#include "results/crosscheck.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/session.h"

#define N 12

static void gauss(double *x, uint64_t seed)
{
	for (int i = 0; i < N; i++)
		x[i] = 0.01 * fixture_gauss(&seed);
}

/* The corrected skewness and kurtosis of 1 .. 8 are 0 and -1.2. */
static void coefficient(void **state)
{
	static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct crosscheck c = crosscheck(x, 8);

	(void)state;
	assert_true(fabs(c.bimodality - 1 / (-1.2 + 3.0 * 49 / 30)) < 1e-12);
	assert_false(c.bimodal);
	assert_true(fabs(c.lag1 - 0.625) < 1e-12 && !c.correlated);
}

static void two_groups(void **state)
{
	static const double x[] = { 0, .1, 1, 1.1, 0.05, 1.05, .02, 1.02, 1.03, .04, .99, .01 };
	struct crosscheck c = crosscheck(x, N);

	(void)state;
	assert_true(c.bimodal && c.bimodality > 0.6);
}

static void first_pair(void **state)
{
	static const double x[] = { -.2, .001, -.002, .003, 0, -.001 };
	struct crosscheck c = crosscheck(x, 6);

	(void)state;
	assert_true(c.first_outlier && c.first_t < -50);
	assert_false(crosscheck(x + 1, 5).first_outlier);
	assert_false(crosscheck(x, 3).first_outlier);
	assert_false(crosscheck(NULL, 0).first_outlier);
}

static void constant(void **state)
{
	static const double x[N] = { 0 };
	struct crosscheck c = crosscheck(x, N);

	(void)state;
	assert_false(c.bimodal || c.correlated || c.first_outlier);
	assert_true(c.bimodality == 0 && c.first_t == 0);
}

/* On plain noise each flag is rare; the seeds are fixed, so are the counts. */
static void noise(void **state)
{
	int bimodal = 0;
	int correlated = 0;
	int first = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		double x[N];
		struct crosscheck c;

		gauss(x, seed * 7919);
		c = crosscheck(x, N);
		bimodal += c.bimodal;
		correlated += c.correlated;
		first += c.first_outlier;
	}
	print_message("of 2000: two groups %d, correlated %d, first pair %d\n", bimodal, correlated,
		      first);
	assert_in_range(bimodal, 5, 100);
	assert_in_range(correlated, 10, 120);
	assert_in_range(first, 0, 8);
}

/* P(F > 9) and P(F > 1) with 3 and 14 degrees of freedom, from mpmath. */
static void scatter(void **state)
{
	static const double x[] = { -3, 3, -3, 3 }; /* variance 12 */

	(void)state;
	assert_true(fabs(crosscheck_scatter(x, 4, 14, 12 / 9.0) - 0.0014236507570984985) < 1e-12);
	assert_true(fabs(crosscheck_scatter(x, 4, 14, 12) - 0.4217073820307241) < 1e-12);
	assert_true(crosscheck_scatter(x, 4, 0, 0) == 1);
	assert_true(crosscheck_scatter(x, 1, 14, 1) == 1);
}

static void sessions(void **state)
{
	struct fixture f = fixture_usual();
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	struct session *s;
	double *effects;
	size_t n;

	(void)state;
	f.pairs = 8;
	f.effect[1] = 0.9;
	f.cv = 0.001;
	fixture_make(&f, fixture_tmp, "20261130-150000-ufs-irq-000001");
	s = import_read(f.dir, &err);
	assert_non_null(s);
	effects = crosscheck_effects(s, 1, &s->metrics[0], &n);
	assert_int_equal(n, 8);
	for (size_t i = 0; i < n; i++)
		assert_true(fabs(effects[i] - log(0.9)) < 0.01);
	free(effects);
	crosscheck_say(s, 1, &out);
	assert_int_equal(out.size, 0);
	/* the first pair of the first workload, spoilt: the sample after those of the warm-up */
	for (size_t i = 0; i < s->n_samples; i++) {
		const struct session_step *step = &s->steps[s->samples[i].step];

		if (step->visit == session_pair_visit(s, 1, 1) &&
		    !strcmp(step->workload, "randread/1"))
			s->samples[i].value *= 0.5;
	}
	crosscheck_say(s, 1, &out);
	assert_non_null(
		strstr(buf_str(&out), "cross-check: randread/1: the first pair is far off"));
	buf_reset(&out);
	*session_add_prior(s) = (struct session_prior){ "randwrite/8", "write.iops", 20, 1e-8, 0 };
	crosscheck_say(s, 1, &out);
	assert_non_null(strstr(buf_str(&out), "cross-check: randwrite/8: the pairs scatter"));
	buf_release(&out);
	session_free(s);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(coefficient),
		cmocka_unit_test(two_groups),
		cmocka_unit_test(first_pair),
		cmocka_unit_test(constant),
		cmocka_unit_test(noise),
		cmocka_unit_test(scatter),
		cmocka_unit_test_setup_teardown(sessions, fixture_make_tmp, fixture_remove_tmp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
