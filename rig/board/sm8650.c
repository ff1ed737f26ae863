// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Qualcomm SM8650 development kits (QRD, HDK). Layer: board.
 *
 * Boot images have header 2, with the device tree in them; the mainline kernel starts from such an
 * image (Linaro, from v6.8). Wall power comes before USB-C: the order of wired_on(). The console is
 * uart15, 115200 Bd. Whether this ABL starts an image from RAM (`boot: ram`) is to be tried.
 */
#include "board/android.h"
#include "board/driver.h"
#include "board/pack.h"

const struct android_model sm8650_model = {
	.enter_ms = 60000,
	.attempt_ms = 120000,
};

const struct pack sm8650_pack = {
	.files = { { PACK_BOOT_2, "boot.img" } },
	.page_size = 4096,
	.base = 0x80000000,
	.kernel_offset = 0x8000,
	.ramdisk_offset = 0x1000000,
	.tags_offset = 0x100,
	.dtb_offset = 0x1f00000,
};
