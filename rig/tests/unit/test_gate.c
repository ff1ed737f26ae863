// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/gate: the arithmetic against known values and, on fixed seeds, its error rates; then the
 * judging of whole sessions.
 */
#include <errno.h>
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
#include "results/fingerprint.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/session.h"
#include "results/stats.h"

/* ---- arithmetic ---- */

static void looks(void **state)
{
	static const struct {
		int fixed, min, max, n, want[GATE_MAX_LOOKS];
	} rows[] = {
		{ 0, 4, 12, 5, { 4, 6, 8, 10, 12 } },
		{ 0, 0, 0, 5, { 4, 6, 8, 10, 12 } },
		{ 6, 4, 12, 1, { 6 } },
		{ 4, 0, 0, 1, { 4 } },
		{ 3, 0, 0, 0, { 0 } },
		{ 0, 4, 4, 1, { 4 } },
		{ 0, 4, 5, 2, { 4, 5 } },
		{ 0, 4, 20, 5, { 4, 8, 12, 16, 20 } },
		{ 0, 4, 14, 4, { 4, 8, 12, 14 } },
		{ 0, 1, 3, 0, { 0 } },
		{ 0, 6, 1000, 5, { 6, 256, 506, 756, 1000 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int got[GATE_MAX_LOOKS] = { 0 };
		int n = gate_looks(rows[i].fixed, rows[i].min, rows[i].max, got);

		assert_int_equal(n, rows[i].n);
		assert_memory_equal(got, rows[i].want, (size_t)n * sizeof(got[0]));
	}
}

static double sum_levels(const int *looks, int n, size_t family, double d0)
{
	double level[GATE_MAX_LOOKS];
	double sum = 0;

	gate_levels(looks, n, family, d0, level);
	for (int i = 0; i < n; i++)
		sum += level[i];
	return sum;
}

/*
 * Never less than the union bound, never more than five separate tests; falling with the family.
 * That they hold is for the simulator (test_sim.c).
 */
static void levels(void **state)
{
	static const int usual[] = { 4, 6, 8, 10, 12 };
	static const int wide[] = { 4, 8, 12, 16, 20 };
	double level[GATE_MAX_LOOKS];

	(void)state;
	for (double d0 = 0; d0 <= 20; d0 += 5) {
		double before = 5 * GATE_ALPHA;

		for (size_t family = 1; family <= 40; family++) {
			double sum = sum_levels(usual, 5, family, d0);

			assert_true(sum >= GATE_ALPHA - 1e-12 && sum <= before);
			before = sum;
		}
		assert_true(fabs(sum_levels(wide, 5, 4, d0) - GATE_ALPHA) < 1e-12);
		assert_true(fabs(sum_levels(usual, 4, 4, d0) - GATE_ALPHA) < 1e-12);
		assert_true(sum_levels(usual, 1, 4, d0) == GATE_ALPHA);
	}
	/* without a prior little is spent on three degrees of freedom */
	gate_levels(usual, 5, 4, 0, level);
	assert_true(level[0] < 0.004 && level[4] > 0.012);
	gate_levels(usual, 5, 4, 20, level);
	assert_true(level[0] > 0.009 && level[4] > 0.009);
}

static const double base4[] = { 100, 101, 99, 102 };
static const double cand4[] = { 95, 97.5, 93.2, 96.4 };

/* scipy.stats.ttest_rel of the logarithms. */
static void one_look(void **state)
{
	struct gate_series s = { .base = base4,
				 .cand = cand4,
				 .n = 4,
				 .min_effect = 0.02,
				 .loss = 0.05,
				 .direction = DIRECTION_HIGHER };
	struct gate_estimate e;

	(void)state;
	assert_int_equal(gate_evaluate(&s, 1, 4, 0.0079, &e), VERDICT_FAIL);
	assert_true(fabs(e.p - 0.0013505267049950206) < 1e-12);
	assert_true(fabs(e.t + 9.2174695537985638) < 1e-9);
	assert_true(fabs(e.lo + 0.068406654894989427) < 1e-10);
	assert_true(fabs(e.hi + 0.033293431772922655) < 1e-10);
	assert_true(e.df == 3 && e.n == 4 && e.p_adj == e.p);
	/* the same numbers as times: the candidate is faster, and no loss */
	s.direction = DIRECTION_LOWER;
	assert_int_equal(gate_evaluate(&s, 1, 4, 0.0079, &e), VERDICT_PASS);
	assert_true(e.mean > 0.05 && gate_change(DIRECTION_LOWER, e.mean) < -0.04);
}

static void minimum_effect(void **state)
{
	static const double cand[] = { 98.51, 99.49, 97.52, 100.48 }; /* -1.49 %, very steady */
	struct gate_series s = { .base = base4,
				 .cand = cand,
				 .n = 4,
				 .min_effect = 0.02,
				 .loss = 0.05,
				 .direction = DIRECTION_HIGHER };
	struct gate_estimate e;

	(void)state;
	assert_int_equal(gate_evaluate(&s, 1, 4, 0.0079, &e), VERDICT_PASS);
	assert_true(e.p < 1e-4);
	s.min_effect = 0.01;
	assert_int_equal(gate_evaluate(&s, 1, 4, 0.0079, &e), VERDICT_FAIL);
}

/* A prior of 20 degrees of freedom and s0 = 1 %: the moderated t, by hand. */
static void prior(void **state)
{
	struct gate_series s = { .base = base4,
				 .cand = cand4,
				 .n = 4,
				 .min_effect = 0.02,
				 .loss = 0.05,
				 .direction = DIRECTION_HIGHER,
				 .d0 = 20,
				 .s0sq = 1e-4 };
	struct gate_estimate e;

	(void)state;
	gate_evaluate(&s, 1, 4, 0.0079, &e);
	assert_true(e.df == 23);
	assert_true(fabs(e.sd * e.sd - (20 * 1e-4 + 3 * 1.21739e-4) / 23) < 1e-7);
}

static void no_spread(void **state)
{
	static const double same[] = { 100, 100, 100, 100 };
	static const double less[] = { 90, 90, 90, 90 };
	struct gate_series s = { .base = same,
				 .cand = same,
				 .n = 4,
				 .min_effect = 0.02,
				 .loss = 0.05,
				 .direction = DIRECTION_HIGHER };
	struct gate_estimate e;

	(void)state;
	assert_int_equal(gate_evaluate(&s, 1, 4, 0.0079, &e), VERDICT_PASS);
	assert_true(e.p == 0.5);
	s.cand = less;
	assert_int_equal(gate_evaluate(&s, 1, 4, 0.0079, &e), VERDICT_FAIL);
	gate_detectable(&s, 0.0079, 0.0079, &e);
	assert_true(isfinite(e.mde) && e.pairs_needed == 0);
}

/* Four workloads in one family: a p that is enough alone is not enough among four. */
static void family(void **state)
{
	static const double worse[] = { 96.5, 94.6, 97.1, 96.0 };
	struct gate_series s[4];
	struct gate_estimate e[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		s[i] = (struct gate_series){ .base = base4,
					     .cand = i ? base4 : worse,
					     .n = 4,
					     .min_effect = 0.02,
					     .loss = 0.05,
					     .direction = DIRECTION_HIGHER };
	gate_evaluate(s, 1, 4, 0.0079, e);
	assert_true(e[0].p < 0.025 && e[0].p > 0.0079 / 4);
	gate_evaluate(s, 4, 4, 0.0079, e);
	assert_true(fabs(e[0].p_adj - 4 * e[0].p) < 1e-15);
}

/* Four workloads of which the pairs vary by so much. */
static void with_priors(struct gate_series s[4], const double *sd, double d0)
{
	for (int i = 0; i < 4; i++)
		s[i] = (struct gate_series){ .base = base4,
					     .cand = base4,
					     .n = 4,
					     .min_effect = 0.02,
					     .loss = 0.05,
					     .direction = DIRECTION_HIGHER,
					     .d0 = d0,
					     .s0sq = sd[i] * sd[i] };
}

static double sum_of_shares(const struct gate_series s[4])
{
	return s[0].share + s[1].share + s[2].share + s[3].share;
}

/* How many of the four are found when hit, about: normal, one-sided. */
static double power(const struct gate_series s[4], const double *share, int pairs, double level)
{
	double sum = 0;

	for (int i = 0; i < 4; i++)
		sum += stats_t_cdf(stats_t_quantile(share[i] * level, 1e6) -
					   log(0.95) * sqrt(pairs / s[i].s0sq),
				   1e6);
	return sum;
}

static void shares(void **state)
{
	static const double sd[] = { 0.02, 0.032, 0.045, 0.072 };
	static const double equal[] = { 0.25, 0.25, 0.25, 0.25 };
	static const double like[] = { 0.08, 0.08, 0.08, 0.08 };
	struct gate_series s[4];
	double got[4];

	(void)state;
	with_priors(s, sd, 20);
	gate_weigh(s, 4, 6, 0.008);
	for (int i = 0; i < 4; i++) {
		got[i] = s[i].share;
		assert_true(got[i] >= 0.25 / 3);
	}
	assert_true(fabs(sum_of_shares(s) - 1) < 1e-9);
	assert_true(got[0] < 0.15 && got[2] > 0.3 && got[3] >= got[2]);
	assert_true(power(s, got, 6, 0.008) > power(s, equal, 6, 0.008) + 0.05);
	with_priors(s, like, 20);
	gate_weigh(s, 4, 6, 0.008);
	for (int i = 0; i < 4; i++)
		assert_true(fabs(s[i].share - 0.25) < 1e-9);
	/* one without a prior: nothing is known */
	with_priors(s, sd, 20);
	s[2].d0 = 0;
	gate_weigh(s, 4, 6, 0.008);
	for (int i = 0; i < 4; i++)
		assert_true(s[i].share == 0.25);
	gate_weigh(s, 1, 6, 0.008);
	assert_true(s[0].share == 1);
}

/* A variance that is found too small by chance must not attract level: no share falls with it. */
static void share_and_variance(void **state)
{
	static const double sd[] = { 0.02, 0.032, 0.045, 0.072 };
	static const double levels[] = { 1e-4, 0.008, 0.025, 0.5 };

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		double before = 0;

		for (double mine = 1e-5; mine < 1e3; mine *= 1.1) {
			struct gate_series s[4];

			with_priors(s, sd, 10);
			s[1].s0sq = mine * mine;
			gate_weigh(s, 4, 8, levels[k]);
			assert_true(fabs(sum_of_shares(s) - 1) < 1e-9);
			assert_true(s[1].share >= before - 1e-9 && s[0].share >= 0.25 / 3);
			before = s[1].share;
		}
	}
}

/* Half of the level for one of four: p_adj is twice its p. And it finds smaller losses. */
static void weighted_family(void **state)
{
	static const double worse[] = { 96.5, 94.6, 97.1, 96.0 };
	static const double like[] = { 0.02, 0.02, 0.02, 0.02 };
	struct gate_series s[4];
	struct gate_estimate e[4];

	(void)state;
	with_priors(s, like, 20);
	s[0].cand = worse;
	s[0].share = 0.5;
	s[1].share = s[2].share = 0.2;
	s[3].share = 0.1;
	gate_evaluate(s, 4, 4, 0.0079, e);
	assert_true(fabs(e[0].p_adj - 2 * e[0].p) < 1e-12);
	assert_true(e[1].p_adj == 1);
	gate_detectable(&s[0], 0.0079, 0.0079, &e[0]);
	gate_detectable(&s[3], 0.0079, 0.0079, &e[3]);
	assert_true(e[0].sd > e[3].sd && e[0].mde / e[0].se < e[3].mde / e[3].se);
}

/* ---- error rates, on fixed seeds: the same numbers at each run ---- */

#define SESSIONS 2000

struct rates {
	int fail, pass, pending, wrong;
	int futile, too_early_fail, too_early_pass; /* stopped though 12 pairs would have said it */
	double pairs;
};

/* What would have become of a session that was stopped as undecided. */
static void go_on(struct rates *r, struct gate_series *s, const int *at, int n_looks)
{
	struct gate_estimate est[4];
	double level[GATE_MAX_LOOKS];
	enum verdict v;

	gate_prepare(s, 4, at, n_looks, level);
	v = gate_evaluate(s, 4, at[n_looks - 1], level[n_looks - 1], est);
	r->futile++;
	r->too_early_fail += v == VERDICT_FAIL;
	r->too_early_pass += v == VERDICT_PASS;
}

/* As the supervisor does, after each look. */
static enum verdict ask(struct gate_series *s, const int *at, int n_looks,
			struct gate_estimate *est, int *taken)
{
	enum verdict v = VERDICT_PENDING;

	for (int i = 0; i < n_looks && v == VERDICT_PENDING; i++) {
		for (int w = 0; w < 4; w++)
			s[w].n = at[i];
		v = gate_sequence(s, 4, at, n_looks, est, taken);
	}
	return v;
}

static void simulate(struct rates *r, const double *cv, double effect, int hit, uint64_t seed)
{
	static double base[4][12];
	static double cand[4][12];
	struct gate_series s[4];
	struct gate_estimate est[GATE_MAX_LOOKS * 4];
	int at[GATE_MAX_LOOKS];
	int n_looks = gate_looks(0, 4, 12, at);
	int taken;

	for (int w = 0; w < 4; w++) {
		for (int i = 0; i < 12; i++) {
			base[w][i] = 1000 * exp(cv[w] * fixture_gauss(&seed));
			cand[w][i] =
				1000 * exp(cv[w] * fixture_gauss(&seed)) * (w == hit ? effect : 1);
		}
		s[w] = (struct gate_series){ .base = base[w],
					     .cand = cand[w],
					     .n = 12,
					     .min_effect = 0.02,
					     .loss = 0.05,
					     .direction = DIRECTION_HIGHER };
	}
	switch (ask(s, at, n_looks, est, &taken)) {
	case VERDICT_FAIL:
		r->fail++;
		for (int w = 0; w < 4; w++)
			r->wrong += w != hit && est[(taken - 1) * 4 + w].result == VERDICT_FAIL;
		break;
	case VERDICT_PASS:
		r->pass++;
		break;
	case VERDICT_INCONCLUSIVE:
		go_on(r, s, at, n_looks);
		/* fall through */
	default:
		r->pending++;
	}
	r->pairs += at[taken - 1];
}

/* The scenarios of GATING.md, section "Goals": CV of the four workloads. */
static const double quiet_cv[] = { 0.01, 0.01, 0.02, 0.02 };
static const double typical_cv[] = { 0.01, 0.02, 0.03, 0.05 };

/* The workloads are hit in turn. */
static struct rates simulate_many(const char *name, const double *cv, double effect, uint64_t seed)
{
	struct rates r = { 0 };

	for (int i = 0; i < SESSIONS; i++)
		simulate(&r, cv, effect, i % 4, seed + (uint64_t)i * 1000003);
	r.pairs /= SESSIONS;
	print_message("%s, effect %.2f: FAIL %.1f %% PASS %.1f %% undecided %.1f %%,"
		      " wrong workload %.1f %%, %.1f pairs\n",
		      name, effect, 100.0 * r.fail / SESSIONS, 100.0 * r.pass / SESSIONS,
		      100.0 * r.pending / SESSIONS, 100.0 * r.wrong / SESSIONS, r.pairs);
	return r;
}

/* G1: a clean patch fails in at most 2.5 % of the sessions. */
static void clean_patches(void **state)
{
	struct rates quiet = simulate_many("quiet", quiet_cv, 1, 1);
	struct rates typical = simulate_many("typical", typical_cv, 1, 2);

	(void)state;
	assert_true(quiet.fail <= 0.025 * SESSIONS);
	assert_true(typical.fail <= 0.025 * SESSIONS);
	assert_true(quiet.pass >= 0.97 * SESSIONS);
}

/* 5 % on one of four workloads: found (G2, without a prior yet), and hardly passed (G3: <= 4 %). */
static void slow_patches(void **state)
{
	struct rates quiet = simulate_many("quiet", quiet_cv, 0.95, 3);
	struct rates typical = simulate_many("typical", typical_cv, 0.95, 4);

	(void)state;
	assert_true(quiet.fail >= 0.95 * SESSIONS);
	assert_true(typical.fail >= 0.70 * SESSIONS);
	assert_true(quiet.pass <= 0.04 * SESSIONS && typical.pass <= 0.04 * SESSIONS);
	assert_true(quiet.wrong <= 0.025 * SESSIONS);
}

/*
 * A session is stopped where less than 15 % would have passed and 10 % failed; on average far less
 * than at the bounds. And it is stopped often enough to be of use.
 */
static void futile_rates(void **state)
{
	struct rates clean = simulate_many("typical", typical_cv, 1, 5);
	struct rates slow = simulate_many("typical", typical_cv, 0.95, 6);

	(void)state;
	assert_true(clean.futile > 0.10 * SESSIONS && slow.futile > 0.05 * SESSIONS);
	assert_true(clean.too_early_pass < 0.15 * clean.futile);
	assert_true(slow.too_early_fail < 0.10 * slow.futile);
}

/* d_i = mean +- 5 % in turn, beside a workload that does not change. */
static enum verdict alternate(double mean, int pairs, int *taken, struct gate_estimate *last)
{
	double base[12];
	double cand[12];
	struct gate_series s[2];
	struct gate_estimate est[GATE_MAX_LOOKS * 2];
	int at[GATE_MAX_LOOKS];
	int n_looks = gate_looks(0, 4, 12, at);
	enum verdict v;

	for (int i = 0; i < 12; i++) {
		base[i] = 100;
		cand[i] = 100 * exp(mean + (i % 2 ? 0.05 : -0.05));
	}
	for (int i = 0; i < 2; i++)
		s[i] = (struct gate_series){ .base = base,
					     .cand = i ? base : cand,
					     .n = pairs,
					     .min_effect = 0.02,
					     .loss = 0.05,
					     .direction = DIRECTION_HIGHER };
	v = gate_sequence(s, 2, at, n_looks, est, taken);
	memcpy(last, est + (size_t)(*taken - 1) * 2, 2 * sizeof(*last));
	return v;
}

/*
 * At 10 of 12 pairs, s = 5.27 %: the mean of all has sd .0068 about the present one; to pass it
 * must be above -.0178, to fail below -.0445. From -.028 that is 1.5 and 2.4 sd away: t(9) gives
 * .084 and .02. At 8 pairs .0111, .19 and .09.
 */
static void futile(void **state)
{
	struct gate_estimate e[2];
	int taken;

	(void)state;
	assert_int_equal(alternate(-0.028, 10, &taken, e), VERDICT_INCONCLUSIVE);
	assert_int_equal(taken, 4);
	assert_true(e[0].stuck && !e[1].stuck && e[0].result == VERDICT_PENDING);
	assert_true(e[0].pairs_to_settle > 12 && e[0].pairs_to_settle < 100);
	/* the same between the looks; at the last one there is nothing left to give up; not before
	 */
	assert_int_equal(alternate(-0.028, 11, &taken, e), VERDICT_INCONCLUSIVE);
	assert_int_equal(taken, 4);
	assert_int_equal(alternate(-0.028, 12, &taken, e), VERDICT_PENDING);
	assert_true(taken == 5 && !e[0].stuck);
	assert_int_equal(alternate(-0.028, 9, &taken, e), VERDICT_PENDING);
	assert_true(taken == 3 && !e[0].stuck);
	/* a FAIL may still come: nothing is given up, and nothing is said to be */
	assert_int_equal(alternate(-0.042, 10, &taken, e), VERDICT_PENDING);
	assert_true(taken == 4 && !e[0].stuck && !e[1].stuck);
	/* and here a PASS may */
	assert_int_equal(alternate(-0.0185, 10, &taken, e), VERDICT_PENDING);
	assert_true(taken == 4 && !e[0].stuck);
}

/* ---- sessions ---- */

/* Reads what was made, judges it, and throws the directory away. */
static struct gate_set *judge(struct fixture *f)
{
	struct err err = ERR_INIT;
	struct session *s;
	struct gate_set *set;

	s = import_read(f->dir, &err);
	if (!s)
		fail_msg("%s", err.message);
	set = gate_judge(s);
	session_free(s);
	path_remove(f->dir);
	fixture_release(f);
	return set;
}

static void expect(struct gate_set *set, enum verdict result, enum blame blame, const char *code,
		   const char *words)
{
	const struct gate_verdict *v = &set->verdicts[0];

	if (v->result != result || v->blame != blame || strcmp(v->code, code) ||
	    !strstr(v->reason, words))
		fail_msg("%s %s %s: %s", verdict_name(v->result), blame_name(v->blame), v->code,
			 v->reason);
	gate_set_free(set);
}

static struct gate_set *judge_usual(struct fixture *f)
{
	fixture_make(f, fixture_tmp, "s");
	return judge(f);
}

static void pass_and_fail(void **state)
{
	struct fixture clean = fixture_usual();
	struct fixture slow = fixture_usual();
	struct gate_set *set;

	(void)state;
	clean.effect[1] = 1.1;
	clean.hit = 3;
	set = judge_usual(&clean);
	assert_int_equal(gate_exit_code(set), EXIT_PASS);
	assert_non_null(strstr(set->verdicts[0].reason, "faster: randwrite/8 +"));
	assert_false(set->more);
	expect(set, VERDICT_PASS, BLAME_NONE, "", "no loss");
	slow.effect[1] = 0.88;
	slow.hit = 2;
	set = judge_usual(&slow);
	assert_int_equal(gate_exit_code(set), EXIT_FAIL);
	assert_null(strstr(set->verdicts[0].reason, "randread"));
	expect(set, VERDICT_FAIL, BLAME_KERNEL, "regression", "randwrite/1");
}

static void inconclusive(void **state)
{
	struct fixture f = fixture_usual();
	struct gate_set *set;

	(void)state;
	f.cv = 0.08;
	set = judge_usual(&f);
	assert_int_equal(gate_exit_code(set), EXIT_INCONCLUSIVE);
	assert_true(set->verdicts[0].looks[0].workloads[0].est.mde > 0.05);
	expect(set, VERDICT_INCONCLUSIVE, BLAME_NONE, "undecided", "would settle it");
	f = fixture_usual();
	f.pairs = 2;
	expect(judge_usual(&f), VERDICT_INCONCLUSIVE, BLAME_NONE, "too-few-pairs", "2 complete");
}

/* Drift of 4 % over the session does not matter in mirrored order; in blocks it is refused. */
static void drift(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	f.drift = 0.04;
	f.pairs = 6;
	expect(judge_usual(&f), VERDICT_PASS, BLAME_NONE, "", "no loss");
	f = fixture_usual();
	f.blocks = true;
	expect(judge_usual(&f), VERDICT_INVALID, BLAME_TEST, "confounded", "in a row");
}

/* What the supervisor asks after each pair. */
static void more_or_enough(void **state)
{
	struct fixture f = fixture_usual();
	struct err err = ERR_INIT;
	struct session *s;
	bool want[] = { true, true, true, false };

	(void)state;
	fixture_begin(&f, fixture_tmp, "s");
	fixture_visit(&f, 0, 0, ", \"warmup\": true");
	for (int pair = 1; pair <= 4; pair++) {
		struct gate_set *set;

		fixture_round(&f, pair);
		s = import_read(f.dir, &err);
		assert_non_null(s);
		s->state = SESSION_RUNNING; /* a job holds the lock */
		s->n_faults = 0;
		set = gate_judge(s);
		assert_int_equal(set->more, want[pair - 1]);
		assert_int_equal(set->result, pair < 4 ? VERDICT_PENDING : VERDICT_PASS);
		gate_set_free(set);
		session_free(s);
	}
	path_remove(f.dir);
	fixture_release(&f);
}

/* A noisy board: the session ends before its last pair, and says why and what would help. */
static void hopeless_while_running(void **state)
{
	struct fixture f = fixture_usual();
	struct session *s;
	struct gate_set *set;

	(void)state;
	f.cv = 0.06;
	f.pairs = 8;
	f.effect[1] = 0.97;
	fixture_make(&f, fixture_tmp, "s");
	s = import_read(f.dir, NULL);
	assert_non_null(s);
	s->state = SESSION_RUNNING;
	s->n_faults = 0;
	set = gate_judge(s);
	assert_false(set->more);
	assert_int_equal(set->verdicts[0].pairs, 8);
	print_message("%zu %s\n", set->verdicts[0].n_looks, set->verdicts[0].reason);
	assert_non_null(strstr(set->verdicts[0].reason, "would settle it if it stays there"));
	expect(set, VERDICT_INCONCLUSIVE, BLAME_NONE, "undecided",
	       "undecided, and 4 more pairs would hardly settle it: ");
	session_free(s);
	path_remove(f.dir);
	fixture_release(&f);
}

static void findings(void **state)
{
	struct fixture f = fixture_usual();
	struct gate_set *set;

	(void)state;
	f.finding[1] = "WARNING in ufshcd_foo";
	set = judge_usual(&f);
	/* the numbers were looked at all the same */
	assert_int_equal(set->verdicts[0].n_looks, 1);
	assert_int_equal(set->verdicts[0].looks[0].result, VERDICT_PASS);
	expect(set, VERDICT_FAIL, BLAME_KERNEL, "finding", "WARNING in ufshcd_foo");
	f = fixture_usual();
	f.finding[0] = f.finding[1] = "WARNING in ufshcd_foo";
	expect(judge_usual(&f), VERDICT_PASS, BLAME_NONE, "", "no loss");
	f = fixture_usual();
	f.finding[0] = "WARNING in ufshcd_foo";
	expect(judge_usual(&f), VERDICT_PASS, BLAME_NONE, "", "no loss");
	f = fixture_usual();
	f.finding[1] = "ufs: device reset";
	f.severity = "notice";
	expect(judge_usual(&f), VERDICT_PASS, BLAME_NONE, "", "no loss");
}

/*
 * The usual session, with a count of faults in randread/1 of each visit: 0, but for those of one
 * kernel from visit `from` on (a journal's number).
 */
static struct gate_set *judge_counts(int kernel, int from, double value, bool there)
{
	struct fixture f = fixture_usual();
	struct session_metric *m;
	struct gate_set *set;
	struct session *s;

	fixture_make(&f, fixture_tmp, "s");
	s = import_read(f.dir, NULL);
	assert_non_null(s);
	for (size_t i = 0; i < s->n_samples; i++) {
		const struct session_visit *v = &s->visits[s->steps[s->samples[i].step].visit];

		if (!strcmp(s->samples[i].metric, "usr_cpu"))
			s->samples[i].value = v->kernel == kernel && v->number >= from ? value : 0;
	}
	m = session_add_metric(s);
	m->workload = session_str(s, "randread/1");
	m->metric = session_str(s, there ? "usr_cpu" : "isoc.missed_service");
	m->direction = DIRECTION_LOWER;
	set = gate_judge(s);
	session_free(s);
	path_remove(f.dir);
	fixture_release(&f);
	return set;
}

/* One fault is one too many, whatever the mean; and a count that is not there is no 0. */
static void zeros(void **state)
{
	struct gate_set *set = judge_counts(1, 1, 0, true);
	uint64_t clean = set->rows_hash;

	(void)state;
	expect(set, VERDICT_PASS, BLAME_NONE, "", "no loss");
	set = judge_counts(1, 8, 3, true);
	assert_true(set->rows_hash != clean);
	/* the numbers were looked at all the same */
	assert_int_equal(set->verdicts[0].looks[0].result, VERDICT_PASS);
	expect(set, VERDICT_FAIL, BLAME_KERNEL, "not-zero",
	       "randread/1 usr_cpu is 3 in visit 8 of threaded and must be 0 (1 visit where");
	expect(judge_counts(0, 1, 1, true), VERDICT_INVALID, BLAME_KERNEL, "not-zero",
	       "it is the baseline that fails");
	expect(judge_counts(1, 1, 0, false), VERDICT_INVALID, BLAME_TEST, "no-number",
	       "isoc.missed_service");
}

/* A warning at the first boot fails, but pairs up to the first look are still wanted. */
static void finding_while_running(void **state)
{
	struct fixture f = fixture_usual();
	struct session *s;
	struct gate_set *set;

	(void)state;
	f.finding[1] = "WARNING in ufshcd_foo";
	fixture_begin(&f, fixture_tmp, "s");
	fixture_visit(&f, 0, 0, ", \"warmup\": true");
	fixture_round(&f, 1);
	s = import_read(f.dir, NULL);
	assert_non_null(s);
	s->state = SESSION_RUNNING;
	s->n_faults = 0;
	set = gate_judge(s);
	assert_true(set->more);
	expect(set, VERDICT_FAIL, BLAME_KERNEL, "finding", "WARNING in ufshcd_foo");
	session_free(s);
	path_remove(f.dir);
	fixture_release(&f);
}

/* The usual session in which something ends the second pair. */
static struct gate_set *judge_fault(int kernel, const char *blame, const char *code, int controls)
{
	struct fixture f = fixture_usual();

	fixture_begin(&f, fixture_tmp, "s");
	fixture_visit(&f, 0, 0, ", \"warmup\": true");
	fixture_round(&f, 1);
	fixture_visit_begin(&f, kernel, 2, "");
	fixture_event(&f, "visit-end", ", \"visit\": %d, \"result\": \"failed\"", f.visit);
	/* the last one is the baseline's, one before it the candidate's once more */
	for (int i = controls; i > 0; i--) {
		fixture_visit_begin(&f, i == 1 ? 0 : kernel, 0, ", \"control\": true");
		fixture_event(&f, "visit-end", ", \"visit\": %d, \"result\": \"ok\"", f.visit);
	}
	fixture_fault(&f, f.visit, blame, code, "what happened");
	fixture_end(&f, !strcmp(blame, "KERNEL") ? "kernel-fault" : "fault");
	return judge(&f);
}

static void faults(void **state)
{
	(void)state;
	expect(judge_fault(1, "KERNEL", "panic", 0), VERDICT_FAIL, BLAME_KERNEL, "panic",
	       "what happened");
	/* told of the control boot, but about the candidate before it */
	expect(judge_fault(1, "KERNEL", "boot-timeout", 1), VERDICT_FAIL, BLAME_KERNEL,
	       "boot-timeout", "what happened");
	expect(judge_fault(1, "KERNEL", "hang", 2), VERDICT_FAIL, BLAME_KERNEL, "hang",
	       "what happened");
	expect(judge_fault(0, "KERNEL", "panic", 0), VERDICT_INVALID, BLAME_KERNEL, "panic",
	       "baseline");
	expect(judge_fault(1, "BOARD", "qemu-died", 0), VERDICT_INVALID, BLAME_BOARD, "qemu-died",
	       "what happened");
	expect(judge_fault(1, "RIG", "job-lost", 0), VERDICT_INVALID, BLAME_RIG, "job-lost",
	       "what happened");
	expect(judge_fault(1, "USER", "cancelled", 0), VERDICT_INVALID, BLAME_USER, "cancelled",
	       "what happened");
}

/* A panic is a panic, though a number of an earlier pair was lost; but not of another kernel. */
static void fault_and_lost_number(void **state)
{
	for (int wrong = 0; wrong < 2; wrong++) {
		struct fixture f = fixture_usual();
		char *path;

		fixture_begin(&f, fixture_tmp, "s");
		fixture_visit(&f, 0, 0, ", \"warmup\": true");
		fixture_round(&f, 1);
		path = xasprintf("%s/visits/003-threaded/steps/02-randread_1/fio.json", f.dir);
		unlink(path);
		free(path);
		fixture_visit_begin(&f, 1, 2, "");
		if (wrong)
			fixture_event(&f, "agent-hello", ", \"visit\": %d, \"release\": \"6.1.0\"",
				      f.visit);
		fixture_fault(&f, f.visit, "KERNEL", "panic", "panic: what happened");
		fixture_end(&f, "kernel-fault");
		if (wrong)
			expect(judge(&f), VERDICT_INVALID, BLAME_RIG, "wrong-kernel", "6.1.0");
		else
			expect(judge(&f), VERDICT_FAIL, BLAME_KERNEL, "panic", "what happened");
	}
	(void)state;
}

/* A verdict reached before a rig fault does not stand. */
static void late_fault(void **state)
{
	struct fixture f = fixture_usual();
	struct gate_set *set;

	(void)state;
	f.effect[1] = 0.8;
	fixture_begin(&f, fixture_tmp, "s");
	fixture_rounds(&f);
	fixture_fault(&f, -1, "RIG", "job-lost", "killed");
	fixture_end(&f, "fault");
	set = judge(&f);
	assert_int_equal(gate_exit_code(set), EXIT_INVALID);
	expect(set, VERDICT_INVALID, BLAME_RIG, "job-lost", "killed");
}

static void unlike_boots(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	f.fingerprint[1] = "powersave";
	expect(judge_usual(&f), VERDICT_INVALID, BLAME_BOARD, "fingerprint",
	       "cpu.0.scaling_governor: performance / powersave");
}

static void wrong_kernel(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	fixture_begin(&f, fixture_tmp, "s");
	fixture_rounds(&f);
	fixture_event(&f, "agent-hello", ", \"visit\": %d, \"boot_ms\": 9, \"release\": \"6.1.0\"",
		      f.visit);
	fixture_end(&f, "enough");
	expect(judge(&f), VERDICT_INVALID, BLAME_RIG, "wrong-kernel", "6.1.0");
}

static void missing_number(void **state)
{
	struct fixture f = fixture_usual();
	char *path;

	(void)state;
	fixture_make(&f, fixture_tmp, "s");
	path = xasprintf("%s/visits/003-threaded/steps/02-randread_1/fio.json", f.dir);
	unlink(path);
	free(path);
	expect(judge(&f), VERDICT_INVALID, BLAME_RIG, "no-number", "visit 3 (threaded)");
}

static void several_candidates(void **state)
{
	struct fixture f = fixture_usual();
	struct gate_set *set;

	(void)state;
	f.kernels = 3;
	f.effect[2] = 0.85;
	f.pairs = 6;
	set = judge_usual(&f);
	assert_int_equal(set->n_verdicts, 2);
	assert_int_equal(set->verdicts[0].result, VERDICT_PASS);
	assert_int_equal(set->verdicts[1].result, VERDICT_FAIL);
	assert_int_equal(set->verdicts[1].looks[0].pairs, 4);
	assert_int_equal(gate_exit_code(set), EXIT_FAIL);
	gate_set_free(set);
}

static void one_kernel(void **state)
{
	struct fixture f = fixture_usual();
	struct gate_set *set;

	(void)state;
	f.kernels = 1;
	set = judge_usual(&f);
	assert_int_equal(gate_exit_code(set), EXIT_PASS);
	expect(set, VERDICT_NONE, BLAME_NONE, "", "measured only");
}

/* ---- fingerprints ---- */

static void fingerprints(void **state)
{
	struct fingerprint *a =
		fingerprint_new("{\"cmdline\": \"root=/dev/x rig.epoch=1\", \"temp\": 40}", "");
	struct fingerprint *b = fingerprint_new(
		"{\"cmdline\": \"root=/dev/x ufs.delay=50 rig.epoch=2\", \"temp\": 50}",
		"ufs.delay=50");
	struct fingerprint *c = fingerprint_new("{\"cmdline\": \"root=/dev/x quiet\"}", "");
	struct buf tools = BUF_INIT;
	struct buf diff = BUF_INIT;

	(void)state;
	assert_int_equal(fingerprint_diff(a, b, &diff), 0);
	assert_int_equal(fingerprint_diff(a, c, &diff), 1);
	assert_non_null(strstr(buf_str(&diff), "root=/dev/x / root=/dev/x quiet"));
	fingerprint_tools(
		"{\"tools\": {\"agent\": \"1.0\", \"busybox\": \"BusyBox v1.35.0 (2026) multi\","
		" \"fio\": \"fio-3.33\"}}",
		&tools);
	assert_string_equal(buf_str(&tools), "agent 1.0, BusyBox v1.35.0, fio-3.33");
	buf_release(&tools);
	assert_null(fingerprint_new("", ""));
	assert_null(fingerprint_new("{", ""));
	buf_release(&diff);
	fingerprint_free(a);
	fingerprint_free(b);
	fingerprint_free(c);
}

/* As the agent writes it: arrays whose members have a name, in any order; sda and sdb may swap. */
#define AGENT_PRINT(first, second, cpus, affinity)                                                 \
	"{\"cpufreq\": [{\"name\": \"policy0\", \"scaling_governor\": \"performance\","            \
	" \"scaling_cur_freq\": \"" cpus "\"}], \"block\": [{\"name\": \"" first "\","             \
	" \"queue/scheduler\": \"none\"}, {\"name\": \"" second "\", \"queue/scheduler\":"         \
	" \"mq-deadline\"}], \"targets\": [{\"selector\": \"ufs:0\", \"device\": \"" first "\","   \
	" \"queue/scheduler\": \"none\"}], \"irqs\": [{\"irq\": " cpus ", \"what\": \"GIC 42"      \
	" ufshcd\", \"affinity\": \"" affinity "\", \"effective_affinity\": \"" cpus "\"}]}"

static void agent_fingerprints(void **state)
{
	struct fingerprint *a = fingerprint_new(AGENT_PRINT("sda", "sdb", "1", "0-1"), "");
	struct fingerprint *b = fingerprint_new(AGENT_PRINT("sdb", "sda", "2", "0-1"), "");
	struct fingerprint *c = fingerprint_new(AGENT_PRINT("sda", "sdb", "1", "0"), "");
	struct buf diff = BUF_INIT;

	(void)state;
	assert_int_equal(fingerprint_diff(a, b, &diff), 0);
	assert_int_equal(fingerprint_diff(a, c, &diff), 1);
	assert_string_equal(buf_str(&diff), "irqs.[GIC 42 ufshcd].affinity: 0-1 / 0");
	buf_release(&diff);
	fingerprint_free(a);
	fingerprint_free(b);
	fingerprint_free(c);
}

static void words(void **state)
{
	(void)state;
	for (enum verdict v = VERDICT_NONE; v <= VERDICT_INVALID; v++)
		assert_int_equal(verdict_parse(verdict_name(v)), v);
	assert_int_equal(verdict_parse("pass"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks),
		cmocka_unit_test(levels),
		cmocka_unit_test(one_look),
		cmocka_unit_test(minimum_effect),
		cmocka_unit_test(prior),
		cmocka_unit_test(no_spread),
		cmocka_unit_test(family),
		cmocka_unit_test(shares),
		cmocka_unit_test(share_and_variance),
		cmocka_unit_test(weighted_family),
		cmocka_unit_test(clean_patches),
		cmocka_unit_test(slow_patches),
		cmocka_unit_test(futile),
		cmocka_unit_test(futile_rates),
		cmocka_unit_test(pass_and_fail),
		cmocka_unit_test(inconclusive),
		cmocka_unit_test(drift),
		cmocka_unit_test(more_or_enough),
		cmocka_unit_test(hopeless_while_running),
		cmocka_unit_test(findings),
		cmocka_unit_test(zeros),
		cmocka_unit_test(finding_while_running),
		cmocka_unit_test(faults),
		cmocka_unit_test(late_fault),
		cmocka_unit_test(fault_and_lost_number),
		cmocka_unit_test(unlike_boots),
		cmocka_unit_test(wrong_kernel),
		cmocka_unit_test(missing_number),
		cmocka_unit_test(several_candidates),
		cmocka_unit_test(one_kernel),
		cmocka_unit_test(fingerprints),
		cmocka_unit_test(agent_fingerprints),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, fixture_make_tmp, fixture_remove_tmp);
}
