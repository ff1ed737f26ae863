// SPDX-License-Identifier: GPL-2.0-or-later
/* Local sockets; see unix.h. Layer: io. */
#include "io/unix.h"
#include "base/path.h"
#include "base/unixsock.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int unix_listen(const char *path)
{
	char *dir = path_dir(path);
	int fd = unixsock_listen(dir, path_name(path), SOCK_SEQPACKET, 0660);

	free(dir);
	return fd;
}

int unix_connect(const char *path)
{
	char *dir = path_dir(path);
	int fd = unixsock_connect(dir, path_name(path), SOCK_SEQPACKET);

	free(dir);
	return fd;
}

/* Room for one descriptor beside a packet, aligned as cmsg(3) wants it. */
union passenger {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(int))];
};

int unix_send(int sock, const void *data, size_t size, int fd)
{
	struct iovec iov = { (void *)(uintptr_t)data, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union passenger p;
	ssize_t n;

	if (fd >= 0) {
		struct cmsghdr *c = &p.align;

		memset(&p, 0, sizeof(p));
		*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)),
				       .cmsg_level = SOL_SOCKET,
				       .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
		msg.msg_control = p.room;
		msg.msg_controllen = sizeof(p.room);
	}
	do {
		n = sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int passenger_of(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

ssize_t unix_recv(int sock, void *buf, size_t size, int *fd)
{
	struct iovec iov = { buf, size };
	union passenger p;
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = p.room,
			      .msg_controllen = sizeof(p.room) };
	ssize_t n;

	*fd = -1;
	do {
		n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	*fd = passenger_of(&msg);
	return n;
}

uid_t unix_peer_uid(int sock)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0 ? (uid_t)-1 : cred.uid;
}
