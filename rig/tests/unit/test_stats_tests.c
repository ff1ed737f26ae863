// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/stats-tests: against values worked out by hand, and against scipy (python3-scipy) on
 * 1,000 random cases of a fixed seed.
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

#include "scipy.h"
#include "results/stats-tests.h"

static void assert_close(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9))
		fail_msg("%.17g, wanted %.17g", got, want);
}

static const double low[] = { 1, 2, 3, 4, 5 };
static const double high[] = { 6, 7, 8, 9, 10 };

/* The floors of n = 5 (GATING.md): 2 of the 252 splits. */
static void floors(void **state)
{
	(void)state;
	assert_close(stats_mannwhitney(low, 5, high, 5), 2.0 / 252);
	assert_close(stats_permutation(low, 5, high, 5), 2.0 / 252);
	assert_close(stats_mannwhitney(high, 5, low, 5), 2.0 / 252);
	assert_close(stats_mannwhitney(low, 3, high, 3), 0.1);
	assert_close(stats_mannwhitney(low, 4, high, 4), 2.0 / 70);
	assert_close(stats_mannwhitney(low, 1, high, 1), 1);
}

/* t = -5 with 8 degrees of freedom, and equal variances: Welch is the same. */
static void means(void **state)
{
	static const double wide[] = { 0, 20 };

	(void)state;
	assert_close(stats_student(low, 5, high, 5), 0.0010528257933665390);
	assert_close(stats_welch(low, 5, high, 5), 0.0010528257933665390);
	/* df = 5 for Student, 1.01 for Welch: by scipy */
	assert_close(stats_student(low, 5, wide, 2), 0.25316999510032273);
	assert_close(stats_welch(low, 5, wide, 2), 0.61100463934943317);
}

static void no_spread(void **state)
{
	static const double same[] = { 3, 3, 3 };

	(void)state;
	assert_close(stats_welch(same, 3, same, 3), 1);
	assert_close(stats_student(same, 3, same, 3), 1);
	assert_close(stats_mannwhitney(same, 3, same, 3), 1);
	assert_close(stats_permutation(same, 3, same, 3), 1);
	assert_true(isnan(stats_permutation(low, 5, (double[16]){ 0 }, 16)));
}

static void binomial(void **state)
{
	(void)state;
	assert_close(stats_binomial_tail(1, 2, 0.5), 0.75);
	assert_close(stats_binomial_tail(0, 5, 0.1), 1);
	assert_close(stats_binomial_tail(5, 5, 0.1), 1e-5);
	assert_close(stats_binomial_tail(6, 5, 0.1), 0);
}

/* With one value, P(D >= d) = 2 (1 - d); with two, 1 - 2 (2 d - 1/2)^2 for 1/4 <= d <= 1/2. */
static void uniform(void **state)
{
	static const double two[] = { 0.9, 0.6 };
	double even[1500];

	(void)state;
	assert_close(stats_ks_uniform((double[]){ 0.2 }, 1), 0.4);
	assert_close(stats_ks_uniform((double[]){ 0.5 }, 1), 1);
	assert_close(stats_ks_uniform(two, 2), 2 * (1 - 0.6) * (1 - 0.6));
	assert_close(stats_ks_uniform(NULL, 0), 1);
	for (int i = 0; i < 1500; i++)
		even[i] = (i + 0.5) / 1500;
	assert_close(stats_ks_uniform(even, 1000), 0);
	assert_close(stats_ks_uniform(even, 1500), 1);
}

/*
 * A line a case: name, p, n values, m values. Sizes from 2 to 10 and, for Mann-Whitney, 40; a third
 * of the cases rounded, so that there are ties. Permutations get numbers whose sums are exact:
 * scipy takes equal ones for different if their rounding differs by more than 1e-14.
 */
