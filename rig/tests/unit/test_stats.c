// SPDX-License-Identifier: GPL-2.0-or-later
/* results/stats: against values of scipy 1.10.1 in the text, and against scipy where installed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "scipy.h"
#include "results/stats.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Equal to 1e-9 of the value: the promise of stats.h. */
static void assert_close(double got, double want)
{
	double scale = fabs(want) > 1 ? fabs(want) : 1;

	if (!(fabs(got - want) <= 1e-9 * scale))
		fail_msg("%.17g, wanted %.17g", got, want);
}

/* Small tails must be right in their own digits too. */
static void assert_relative(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("%.17g, wanted %.17g", got, want);
}

static void t_distribution(void **state)
{
	static const double rows[][4] = {
		/* t, df, cdf, sf: scipy.stats.t */
		{ 0, 1, 0.5, 0.5 },
		{ 1, 1, 0.75, 0.25 },
		{ -12.7, 1, 0.025012163844672076, 0.97498783615532791 },
		{ 2.5, 3, 0.9561466764959673, 0.043853323504032773 },
		{ -3.182446305284263, 3, 0.025, 0.975 },
		{ 6, 4.5, 0.99867926209722424, 0.0013207379027757908 },
		{ -0.1, 7, 0.4615740298023962, 0.53842597019760374 },
		{ 4.1, 11, 0.99912030352401449, 0.00087969647598550092 },
		{ -9, 11, 1.0480791835044049e-06, 0.99999895192081656 },
		{ 1.96, 1000, 0.97486340752212564, 0.025136592477874354 },
		{ -30, 5, 3.8593243102480234e-07, 0.99999961406756899 },
		{ -2, 0.5, 0.22275744509156561, 0.77724255490843441 },
		{ 3, 1000000.0, 0.99865006872928908, 0.0013499312707108977 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_relative(stats_t_cdf(rows[i][0], rows[i][1]), rows[i][2]);
		assert_relative(stats_t_sf(rows[i][0], rows[i][1]), rows[i][3]);
	}
	assert_true(stats_t_cdf(INFINITY, 3) == 1);
	assert_true(stats_t_cdf(-INFINITY, 3) == 0);
}

static void t_quantile(void **state)
{
	static const double rows[][3] = {
		{ 0.975, 3, 3.1824463052842629 },   { 0.9921, 3, 4.9525196539756697 },
		{ 0.9921, 5, 3.5844732686155281 },  { 0.975, 11, 2.2009851600829489 },
		{ 0.8, 4, 0.94096457719753002 },    { 1e-06, 2, -707.10572052593511 },
		{ 0.3, 1, -0.72654252801720276 },   { 0.999999, 100, 5.0488308772195527 },
		{ 0.975, 0.7, 36.611415029868937 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_close(stats_t_quantile(rows[i][0], rows[i][1]), rows[i][2]);
	assert_true(stats_t_quantile(0.5, 9) == 0);
	assert_true(isinf(stats_t_quantile(0, 9)) && isinf(stats_t_quantile(1, 9)));
	for (double df = 1; df < 40; df += 3)
		for (double p = 0.001; p < 1; p += 0.0173)
			assert_close(stats_t_cdf(stats_t_quantile(p, df), df), p);
}

static void incomplete_beta(void **state)
{
	static const double rows[][4] = {
		{ 0.5, 0.5, 0.3, 0.36901011956554541 },
		{ 2, 3, 0.4, 0.5248 },
		{ 10, 0.5, 0.99, 0.65792817515678426 },
		{ 1000, 0.5, 0.999, 0.15724727426683946 },
		{ 5.5, 0.5, 0.001, 7.4399612613859943e-18 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_relative(stats_beta(rows[i][0], rows[i][1], rows[i][2]), rows[i][3]);
	assert_true(stats_beta(2, 3, 0) == 0 && stats_beta(2, 3, 1) == 1);
}

static void moments(void **state)
{
	static const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	(void)state;
	assert_close(stats_mean(x, 8), 5);
	assert_close(stats_variance(x, 8), 32.0 / 7);
	assert_true(stats_variance(x, 1) == 0);
	assert_true(stats_lag1(x, 2) == 0);
	/* sum of (x_i - 5)(x_{i-1} - 5) = 3 + 1 + 1 + 0 + 0 + 0 + 8 */
	assert_close(stats_lag1(x, 8), 13.0 / 32);
}

/* The example of Holm's procedure with p = .01 .04 .03 .005: 3 .005 -> .02, .03, .06, .06. */
static void holm(void **state)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.005 };
	static const double want[] = { 0.03, 0.06, 0.06, 0.02 };
	static const double big[] = { 0.9, 0.8 };
	double adj[4];

	(void)state;
	stats_holm(p, NULL, adj, 4);
	for (int i = 0; i < 4; i++)
		assert_close(adj[i], want[i]);
	stats_holm(big, NULL, adj, 2);
	assert_true(adj[0] == 1 && adj[1] == 1);
	stats_holm(p, NULL, adj, 1);
	assert_close(adj[0], 0.01);
}

/* The same with weights 4 2 1 1: .0025 8 -> .02, .005 4 -> .02, .02 3 -> .06, .03 1 -> .06. */
static void weighted_holm(void **state)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.005 };
	static const double weights[] = { 4, 2, 1, 1 };
	static const double parts[] = { 0.5, 0.25, 0.125, 0.125 };
	static const double want[] = { 0.02, 0.06, 0.06, 0.02 };
	double adj[4];

	(void)state;
	stats_holm(p, weights, adj, 4);
	for (int i = 0; i < 4; i++)
		assert_close(adj[i], want[i]);
	stats_holm(p, parts, adj, 4);
	for (int i = 0; i < 4; i++)
		assert_close(adj[i], want[i]);
}

static double signflip_slowly(const double *d, int n)
{
	double observed = 0;
	int hits = 0;

	for (int i = 0; i < n; i++)
		observed += d[i];
	for (int pattern = 0; pattern < 1 << n; pattern++) {
		double sum = 0;

		for (int i = 0; i < n; i++)
			sum += pattern & 1 << i ? -d[i] : d[i];
		hits += sum <= observed + 1e-12;
	}
	return (double)hits / (1 << n);
}

static void signflip(void **state)
{
	static const double d[] = { -0.05, -0.02, 0.01, -0.04, -0.06, -0.03, 0.02, -0.01 };
	static const double down[] = { -1, -2, -3, -4, -5 };
	static const double same[] = { 0, 0, 0 };

	(void)state;
	for (int n = 1; n <= 8; n++)
		assert_close(stats_signflip(d, (size_t)n), signflip_slowly(d, n));
	/* five pairs cannot say less than 1/32: why the rig wants even numbers from four on */
	assert_close(stats_signflip(down, 5), 1.0 / 32);
	assert_close(stats_signflip(same, 3), 1);
	assert_true(isnan(stats_signflip(d, 25)));
}

/*
 * Against the table of the plain t for two samples (GATING.md): n = 5: 2.02 CVs two-sided .05, with
 * df = 8 and se = sqrt(2/5).
 */
static void detectable(void **state)
{
	int n;

	(void)state;
	assert_true(fabs(stats_mde(sqrt(2.0 / 5), 8, 0.025) - 2.02) < 0.005);
	assert_true(fabs(stats_mde(sqrt(2.0 / 12), 22, 0.025) - 1.20) < 0.005);
	n = stats_pairs_needed(0.04, 0, 0.0079, 0.0513);
	assert_true(stats_mde(0.04 / sqrt(n), n - 1, 0.0079) <= 0.0513);
	assert_true(stats_mde(0.04 / sqrt(n - 1), n - 2, 0.0079) > 0.0513);
	assert_int_equal(stats_pairs_needed(100, 0, 0.025, 0.0001), -1);
	assert_int_equal(stats_pairs_needed(0, 0, 0.025, 0.05), 2);
}

/*
 * 1,000 random cases by scipy: t, df, cdf, quantile at p. scipy's own quantile is off by up to 1e-9
 * in p (its cdf of it says so), so it is compared to 1e-7, and ours by its cdf.
 */
static const char oracle[] =
	"import random, sys\n"
	"try:\n"
	"    from scipy import stats\n"
	"except ImportError:\n"
	"    sys.exit(77)\n"
	"r = random.Random(20261130)\n"
	"for i in range(1000):\n"
	"    df = r.choice([1, 2, 3, 5, 7, 11, 23, 99]) + r.choice([0, 0, r.random()])\n"
	"    t = r.gauss(0, 4)\n"
	"    p = r.uniform(1e-6, 1 - 1e-6)\n"
	"    print('%.17g %.17g %.17g %.17g %.17g' % (t, df, stats.t.cdf(t, df), p,"
	" stats.t.ppf(p, df)))\n";

static void scipy(void **state)
{
	struct buf out = BUF_INIT;
	double t;
	double df;
	double cdf;
	double p;
	double quantile;
	int used;
	int n = 0;

	(void)state;
	scipy_run(oracle, &out);
	for (const char *s = buf_str(&out);
	     sscanf(s, "%lf %lf %lf %lf %lf\n%n", &t, &df, &cdf, &p, &quantile, &used) == 5;
	     s += used, n++) {
		assert_close(stats_t_cdf(t, df), cdf);
		assert_close(stats_t_cdf(stats_t_quantile(p, df), df), p);
		assert_true(fabs(stats_t_quantile(p, df) - quantile) <=
			    1e-7 * fabs(quantile) + 1e-9);
	}
	assert_int_equal(n, 1000);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_distribution),
		cmocka_unit_test(t_quantile),
		cmocka_unit_test(incomplete_beta),
		cmocka_unit_test(moments),
		cmocka_unit_test(holm),
		cmocka_unit_test(weighted_holm),
		cmocka_unit_test(signflip),
		cmocka_unit_test(detectable),
		cmocka_unit_test(scipy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
