/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fastboot device of fastboot-device.h on umockdev: it leaves and comes back by itself. */
#ifndef RIG_TESTS_FAKES_UMOCK_FASTBOOT_H
#define RIG_TESTS_FAKES_UMOCK_FASTBOOT_H

#include "fastboot-device.h"
#include "umock-usb.h"

struct mock_fastboot;

/* Plugged into that port, with partitions in store. */
struct mock_fastboot *mock_fastboot_new(struct mock_bed *bed, const char *port, const char *store);
void mock_fastboot_free(struct mock_fastboot *m);

/* The knobs, from the test's thread. "away-ms=N": how long it is gone; "gone=1": unplugged now. */
void mock_fastboot_set(struct mock_fastboot *m, const char *knob);

/* A copy of the commands so far; to be freed. */
char *mock_fastboot_log(struct mock_fastboot *m);

struct mock_usb *mock_fastboot_usb(struct mock_fastboot *m);

#endif
