/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of dfu.h share. Chapters are of DFU 1.1. */
#ifndef RIG_IO_DFU_PRIV_H
#define RIG_IO_DFU_PRIV_H

#include "io/dfu.h"

#define TO_DEVICE 0x21 /* class request to an interface */
#define TO_HOST	  0xa1

enum dfu_request { DETACH, DNLOAD, UPLOAD, GETSTATUS, CLRSTATUS, GETSTATE, ABORT }; /* 3 */

enum dfu_state { /* 6.1.2 */
		 APP_IDLE,
		 APP_DETACH,
		 IDLE,
		 DNLOAD_SYNC,
		 DNBUSY,
		 DNLOAD_IDLE,
		 MANIFEST_SYNC,
		 MANIFEST,
		 MANIFEST_WAIT_RESET,
		 UPLOAD_IDLE,
		 ERROR,
};

struct dfu {
	struct usb_dev *usb;
	struct usb_dfu can;
	struct dfu_alt alts[DFU_ALTS_MAX];
	size_t n_alts;
	struct dfu_watch watch;
	char reason[160];
	/* of the transfer: bytes, when the last of them went, the longest wait asked for since */
	uint64_t done, done_at_ms;
	unsigned int asked_ms;
};

struct dfu_status {
	uint8_t status, text;
	enum dfu_state state;
	unsigned int poll_ms; /* leave it alone for so long */
};

/* So many bytes of a transfer are done now. */
void dfu_progress(struct dfu *dfu, uint64_t done);

/* When it must have got further, or d if that is earlier. */
struct deadline dfu_stall(const struct dfu *dfu, struct deadline d);

/* A request without an answer: the whole data stage, or an error. */
int dfu_request(struct dfu *dfu, enum dfu_request r, uint16_t value, void *buf, uint16_t n,
		struct deadline d);

int dfu_get_status(struct dfu *dfu, struct dfu_status *s, struct deadline d);

/* dfuERROR: keeps what it says, clears it; -EREMOTEIO. */
int dfu_error(struct dfu *dfu, const struct dfu_status *s, struct deadline d);

/* In a transfer: asks until it is in one of the two states; in others that pass it waits. */
int dfu_wait_state(struct dfu *dfu, enum dfu_state wanted, enum dfu_state or, struct deadline d);

/* From wherever an earlier host has left it. */
int dfu_to_idle(struct dfu *dfu, struct deadline d);

#endif
