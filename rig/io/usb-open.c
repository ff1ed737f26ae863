// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening USB devices, control transfers; see usb.h. Layer: io. */
#include "io/usb-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/signals.h"

/* udevd gives a new device node to its group some time after the kernel has made it. */
#define ACCESS_MS      1000
#define ACCESS_LOOK_MS 20

/* A device that is being unplugged stays listed for a moment after its transfers fail. */
#define CONFIRM_MS	500
#define CONFIRM_LOOK_MS 20

/* No control transfer of a device that works takes longer. */
#define CONTROL_MS 5000

/* ---- codes ---- */

int usb_errno(int libusb_error)
{
	switch (libusb_error) {
	case LIBUSB_ERROR_NO_DEVICE:
	case LIBUSB_ERROR_NOT_FOUND:
		return -ENODEV;
	case LIBUSB_ERROR_ACCESS:
		return -EACCES;
	case LIBUSB_ERROR_BUSY:
		return -EBUSY;
	case LIBUSB_ERROR_TIMEOUT:
		return -ETIMEDOUT;
	case LIBUSB_ERROR_PIPE:
		return -EPIPE;
	case LIBUSB_ERROR_NO_MEM:
		return -ENOMEM;
	case LIBUSB_ERROR_OVERFLOW:
		return -EPROTO;
	case LIBUSB_ERROR_INVALID_PARAM:
		return -EINVAL;
	default:
		return libusb_error < 0 ? -EIO : 0;
	}
}

int usb_status_errno(enum libusb_transfer_status status)
{
	switch (status) {
	case LIBUSB_TRANSFER_COMPLETED:
		return 0;
	case LIBUSB_TRANSFER_NO_DEVICE:
		return -ENODEV;
	case LIBUSB_TRANSFER_STALL:
		return -EPIPE;
	case LIBUSB_TRANSFER_OVERFLOW:
		return -EPROTO;
	case LIBUSB_TRANSFER_TIMED_OUT:
		return -ETIMEDOUT;
	default:
		return -EIO;
	}
}

/* ---- opening ---- */

static int open_node(const struct usb_found *at, struct deadline d)
{
	struct deadline patience = deadline_min(d, deadline_in(ACCESS_MS));
	char path[64];

	snprintf(path, sizeof(path), "/dev/bus/usb/%03u/%03u", at->bus, at->address);
	for (;;) {
		int fd = open(path, O_RDWR | O_CLOEXEC);
		int rc;

		if (fd >= 0)
			return fd;
		if (errno != EACCES && errno != ENOENT)
			return errno == ENXIO ? -ENODEV : -errno;
		rc = errno == ENOENT ? -ENODEV : -errno;
		if (deadline_passed(patience))
			return rc;
		rc = deadline_poll(-1, 0, deadline_min(patience, deadline_in(ACCESS_LOOK_MS)));
		if (rc < 0)
			return rc;
	}
}

/*
 * A context of its own for every device; what it lists is not looked at. To have it list nothing is
 * an option of libusb that would count for every later context of the process, hub.c's too.
 */
static int wrap(struct usb_dev *dev)
{
	int rc = libusb_init(&dev->ctx);

	if (rc) {
		dev->ctx = NULL;
		return usb_errno(rc);
	}
	libusb_set_option(dev->ctx, LIBUSB_OPTION_LOG_LEVEL, LIBUSB_LOG_LEVEL_NONE);
	return usb_errno(libusb_wrap_sys_device(dev->ctx, (intptr_t)dev->fd, &dev->handle));
}

static int claim(struct usb_dev *dev)
{
	int rc;

	/* not every system can; then the claim says what is in the way */
	libusb_set_auto_detach_kernel_driver(dev->handle, 1);
	rc = usb_errno(libusb_claim_interface(dev->handle, dev->claimed.number));
	if (rc)
		return rc;
	dev->is_claimed = true;
	return dev->claimed.alt ? usb_set_alt(dev, dev->claimed.alt) : 0;
}

int usb_open(struct usb_dev **out, const struct usb_match *m, struct deadline d)
{
	struct usb_dev *dev = xcalloc(1, sizeof(*dev));
	struct usb_found at;
	int rc = usb_wait_arrived(m, &at, d);

	dev->fd = -1;
	if (rc == -ETIMEDOUT)
		rc = -ENODEV;
	if (!rc)
		rc = usb_load(at.port, &dev->listed);
	if (!rc && !usb_match_interface(m, &dev->listed, &dev->claimed))
		rc = -EPROTO;
	if (rc)
		goto out;
	dev->fd = open_node(&dev->listed.at, d);
	rc = dev->fd < 0 ? dev->fd : wrap(dev);
	if (!rc)
		rc = claim(dev);
	if (rc)
		goto out;
	*out = dev;
	dev = NULL;
out:
	usb_close(dev);
	return rc;
}

