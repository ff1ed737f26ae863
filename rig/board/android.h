/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boards with an Android bootloader: phones and development kits that take their kernel by
 * fastboot over their own USB plug. What differs between them is a struct android_model (pixel.c,
 * sm8650.c). Layer: board, inside.
 *
 *	deploy		images packed; into the bootloader; unlocked?; images that changed; boot;
 *			slot selected and read back
 *	power_on	reboot, and it has left the bus; or `fastboot boot` of the image
 *	power_off	a board without a battery: VBUS, then power, off. A phone cannot be switched
 *			off by a plug: its "off" is "parked", it waits in its bootloader
 *
 * Into the bootloader: it is there already; by adb from a system that has it; by a line that holds
 * its key (volume down) through a power cycle. A kernel under test is left by the agent's reboot
 * (board_row.leave). A phone whose kernel hangs needs the key, or a person.
 *
 * Never written: whatever is not in android_images[]. The bootloader's own partitions are not: a
 * Pixel burns a fuse against going back, and an xbl that does not start is a board for EDL.
 */
#ifndef RIG_BOARD_ANDROID_H
#define RIG_BOARD_ANDROID_H

#include <stdbool.h>
#include <stddef.h>

#include "board/lab.h"
#include "board/power.h"

/* What is special to a model; board_row.data. */
struct android_model {
	/* "oem" commands that put its UART on the console pins; {baud} stands for the speed */
	const char *const *uart; /* NULL-terminated; NULL = it has none */
	unsigned int enter_ms;	 /* from power-on, or adb's reboot, to fastboot */
	unsigned int attempt_ms; /* one attempt to deploy */
};

enum android_slot { ANDROID_SLOT_A, ANDROID_SLOT_B };
enum android_boot { ANDROID_FLASH, ANDROID_RAM };

/* lab_board.more. */
struct lab_android {
	struct conf_pos pos;
	int slot; /* enum android_slot */
	int boot; /* enum android_boot */
	bool adb, battery, oem_uart;
	long enter_s; /* 0 = the model's */
	struct lab_power key;
	const char *dtb;
	const char *dtbo, *vendor_boot, *vendor_kernel_boot, *init_boot, *vbmeta;
	const char *edl_programmer;
	struct conf_texts edl_files;
};

extern const struct lab_keys android_keys;

/* May the rig write it? By its name without a slot. */
bool android_may_flash(const char *partition);

#endif
