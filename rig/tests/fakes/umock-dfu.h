/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DFU device of dfu-device.h on umockdev. */
#ifndef RIG_TESTS_FAKES_UMOCK_DFU_H
#define RIG_TESTS_FAKES_UMOCK_DFU_H

#include "dfu-device.h"
#include "umock-usb.h"

struct mock_dfu;

struct mock_dfu *mock_dfu_new(struct mock_bed *bed, const char *port, const char *store);
void mock_dfu_free(struct mock_dfu *m);
void mock_dfu_set(struct mock_dfu *m, const char *knob);
int mock_dfu_impatience(struct mock_dfu *m);

#endif
