/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For servers in tests. All of 127.0.0.0/8 is this host: one for each run, so that two do not meet.
 */
#ifndef RIG_TESTS_OWN_ADDRESS_H
#define RIG_TESTS_OWN_ADDRESS_H

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static inline const char *own_address(void)
{
	static char address[20];
	unsigned int id = (unsigned int)getpid();

	snprintf(address, sizeof(address), "127.%u.%u.%u", 1 + id % 200, (id >> 8) & 0xff,
		 1 + id % 250);
	return address;
}

/* Port 69 needs root, and a dnsmasq. */
static inline bool can_serve_tftp(void)
{
	return geteuid() == 0 && access("/usr/sbin/dnsmasq", X_OK) == 0;
}

#endif
