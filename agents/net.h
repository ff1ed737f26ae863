/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network interfaces: which one is meant, up and down, addresses, counters, name spaces. Selectors:
 *
 *	NAME		usb0
 *	DRIVER:N	the N-th interface of that driver, from 0, in order of where it is
 *			plugged in: cdc_ether:0
 *	gadget:N	of a gadget of this machine, the device's end of the cable
 *
 * Functions that return int: 0 or -errno.
 */
#ifndef AGENTS_NET_H
#define AGENTS_NET_H

#include <stddef.h>
#include <stdint.h>

#define NET_NAME 32

/* Waits up to wait_ms for it. -ENODEV with the reason in why. */
int net_find(const char *root, const char *selector, unsigned int wait_ms, char name[NET_NAME],
	     char *why, size_t cap);

int net_up(const char *name);
/* IPv4, with a mask of 24 bits. */
int net_address(const char *name, const char *address);
/* Into the network name space of a process; comes back when that is gone. */
int net_move(const char *name, int pid);

/* Of /sys/class/net/NAME/statistics. */
int net_counter(const char *root, const char *name, const char *counter, uint64_t *value);
/* Of its link in bits/s; 0 = nobody knows. */
uint64_t net_line_rate(const char *root, const char *name);

#endif
