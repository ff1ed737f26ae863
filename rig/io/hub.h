/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power of a USB hub's port, named by the port path of what is plugged into it: "1-1.2" is port 2
 * of the hub in port 1 of bus 1. Layer: io -> base, libusb.
 *
 * The kernel is asked first (sysfs `disable` of the port, 6.0 and later): it takes the device away
 * at once and does not turn the port on again by itself. A USB 3 port has a twin on another bus,
 * which is switched along. Older kernels: PORT_POWER of the hub itself, by libusb.
 *
 * "Off" is verified as far as a host can see: the device has left. Many hubs cut only the data
 * lines, VBUS stays; nobody can see that from here, so a board's supply is to be measured once by
 * whoever wires it (`make check-hil`).
 *
 * Functions return 0 or -errno:
 *	-ENODEV	there is no such port	-EINVAL	not a port path
 *	-ENOTSUP the hub obeyed, but the device stayed (or the port has no power switching)
 *	-EACCES	no permission		-ETIMEDOUT, -EINTR as everywhere
 */
#ifndef RIG_IO_HUB_H
#define RIG_IO_HUB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"

/*
 * Off: returns when what was plugged in has left, -ENOTSUP when it has not by the deadline. On:
 * returns at once; whoever needs the device waits for it to arrive.
 */
int hub_port_set(const char *port, bool on, struct deadline d);

/* 1 on, 0 off; what the kernel or the hub says, not what the device does. */
int hub_port_get(const char *port);

/* Is something plugged into that port (or its twin) and known to the kernel? */
bool hub_port_occupied(const char *port);

/* Off, off_ms without power, on. */
int hub_port_cycle(const char *port, unsigned int off_ms, struct deadline d);

/*
 * How the hub of that port switches power, by its own word: its descriptor. A hub that says
 * HUB_SWITCH_EACH may still cut no VBUS.
 */
enum hub_switch {
	HUB_SWITCH_GANGED, /* all ports at once: off when the last one is switched off */
	HUB_SWITCH_EACH,   /* port by port */
	HUB_SWITCH_NONE,
};

/* enum hub_switch, or -errno: needs the right to open the hub's device node. */
int hub_port_switching(const char *port);

/*
 * The port path's hub and number: "1-1.2" -> "1-1", 2; "1-2" -> "usb1", 2. 0 or -EINVAL.
 */
int hub_port_parse(const char *port, char *hub, size_t size, unsigned int *number);

#endif
