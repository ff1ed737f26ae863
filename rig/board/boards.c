// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of boards that the rig knows, one row each. Layer: board. */
#include "board/android.h"
#include "board/driver.h"
#include "board/lab-wired.h"
#include "board/lab.h"
#include "board/merrifield.h"
#include "board/netboot.h"

/*
 * virt-*: power is a process, so there is nothing to settle and nothing to write before a boot.
 *
 * The command line: panic=0 keeps a crashed kernel where it is, at its last words, until the power
 * is cut, so that no second boot runs into the console log of the first. usb-storage would wait a
 * second before it looks at a disk, right in the first workload.
 */
#define VIRT_CMDLINE "console=ttyAMA0,115200 panic=0 usb-storage.delay_use=0"

/* virt-gadget: SuperSpeed for its gadgets; one camera, and nothing else that vivid could be. */
#define VIRT_GADGET_CMDLINE                                                                        \
	"console=ttyS0,115200 panic=0 usb-storage.delay_use=0 dummy_hcd.is_super_speed=1"          \
	" vivid.n_devs=1 vivid.node_types=0x1 vivid.num_inputs=1 vivid.input_types=0x0"

static const struct board_program android_programs[] = {
	{ "mkbootimg", "mkbootimg", "packs boot images", false },
	{ "adb", "adb", "leaves a system for its bootloader (adb: true)", true },
	{ "qdl", "qdl", "rescues a board in emergency download mode (edl_programmer)", true },
	{ NULL, NULL, NULL, false },
};

static const struct board_program merrifield_programs[] = {
	{ "xfstk-dldr-solo", NULL, "rescues a board whose U-Boot is dead (rescue)", true },
	{ NULL, NULL, NULL, false },
};

/* What boards are driven by that load over the network. */
static const struct board_program netboot_programs[] = {
	{ "mkimage", "u-boot-tools", "packs images for U-Boot", false },
	{ "dnsmasq", "dnsmasq-base", "the TFTP server that the loader asks", false },
	{ NULL, NULL, NULL, false },
};

static const struct board_row rows[] = {
	{
		.name = "virt-ufs",
		.help = "QEMU arm64 'virt' machine with UFS units, xHCI and USB storage",
		.arch = "aarch64",
		.cmdline = VIRT_CMDLINE,
		.ops = &virt_ops,
		.keys = &lab_virt_keys,
		.more = &lab_virt_ufs_keys,
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
	{
		.name = "virt-mcq",
		.help = "virt-ufs with a controller of UFS 4.0: several queues (MCQ)",
		.arch = "aarch64",
		.cmdline = VIRT_CMDLINE,
		.kernels = "virt-ufs",
		.ops = &virt_ops,
		.keys = &lab_virt_keys,
		.more = &lab_virt_mcq_keys,
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
	{
		.name = "virt-gadget",
		.help = "QEMU x86_64 machine with xHCI (disk, network, sound), USB gadgets, a camera",
		.arch = "x86_64",
		.cmdline = VIRT_GADGET_CMDLINE,
		.ops = &virt_ops,
		.keys = &lab_virt_keys,
		.data = &virt_gadget_machine,
		.builtin = true,
		.slows_with_load = true,
		.deploy_ms = 5000,
		.power_on_ms = 5000,
		.power_off_ms = 5000,
		.off_settle_ms = 0,
		.first_output_ms = 10000,
		.step_grace_ms = 10000,
	},
	{
		.name = "virt-switch",
		.help = "QEMU 'malta' machine, big-endian MIPS 34Kf",
		.arch = "mips",
		.cmdline = "console=ttyS0,115200 panic=0",
		.ops = &virt_ops,
		.keys = &lab_virt_keys,
		.data = &virt_switch_machine,
		.builtin = true,
		.slows_with_load = true,
		.deploy_ms = 5000,
		.power_on_ms = 5000,
		.power_off_ms = 5000,
		.off_settle_ms = 0,
		.first_output_ms = 10000,
		.step_grace_ms = 10000,
	},
	{
		.name = "pixel",
		.help = "Google Pixel 6 (gs101): fastboot, UART on USB-C",
		.arch = "aarch64",
		.cmdline = "console=ttySAC0,115200n8 panic=0",
		.ops = &android_ops,
		.keys = &lab_wired_keys,
		.more = &android_keys,
		.data = &pixel_model,
		.pack = &pixel_pack,
		.programs = android_programs,
		.leave = "bootloader",
		.console_baud = 115200,
		.deploy_ms = 600000,
		.power_on_ms = 120000,
		.power_off_ms = 90000,
		.first_output_ms = 60000,
		.step_grace_ms = 10000,
	},
	{
		.name = "sm8650",
		.help = "Qualcomm SM8650 QRD or HDK: fastboot, wall power, UART",
		.arch = "aarch64",
		.cmdline = "console=ttyMSM0,115200n8 panic=0",
		.ops = &android_ops,
		.keys = &lab_wired_keys,
		.more = &android_keys,
		.data = &sm8650_model,
		.pack = &sm8650_pack,
		.programs = android_programs,
		.leave = "bootloader",
		.console_baud = 115200,
		.deploy_ms = 600000,
		.power_on_ms = 120000,
		.power_off_ms = 90000,
		.first_output_ms = 60000,
		.step_grace_ms = 10000,
	},
	{
		.name = "virt-uboot",
		.help = "the machine of virt-ufs behind a real U-Boot, driven as real boards are",
		.arch = "aarch64",
		.cmdline = VIRT_CMDLINE,
		.kernels = "virt-ufs",
		.ops = &netboot_ops,
		.keys = &lab_wired_keys,
		.more = &lab_netboot_keys,
		.data = &virt_uboot_family,
		.pack = &virt_uboot_pack,
		.programs = netboot_programs,
		.host_address = netboot_server,
		.baud = netboot_baud,
		.describe = netboot_describe,
		.slows_with_load = true,
		.deploy_ms = 60000,
		.power_on_ms = 15000,
		.power_off_ms = 10000,
		.first_output_ms = 10000,
		.step_grace_ms = 10000,
	},
	{
		.name = "realtek",
		.help = "switch with a Realtek RTL838x or RTL839x; \"model\" says which",
		.arch = "mips",
		.cmdline = "console=ttyS0,115200 panic=0",
		.ops = &netboot_ops,
		.keys = &lab_wired_keys,
		.more = &lab_netboot_keys,
		.data = &realtek_family,
		.pack = &realtek_pack,
		.programs = netboot_programs,
		.host_address = netboot_server,
		.baud = netboot_baud,
		.describe = netboot_describe,
		.deploy_ms = 600000,
		.power_on_ms = 60000,
		.power_off_ms = 30000,
		.off_settle_ms = 1000,
		.first_output_ms = 30000,
		.step_grace_ms = 10000,
	},
	{
		.name = "merrifield",
		.help = "Intel Edison: U-Boot, kernel and initramfs to RAM by DFU",
		.arch = "x86_64",
		.cmdline = "console=ttyS2,115200n8 panic=0",
		.ops = &merrifield_ops,
		.keys = &lab_wired_keys,
		.more = &merrifield_keys,
		.pack = &merrifield_pack,
		.programs = merrifield_programs,
		.describe = merrifield_describe,
		.console_baud = 115200,
		.deploy_ms = 900000,
		.power_on_ms = 60000,
		.power_off_ms = 30000,
		.off_settle_ms = 1000,
		.first_output_ms = 30000,
		.step_grace_ms = 10000,
	},
};

const struct board_row *board_row(size_t i)
{
	return i < sizeof(rows) / sizeof(rows[0]) ? &rows[i] : NULL;
}
