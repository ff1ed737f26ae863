// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps reboot and poweroff. END is sent and acknowledged first: ok means "about to". Outside a
 * rig-built initramfs only with --allow-reboot, lest a test of the agent take its host down.
 *
 * reboot's key arg says into what: "bootloader". A kernel with a reboot-mode driver tells the
 * board's firmware; others boot as ever.
 */
#include "agents/agent.h"

#include <linux/reboot.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

void step_power(struct step *s)
{
	if (!s->agent->pid1 && !s->agent->may_reboot)
		step_end(s, STEP_UNSUPPORTED,
			 "the agent is not PID 1 and was not started with --allow-reboot");
	else if (geteuid())
		step_end(s, STEP_UNSUPPORTED, "the agent is not root");
}

static void leave(struct step *s, int how, const char *into)
{
	tune_restore(&s->agent->tune, s->agent->root, NULL, NULL, &(struct tune_result){ 0 });
	sync();
	if (into)
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			LINUX_REBOOT_CMD_RESTART2, into);
	reboot(how);
}

void step_reboot_after(struct step *s)
{
	leave(s, RB_AUTOBOOT, kv_get(&s->spec, "arg", NULL));
}

void step_poweroff_after(struct step *s)
{
	leave(s, RB_POWER_OFF, NULL);
}
