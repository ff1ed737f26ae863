// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent's line: finding the console, and making it carry bytes as they are. */
#include "agents/agent.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static int before_fd = -1;

int tty_open(const char *path)
{
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A line of /proc/consoles: "ttyAMA0              -W- (EC   p a)  204:64"; C marks what
 * /dev/console is. */
static bool preferred(const char *line, char *name, size_t cap)
{
	const char *flags = strchr(line, '('), *end = flags ? strchr(flags, ')') : NULL;
	size_t n = strcspn(line, " ");

	if (!end || !memchr(flags, 'C', (size_t)(end - flags)) || n >= cap)
		return false;
	memcpy(name, line, n);
	name[n] = '\0';
	return true;
}

int tty_open_console(const char *root)
{
	char *text, *line, *next, name[64], path[80];
	int fd = -ENODEV;

	if (sysfs_read_all(root, "/proc/consoles", &text) >= 0) {
		for (line = text; *line && fd < 0; line = next) {
			next = line + strcspn(line, "\n");
			if (*next)
				*next++ = '\0';
			if (!preferred(line, name, sizeof(name)))
				continue;
			snprintf(path, sizeof(path), "/dev/%s", name);
			fd = tty_open(path);
		}
		free(text);
	}
	return fd < 0 ? tty_open("/dev/console") : fd;
}

void tty_raw(int fd)
{
	struct termios t;

	if (tcgetattr(fd, &t))
		return;
	if (before_fd < 0) {
		before = t;
		before_fd = fd;
	}
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	t.c_cflag &= ~(tcflag_t)HUPCL;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	tcsetattr(fd, TCSANOW, &t);
}

void tty_restore(void)
{
	if (before_fd >= 0)
		tcsetattr(before_fd, TCSADRAIN, &before);
	before_fd = -1;
}

void set_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}
