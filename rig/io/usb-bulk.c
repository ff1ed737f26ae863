// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bulk transfers: a ring of asynchronous ones, so that the bus never waits for the file; see usb.h.
 * libusb's own time-outs are not used: a stop must be able to end a wait, and the deadline is ours.
 * Layer: io.
 */
#include "io/usb-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/signals.h"

/* Bytes a transfer, transfers at a time: measured on dummy_hcd, more brings nothing. */
#define CHUNK (256u << 10)
#define RING  8
_Static_assert(CHUNK *RING <= USB_IN_FLIGHT, "the budget of usb.h");

/* How long a wait goes without a look at the stop flag. */
#define TURN_MS 100

/* A transfer that was taken back ends at once, unless the host controller is broken. */
#define CANCEL_MS 2000

struct slot {
	struct libusb_transfer *transfer;
	uint8_t *buf;
	size_t ready; /* bytes filled in and not submitted yet */
	int over;     /* set by libusb when it has ended */
	bool busy;    /* submitted and not ended */
};

static void LIBUSB_CALL ended(struct libusb_transfer *t)
{
	struct slot *s = t->user_data;

	s->over = 1;
}

/* Lets libusb work until something happens, at most TURN_MS. */
static int turn(struct usb_dev *dev, struct slot *s, struct deadline d)
{
	int ms = deadline_left_ms(deadline_min(d, deadline_in(TURN_MS)));
	struct timeval tv = { .tv_usec = ms * 1000 };

	return usb_errno(libusb_handle_events_timeout_completed(dev->ctx, &tv, &s->over));
}

/* Takes it back. False: it never ended, its memory must stay. */
static bool cancel(struct usb_dev *dev, struct slot *s)
{
	struct deadline d = deadline_in(CANCEL_MS);

	if (!s->busy)
		return true;
	libusb_cancel_transfer(s->transfer);
	while (!s->over && !deadline_passed(d))
		if (turn(dev, s, d))
			break;
	s->busy = !s->over;
	return s->over;
}

static int submit(struct usb_dev *dev, struct slot *s, uint8_t endpoint, size_t n)
{
	int rc;

	if (!s->transfer)
		s->transfer = libusb_alloc_transfer(0);
	if (!s->transfer)
		return -ENOMEM;
	s->over = 0;
	libusb_fill_bulk_transfer(s->transfer, dev->handle, endpoint, s->buf, (int)n, ended, s, 0);
	rc = usb_errno(libusb_submit_transfer(s->transfer));
	s->busy = !rc;
	return rc;
}

/* Until it has ended, by itself or because time was up; what it came to. */
static int collect(struct usb_dev *dev, struct slot *s, struct deadline d)
{
	int rc = 0;

	while (!s->over && !rc) {
		if (stop_requested())
			rc = -EINTR;
		else if (deadline_passed(d))
			rc = -ETIMEDOUT;
		else
			rc = turn(dev, s, d);
	}
	if (rc && !cancel(dev, s))
		return rc;
	s->busy = false;
	/* one that ended while it was being taken back has ended well */
	if (rc && s->transfer->status != LIBUSB_TRANSFER_COMPLETED)
		return rc;
	return usb_status_errno(s->transfer->status);
}

/* Frees them, unless the kernel may still write to one: then all of it is left alone. */
static void release(struct usb_dev *dev, struct slot *slots, size_t n)
{
	bool idle = true;

	for (size_t i = 0; i < n; i++)
		idle = cancel(dev, &slots[i]) && idle;
	if (!idle)
		return;
	for (size_t i = 0; i < n; i++) {
		libusb_free_transfer(slots[i].transfer);
		free(slots[i].buf);
	}
	free(slots);
}

static int finish(struct usb_dev *dev, uint8_t endpoint, int rc)
{
	if (rc == -EPIPE)
		libusb_clear_halt(dev->handle, endpoint);
	return usb_verdict(dev, rc);
}

/* ---- in ---- */

