// SPDX-License-Identifier: GPL-2.0-or-later
/* Change points: the model's arithmetic against identities, the detector on made-up series. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fixture.h"
#include "results/changepoint-model.h"
#include "results/changepoint.h"

#define NIGHTS 60

/* AR(1) with that rho around 100, sd 2; rho 0 is white */
static void make(double *x, int n, double rho, uint64_t seed)
{
	double u = fixture_gauss(&seed);

	for (int t = 0; t < n; t++) {
		x[t] = 100 + 2 * u;
		u = rho * u + sqrt(1 - rho * rho) * fixture_gauss(&seed);
	}
}

static void step(double *x, int at, int n, double factor)
{
	for (int t = at; t < n; t++)
		x[t] *= factor;
}

/* ---- the model ---- */

static const size_t bounds[] = { 0, 13, 29, 33, NIGHTS };

static void set(struct step_model *m, const size_t *bound, size_t segments)
{
	step_model_init(m, segments);
	m->segments = segments;
	memcpy(m->bound, bound, (segments + 1) * sizeof(*bound));
}

static double rss_by_hand(const double *x, const struct step_model *m, double rho)
{
	double before = 0;
	double rss = 0;

	for (size_t j = 0; j < m->segments; j++)
		for (size_t t = m->bound[j]; t < m->bound[j + 1]; t++) {
			double u = x[t] - m->level[j];

			rss += t ? (u - rho * before) * (u - rho * before)
				 : (1 - rho * rho) * u * u;
			before = u;
		}
	return rss;
}

static void rss_is_that_of_the_levels_and_least(void **state)
{
	static const double rhos[] = { 0, 0.3, 0.65, 0.99 };
	struct step_series s;
	struct step_model m;
	double x[NIGHTS];

	(void)state;
	make(x, NIGHTS, 0.4, 5);
	for (int t = 0; t < NIGHTS; t++)
		x[t] = x[t] / 100 - 1;
	step_series_init(&s, x, NIGHTS, 0);
	set(&m, bounds, 4);
	for (size_t i = 0; i < 4; i++) {
		double rss = step_model_rss(&m, &s, rhos[i], 1);

		/* sums of 60 terms of 1e-3 */
		assert_true(fabs(rss - rss_by_hand(x, &m, rhos[i])) < 1e-14);
		for (size_t j = 0; j < 4; j++) {
			m.level[j] += 1e-3;
			assert_true(rss_by_hand(x, &m, rhos[i]) > rss);
			m.level[j] -= 2e-3;
			assert_true(rss_by_hand(x, &m, rhos[i]) > rss);
			m.level[j] += 1e-3;
		}
	}
	step_model_release(&m);
	step_series_release(&s);
}

/* Least squares: giving up a boundary costs exactly (difference)^2 / variance. */
static void variance_is_the_price_of_a_boundary(void **state)
{
	struct step_series s;
	double x[NIGHTS];

	(void)state;
	make(x, NIGHTS, 0.4, 6);
	for (int t = 0; t < NIGHTS; t++)
		x[t] = x[t] / 100 - 1;
	step_series_init(&s, x, NIGHTS, 0);
	for (size_t j = 0; j < 3; j++) {
		struct step_model m;
		double with, without, d, var;

		set(&m, bounds, 4);
		with = step_model_rss(&m, &s, 0.5, 1);
		d = m.level[j + 1] - m.level[j];
		var = m.var[j];
		step_model_remove(&m, j);
		without = step_model_rss(&m, &s, 0.5, 1);
		assert_true(fabs(without - with - d * d / var) < 1e-13);
		step_model_release(&m);
	}
	step_series_release(&s);
}

static void fitted_rho_is_near_the_true_one(void **state)
{
	static const struct step_noise noise = { .rho_max = 0.65, .wander_cost = 14 };
	static const size_t whole[] = { 0, 2000 };
	static double x[2000];

	(void)state;
	for (int i = 0; i < 3; i++) {
		double rho = 0.25 * i;
		struct step_series s;
		struct step_model m;

		make(x, 2000, rho, 40 + (uint64_t)i);
		for (int t = 0; t < 2000; t++)
			x[t] = x[t] / 100 - 1;
		step_series_init(&s, x, 2000, 0);
		set(&m, whole, 1);
		step_model_fit(&m, &s, &noise);
		assert_true(fabs(m.rho - rho) < 0.08); /* 3.5 standard errors of 1/sqrt(2000) */
		step_model_release(&m);
		step_series_release(&s);
	}
}

/* ---- the detector ---- */

static void a_step_is_found_with_its_night(void **state)
{
	double x[NIGHTS];
	struct changepoint_fit fit;

	(void)state;
	make(x, NIGHTS, 0, 1);
	step(x, 40, NIGHTS, 0.93);
	changepoint_find(x, NIGHTS, NULL, &fit);
	assert_int_equal(fit.n_changes, 1);
	assert_int_equal(fit.changes[0].at, 40);
	assert_true(fit.changes[0].first <= 40 && fit.changes[0].last >= 40);
	assert_true(fit.changes[0].last - fit.changes[0].first <= 4);
	assert_true(fit.changes[0].lo < -0.07 && fit.changes[0].hi > -0.07);
	assert_true(fit.changes[0].hi < -0.02);
	assert_true(fit.changes[0].p < 1e-6 && fit.changes[0].t < -5);
	assert_true(fabs(fit.changes[0].before - 100) < 2);
	assert_true(fabs(fit.level - 93) < 2);
	changepoint_release(&fit);
}

