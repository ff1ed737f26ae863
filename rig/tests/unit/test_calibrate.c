// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/calibrate: the fit against known values, then A/A sessions -> priors -> the verdicts of
 * later sessions, and what makes a calibration hold no more.
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

#include "fixture.h"
#include "base/path.h"
#include "results/calibrate-fit.h"
#include "results/calibrate.h"
#include "results/import.h"
#include "results/session.h"
#include "results/store-calibrate.h"
#include "results/store.h"

/* Before and after the sessions of the fixture, 2026-11-30 15:00 UTC. */
#define BEFORE_MS 1796000000000LL
#define AFTER_MS  1796100000000LL

static const struct calibrate_key key = { "virt-ufs", "ufs-irq", "quick" };

/* ---- the fit ---- */

static void gamma_functions(void **state)
{
	(void)state;
	assert_true(fabs(fit_digamma(1) + 0.57721566490153286) < 1e-12);
	assert_true(fabs(fit_digamma(0.5) + 1.9635100260214235) < 1e-12);
	assert_true(fabs(fit_digamma(20) - 2.9705239922421490) < 1e-12);
	assert_true(fabs(fit_trigamma(1) - M_PI * M_PI / 6) < 1e-12);
	assert_true(fabs(fit_trigamma(0.5) - M_PI * M_PI / 2) < 1e-12);
	assert_true(fabs(fit_trigamma(20) - 0.051270822935203) < 1e-12);
}

static double chi_square(int df, uint64_t *seed)
{
	double sum = 0;

	for (int i = 0; i < df; i++) {
		double z = fixture_gauss(seed);

		sum += z * z;
	}
	return sum;
}

/* Samples of the model itself: variances around s0^2 = 4 with that d0 (0 = all equal). */
static void draw(struct fit_sample *x, size_t n, int d0, uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		double variance = d0 ? 4 * d0 / chi_square(d0, &seed) : 4;

		x[i] = (struct fit_sample){ .workload = (int)(i % 4),
					    .variance = variance * chi_square(7, &seed) / 7,
					    .df = 7 };
	}
}

static void recovers_d0(void **state)
{
	static struct fit_sample x[4000];
	double df;

	(void)state;
	draw(x, 4000, 8, 5);
	assert_true(fit_d0(x, 4000) > 6.5 && fit_d0(x, 4000) < 9.5);
	/* the pooled variance of the model is s0^2 d0 / (d0 - 2) */
	assert_true(fabs(fit_pooled(x, 4000, 0, &df) / (4 * 8 / 6.0) - 1) < 0.1);
	assert_true(df == 7000);
	draw(x, 4000, 0, 6);
	assert_true(fit_d0(x, 4000) > 60);
	assert_true(fabs(fit_pooled(x, 4000, 3, &df) / 4 - 1) < 0.05);
}

static void too_few_for_d0(void **state)
{
	const struct fit_sample one[] = { { 0, 1, 7 }, { 1, 9, 7 } };
	const struct fit_sample flat[] = { { 0, 0, 7 }, { 0, 0, 7 } };
	double df;

	(void)state;
	assert_true(isinf(fit_d0(one, 2)));
	assert_true(isinf(fit_d0(flat, 2)));
	assert_true(isinf(fit_d0(NULL, 0)));
	assert_true(fit_pooled(flat, 2, 0, &df) == 0 && df == 14);
	assert_true(fit_pooled(one, 2, 5, &df) == 0 && df == 0);
}

/* ---- sessions ---- */

static struct store *open_store(void)
{
	char *path = path_join(fixture_tmp, "results.db");
	struct err err = ERR_INIT;
	struct store *st = store_open(path, &err);

	free(path);
	assert_non_null(st);
	return st;
}

static struct fixture usual_aa(uint64_t seed)
{
	struct fixture f = fixture_usual();

	f.same = true;
	f.pairs = 8;
	f.seed = seed;
	return f;
}

static struct gate_set *store_one(struct store *st, struct fixture *f, const char *name)
{
	struct err err = ERR_INIT;
	struct gate_set *set;

	fixture_make(f, fixture_tmp, name);
	assert_int_equal(import_run(st, f->dir, NULL, &err), 0);
	set = gate_run(st, name, &err);
	assert_non_null(set);
	fixture_release(f);
	return set;
}

static void add_aa(struct store *st, const char *name, uint64_t seed)
{
	struct fixture f = usual_aa(seed);
	struct gate_set *set = store_one(st, &f, name);

	assert_int_equal(set->result, VERDICT_PASS);
	gate_set_free(set);
}

static struct calibration *calibrate(struct store *st, struct buf *notes)
{
	struct err err = ERR_INIT;
	struct calibration *c = calibrate_stored(st, &key, BEFORE_MS, notes, &err);

	assert_non_null(c);
	assert_int_equal(store_put_calibration(st, c, &err), 0);
	return c;
}

