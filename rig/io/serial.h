/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A serial port: a tty of this host, 8N1 without flow control, held exclusively. libserialport
 * behind one file, with what it leaves out: links are followed, the descriptor is close-on-exec
 * and locked, the speed is read back, a port that is gone is told from one that is silent, and
 * nothing ever waits for output to drain. Layer: io -> base.
 *
 * A port is named where it is plugged in, never by its number, which changes when it comes back:
 *	"/dev/serial/by-path/..."	or any other path
 *	"usb:1-1.2"	the adapter in that port of that hub; its first tty
 *	"usb:1-1.2:1.0"	that interface of it
 *
 * All functions return 0 or -errno:
 *	-ENODEV	not there (any more)		-EBUSY	held by another process
 *	-ERANGE	the driver refused the speed	-ENOTTY	not a serial port
 *	-EACCES	no permission			-EINVAL	the name cannot be one
 */
#ifndef RIG_IO_SERIAL_H
#define RIG_IO_SERIAL_H

#include <stddef.h>

#include "base/deadline.h"
#include "io/serial-errors.h"

struct serial;

/* The path of the device node that the name stands for now. */
int serial_locate(const char *where, char *path, size_t size);

/*
 * Opens and configures it; what had been received before is dropped. *got (may be NULL) is the
 * speed that the driver has really set, also with -ERANGE.
 */
int serial_open(struct serial **out, const char *where, long baud, long *got);

/* Drops what is still to be sent and closes: a few ms, whatever the far end does. NULL is fine. */
void serial_close(struct serial *s);

/* For poll(), read() and write(); non-blocking, stays the port's. Gone: POLLHUP, -EIO, 0 bytes. */
int serial_fd(const struct serial *s);

/* The device node that was opened: /dev/ttyUSB0. */
const char *serial_path(const struct serial *s);

/* Is it still there? 0 or -ENODEV. To be asked whenever a wait ended without a byte. */
int serial_check(const struct serial *s);

/* Holds the line at break for ms. -EOPNOTSUPP where the driver cannot. */
int serial_break(struct serial *s, unsigned int ms);

/* -ENOTTY where the driver does not count. */
int serial_errors(const struct serial *s, struct serial_errors *e);

#endif
