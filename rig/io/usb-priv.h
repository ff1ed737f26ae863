/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of usb.h share: a device in sysfs, an open one, the meaning of libusb's codes. */
#ifndef RIG_IO_USB_PRIV_H
#define RIG_IO_USB_PRIV_H

#include <libusb.h>

#include "io/usb.h"

/* As it is listed now. */
struct usb_device {
	struct usb_found at;
	unsigned int config;
	size_t size;
	uint8_t raw[4096]; /* more than any device has that we meet; the rest is not looked at */
};

struct usb_dev {
	struct usb_device listed;
	struct usb_interface claimed;
	libusb_context *ctx;
	libusb_device_handle *handle;
	int fd; /* of the device node; libusb does not own it */
	bool is_claimed;
};

/* -ENODEV, -EPROTO. */
int usb_load(const char *port, struct usb_device *dev);

bool usb_match_interface(const struct usb_match *m, const struct usb_device *dev,
			 struct usb_interface *interface);

/* Of a function, of a transfer that has ended. */
int usb_errno(int libusb_error);
int usb_status_errno(enum libusb_transfer_status status);

/* What -EIO really was; other codes pass. */
int usb_verdict(struct usb_dev *dev, int rc);

#endif
