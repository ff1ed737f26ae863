// SPDX-License-Identifier: GPL-2.0-or-later
/* The judges that are compared; see sim-tests.h. Layer: results. */
#include "results/sim/sim-tests.h"

#include <math.h>
#include <stdlib.h>

#include "results/stats-tests.h"
#include "results/stats.h"

#define LEVEL	      0.05
#define THRESHOLD     0.03
#define OTAVA_LEVEL   0.001
#define BOOTSTRAP     1000
#define BOOTSTRAP_LOW 25 /* of 1000, sorted: 2.5 % */

static double difference(const struct sim_case *c)
{
	return stats_mean(c->cand, (size_t)c->n) - stats_mean(c->base, (size_t)c->n);
}

static int signed_if(bool shown, double difference)
{
	if (!shown || difference == 0)
		return 0;
	return difference < 0 ? -1 : 1;
}

static int threshold(const struct sim_case *c)
{
	double change = difference(c) / stats_mean(c->base, (size_t)c->n);

	return signed_if(fabs(change) > THRESHOLD, change);
}

static int two_samples(const struct sim_case *c,
		       double (*test)(const double *, size_t, const double *, size_t))
{
	double p = test(c->base, (size_t)c->n, c->cand, (size_t)c->n);

	return signed_if(p <= LEVEL, difference(c));
}

static int welch(const struct sim_case *c)
{
	return two_samples(c, stats_welch);
}

static int student(const struct sim_case *c)
{
	return two_samples(c, stats_student);
}

static int mannwhitney(const struct sim_case *c)
{
	return two_samples(c, stats_mannwhitney);
}

static int permutation(const struct sim_case *c)
{
	return two_samples(c, stats_permutation);
}

/* ttest_ind_from_stats() takes the sd of a sample and is given np.std(), which divides by n. */
static int otava(const struct sim_case *c)
{
	size_t n = (size_t)c->n;
	double pooled = (stats_variance(c->base, n) + stats_variance(c->cand, n)) / 2;
	double se = sqrt(pooled * (c->n - 1) / c->n * 2 / c->n);
	double p = 2 * stats_t_sf(fabs(difference(c)) / se, 2 * c->n - 2);

	return signed_if(p < OTAVA_LEVEL, difference(c));
}

static double extreme(const double *x, int n, int sign)
{
	double best = x[0];

	for (int i = 1; i < n; i++)
		if (sign * x[i] > sign * best)
			best = x[i];
	return best;
}

static int lkp(const struct sim_case *c)
{
	double d = difference(c);
	int sign = d < 0 ? -1 : 1;
	double gap = sign * (extreme(c->cand, c->n, -sign) - extreme(c->base, c->n, sign));

	return signed_if(gap > 0 && gap > fabs(d) / 2, d);
}

static double resampled_mean(const double *x, int n, struct sim_rng *r)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[sim_rng_below(r, n)];
	return sum / n;
}

/* The interval excludes 0 when fewer than 2.5 % of the resampled differences are on one side. */
static int bootstrap(const struct sim_case *c)
{
	int below = 0;
	int above = 0;

	for (int i = 0; i < BOOTSTRAP; i++) {
		double d = resampled_mean(c->cand, c->n, c->rng) -
			   resampled_mean(c->base, c->n, c->rng);

		below += d < 0;
		above += d > 0;
	}
	return signed_if(below < BOOTSTRAP_LOW || above < BOOTSTRAP_LOW, difference(c));
}

/* ---- with the order of the visits ---- */

static void log_ratios(const struct sim_case *c, double *d)
{
	for (int i = 0; i < c->n; i++)
		d[i] = log(c->cand[i] / c->base[i]);
}

static int paired(const struct sim_case *c)
{
	double d[SIM_TEST_MAX];
	double mean;
	double se;

	log_ratios(c, d);
	mean = stats_mean(d, (size_t)c->n);
	se = sqrt(stats_variance(d, (size_t)c->n) / c->n);
	return signed_if(2 * stats_t_sf(fabs(mean) / se, c->n - 1) <= LEVEL, mean);
}

static int signflip(const struct sim_case *c)
{
	double d[SIM_TEST_MAX];
	double mean;
	double lower;

	log_ratios(c, d);
	mean = stats_mean(d, (size_t)c->n);
	lower = stats_signflip(d, (size_t)c->n);
	for (int i = 0; i < c->n; i++)
		d[i] = -d[i];
	return signed_if(2 * fmin(lower, stats_signflip(d, (size_t)c->n)) <= LEVEL, mean);
}

/*
 * log(value) = a + b kernel + c time. Time is freed of what the kernel explains of it (its mean in
 * each group), then the kernel's share is what time leaves.
 */
static int ancova(const struct sim_case *c)
{
	double time[2] = { 0 };
	double value[2] = { 0 };
	double tt = 0;
	double ty = 0;
	double yy = 0;
	double slope;
	double effect;
	double se;

	for (int i = 0; i < 2 * c->n; i++) {
		time[i >= c->n] += sim_slot(c->order, c->n, i >= c->n, i % c->n) / (double)c->n;
		value[i >= c->n] += log((i < c->n ? c->base : c->cand)[i % c->n]) / c->n;
	}
	for (int i = 0; i < 2 * c->n; i++) {
		double t = sim_slot(c->order, c->n, i >= c->n, i % c->n) - time[i >= c->n];
		double y = log((i < c->n ? c->base : c->cand)[i % c->n]) - value[i >= c->n];

		tt += t * t;
		ty += t * y;
		yy += y * y;
	}
	slope = ty / tt;
	effect = value[1] - value[0] - slope * (time[1] - time[0]);
	se = sqrt((yy - slope * ty) / (2 * c->n - 3) *
		  (2.0 / c->n + (time[1] - time[0]) * (time[1] - time[0]) / tt));
	return signed_if(2 * stats_t_sf(fabs(effect) / se, 2 * c->n - 3) <= LEVEL, effect);
}

static int gate(const struct sim_case *c)
{
	struct gate_series s = { .base = c->base,
				 .cand = c->cand,
				 .n = c->n,
				 .direction = DIRECTION_HIGHER,
				 .d0 = c->d0,
				 .s0sq = c->s0sq };
	struct gate_estimate est;

	gate_evaluate(&s, 1, c->n, LEVEL / 2, &est);
	return signed_if(est.p <= LEVEL / 2 || est.p >= 1 - LEVEL / 2, est.mean);
}

static const struct {
	const char *name;
	int (*decide)(const struct sim_case *c);
} tests[SIM_TESTS] = {
	[SIM_THRESHOLD] = { "3 % on means", threshold },
	[SIM_WELCH] = { "Welch", welch },
	[SIM_STUDENT] = { "Student", student },
	[SIM_MANNWHITNEY] = { "Mann-Whitney", mannwhitney },
	[SIM_PERMUTATION] = { "permutation", permutation },
	[SIM_OTAVA] = { "Otava t .001", otava },
	[SIM_LKP] = { "lkp rule", lkp },
	[SIM_BOOTSTRAP] = { "bootstrap 95 %", bootstrap },
	[SIM_PAIRED] = { "paired t", paired },
	[SIM_SIGNFLIP] = { "sign-flip", signflip },
	[SIM_ANCOVA] = { "ANCOVA(time)", ancova },
	[SIM_GATE] = { "rig: moderated", gate },
};

const char *sim_test_name(enum sim_test test)
{
	return tests[test].name;
}

int sim_test(enum sim_test test, const struct sim_case *c)
{
	return tests[test].decide(c);
}
