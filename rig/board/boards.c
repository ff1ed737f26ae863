// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of boards that the rig knows, one row each. Layer: board. */
#include "board/driver.h"
#include "board/lab.h"

/*
 * virt-*: power is a process, so there is nothing to settle and nothing to write before a boot.
 *
 * The command line: panic=0 keeps a crashed kernel where it is, at its last words, until the power
 * is cut, so that no second boot runs into the console log of the first. usb-storage would wait a
 * second before it looks at a disk, right in the first workload.
 */
static const struct board_row rows[] = {
	{
		.name = "virt-ufs",
		.help = "QEMU arm64 'virt' machine with UFS units, xHCI and USB storage",
		.arch = "aarch64",
		.cmdline = "console=ttyAMA0,115200 panic=0 usb-storage.delay_use=0",
		.ops = &virt_ops,
		.keys = &lab_virt_keys,
		.data = &virt_ufs_machine,
		.builtin = true,
		.slows_with_load = true,
		.deploy_ms = 5000,
		.power_on_ms = 5000,
		.power_off_ms = 5000,
		.off_settle_ms = 0,
		.first_output_ms = 5000,
		.step_grace_ms = 10000,
	},
};

const struct board_row *board_row(size_t i)
{
	return i < sizeof(rows) / sizeof(rows[0]) ? &rows[i] : NULL;
}
