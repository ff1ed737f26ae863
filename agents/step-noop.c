// SPDX-License-Identifier: GPL-2.0-or-later
/* Step noop: nothing, to measure the way there and back. */
#include "agents/agent.h"

void step_noop(struct step *s)
{
	(void)s;
}
