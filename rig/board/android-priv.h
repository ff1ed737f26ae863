/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of android.h share. Layer: board, inside. */
#ifndef RIG_BOARD_ANDROID_PRIV_H
#define RIG_BOARD_ANDROID_PRIV_H

#include "board/android.h"
#include "board/driver.h"
#include "board/wired.h"
#include "io/fastboot.h"
#include "io/tool.h"

struct android {
	struct board *board;
	const struct lab_android *lab;
	const struct android_model *model; /* NULL when the board is only made safe */
	struct wired wired;
	struct power *key;
	struct usb_match port, bootloader; /* whatever is in its port; its fastboot interface */
	struct fastboot *fb;		   /* NULL = no conversation */
	struct tool tool;		   /* for adb and qdl */
	char *dir;			   /* of the tool and the images */
	char adb_device[48];
	char *boot_image; /* packed by deploy, what power_on boots from RAM */
	char *vendor_boot;
	bool no_ram; /* the bootloader has refused to start an image from RAM */
};

/* "a" or "b" */
const char *android_slot(const struct android *a);

/* Fills err by what the client returned; the conversation is closed, as it is of no use. */
int android_failed(struct android *a, const char *action, int rc, struct err *err);

/* ---- android-enter.c ---- */

/*
 * Opens the conversation, by whatever gets the board into its bootloader. BOARD, no-fastboot: it
 * did not come; the message tells what is in the port instead.
 */
int android_enter(struct android *a, struct deadline d, struct err *err);

/* It waits in its bootloader now (or is brought there). BOARD, not-parked. */
int android_park(struct android *a, struct deadline d, struct err *err);

/* The op push of driver.h, by adb. */
int android_push(struct board *b, const char *path, const char *remote, struct deadline d,
		 struct err *err);

/* Emergency download by qdl: only with the lab's programmer, only when it is in that mode. */
int android_edl(struct android *a, struct deadline d, struct err *err);

/* ---- android-flash.c ---- */

/* USER, locked. A bootloader that does not know the word is let pass. */
int android_check_unlocked(struct android *a, struct deadline d, struct err *err);

/* What is in its partitions is not known any more. */
void android_forget_images(const struct android *a);

/* The lab's images, as far as they changed since they were last written. */
int android_flash_images(struct android *a, struct deadline d, struct err *err);

/* The boot image, always: that gives the slot its retries back, too. */
int android_flash_boot(struct android *a, struct deadline d, struct err *err);

/* Tells what the bootloader thinks of the slot, selects it, and looks whether it will boot. */
int android_select_slot(struct android *a, struct deadline d, struct err *err);

#endif
