// SPDX-License-Identifier: GPL-2.0-or-later
/* The DFU 1.1 host; see dfu.h. Chapters below are of that standard. Layer: io. */
#include "io/dfu-priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define DFU_CLASS	 0xfe
#define DFU_SUBCLASS	 0x01
#define PROTOCOL_RUNTIME 0x01
#define PROTOCOL_DFU	 0x02

#define DFUSE 0x011a /* ST's extension in bcdDFUVersion */

/* 6.1.2, in the order of bStatus. */
static const char *const status_texts[] = {
	"OK",
	"errTARGET: not for this device",
	"errFILE: fails a test of the vendor",
	"errWRITE: cannot write memory",
	"errERASE: cannot erase memory",
	"errCHECK_ERASED: memory is not erased",
	"errPROG: cannot program memory",
	"errVERIFY: programmed memory differs",
	"errADDRESS: address out of range",
	"errNOTDONE: the file ends too early",
	"errFIRMWARE: the firmware is damaged",
	"errVENDOR",
	"errUSBR: unexpected bus reset",
	"errPOR: unexpected power-on reset",
	"errUNKNOWN",
	"errSTALLEDPKT: unexpected request",
};
#define STATUS_VENDOR 11

/* How often a device is told to get back to dfuIDLE. */
#define IDLE_TRIES 8

/* For devices whose functional descriptor has 0. */
#define TRANSFER_SIZE 64

#define DETACH_MS 1000

/* ---- requests ---- */

int dfu_request(struct dfu *dfu, enum dfu_request r, uint16_t value, void *buf, uint16_t n,
		struct deadline d)
{
	int rc = usb_control(dfu->usb, TO_DEVICE, r, value, usb_claimed(dfu->usb)->number, buf, n,
			     d);

	return rc < 0 ? rc : rc == n ? 0 : -EIO;
}

int dfu_get_status(struct dfu *dfu, struct dfu_status *s, struct deadline d)
{
	uint8_t raw[6];
	int rc = usb_control(dfu->usb, TO_HOST, GETSTATUS, 0, usb_claimed(dfu->usb)->number, raw,
			     sizeof(raw), d);

	if (rc < 0)
		return rc;
	if (rc != sizeof(raw) || raw[4] > ERROR)
		return -EPROTO;
	*s = (struct dfu_status){
		.status = raw[0],
		.poll_ms = raw[1] | (unsigned int)raw[2] << 8 | (unsigned int)raw[3] << 16,
		.state = raw[4],
		.text = raw[5],
	};
	return 0;
}

/* The time the device has asked for. */
static int wait_poll(unsigned int ms, struct deadline d)
{
	struct deadline until = deadline_in(ms);

	while (!deadline_passed(until)) {
		int rc;

		if (deadline_passed(d))
			return -ETIMEDOUT;
		rc = deadline_poll(-1, 0, deadline_min(d, until));
		if (rc < 0)
			return rc;
	}
	return deadline_passed(d) ? -ETIMEDOUT : 0;
}

int dfu_error(struct dfu *dfu, const struct dfu_status *s, struct deadline d)
{
	size_t n = sizeof(status_texts) / sizeof(status_texts[0]);
	char own[DFU_NAME_MAX] = "";

	if (s->text && s->status == STATUS_VENDOR)
		usb_string(dfu->usb, s->text, own, sizeof(own), d);
	if (s->status < n)
		snprintf(dfu->reason, sizeof(dfu->reason), "%s%s%s", status_texts[s->status],
			 own[0] ? ": " : "", own);
	else
		snprintf(dfu->reason, sizeof(dfu->reason), "status %u", s->status);
	dfu_request(dfu, CLRSTATUS, 0, NULL, 0, d);
	return -EREMOTEIO;
}

void dfu_progress(struct dfu *dfu, uint64_t done)
{
	dfu->done = done;
	dfu->done_at_ms = mono_ms();
	dfu->asked_ms = 0;
}

struct deadline dfu_stall(const struct dfu *dfu, struct deadline d)
{
	unsigned int ms = dfu->watch.stall_ms ? dfu->watch.stall_ms : DFU_STALL_MS;
	struct deadline stall = { .at_ms = dfu->done_at_ms + ms + dfu->asked_ms };

	return deadline_min(d, stall);
}

int dfu_wait_state(struct dfu *dfu, enum dfu_state wanted, enum dfu_state or, struct deadline d)
{
	struct dfu_status s;
	int rc;

	for (;;) {
		rc = dfu_get_status(dfu, &s, dfu_stall(dfu, d));
		if (rc)
			return rc;
		if (s.state == ERROR)
			return dfu_error(dfu, &s, d);
		if (s.state == wanted || s.state == or)
			return 0;
		if (s.state != DNLOAD_SYNC && s.state != DNBUSY && s.state != MANIFEST_SYNC &&
		    s.state != MANIFEST)
			return -EPROTO;
		if (s.poll_ms > dfu->asked_ms)
			dfu->asked_ms = s.poll_ms;
		rc = wait_poll(s.poll_ms, dfu_stall(dfu, d));
		if (rc)
			return rc;
	}
}

