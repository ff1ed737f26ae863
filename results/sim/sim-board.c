// SPDX-License-Identifier: GPL-2.0-or-later
/* Simulated boards; see sim-board.h. Layer: results. */
#include "results/sim/sim-board.h"

#include <assert.h>
#include <math.h>

#include "results/calibrate-fit.h"
#include "results/calibrate.h"
#include "results/stats.h"

#define AA_SESSIONS 2
#define AA_PAIRS    20

int sim_slot(enum sim_order order, int n, bool candidate, int i)
{
	if (order == SIM_AABB)
		return candidate ? n + i : i;
	return 2 * i + (i % 2 ? !candidate : candidate);
}

void sim_boots(enum sim_order order, int n, struct sim_rng *r, double *boot)
{
	for (int i = 0; i < 2 * n; i++)
		boot[i] = order == SIM_AABB && i % n ? boot[i - 1] : sim_gauss(r);
}

static double drift_at(const struct sim_board *b, int slot, int slots)
{
	if (b->shape == SIM_WARMUP)
		return b->drift * -expm1(-6.0 * slot / slots);
	return b->drift * slot / (slots - 1);
}

void sim_visits(const struct sim_board *b, enum sim_order order, int n, const double *boot,
		double effect, struct sim_rng *r, double *base, double *cand)
{
	double noise[2 * SIM_PAIRS_MAX];

	assert(n <= SIM_PAIRS_MAX);
	sim_noise(b->noise, r, noise, 2 * n);
	for (int i = 0; i < 2 * n; i++) {
		int slot = sim_slot(order, n, i >= n, i % n);
		double value = 1000 * (1 + b->cv * noise[slot]) * (1 + b->boot_sd * boot[slot]) *
			       (1 + drift_at(b, slot, 2 * n));

		value = fmax(value, 1); /* a run takes some time however noisy it is */
		if (i < n)
			base[i] = value;
		else
			cand[i - n] = value * effect;
	}
}

void sim_prior(const struct sim_board *b, struct sim_rng *r, double *d0, double *s0sq)
{
	struct fit_sample samples[AA_SESSIONS];
	double boot[2 * AA_PAIRS];
	double base[AA_PAIRS];
	double cand[AA_PAIRS];
	double df;

	for (int s = 0; s < AA_SESSIONS; s++) {
		sim_boots(SIM_ABBA, AA_PAIRS, r, boot);
		sim_visits(b, SIM_ABBA, AA_PAIRS, boot, 1, r, base, cand);
		for (int i = 0; i < AA_PAIRS; i++)
			base[i] = log(cand[i] / base[i]);
		samples[s] = (struct fit_sample){ .variance = stats_variance(base, AA_PAIRS),
						  .df = AA_PAIRS - 1 };
	}
	*s0sq = fit_pooled(samples, AA_SESSIONS, 0, &df);
	*d0 = fmin(df, CALIBRATE_D0_MAX);
}
