// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pixel 6 and its relatives (Tensor, gs101). Layer: board.
 *
 * Boot images have header 4: kernel, ramdisk and command line in boot, the device tree in
 * vendor_boot (source.android.com, "Boot image header"). The bootloader joins the ramdisks of both,
 * and the one of boot comes last, so that its /init is the one that runs.
 *
 * The UART is on the SBU pins of the USB-C plug at 1.8 V, 115200 Bd unless told otherwise, up to 3
 * MBd; the setting persists. A pass-through (USB-Cereal) keeps USB usable beside it.
 */
#include "board/android.h"
#include "board/driver.h"
#include "board/pack.h"

static const char *const uart[] = { "uart enable", "uart config {baud}", NULL };

const struct android_model pixel_model = {
	.uart = uart,
	.enter_ms = 60000,
	.attempt_ms = 120000,
};

/* Addresses are those of mkbootimg's defaults: this bootloader places things itself. */
const struct pack pixel_pack = {
	.files = { { PACK_BOOT_4, "boot.img" }, { PACK_VENDOR_BOOT, "vendor_boot.img" } },
	.page_size = 2048,
	.base = 0x10000000,
	.kernel_offset = 0x8000,
	.ramdisk_offset = 0x1000000,
	.tags_offset = 0x100,
	.dtb_offset = 0x1f00000,
};
