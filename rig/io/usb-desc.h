/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USB descriptors, as the kernel keeps them in sysfs (`descriptors`: the device's 18 bytes, then
 * every configuration whole). Pure: bytes in, values out, whatever the bytes are. Layer: io.
 *
 *	| device 18 | config 9 | interface 9 | class specific ... | endpoint 7 | ... | config 9 |
 *...
 *
 * Numbers from USB 2.0, chapter 9.6, and DFU 1.1, chapter 4.1.3.
 */
#ifndef RIG_IO_USB_DESC_H
#define RIG_IO_USB_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One alternate setting of an interface. */
struct usb_interface {
	uint8_t number, alt;
	uint8_t class, subclass, protocol;
	uint8_t name;	    /* index of its string; 0 = none */
	uint8_t in, out;    /* addresses of its first bulk endpoints; 0 = none */
	uint16_t in_packet; /* their packet sizes in bytes */
	uint16_t out_packet;
};

/* DFU 1.1, table 4.2. */
struct usb_dfu {
	bool can_download, can_upload, manifestation_tolerant, will_detach;
	uint16_t detach_timeout_ms;
	uint16_t transfer_size; /* bytes a control transfer takes at most */
	uint16_t version;	/* 0x0110; 0x011a is ST's extension, which is another protocol */
};

/* False: too short, or no device descriptor. */
bool usb_desc_ids(const uint8_t *raw, size_t size, uint16_t *vid, uint16_t *pid);

/*
 * The next interface of the configuration with that number (bConfigurationValue; 0 = the first
 * one), from *at on; *at is 0 before the first call. False: there is none, or the rest makes no
 * sense.
 */
bool usb_desc_next(const uint8_t *raw, size_t size, unsigned int config, size_t *at,
		   struct usb_interface *interface);

/* The first DFU functional descriptor of that configuration. */
bool usb_desc_dfu(const uint8_t *raw, size_t size, unsigned int config, struct usb_dfu *dfu);

#endif
