// SPDX-License-Identifier: GPL-2.0-or-later
/* The virtual board that stands in for switches: a big-endian MIPS. Layer: board. */
#include "board/driver.h"
#include "board/virt.h"

/* Which port of this host is its port 80 is QEMU's choice: board_address() asks. */
#define NETWORK "user,id=net0,restrict=on,hostfwd=tcp:127.0.0.1:0-:80"

/*
 * The kernel measures its counter against the clock chip, from one second to the next. So that has
 * to tell the guest's time (by the host's the counter would have another frequency in each boot)
 * and to begin at the same place in a second.
 */
static void devices(struct virt_args *a, const struct lab_board *lab, const char *backing)
{
	static const char *const machine[] = { "-machine", "malta",
					       "-cpu",	   "34Kf",
					       "-rtc",	   "base=2020-01-01T00:00:00,clock=vm",
					       "-device",  "e1000,netdev=net0,romfile=",
					       "-netdev",  NETWORK };

	(void)lab;
	(void)backing;
	for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++)
		virt_arg(a, "%s", machine[i]);
}

const struct virt_machine virt_switch_machine = {
	.program = "qemu-system-mips",
	.package = "qemu-system-mips",
	.icount_shift = 4,
	.devices = devices,
};
