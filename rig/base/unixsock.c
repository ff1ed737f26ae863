// SPDX-License-Identifier: GPL-2.0-or-later
/* Unix sockets with paths of any length; see unixsock.h. Layer: base. */
#include "base/unixsock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* As many as may come at once; more have to try again. */
#define BACKLOG 64

/* Opens the directory, and names the socket by way of it. Its descriptor, or -errno. */
static int address(const char *dir, const char *name, struct sockaddr_un *addr)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int n;

	if (fd < 0)
		return -errno;
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(addr->sun_path, sizeof(addr->sun_path), "/proc/self/fd/%d/%s", fd, name);
	if ((size_t)n < sizeof(addr->sun_path))
		return fd;
	close(fd);
	return -ENAMETOOLONG;
}

static int bind_with_mode(int fd, const struct sockaddr_un *addr, mode_t mode)
{
	mode_t old = umask(~mode & 0777);
	int rc = bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 ? -errno : 0;

	umask(old);
	return rc;
}

int unixsock_listen(const char *dir, const char *name, int type, mode_t mode)
{
	struct sockaddr_un addr;
	int at = address(dir, name, &addr);
	int fd, rc;

	if (at < 0)
		return at;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	rc = fd < 0 ? -errno : 0;
	if (!rc && unlinkat(at, name, 0) < 0 && errno != ENOENT)
		rc = -errno;
	if (!rc)
		rc = bind_with_mode(fd, &addr, mode);
	if (!rc && listen(fd, BACKLOG) < 0)
		rc = -errno;
	close(at);
	if (rc && fd >= 0)
		close(fd);
	return rc ? rc : fd;
}

int unixsock_connect(const char *dir, const char *name, int type)
{
	struct sockaddr_un addr;
	int at = address(dir, name, &addr);
	int fd, rc;

	if (at < 0)
		return at;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	rc = fd < 0 ? -errno : 0;
	if (!rc && connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0)
		rc = -errno;
	close(at);
	if (rc && fd >= 0)
		close(fd);
	return rc ? rc : fd;
}