void usb_close(struct usb_dev *dev)
{
	if (!dev)
		return;
	if (dev->is_claimed)
		libusb_release_interface(dev->handle, dev->claimed.number);
	if (dev->handle)
		libusb_close(dev->handle);
	if (dev->ctx)
		libusb_exit(dev->ctx);
	if (dev->fd >= 0)
		close(dev->fd);
	free(dev);
}

const struct usb_found *usb_where(const struct usb_dev *dev)
{
	return &dev->listed.at;
}

const struct usb_interface *usb_claimed(const struct usb_dev *dev)
{
	return &dev->claimed;
}

const uint8_t *usb_descriptors(const struct usb_dev *dev, size_t *size, unsigned int *config)
{
	*size = dev->listed.size;
	*config = dev->listed.config;
	return dev->listed.raw;
}

/* ---- control ---- */

static unsigned int control_ms(struct deadline d)
{
	int left = deadline_left_ms(deadline_min(d, deadline_in(CONTROL_MS)));

	return left > 0 ? (unsigned int)left : 1; /* 0 would be for ever */
}

int usb_control(struct usb_dev *dev, uint8_t request_type, uint8_t request, uint16_t value,
		uint16_t index, void *buf, uint16_t n, struct deadline d)
{
	int rc;

	if (stop_requested())
		return -EINTR;
	rc = libusb_control_transfer(dev->handle, request_type, request, value, index, buf, n,
				     control_ms(d));
	return rc >= 0 ? rc : usb_verdict(dev, usb_errno(rc));
}

int usb_string(struct usb_dev *dev, uint8_t index, char *buf, size_t size, struct deadline d)
{
	enum { LANGUAGE_ENGLISH = 0x0409 };
	uint8_t raw[255];
	size_t at = 0;
	int n;

	buf[0] = '\0';
	if (!index)
		return 0;
	n = usb_control(dev, LIBUSB_ENDPOINT_IN, LIBUSB_REQUEST_GET_DESCRIPTOR,
			(uint16_t)(LIBUSB_DT_STRING << 8 | index), LANGUAGE_ENGLISH, raw,
			sizeof(raw), d);
	if (n < 0)
		return n;
	if (n < 2 || raw[1] != LIBUSB_DT_STRING || raw[0] > n)
		return -EPROTO;
	for (int i = 2; i + 1 < raw[0] && at + 1 < size; i += 2)
		buf[at++] = raw[i + 1] || raw[i] < ' ' || raw[i] > '~' ? '?' : (char)raw[i];
	buf[at] = '\0';
	return 0;
}

/* The claimed interface's endpoints with that alternate setting. */
static int find_alt(const struct usb_dev *dev, uint8_t alt, struct usb_interface *found)
{
	size_t at = 0;

	while (usb_desc_next(dev->listed.raw, dev->listed.size, dev->listed.config, &at, found))
		if (found->number == dev->claimed.number && found->alt == alt)
			return 0;
	return -ENOENT;
}

int usb_set_alt(struct usb_dev *dev, uint8_t alt)
{
	struct usb_interface found;
	int rc = find_alt(dev, alt, &found);

	if (!rc)
		rc = usb_errno(
			libusb_set_interface_alt_setting(dev->handle, dev->claimed.number, alt));
	if (!rc)
		dev->claimed = found;
	return usb_verdict(dev, rc);
}

int usb_reset(struct usb_dev *dev)
{
	return usb_errno(libusb_reset_device(dev->handle));
}

/* ---- is it still there ---- */

static bool is_listed(const struct usb_dev *dev)
{
	struct usb_device now;

	return !usb_load(dev->listed.at.port, &now) && now.at.address == dev->listed.at.address &&
	       now.at.bus == dev->listed.at.bus;
}

static bool answers(struct usb_dev *dev)
{
	uint8_t status[2];

	return libusb_control_transfer(dev->handle, LIBUSB_ENDPOINT_IN, LIBUSB_REQUEST_GET_STATUS,
				       0, 0, status, sizeof(status), CONFIRM_MS) == sizeof(status);
}

int usb_confirm(struct usb_dev *dev)
{
	struct deadline d = deadline_in(CONFIRM_MS);

	while (is_listed(dev)) {
		if (answers(dev))
			return 0;
		if (deadline_passed(d))
			return -EIO;
		if (deadline_poll(-1, 0, deadline_in(CONFIRM_LOOK_MS)) < 0)
			return -EIO;
	}
	return -ENODEV;
}

int usb_verdict(struct usb_dev *dev, int rc)
{
	return rc == -EIO && usb_confirm(dev) == -ENODEV ? -ENODEV : rc;
}