int dfu_to_idle(struct dfu *dfu, struct deadline d)
{
	struct dfu_status s;
	int rc;

	for (int i = 0; i < IDLE_TRIES; i++) {
		rc = dfu_get_status(dfu, &s, d);
		if (rc || s.state == IDLE)
			return rc;
		if (s.state == ERROR)
			rc = dfu_request(dfu, CLRSTATUS, 0, NULL, 0, d);
		else if (s.state == DNLOAD_IDLE || s.state == UPLOAD_IDLE || s.state == DNLOAD_SYNC)
			rc = dfu_request(dfu, ABORT, 0, NULL, 0, d);
		else
			rc = wait_poll(s.poll_ms, d);
		if (rc)
			return rc;
	}
	return -EPROTO;
}

/* ---- opening ---- */

static int list_alts(struct dfu *dfu, struct deadline d)
{
	const struct usb_interface *claimed = usb_claimed(dfu->usb);
	struct usb_interface i;
	unsigned int config;
	const uint8_t *raw;
	size_t size, at = 0;
	int rc;

	raw = usb_descriptors(dfu->usb, &size, &config);
	while (dfu->n_alts < DFU_ALTS_MAX && usb_desc_next(raw, size, config, &at, &i)) {
		struct dfu_alt *alt = &dfu->alts[dfu->n_alts];

		if (i.number != claimed->number || i.class != DFU_CLASS ||
		    i.subclass != DFU_SUBCLASS)
			continue;
		alt->number = i.alt;
		/* one whose name it does not tell can still be addressed by its number */
		rc = usb_string(dfu->usb, i.name, alt->name, sizeof(alt->name), d);
		if (rc && rc != -EPIPE && rc != -EPROTO)
			return rc;
		dfu->n_alts++;
	}
	if (!usb_desc_dfu(raw, size, config, &dfu->can))
		dfu->can = (struct usb_dfu){ .can_download = true };
	if (!dfu->can.transfer_size)
		dfu->can.transfer_size = TRANSFER_SIZE;
	return dfu->can.version == DFUSE ? -ENOTSUP : 0;
}

static int open_protocol(struct usb_dev **usb, const struct usb_match *m, int protocol,
			 struct deadline d)
{
	struct usb_match with_class = *m;

	with_class.class = DFU_CLASS;
	with_class.subclass = DFU_SUBCLASS;
	with_class.protocol = protocol;
	return usb_open(usb, &with_class, d);
}

int dfu_open(struct dfu **out, const struct usb_match *m, struct deadline d)
{
	struct dfu *dfu = xcalloc(1, sizeof(*dfu));
	int rc = open_protocol(&dfu->usb, m, PROTOCOL_DFU, d);

	if (!rc)
		rc = list_alts(dfu, d);
	if (!rc)
		rc = dfu_to_idle(dfu, d);
	if (rc)
		goto out;
	*out = dfu;
	dfu = NULL;
out:
	dfu_close(dfu);
	return rc;
}

void dfu_close(struct dfu *dfu)
{
	if (!dfu)
		return;
	usb_close(dfu->usb);
	free(dfu);
}

void dfu_set_watch(struct dfu *dfu, const struct dfu_watch *watch)
{
	dfu->watch = watch ? *watch : (struct dfu_watch){ 0 };
}

const char *dfu_reason(const struct dfu *dfu)
{
	return dfu->reason;
}

const struct usb_found *dfu_where(const struct dfu *dfu)
{
	return usb_where(dfu->usb);
}

size_t dfu_alts(const struct dfu *dfu, const struct dfu_alt **alts)
{
	*alts = dfu->alts;
	return dfu->n_alts;
}

/* ---- leaving ---- */

int dfu_reset(struct dfu *dfu)
{
	int rc = usb_reset(dfu->usb);

	return rc == -ENODEV ? 0 : rc;
}

int dfu_detach(struct dfu *dfu, struct deadline d)
{
	int rc = dfu_request(dfu, DETACH, DETACH_MS, NULL, 0, d);

	if (!rc)
		rc = dfu_reset(dfu);
	/* gone before it could answer, or by itself while it was reset */
	return rc == -ENODEV || rc == -EIO ? 0 : rc;
}

int dfu_enter(const struct usb_match *m, struct deadline d)
{
	struct dfu dfu = { 0 };
	int rc = open_protocol(&dfu.usb, m, PROTOCOL_RUNTIME, d);
	unsigned int config;
	const uint8_t *raw;
	size_t size;

	if (rc)
		return rc;
	raw = usb_descriptors(dfu.usb, &size, &config);
	if (!usb_desc_dfu(raw, size, config, &dfu.can))
		rc = -EPROTO;
	if (!rc)
		rc = dfu_request(&dfu, DETACH, DETACH_MS, NULL, 0, d);
	if ((!rc && !dfu.can.will_detach) || rc == -ENODEV)
		rc = dfu_reset(&dfu);
	usb_close(dfu.usb);
	return rc;
}
