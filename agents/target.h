/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which block device a step works on. Selectors:
 *
 *	ufs:N       logical unit N behind a ufshcd host
 *	usb:N       the N-th disk on USB, from 0, in order of the ports
 *	gadget:N    logical unit N of a gadget's mass storage, as the USB host sees it
 *	part:NAME   the partition with this name in its partition table (as /dev/block/by-name/NAME)
 *	disk:NAME   /dev/NAME
 */
#ifndef AGENTS_TARGET_H
#define AGENTS_TARGET_H

#include <stddef.h>

#define TARGET_WAIT_MS 10000

/*
 * Waits up to wait_ms for the device to appear; name becomes its name in /sys/class/block. 0, or
 * -EINVAL, -ENODEV as below.
 */
int target_wait(const char *root, const char *selector, unsigned int wait_ms, char *name,
		size_t cap, char *why, size_t why_cap);

/*
 * Waits up to wait_ms for the device to appear; dev becomes "/dev/sdX". 0, or -errno with the
 * reason in why: -EINVAL no such selector, -ENODEV not there in time, -EBUSY mounted, swapped on,
 * held or opened exclusively.
 */
int target_find(const char *root, const char *selector, unsigned int wait_ms, char *dev,
		size_t dev_cap, char *why, size_t why_cap);

#endif
