/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What systemd wants to hear from a service of Type=notify: a datagram to $NOTIFY_SOCKET, see
 * sd_notify(3). Without that variable nothing happens. Layer: rigd -> libc.
 */
#ifndef RIG_RIGD_NOTIFY_H
#define RIG_RIGD_NOTIFY_H

#include <stdint.h>

/* "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=..."; lines may be joined. */
void notify_send(const char *text);

/* How often WATCHDOG=1 is due, in ms: half of what systemd allows; 0 = it does not watch. */
uint64_t notify_watchdog_ms(void);

#endif
