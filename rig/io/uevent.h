/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Something about the devices has changed": the kernel's own uevents, straight from its netlink
 * socket, without udevd in between. Only ever a hint to look again: they do not reach every
 * container, and are lost when they come too fast, so a wait also ends after UEVENT_LOOK_MS and
 * its caller looks at sysfs, which is never wrong. Layer: io -> base.
 */
#ifndef RIG_IO_UEVENT_H
#define RIG_IO_UEVENT_H

#include "base/deadline.h"

#define UEVENT_LOOK_MS 100

/* A descriptor for uevent_wait() and close(), -1 when there is none to be had: that is no error. */
int uevent_open(void);

/*
 * Returns 0 after an event, after UEVENT_LOOK_MS, or at the deadline, whichever comes first;
 * -EINTR when a stop was asked for. What happened since uevent_open() counts as an event.
 */
int uevent_wait(int fd, struct deadline d);

#endif
