/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Local sockets of packets (SOCK_SEQPACKET of base/unixsock.h), with descriptors as passengers.
 * Layer: io -> base.
 */
#ifndef RIG_IO_UNIX_H
#define RIG_IO_UNIX_H

#include <stddef.h>
#include <sys/types.h>

/*
 * A listening socket at path, mode 0660, close-on-exec and non-blocking; what was there is
 * replaced, so the caller has made sure by a lock that nobody lives there. -errno.
 */
int unix_listen(const char *path);

/* A connection; -ENOENT, -ECONNREFUSED: nobody is there; other -errno. */
int unix_connect(const char *path);

/* One packet, without waiting; fd (-1 = none) goes along. 0, -EAGAIN, -EPIPE, -errno. */
int unix_send(int sock, const void *data, size_t size, int fd);

/*
 * One packet, without waiting: its size, 0 or -EPIPE at the end, -EAGAIN, -errno. *fd gets the
 * descriptor that came along, which is the caller's, or -1. A longer packet loses its end.
 */
ssize_t unix_recv(int sock, void *buf, size_t size, int *fd);

/* Whose process is at the other end; (uid_t)-1 when that cannot be told. */
uid_t unix_peer_uid(int sock);

#endif