static void fits_sessions(void **state)
{
	struct store *st = open_store();
	struct buf notes = BUF_INIT;
	struct calibration *c;

	(void)state;
	add_aa(st, "20261130-150000-ufs-irq-000001", 1);
	add_aa(st, "20261130-150000-ufs-irq-000002", 2);
	c = calibrate(st, &notes);
	assert_int_equal(c->sessions, 2);
	assert_int_equal(c->gated, 2);
	assert_int_equal(c->failed, 0);
	assert_int_equal(c->n_series, FIXTURE_WORKLOADS);
	assert_string_equal(c->newest, "20261130-150000-ufs-irq-000002");
	for (size_t i = 0; i < c->n_series; i++) {
		const struct calibration_series *x = &c->series[i];

		assert_int_equal(x->pairs, 16);
		assert_int_equal(x->n_p, 4);
		/* CV 1 % a boot: 1.41 % a pair, from 14 degrees of freedom */
		assert_true(sqrt(x->s0sq) > 0.008 && sqrt(x->s0sq) < 0.022);
		assert_true(x->d0 > 0 && x->d0 <= 14);
		assert_true(x->mde > 0.005 && x->mde < 0.05 && x->mde_pairs == 12);
		assert_true(x->pairs_needed >= GATE_MIN_PAIRS && x->pairs_needed <= 12);
	}
	assert_true(c->ks_p > 0.01);
	assert_int_equal(notes.size, 0);
	calibration_free(c);
	store_close(st);
}

static bool keep(void *ctx, const struct calibration *c)
{
	char **json = ctx;

	*json = calibrate_json(c, "holds");
	return false;
}

/* What is stored is what was fitted. */
static void stored_and_read(void **state)
{
	const struct store_calibration_filter f = { .board = "virt-ufs", .suite = "ufs-irq" };
	const struct store_calibration_filter before = { .before_ms = BEFORE_MS - 1 };
	struct store *st = open_store();
	struct buf notes = BUF_INIT;
	struct err err = ERR_INIT;
	struct calibration *c;
	char *fitted;
	char *read = NULL;
	char *none = NULL;

	(void)state;
	add_aa(st, "20261130-150000-ufs-irq-000001", 1);
	c = calibrate(st, &notes);
	fitted = calibrate_json(c, "holds");
	assert_int_equal(store_list_calibrations(st, &f, keep, &read, &err), 0);
	assert_string_equal(read, fitted);
	assert_int_equal(store_list_calibrations(st, &before, keep, &none, &err), 0);
	assert_null(none);
	free(fitted);
	free(read);
	calibration_free(c);
	store_close(st);
}

/* With a prior four pairs decide what they cannot decide alone, and the replay is exact. */
static void gives_priors(void **state)
{
	struct store *st = open_store();
	struct fixture f = fixture_usual();
	struct buf notes = BUF_INIT;
	struct buf said = BUF_INIT;
	struct err err = ERR_INIT;
	struct session *s;
	struct gate_set *set;
	char *what;

	(void)state;
	add_aa(st, "20261130-150000-ufs-irq-000001", 1);
	add_aa(st, "20261130-150000-ufs-irq-000002", 2);
	add_aa(st, "20261130-150000-ufs-irq-000003", 3);
	f.effect[1] = 0.93;
	f.cv = 0.014;
	f.seed = 11;
	set = store_one(st, &f, "20261130-150000-ufs-irq-00000a");
	assert_int_equal(set->result, VERDICT_INCONCLUSIVE);
	gate_set_free(set);
	calibration_free(calibrate(st, &notes));

	/* it was judged without: so it stays */
	set = gate_run(st, "20261130-150000-ufs-irq-00000a", &err);
	assert_int_equal(set->result, VERDICT_INCONCLUSIVE);
	gate_set_free(set);

	/* the same numbers in a session that comes later */
	f.seed = 11;
	set = store_one(st, &f, "20261130-150000-ufs-irq-00000b");
	assert_int_equal(set->result, VERDICT_FAIL);
	assert_true(set->verdicts[0].looks[0].workloads[0].est.df > 3);
	gate_set_free(set);
	assert_int_equal(gate_replay(st, "20261130-150000-ufs-irq-00000b", &what, &err), 0);
	s = store_get_session(st, "20261130-150000-ufs-irq-00000b", &err);
	assert_int_equal(s->n_priors, FIXTURE_WORKLOADS);
	calibrate_say(s, &said);
	assert_non_null(strstr(buf_str(&said), "A/A calibration of 2026-11-30"));
	session_free(s);
	buf_release(&said);
	store_close(st);
}

/* A session judged with a prior keeps it when another calibration comes, and when it is imported.
 */
static void keeps_priors(void **state)
{
	struct store *st = open_store();
	struct fixture f = fixture_usual();
	struct buf notes = BUF_INIT;
	struct err err = ERR_INIT;
	struct gate_set *set;
	char *path;
	char *what;

	(void)state;
	add_aa(st, "20261130-150000-ufs-irq-000001", 1);
	calibration_free(calibrate(st, &notes));
	f.seed = 12;
	set = store_one(st, &f, "20261130-150000-ufs-irq-00000c");
	gate_set_free(set);
	add_aa(st, "20261130-150000-ufs-irq-000002", 2);
	calibration_free(calibrate(st, &notes));
	path = path_join(fixture_tmp, "20261130-150000-ufs-irq-00000c");
	assert_int_equal(import_run(st, path, NULL, &err), 0);
	assert_int_equal(gate_replay(st, "20261130-150000-ufs-irq-00000c", &what, &err), 0);
	free(path);
	store_close(st);
}

