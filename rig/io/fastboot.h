/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fastboot protocol, as Android bootloaders (ABL) and fastbootd speak it. Ours and not the
 * `fastboot` program: that one waits for ever for a device and on a stalled one, and takes the
 * first of two devices with the same serial number. Layer: io -> base, usb.
 *
 *	host                                device
 *	"getvar:product"           ->
 *	                           <-       "OKAY" text
 *	"download:00001000"        ->
 *	                           <-       "DATA00001000"
 *	4096 bytes                 ->
 *	                           <-       "INFO" text (any number of times),
 *	                           <-       "OKAY" text or "FAIL" text
 *
 * From "Fastboot" in AOSP's system/core/fastboot/README.md; what bootloaders do beyond it is noted
 * where it matters.
 *
 * Time: the deadline is for the whole call. Inside it a device that says nothing for answer_ms, or
 * takes no data for stall_ms, is given up; every INFO starts answer_ms anew, since a bootloader
 * that flashes for a minute says so in between. A command is taken at once, and a variable
 * answered from memory: a device that does not do so within query_ms has hung.
 *
 * All functions return 0 or -errno, those of usb.h and
 *	-EREMOTEIO the device said FAIL, or did not do what it had said OKAY to
 *	-EPROTO	it answered nonsense
 *	-EINVAL	a name or file that cannot be meant	-ETIMEDOUT silent, or the deadline
 * and fastboot_reason() has the words. After -ETIMEDOUT or -EPROTO the next call first finds the
 * conversation again: it sends what the device still waits for, and reads what it had to say.
 */
#ifndef RIG_IO_FASTBOOT_H
#define RIG_IO_FASTBOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "io/usb.h"

#define FASTBOOT_ANSWER_MAX  256 /* bytes of an answer, its four letters included */
#define FASTBOOT_COMMAND_MAX 64	 /* what every bootloader takes */
#define FASTBOOT_NAME_MAX    48	 /* a partition with its slot */

/* Defaults of struct fastboot_watch. */
#define FASTBOOT_ANSWER_MS 60000
#define FASTBOOT_QUERY_MS  5000 /* and never more than answer_ms */
#define FASTBOOT_STALL_MS  10000

/* After a device has come back it answers garbage, or nothing, for a moment. */
#define FASTBOOT_SETTLE_MS 500

struct fastboot;

struct fastboot_watch {
	void (*info)(void *ctx, const char *text); /* one INFO line; NULL = nobody asks */
	void (*progress)(void *ctx, uint64_t done, uint64_t total); /* bytes of an image */
	void *ctx;
	unsigned int answer_ms, query_ms, stall_ms; /* 0 = the defaults */
};

/* Bytes of a file: the whole file is { fd, 0, 0 }. The descriptor stays the caller's. */
struct fastboot_image {
	int fd;		       /* of a regular file */
	uint64_t offset, size; /* size 0 = to its end */
};

/*
 * Waits for it, by port, ids or serial as m says; the interface is always ff/42/03, whatever m has
 * there. A second client on the same device gets -EBUSY.
 */
int fastboot_open(struct fastboot **out, const struct usb_match *m, struct deadline d);
void fastboot_close(struct fastboot *f); /* NULL is fine */

/* Copied; NULL = the defaults. */
void fastboot_set_watch(struct fastboot *f, const struct fastboot_watch *watch);

/* What the device said last when a call failed, or what it did wrong; "" = nothing. */
const char *fastboot_reason(const struct fastboot *f);

const struct usb_found *fastboot_where(const struct fastboot *f);

/* ---- questions ---- */

/* -EREMOTEIO: the device does not know it. */
int fastboot_getvar(struct fastboot *f, const char *name, char *value, size_t size,
		    struct deadline d);

/* Every variable, one a line "name:value", to the watch's info. */
int fastboot_getvar_all(struct fastboot *f, struct deadline d);

/* A variable that is "yes"; one that is not known is "no". 1, 0 or -errno. */
int fastboot_is(struct fastboot *f, const char *name, struct deadline d);

/*
 * The partition that `flash boot` means: "boot_a" when has-slot:boot is "yes" and slot a is in use;
 * names that end in _a or _b, and partitions without slots, as they are. slot NULL = current-slot.
 */
int fastboot_partition(struct fastboot *f, const char *name, const char *slot, char *full,
		       size_t size, struct deadline d);

/* ---- changes ---- */

/* Into the device's memory. */
int fastboot_download(struct fastboot *f, const struct fastboot_image *image, struct deadline d);

/*
 * Downloads and writes it. An image larger than the device's max-download-size goes as several
 * sparse ones, and so does a sparse image that is too large. A logical partition is given the
 * image's size first (fastbootd).
 */
int fastboot_flash(struct fastboot *f, const char *partition, const struct fastboot_image *image,
		   struct deadline d);

/* Downloads and starts it; the device leaves. Some bootloaders refuse: -EREMOTEIO. */
int fastboot_boot(struct fastboot *f, const struct fastboot_image *image, struct deadline d);

int fastboot_erase(struct fastboot *f, const char *partition, struct deadline d);

/*
 * slot: "a" or "b". Some bootloaders say OKAY and stay where they are, so current-slot is read
 * back, and it is tried twice.
 */
int fastboot_set_active(struct fastboot *f, const char *slot, struct deadline d);

/* "oem " + command; what it prints goes to the watch's info. */
int fastboot_oem(struct fastboot *f, const char *command, struct deadline d);

/* Any other command, as it is on the wire: "flashing lock_critical". */
int fastboot_command(struct fastboot *f, const char *command, struct deadline d);

/*
 * target: NULL the system, "recovery", "bootloader", "fastboot" (fastbootd, in the system image).
 * Returns after the device has left, with the last two after it has come back on the same port,
 * settled and answered; f is then the new connection. With the first two f can only be closed.
 * fastbootd that turns out to be the bootloader again, or the reverse, is -EREMOTEIO.
 */
int fastboot_reboot(struct fastboot *f, const char *target, struct deadline d);

#endif
