// SPDX-License-Identifier: GPL-2.0-or-later
/* The levels of the gate's looks; see gate_levels() in gate.h. Layer: results, pure. */
#include "results/gate.h"

#include <assert.h>

#define FAMILIES 6

static const size_t families[FAMILIES] = { 1, 2, 4, 8, 16, 32 };

/*
 * How GATE_ALPHA is spent over five looks, the last at no more than three times the pairs of the
 * first, by the degrees of freedom of the prior.
 *
 * share: of the looks, in any unit. With a prior most cases are clear at the first look, and
 * at the last nothing is gained by caution any more: that is where errors may be made. Without one
 * the first look has three degrees of freedom and sees little; the share rises.
 *
 * sum: what the five levels may add up to for a family of that size, so that any workload of it
 * fails at any look in GATE_ALPHA of the sessions when nothing has changed. Looks at the same pairs
 * are dependent, so that it is more than GATE_ALPHA; less so far out in the tails, where a large
 * family looks, and with few degrees of freedom. Found with 1.2 million simulated sessions of
 * independent normal pairs with looks at 4, 6, ... 12 (those of later starts give more), less 2 %
 * for the error of that; `rig-sim --only levels` checks it with this very code. Workloads that vary
 * together and a family of unlike priors only make it safer.
 */
static const struct spending {
	double d0; /* at least */
	double share[GATE_MAX_LOOKS];
	double sum[FAMILIES];
} spendings[] = {
	{ 10, { 10, 8, 5, 5, 10 }, { 0.0396, 0.0379, 0.0364, 0.0351, 0.0338, 0.0331 } },
	{ 0, { 4, 5, 7, 10, 18 }, { 0.0361, 0.0343, 0.0329, 0.0316, 0.0298, 0.0294 } },
};

/* As many looks, and as close, as the table is for. */
static bool tabulated(const int *looks, int n_looks)
{
	return n_looks == GATE_MAX_LOOKS && looks[GATE_MAX_LOOKS - 1] <= 3 * looks[0];
}

static double spent(const struct spending *s, size_t family)
{
	for (int i = 0; i < FAMILIES; i++)
		if (family <= families[i])
			return s->sum[i];
	return GATE_ALPHA; /* the union bound */
}

void gate_levels(const int *looks, int n_looks, size_t family, double d0,
		 double levels[GATE_MAX_LOOKS])
{
	const struct spending *s = spendings;
	double total = 0;

	assert(n_looks <= GATE_MAX_LOOKS && family >= 1);
	while (d0 < s->d0)
		s++;
	for (int i = 0; i < GATE_MAX_LOOKS; i++)
		total += s->share[i];
	for (int i = 0; i < n_looks; i++)
		levels[i] = tabulated(looks, n_looks) ? spent(s, family) * s->share[i] / total
						      : GATE_ALPHA / n_looks;
}
