// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the workloads of a family share the level of a look; see gate_weigh() in gate.h.
 * Layer: results, pure.
 *
 * A loss of `loss` lies so many standard errors away as
 *	mu = -effect sqrt(pairs) / s0
 * If any workload may be the one that is hit, the shares that find it most often are those where
 * the last bit of level brings each of them the same: P(Z > mu / 2 + c / mu), with the c that makes
 * their sum the level (Spjotvoll, Annals of Mathematical Statistics 43 (1972) 398-411; Roeder and
 * Wasserman, Statistical Science 24 (2009) 398-413). As a function of mu that has a peak, at
 * sqrt(2 c): a quiet workload needs hardly any level, and the noisiest are given up. They are not
 * here: left of the peak all get the same as at it, so that no share falls with the variance.
 */
#include "results/gate.h"

#include <math.h>

/*
 * Whatever the prior says, a workload keeps this part of an equal share: the prior may be old, and
 * a smaller loss than `loss` is worth finding too.
 */
#define KEPT (1.0 / 3)

/* The bisection ends where a double cannot tell the two ends apart, or nearly so. */
#define BISECTIONS 60

/* Standard errors so far out that no level is left. */
#define FAR 10.0

static double upper_tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

/* Of the loss, in standard errors. */
static double distance(const struct gate_series *s, int pairs)
{
	return -gate_loss_effect(s->direction, s->loss) * sqrt(pairs / s->s0sq);
}

static double best_share(const struct gate_series *s, int pairs, double c)
{
	double mu = distance(s, pairs);

	if (c > 0)
		mu = fmax(mu, sqrt(2 * c)); /* the peak */
	return upper_tail(mu / 2 + c / mu);
}

static double sum_shares(const struct gate_series *series, size_t count, int pairs, double c)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += best_share(&series[i], pairs, c);
	return sum;
}

/* The c with that sum: at lo one workload has half of everything, at hi none has any level. */
static double solve(const struct gate_series *series, size_t count, int pairs, double level)
{
	double lo = 0;
	double hi = FAR * FAR / 2;

	for (size_t i = 0; i < count; i++) {
		double mu = distance(&series[i], pairs);

		lo = fmin(lo, -mu * mu / 2);
	}
	for (int i = 0; i < BISECTIONS; i++) {
		double c = (lo + hi) / 2;

		if (sum_shares(series, count, pairs, c) > level)
			lo = c;
		else
			hi = c;
	}
	return lo;
}

static bool known(const struct gate_series *series, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (series[i].d0 <= 0 || series[i].s0sq <= 0 || series[i].loss <= 0)
			return false;
	return true;
}

double gate_share(const struct gate_series *s, size_t count)
{
	return s->share > 0 ? s->share : 1.0 / (double)count;
}

void gate_weigh(struct gate_series *series, size_t count, int pairs, double level)
{
	bool equal = count == 1 || !known(series, count);
	double c = equal ? 0 : solve(series, count, pairs, level);
	double sum = equal ? 1 : sum_shares(series, count, pairs, c);

	for (size_t i = 0; i < count; i++) {
		double share = 1.0 / (double)count;

		if (!equal)
			share = KEPT * share + (1 - KEPT) * best_share(&series[i], pairs, c) / sum;
		series[i].share = share;
	}
}
