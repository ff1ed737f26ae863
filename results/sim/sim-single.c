// SPDX-License-Identifier: GPL-2.0-or-later
/* One comparison of two kernels by each test; see sim.h. Layer: results. */
#include "results/sim/sim.h"

void sim_single(struct sim *s)
{
	(void)s;
}
