/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An Edison in U-Boot's DFU mode: one interface, an alternate setting for each part of its flash.
 * The state alone, as fastboot-device.h; what was written to "boot" is store/boot.
 *
 * Knobs: poll-ms=N	busy for so long after every block (a GETSTATUS before that is refused)
 *	error=N		the second block is an error with that bStatus
 *	stall=1		no request is answered	die=1	unplugged at the second block
 *	mute=1		none is from the second block on
 *	busy=1		the second block is never done
 *	vanish=1	starts the firmware instead of coming back to dfuIDLE
 *	wait-reset=1	dfuMANIFEST-WAIT-RESET instead	stuck=1	found in dfuDNLOAD-IDLE
 *	garbage=1	a state that there is not	heal=1	none of these
 *	new=1		power on again
 */
#ifndef RIG_TESTS_FAKES_DFU_DEVICE_H
#define RIG_TESTS_FAKES_DFU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DFU_DEVICE_TRANSFER 4096

struct dfu_device;

struct dfu_device *dfu_device_new(const char *store);
void dfu_device_free(struct dfu_device *d);
bool dfu_device_set(struct dfu_device *d, const char *knob);

/* As in sysfs; the strings are by index from 1, NULL-terminated. */
const uint8_t *dfu_device_descriptors(size_t *size);
const char *const *dfu_device_strings(void);

/* A class request: bytes of the data stage, -EPIPE refused, -EAGAIN not now. */
int dfu_device_control(struct dfu_device *d, const uint8_t setup[8], uint8_t *data, int n);
void dfu_device_alt(struct dfu_device *d, unsigned int alt);

/* True once: it leaves the bus now. */
bool dfu_device_leaves(struct dfu_device *d);

void dfu_device_reset(struct dfu_device *d);

/* How often the host asked while it was to leave the device alone. */
int dfu_device_impatience(const struct dfu_device *d);

#endif
