/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of the kernel's devices: small files of one line. Layer: io. */
#ifndef RIG_IO_SYSFS_H
#define RIG_IO_SYSFS_H

#include <stddef.h>
#include <sys/types.h>

/* USB devices by port path, "1-1.2", and their interfaces, "1-1.2:1.0". */
#define SYSFS_USB "/sys/bus/usb/devices"

/*
 * What is there, at most size bytes; -ENOENT: no such attribute; -EIO, -ENODEV: its device is going
 * away.
 */
ssize_t sysfs_read(const char *path, void *buf, size_t size);

/* In one write(2), as attributes want it. 0 or -errno, those of the attribute among them. */
int sysfs_write(const char *path, const char *text);

#endif
