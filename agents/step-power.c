// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps reboot and poweroff. END is sent and acknowledged first: ok means "about to". Outside a
 * rig-built initramfs only with --allow-reboot, lest a test of the agent take its host down.
 */
#include "agents/agent.h"

#include <sys/reboot.h>
#include <unistd.h>

void step_power(struct step *s)
{
	if (!s->agent->pid1 && !s->agent->may_reboot)
		step_end(s, STEP_UNSUPPORTED,
			 "the agent is not PID 1 and was not started with --allow-reboot");
	else if (geteuid())
		step_end(s, STEP_UNSUPPORTED, "the agent is not root");
}

static void leave(struct step *s, int how)
{
	tune_restore(&s->agent->tune, s->agent->root, NULL, NULL, &(struct tune_result){ 0 });
	sync();
	reboot(how);
}

void step_reboot_after(struct step *s)
{
	leave(s, RB_AUTOBOOT);
}

void step_poweroff_after(struct step *s)
{
	leave(s, RB_POWER_OFF);
}