ssize_t usb_read(struct usb_dev *dev, void *buf, size_t n, struct deadline d)
{
	struct slot *s;
	size_t got = 0;
	int rc;

	if (!dev->claimed.in)
		return -EINVAL;
	s = xcalloc(1, sizeof(*s));
	/* of its own: a transfer that never ends must not write into the caller's memory */
	s->buf = xmalloc(n);
	rc = submit(dev, s, dev->claimed.in, n);
	if (!rc)
		rc = collect(dev, s, d);
	/* what came before time was up is not thrown away */
	if ((!rc || rc == -ETIMEDOUT) && s->transfer && !s->busy)
		got = (size_t)s->transfer->actual_length;
	if (got) {
		memcpy(buf, s->buf, got);
		rc = 0;
	}
	release(dev, s, 1);
	rc = finish(dev, dev->claimed.in, rc);
	return rc ? rc : (ssize_t)got;
}

/* ---- out ---- */

struct ring {
	struct usb_dev *dev;
	const struct usb_source *source;
	struct slot *slots;
	unsigned int head, tail; /* the next to submit, the oldest on its way */
	uint64_t filled, done, total;
};

static bool has_room(const struct ring *r)
{
	return r->filled < r->total && r->head - r->tail < RING;
}

/* Fills the next slot, unless it was filled already and found no memory. */
static int fill(struct ring *r, struct slot *s)
{
	size_t n = r->total - r->filled < CHUNK ? (size_t)(r->total - r->filled) : CHUNK;
	int rc;

	if (s->ready)
		return 0;
	if (!s->buf)
		s->buf = xmalloc(r->total < CHUNK ? (size_t)r->total : CHUNK);
	rc = r->source->fill(r->source->ctx, s->buf, n);
	if (!rc)
		s->ready = n;
	return rc;
}

/* The next one on its way. -ENOMEM: usbfs has no memory for it. */
static int feed(struct ring *r)
{
	struct slot *s = &r->slots[r->head % RING];
	int rc = fill(r, s);

	if (!rc)
		rc = submit(r->dev, s, r->dev->claimed.out, s->ready);
	if (rc)
		return rc;
	r->filled += s->ready;
	s->ready = 0;
	r->head++;
	return 0;
}

/* Waits for the oldest. A device that takes less than it was given has broken off. */
static int drain(struct ring *r, struct deadline d)
{
	struct slot *s = &r->slots[r->tail % RING];
	unsigned int ms = r->source->stall_ms;
	int rc = collect(r->dev, s, ms ? deadline_min(d, deadline_in(ms)) : d);

	if (s->busy)
		return rc;
	r->tail++;
	r->done += (uint64_t)s->transfer->actual_length;
	if (!rc && s->transfer->actual_length != s->transfer->length)
		rc = -EIO;
	if (!rc && r->source->taken)
		r->source->taken(r->source->ctx, r->done);
	return rc;
}

static int run(struct ring *r, struct deadline d)
{
	int rc = 0;

	while (!rc && r->done < r->total) {
		if (has_room(r)) {
			rc = feed(r);
			/* other boards use the rest: go on with fewer at a time */
			if (rc == -ENOMEM && r->head != r->tail)
				rc = drain(r, d);
		} else {
			rc = drain(r, d);
		}
	}
	return rc;
}

/*
 * After an error: takes back what is on its way, the newest first, lest an older one that ends
 * lets the next begin; counts what the device has taken of it.
 */
static void retreat(struct ring *r)
{
	for (unsigned int i = r->head; i != r->tail; i--)
		cancel(r->dev, &r->slots[(i - 1) % RING]);
	for (; r->tail != r->head; r->tail++) {
		const struct slot *s = &r->slots[r->tail % RING];

		if (!s->busy)
			r->done += (uint64_t)s->transfer->actual_length;
	}
}

int usb_write_stream(struct usb_dev *dev, const struct usb_source *source, uint64_t total,
		     uint64_t *done, struct deadline d)
{
	struct ring r = { .dev = dev, .source = source, .total = total };
	int rc;

	if (!dev->claimed.out)
		return -EINVAL;
	r.slots = xcalloc(RING, sizeof(*r.slots));
	rc = run(&r, d);
	retreat(&r);
	release(dev, r.slots, RING);
	if (done)
		*done = r.done;
	return finish(dev, dev->claimed.out, rc);
}

static int fill_from_memory(void *ctx, void *buf, size_t n)
{
	const uint8_t **at = ctx;

	memcpy(buf, *at, n);
	*at += n;
	return 0;
}

int usb_write(struct usb_dev *dev, const void *buf, size_t n, struct deadline d)
{
	const uint8_t *at = buf;
	struct usb_source source = { .fill = fill_from_memory, .ctx = &at };

	return usb_write_stream(dev, &source, n, NULL, d);
}
