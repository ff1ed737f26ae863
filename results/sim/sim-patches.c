// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole sessions by the gate; see sim.h. Layer: results. */
#include "results/sim/sim.h"

void sim_patches(struct sim *s)
{
	(void)s;
}
