// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: USB descriptors, any bytes. The walk ends, stays inside, and finds at most one
 * interface for every nine bytes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "io/usb-desc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct usb_interface i;
	struct usb_dfu dfu;
	uint16_t vid, pid;

	usb_desc_ids(data, size, &vid, &pid);
	for (unsigned int config = 0; config < 3; config++) {
		size_t at = 0, n = 0;

		while (usb_desc_next(data, size, config, &at, &i))
			if (at > size || ++n > size / 9)
				abort();
		usb_desc_dfu(data, size, config, &dfu);
	}
	return 0;
}