static const char oracle[] =
	"import random, sys\n"
	"try:\n"
	"    import numpy as np\n"
	"    from scipy import stats\n"
	"except ImportError:\n"
	"    sys.exit(77)\n"
	"r = random.Random(20261130)\n"
	"def sample(n, digits):\n"
	"    mu, sd = r.gauss(100, 2), r.choice([0.5, 1, 3])\n"
	"    return [round(r.gauss(mu, sd), digits) for i in range(n)]\n"
	"def show(name, p, x, y=()):\n"
	"    print(name, '%.17g' % p, len(x), len(y), *['%.17g' % v for v in [*x, *y]])\n"
	"diff = lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis)\n"
	"for i in range(1000):\n"
	"    digits = r.choice([0, 9, 9])\n"
	"    x, y = [sample(r.randint(2, 10), digits) for k in range(2)]\n"
	"    if digits:\n"
	"        show('student', stats.ttest_ind(x, y).pvalue, x, y)\n"
	"        show('welch', stats.ttest_ind(x, y, equal_var=False).pvalue, x, y)\n"
	"    big = r.choice([x, x, sample(40, digits)])\n"
	"    show('mannwhitney', stats.mannwhitneyu(big, y).pvalue, big, y)\n"
	"    u = [r.random() ** r.choice([1, 1.2]) for k in range(r.choice([1, 4, 20, 100]))]\n"
	"    show('ks', stats.kstest(u, 'uniform').pvalue, u)\n"
	"    k, n = r.randint(0, 20), 20\n"
	"    show('binomial', stats.binom.sf(k - 1, n, x[0] / 200), [k, n, x[0] / 200])\n"
	"    x, y = [[round(1024 * v) / 1024 for v in z[:6]] for z in (x, y)]\n"
	"    show('permutation', stats.permutation_test((x, y), diff, vectorized=True,"
	" n_resamples=np.inf).pvalue, x, y)\n";

struct sample {
	double v[128];
	int n, m;
};

static double ours(const char *name, const struct sample *s)
{
	size_t n = (size_t)s->n;
	size_t m = (size_t)s->m;
	static const struct {
		const char *name;
		double (*test)(const double *x, size_t n, const double *y, size_t m);
	} tests[] = {
		{ "student", stats_student },
		{ "welch", stats_welch },
		{ "mannwhitney", stats_mannwhitney },
		{ "permutation", stats_permutation },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(tests[i].name, name))
			return tests[i].test(s->v, n, s->v + n, m);
	if (!strcmp(name, "ks"))
		return stats_ks_uniform(s->v, n);
	assert_string_equal(name, "binomial");
	return stats_binomial_tail((int)s->v[0], (int)s->v[1], s->v[2]);
}

/* One line of the oracle; returns what follows it, NULL at the end. */
static const char *compare(const char *line)
{
	struct sample s;
	char name[32];
	double want;
	double got;
	char *end;
	size_t n = strcspn(line, " \n");

	if (!line[n])
		return NULL;
	/* not by sscanf(), which measures all of the text at each call */
	snprintf(name, sizeof(name), "%.*s", (int)n, line);
	want = strtod(line + n, &end);
	s.n = (int)strtol(end, &end, 10);
	s.m = (int)strtol(end, &end, 10);
	assert_true(s.n + s.m > 0 && s.n + s.m <= 128);
	for (int i = 0; i < s.n + s.m; i++)
		s.v[i] = strtod(end, &end);
	assert_int_equal(*end, '\n');
	got = ours(name, &s);
	if (!(fabs(got - want) <= 1e-9))
		fail_msg("%s: %.17g, scipy says %.17g: %.*s", name, got, want, (int)(end - line),
			 line);
	return end + 1;
}

static void scipy(void **state)
{
	struct buf out = BUF_INIT;
	int n = 0;

	(void)state;
	scipy_run(oracle, &out);
	for (const char *s = buf_str(&out); s; s = compare(s))
		n++;
	print_message("%d cases as scipy\n", n - 1);
	assert_true(n > 4 * 1000);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floors),   cmocka_unit_test(means),   cmocka_unit_test(no_spread),
		cmocka_unit_test(binomial), cmocka_unit_test(uniform), cmocka_unit_test(scipy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
