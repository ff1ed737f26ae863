// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the looks that are left can settle an undecided candidate; see gate_futile() in gate.h.
 * Layer: results, pure.
 *
 * With what n pairs say, and nothing known before, the mean of all N pairs of the plan is
 * distributed as m + s sqrt(1/n - 1/N) t(df) (predictive power: Spiegelhalter, Freedman and
 * Blackburn, Controlled Clinical Trials 7 (1986) 8-17). s is taken to stay as it is.
 */
#include "results/gate.h"

#include <math.h>

#include "results/stats.h"

/*
 * The bounds. A clean patch that is not told so costs another session, a slow one that is not
 * caught costs more. `make sim`, typical boards: .1 and .1 save 0.9 boots of 17, .15 and .1 1.2,
 * .2 and .1 1.4, and leave 0.5, 1.1 and 2 % more of the clean patches undecided; each loses 0.1 %
 * of the slow ones. .2 and .2 would lose 0.6 %.
 */
#define PASS_CHANCE 0.15
#define FAIL_CHANCE 0.10

/* What the last look will ask of the mean of a workload, if its s stays. */
struct limits {
	double pass; /* above it */
	double fail; /* at most it */
	double spread;
};

static struct limits limits(const struct gate_series *s, size_t count, int pairs, double level,
			    const struct gate_estimate *e)
{
	double se = e->sd / sqrt(pairs);
	double df = e->df + pairs - e->n;
	double loss = gate_loss_effect(s->direction, s->loss);
	double least = gate_loss_effect(s->direction, s->min_effect);

	return (struct limits){
		.pass = loss + stats_t_quantile(GATE_CONFIDENCE, df) * se,
		.fail = fmin(least, stats_t_quantile(level * gate_share(s, count), df) * se),
		.spread = e->sd * sqrt(1.0 / e->n - 1.0 / pairs),
	};
}

/* That the mean comes to lie below a limit which is so far above it. */
static double chance_below(double distance, double spread, double df)
{
	if (spread > 0)
		return stats_t_cdf(distance / spread, df);
	return distance > 0 ? 1 : 0;
}

/* Pairs that settle it with 80 % power if the mean is what it is now, one way or the other. */
static int settling_pairs(const struct gate_series *s, size_t count, double level,
			  const struct gate_estimate *e)
{
	double loss = gate_loss_effect(s->direction, s->loss);
	double least = gate_loss_effect(s->direction, s->min_effect);
	int pass = -1;
	int fail = -1;

	if (e->mean > loss)
		pass = stats_pairs_needed(e->sd, s->d0, 1 - GATE_CONFIDENCE, e->mean - loss);
	if (e->mean < least)
		fail = stats_pairs_needed(e->sd, s->d0, level * gate_share(s, count), -e->mean);
	if (pass < 0 || fail < 0)
		return pass < 0 ? fail : pass;
	return pass < fail ? pass : fail;
}

static bool may_fail(const struct gate_series *series, size_t count, int pairs, double level,
		     const struct gate_estimate *est)
{
	for (size_t i = 0; i < count; i++) {
		struct limits l = limits(&series[i], count, pairs, level, &est[i]);

		if (chance_below(l.fail - est[i].mean, l.spread, est[i].df) >= FAIL_CHANCE)
			return true;
	}
	return false;
}

bool gate_futile(const struct gate_series *series, size_t count, int pairs, double level,
		 struct gate_estimate *est)
{
	bool stuck = false;

	if (may_fail(series, count, pairs, level, est))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct limits l = limits(&series[i], count, pairs, level, &est[i]);
		struct gate_estimate *e = &est[i];

		e->stuck = chance_below(e->mean - l.pass, l.spread, e->df) < PASS_CHANCE;
		if (e->stuck)
			e->pairs_to_settle = settling_pairs(&series[i], count, level, e);
		stuck |= e->stuck;
	}
	return stuck;
}