static void a_regression_and_its_repair_are_two_changes(void **state)
{
	double x[NIGHTS];
	struct changepoint_fit fit;

	(void)state;
	make(x, NIGHTS, 0, 2);
	step(x, 20, 30, 0.9);
	changepoint_find(x, NIGHTS, NULL, &fit);
	assert_int_equal(fit.n_changes, 2);
	assert_int_equal(fit.changes[0].at, 20);
	assert_int_equal(fit.changes[1].at, 30);
	assert_true(fit.changes[0].effect < 0 && fit.changes[1].effect > 0);
	changepoint_release(&fit);
}

static void one_wild_night_is_a_spike_and_no_change(void **state)
{
	double x[NIGHTS];
	struct changepoint_fit fit;

	(void)state;
	make(x, NIGHTS, 0, 3);
	x[31] = 40;
	changepoint_find(x, NIGHTS, NULL, &fit);
	assert_int_equal(fit.n_changes, 0);
	assert_true(fit.spike[31]);
	assert_false(fit.spike[30] || fit.spike[32]);
	changepoint_release(&fit);
}

static int silent(double rho, int series)
{
	int n = 0;

	for (int i = 0; i < series; i++) {
		double x[NIGHTS];
		struct changepoint_fit fit;

		make(x, NIGHTS, rho, 1000 + (uint64_t)i);
		changepoint_find(x, NIGHTS, NULL, &fit);
		n += fit.n_changes == 0;
		changepoint_release(&fit);
	}
	return n;
}

/* `make sim` has the rates; here, that nothing is badly off: expected .3 and 3.4 alarms of 200 */
static void clean_series_are_silent(void **state)
{
	(void)state;
	assert_true(silent(0, 200) >= 197);
	assert_true(silent(0.5, 200) >= 191);
}

static void a_series_without_noise_shows_its_step(void **state)
{
	double x[20];
	struct changepoint_fit fit;

	(void)state;
	for (int t = 0; t < 20; t++)
		x[t] = t < 11 ? 50 : 40;
	changepoint_find(x, 20, NULL, &fit);
	assert_int_equal(fit.n_changes, 1);
	assert_int_equal(fit.changes[0].at, 11);
	assert_true(fabs(fit.changes[0].effect + 0.2) < 1e-9);
	changepoint_release(&fit);
	changepoint_find(x, 11, NULL, &fit);
	assert_int_equal(fit.n_changes, 0);
	changepoint_release(&fit);
}

/* Extremes of double, zeros, short series: finite answers, no trap. */
static void odd_input_is_survived(void **state)
{
	static const double odd[][6] = {
		{ 0, 0, 0, 0, 0, 0 },
		{ 0, 0, 0, 1, 1, 1 },
		{ 1e308, 1e308, 1e308, -1e308, -1e308, -1e308 },
		{ DBL_MIN, DBL_MIN, DBL_MIN, 0, 0, 0 },
		{ -5, -5, -5, -5, -5, 1e308 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		for (size_t n = 0; n <= 6; n++) {
			struct changepoint_fit fit;
			double lo, hi;

			changepoint_find(odd[i], n, NULL, &fit);
			assert_true(fit.n_changes <= 1);
			for (size_t c = 0; c < fit.n_changes; c++)
				assert_false(isnan(fit.changes[c].p) || isnan(fit.changes[c].t));
			assert_int_equal(changepoint_expect(&fit, 1, 0.99, &lo, &hi), n >= 4);
			changepoint_release(&fit);
		}
}

/* ---- the next night ---- */

static void prediction_holds_the_next_point(void **state)
{
	const int series = 400;
	int inside = 0;

	(void)state;
	for (int i = 0; i < series; i++) {
		double x[NIGHTS + 1];
		struct changepoint_fit fit;
		double lo, hi;

		make(x, NIGHTS + 1, 0.3, 7000 + (uint64_t)i);
		changepoint_find(x, NIGHTS, NULL, &fit);
		assert_true(changepoint_expect(&fit, 1, 0.99, &lo, &hi));
		inside += x[NIGHTS] > lo && x[NIGHTS] < hi;
		changepoint_release(&fit);
	}
	/* 99 % nominal, rho and the clipping estimated: 396 expected, sd 2 */
	assert_in_range(inside, 386, 400);
}

static void a_departure_needs_evidence(void **state)
{
	static const double far[] = { 90, 91 };
	static const double near[] = { 99, 101 };
	double x[NIGHTS];
	struct changepoint_fit fit;

	(void)state;
	make(x, NIGHTS, 0, 9);
	changepoint_find(x, NIGHTS, NULL, &fit);
	assert_true(changepoint_departs(&fit, far, 2) < 1e-4);
	assert_true(changepoint_departs(&fit, near, 2) > 0.05);
	assert_true(changepoint_departs(&fit, far, 2) < changepoint_departs(&fit, far, 1));
	assert_true(changepoint_departs(&fit, far, 0) == 1);
	changepoint_release(&fit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rss_is_that_of_the_levels_and_least),
		cmocka_unit_test(variance_is_the_price_of_a_boundary),
		cmocka_unit_test(fitted_rho_is_near_the_true_one),
		cmocka_unit_test(a_step_is_found_with_its_night),
		cmocka_unit_test(a_regression_and_its_repair_are_two_changes),
		cmocka_unit_test(one_wild_night_is_a_spike_and_no_change),
		cmocka_unit_test(clean_series_are_silent),
		cmocka_unit_test(a_series_without_noise_shows_its_step),
		cmocka_unit_test(odd_input_is_survived),
		cmocka_unit_test(prediction_holds_the_next_point),
		cmocka_unit_test(a_departure_needs_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
