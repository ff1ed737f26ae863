// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel uevents as a hint; see uevent.h. Layer: io. */
#include "io/uevent.h"

#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_GROUP 1 /* 2 would be what udevd sends on */

int uevent_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

int uevent_wait(int fd, struct deadline d)
{
	char buf[4096];
	int rc = deadline_poll(fd, POLLIN, deadline_min(d, deadline_in(UEVENT_LOOK_MS)));

	/* one plug makes a dozen of them */
	while (rc > 0 && recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
	return rc < 0 ? rc : 0;
}
