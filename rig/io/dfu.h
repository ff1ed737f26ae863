/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device Firmware Upgrade 1.1 (USB-IF, Aug 5, 2004), the host's side: what Edison's U-Boot and
 * boot ROMs speak. Control transfers alone. Not ST's DfuSe. Layer: io -> base, usb.
 *
 *	DNLOAD block 0 .. n, transfer_size bytes each, after each GETSTATUS until dfuDNLOAD-IDLE
 *	DNLOAD of 0 bytes, GETSTATUS until dfuIDLE (manifested), or until the device resets itself
 *
 * A device names the time it wants to be left alone before the next GETSTATUS (bwPollTimeout);
 * that is obeyed, inside the deadline.
 *
 * Time: the deadline is for the whole call. Inside it a device that takes or gives no block, or
 * does not manifest the file, for stall_ms and the longest time that it has asked for meanwhile, is
 * given up: -ETIMEDOUT.
 *
 * All functions return 0 or -errno, those of usb.h and
 *	-EREMOTEIO the device is in dfuERROR: dfu_reason() says which
 *	-ENOENT	no alternate setting of that name	-ENOTSUP it cannot do that
 *	-EPROTO	it answered nonsense			-EFBIG	it sent more than was asked for
 */
#ifndef RIG_IO_DFU_H
#define RIG_IO_DFU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "io/usb.h"

#define DFU_ALTS_MAX 32
#define DFU_NAME_MAX 64

/* Default of struct dfu_watch. */
#define DFU_STALL_MS 10000

struct dfu;

struct dfu_alt {
	uint8_t number;
	char name[DFU_NAME_MAX]; /* "u-boot0"; "" = it has none */
};

struct dfu_watch {
	void (*progress)(void *ctx, uint64_t done, uint64_t total); /* total 0 = not known */
	void *ctx;
	unsigned int stall_ms; /* 0 = the default */
};

/*
 * Waits for a device in DFU mode (fe/01/02, whatever m has there). A device that is left in the
 * middle of something, or in dfuERROR, by an earlier host is brought back to dfuIDLE.
 */
int dfu_open(struct dfu **out, const struct usb_match *m, struct deadline d);
void dfu_close(struct dfu *dfu); /* NULL is fine */

/* Copied; NULL = nobody asks. */
void dfu_set_watch(struct dfu *dfu, const struct dfu_watch *watch);

/*
 * "errTARGET: not for this device", with the device's own text if it has one; "no progress after
 * 4096 bytes"; or "".
 */
const char *dfu_reason(const struct dfu *dfu);

const struct usb_found *dfu_where(const struct dfu *dfu);

/* How many alternate settings there are, in *alts (stays dfu's). */
size_t dfu_alts(const struct dfu *dfu, const struct dfu_alt **alts);

/*
 * The file from its beginning to its end, to the alternate setting of that name or number. Returns
 * after it has been manifested: the device is idle again, or has left the bus to start it.
 */
int dfu_download(struct dfu *dfu, const char *alt, int fd, struct deadline d);

/* Everything the device has there, at most max bytes, to fd; *size (may be NULL) is how many. */
int dfu_upload(struct dfu *dfu, const char *alt, int fd, uint64_t max, uint64_t *size,
	       struct deadline d);

/*
 * Ends DFU mode: DFU_DETACH, as `dfu-util -e` and U-Boot have it, and a bus reset. -ENODEV from
 * here on is no error: the device has become another one.
 */
int dfu_detach(struct dfu *dfu, struct deadline d);
int dfu_reset(struct dfu *dfu);

/* A device whose application is running and which offers DFU (fe/01/01): into DFU mode. */
int dfu_enter(const struct usb_match *m, struct deadline d);

#endif