/* ---- what it no longer holds for ---- */

static const struct hold_row {
	const char *setup, *governor, *says;
} hold_rows[] = {
	{ NULL, NULL, "" },
	{ "type=virt-ufs\\ncpus=2\\n", NULL, "cpus: 1 / 2" },
	{ "type=virt-ufs\\ncpus=1\\nmcq=true\\n", NULL, "mcq: (not there) / true" },
	{ "type=virt-ufs\\n", NULL, "cpus: 1 / (not there)" },
	{ NULL, "powersave", "scaling_governor: performance / powersave" },
};

static void check_hold(const struct calibration *c, const struct hold_row *row, size_t i)
{
	struct fixture f = fixture_usual();
	struct buf why = BUF_INIT;
	struct err err = ERR_INIT;
	char name[64];
	struct session *s;

	snprintf(name, sizeof(name), "20261130-150000-ufs-irq-0000b%zu", i);
	f.setup = row->setup;
	f.fingerprint[0] = f.fingerprint[1] = row->governor;
	fixture_make(&f, fixture_tmp, name);
	s = import_read(f.dir, &err);
	assert_non_null(s);
	assert_int_equal(calibration_holds(c, s, &why), !*row->says);
	if (!strstr(buf_str(&why), row->says))
		fail_msg("row %zu: \"%s\" does not say \"%s\"", i, buf_str(&why), row->says);
	session_free(s);
	buf_release(&why);
	fixture_release(&f);
}

static void withdrawn_by_changes(void **state)
{
	struct store *st = open_store();
	struct buf notes = BUF_INIT;
	struct buf why = BUF_INIT;
	struct err err = ERR_INIT;
	struct calibration *c;

	(void)state;
	add_aa(st, "20261130-150000-ufs-irq-000001", 1);
	c = calibrate(st, &notes);
	for (size_t i = 0; i < sizeof(hold_rows) / sizeof(hold_rows[0]); i++)
		check_hold(c, &hold_rows[i], i);
	assert_false(calibration_holds_setup(c, c->setup, "another", &why));
	assert_non_null(strstr(buf_str(&why), "the suite file has changed"));
	assert_int_equal(store_withdraw_calibrations(st, "other", "x", &err), 0);
	assert_int_equal(store_withdraw_calibrations(st, "virt-ufs", "new cable", &err), 1);
	buf_release(&why);
	calibration_free(c);
	store_close(st);
}

/* A calibration that was withdrawn by hand, or is younger than the session, gives no prior. */
static void not_given(void **state)
{
	struct store *st = open_store();
	struct fixture f = fixture_usual();
	struct buf notes = BUF_INIT;
	struct err err = ERR_INIT;
	struct calibration *c;
	struct gate_set *set;

	(void)state;
	add_aa(st, "20261130-150000-ufs-irq-000001", 1);
	calibration_free(calibrate(st, &notes));
	store_withdraw_calibrations(st, "virt-ufs", "new cable", &err);
	c = calibrate_stored(st, &key, AFTER_MS, &notes, &err);
	assert_int_equal(store_put_calibration(st, c, &err), 0);
	set = store_one(st, &f, "20261130-150000-ufs-irq-00000d");
	assert_true(set->verdicts[0].looks[0].workloads[0].est.df == 3);
	gate_set_free(set);
	calibration_free(c);
	store_close(st);
}

/* Sessions of another set-up and faulty ones are left out, with the reason. */
static void leaves_out(void **state)
{
	struct store *st = open_store();
	struct fixture f = usual_aa(7);
	struct buf notes = BUF_INIT;
	struct err err = ERR_INIT;
	struct calibration *c;

	(void)state;
	assert_null(calibrate_stored(st, &key, BEFORE_MS, &notes, &err));
	assert_string_equal(err.code, "no-aa");
	f.setup = "type=virt-ufs\\ncpus=4\\n";
	gate_set_free(store_one(st, &f, "20261130-150000-ufs-irq-000001"));
	f = usual_aa(8);
	f.pairs = 3;
	gate_set_free(store_one(st, &f, "20261130-150000-ufs-irq-000002"));
	add_aa(st, "20261130-150000-ufs-irq-000003", 9);
	c = calibrate(st, &notes);
	assert_int_equal(c->sessions, 1);
	assert_non_null(strstr(buf_str(&notes), "000001: cpus: 1 / 4"));
	assert_non_null(strstr(buf_str(&notes), "000002: 3 complete pairs"));
	buf_release(&notes);
	calibration_free(c);
	store_close(st);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_make_tmp, fixture_remove_tmp)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gamma_functions),
		cmocka_unit_test(recovers_d0),
		cmocka_unit_test(too_few_for_d0),
		TEST(fits_sessions),
		TEST(stored_and_read),
		TEST(gives_priors),
		TEST(keeps_priors),
		TEST(withdrawn_by_changes),
		TEST(not_given),
		TEST(leaves_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
