/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USB devices: finding them, waiting for them, bulk and control transfers. libusb behind one pair
 * of files, for transfers alone. Layer: io -> base, libusb.
 *
 * A device is what is plugged in somewhere: the port path ("1-1.2": bus 1, port 1, port 2 of the
 * hub there) is the identity of a board, then ids and interface class. A serial number is only a
 * cross-check: two boards of one kind may show the same. The address on the bus changes on every
 * replug, the port path does not.
 *
 * libusb's own list of devices is not used. It is filled when a context is made and kept up to date
 * by udevd's messages alone: without udevd (containers, small systems), or with the socket file of
 * one that died, it is frozen, and its hotplug callbacks never come. So every look reads sysfs
 * anew, as libusb does for its first list, and the device node is then handed to libusb. The
 * kernel's own uevents make waits short (uevent.h), a look every 100 ms makes them sure.
 *
 * All functions return 0 or -errno, those that say so a count:
 *	-ENODEV	not there (any more)		-ETIMEDOUT the deadline passed
 *	-EEXIST	several devices match		-EBUSY	the interface is held by another program
 *	-EIO	the transfer failed, the device is still there
 *	-EPIPE	the device refused (stalled); the next transfer is let through again
 *	-ENOMEM	usbfs has no memory left: /sys/module/usbcore/parameters/usbfs_memory_mb, 16 MiB by
 *		default for all boards together
 *	-EPROTO	descriptors or data make no sense -EACCES no permission for the device node
 *	-EINTR	a stop was asked for
 */
#ifndef RIG_IO_USB_H
#define RIG_IO_USB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/deadline.h"
#include "io/usb-desc.h"

#define USB_PORT_MAX   32 /* seven ports of two digits, with their dots */
#define USB_SERIAL_MAX 128

/* What must be equal. {0} matches every device. */
struct usb_match {
	const char *port;   /* "1-1.2"; NULL = any */
	uint16_t vid, pid;  /* 0 = any */
	uint8_t class;	    /* of one of its interfaces; 0 = any, and the next two do not count */
	int subclass;	    /* -1 = any */
	int protocol;	    /* -1 = any */
	const char *serial; /* NULL = any */
};

/* Where a device was found. */
struct usb_found {
	char port[USB_PORT_MAX];
	unsigned int bus, address; /* both change */
	uint16_t vid, pid;
	char serial[USB_SERIAL_MAX]; /* "" = none */
	unsigned int speed_mbps;     /* 480, 5000; 0 = not known */
};

/* ---- finding ---- */

/* How many devices match now; the first max of them into found (may be NULL with max 0). */
int usb_find(const struct usb_match *m, struct usb_found *found, size_t max);

/* Until exactly one matches; *found may be NULL. */
int usb_wait_arrived(const struct usb_match *m, struct usb_found *found, struct deadline d);

/*
 * Until none matches any more. address: only the device with that address counts, one that has
 * come back in the meantime has left before; 0 = any.
 */
int usb_wait_left(const struct usb_match *m, unsigned int address, struct deadline d);

/* ---- an open device ---- */

struct usb_dev;

/*
 * Waits for the device (-ENODEV if it did not come), opens it and claims the first interface that
 * matches; a kernel driver that is bound to it is detached, and attached again by usb_close().
 * Right after it was plugged in a device node may not be ours yet: -EACCES is tried again for a
 * second.
 */
int usb_open(struct usb_dev **out, const struct usb_match *m, struct deadline d);
void usb_close(struct usb_dev *dev); /* NULL is fine */

const struct usb_found *usb_where(const struct usb_dev *dev);

/* What was claimed, with endpoints and packet sizes as the descriptors say. */
const struct usb_interface *usb_claimed(const struct usb_dev *dev);

/* All descriptors (usb-desc.h), and the number of the configuration in use. */
const uint8_t *usb_descriptors(const struct usb_dev *dev, size_t *size, unsigned int *config);

/*
 * After -EIO, which may be the first word of an unplug: 0 it answers, -ENODEV gone, -EIO it is
 * listed but mute. usb_read() and the other transfers ask this themselves before they return.
 */
int usb_confirm(struct usb_dev *dev);

/* ---- transfers ---- */

/* One transfer in: up to n bytes (a multiple of in_packet); the count. */
ssize_t usb_read(struct usb_dev *dev, void *buf, size_t n, struct deadline d);

/* All of it out, in order. No zero-length packet follows. */
int usb_write(struct usb_dev *dev, const void *buf, size_t n, struct deadline d);

/*
 * The same for more than memory should hold: fill() is asked for the next n bytes while earlier
 * ones are on their way (at most USB_IN_FLIGHT), taken() is told what has arrived.
 */
#define USB_IN_FLIGHT (4u << 20) /* bytes a board may have in usbfs at any time */

struct usb_source {
	int (*fill)(void *ctx, void *buf, size_t n); /* 0 or -errno, which ends the transfer */
	void (*taken)(void *ctx, uint64_t done);     /* NULL = nobody asks */
	void *ctx;
	unsigned int stall_ms; /* nothing arrived for so long: -ETIMEDOUT; 0 = the deadline only */
};

/* *done (may be NULL): bytes that the device has taken, also after an error. */
int usb_write_stream(struct usb_dev *dev, const struct usb_source *source, uint64_t total,
		     uint64_t *done, struct deadline d);

/* A control transfer: the count of the data stage. request_type bit 7 set: in. */
int usb_control(struct usb_dev *dev, uint8_t request_type, uint8_t request, uint16_t value,
		uint16_t index, void *buf, uint16_t n, struct deadline d);

/* A string descriptor as ASCII, other characters as '?'. Index 0: "". */
int usb_string(struct usb_dev *dev, uint8_t index, char *buf, size_t size, struct deadline d);

/* Selects an alternate setting of the claimed interface; its endpoints are then in use. */
int usb_set_alt(struct usb_dev *dev, uint8_t alt);

/* A bus reset: the device starts anew, -ENODEV when it comes back as another one. */
int usb_reset(struct usb_dev *dev);

#endif
