// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks raw USB descriptors; see usb-desc.h. Layer: io. */
#include "io/usb-desc.h"

#include <string.h>

enum { DEVICE = 1, CONFIG = 2, INTERFACE = 4, ENDPOINT = 5, DFU_FUNCTIONAL = 0x21 };

#define DEVICE_SIZE    18
#define CONFIG_SIZE    9
#define INTERFACE_SIZE 9
#define ENDPOINT_SIZE  7
#define DFU_SIZE       9

#define ENDPOINT_IN   0x80
#define ENDPOINT_TYPE 0x03
#define ENDPOINT_BULK 0x02

static uint16_t le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

bool usb_desc_ids(const uint8_t *raw, size_t size, uint16_t *vid, uint16_t *pid)
{
	if (size < DEVICE_SIZE || raw[0] < DEVICE_SIZE || raw[1] != DEVICE)
		return false;
	*vid = le16(raw + 8);
	*pid = le16(raw + 10);
	return true;
}

/* The descriptor at *at, of at least min bytes; *at goes behind it. NULL at the end or nonsense. */
static const uint8_t *take(const uint8_t *raw, size_t size, size_t *at)
{
	const uint8_t *d = raw + *at;

	if (*at >= size || size - *at < 2 || d[0] < 2 || d[0] > size - *at)
		return NULL;
	*at += d[0];
	return d;
}

static bool is(const uint8_t *d, uint8_t type, uint8_t min)
{
	return d[1] == type && d[0] >= min;
}

/* Behind the header of the wanted configuration; *end is where that configuration ends. */
static bool enter_config(const uint8_t *raw, size_t size, unsigned int config, size_t *at,
			 size_t *end)
{
	const uint8_t *d;

	for (*at = 0; *at < size;) {
		size_t begin = *at;

		d = take(raw, size, at);
		if (!d)
			return false;
		if (!is(d, CONFIG, CONFIG_SIZE))
			continue;
		/* the sizes of some devices' configurations lie; none may end outside */
		*end = begin + le16(d + 2) < size ? begin + le16(d + 2) : size;
		if (!config || d[5] == config)
			return true;
		if (*end > *at)
			*at = *end;
	}
	return false;
}

static void add_endpoint(struct usb_interface *i, const uint8_t *d)
{
	if ((d[3] & ENDPOINT_TYPE) != ENDPOINT_BULK)
		return;
	if (d[2] & ENDPOINT_IN && !i->in) {
		i->in = d[2];
		i->in_packet = le16(d + 4);
	} else if (!(d[2] & ENDPOINT_IN) && !i->out) {
		i->out = d[2];
		i->out_packet = le16(d + 4);
	}
}

static void set_interface(struct usb_interface *i, const uint8_t *d)
{
	*i = (struct usb_interface){
		.number = d[2],
		.alt = d[3],
		.class = d[5],
		.subclass = d[6],
		.protocol = d[7],
		.name = d[8],
	};
}

bool usb_desc_next(const uint8_t *raw, size_t size, unsigned int config, size_t *at,
		   struct usb_interface *interface)
{
	bool found = false;
	size_t begin, end, here;
	const uint8_t *d;

	if (!enter_config(raw, size, config, &begin, &end))
		return false;
	here = *at > begin ? *at : begin;
	for (;;) {
		size_t before = here;

		d = take(raw, end, &here);
		if (d && is(d, INTERFACE, INTERFACE_SIZE)) {
			if (found) {
				*at = before;
				return true;
			}
			set_interface(interface, d);
			found = true;
		} else if (d && found && is(d, ENDPOINT, ENDPOINT_SIZE)) {
			add_endpoint(interface, d);
		} else if (!d) {
			*at = end;
			return found;
		}
	}
}

bool usb_desc_dfu(const uint8_t *raw, size_t size, unsigned int config, struct usb_dfu *dfu)
{
	size_t at, end;
	const uint8_t *d;

	if (!enter_config(raw, size, config, &at, &end))
		return false;
	while ((d = take(raw, end, &at))) {
		/* DFU 1.0 has no version */
		if (!is(d, DFU_FUNCTIONAL, DFU_SIZE - 2))
			continue;
		*dfu = (struct usb_dfu){
			.can_download = d[2] & 1,
			.can_upload = d[2] & 2,
			.manifestation_tolerant = d[2] & 4,
			.will_detach = d[2] & 8,
			.detach_timeout_ms = le16(d + 3),
			.transfer_size = le16(d + 5),
			.version = d[0] >= DFU_SIZE ? le16(d + 7) : 0x0100,
		};
		return true;
	}
	return false;
}
