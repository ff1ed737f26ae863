// SPDX-License-Identifier: GPL-2.0-or-later
/* Datagrams to systemd; see notify.h. Layer: rigd. */
#include "rigd/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify_send(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t n = path ? strlen(path) : 0;
	int fd;

	if (!n || n >= sizeof(addr.sun_path))
		return;
	memcpy(addr.sun_path, path, n);
	/* an abstract name is written with an '@' */
	if (path[0] == '@')
		addr.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	/* a manager that does not listen is no trouble of ours */
	(void)!sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&addr,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

uint64_t notify_watchdog_ms(void)
{
	const char *usec = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");

	if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid()))
		return 0;
	return strtoull(usec, NULL, 10) / 2000;
}
