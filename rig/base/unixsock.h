/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unix sockets by directory and name, so that a path may be longer than the 107 bytes that an
 * address has room for. Close-on-exec, non-blocking. Layer: base.
 */
#ifndef RIG_BASE_UNIXSOCK_H
#define RIG_BASE_UNIXSOCK_H

#include <sys/types.h>

/*
 * Listens at dir/name, replacing what an earlier owner left there. type: SOCK_STREAM or
 * SOCK_SEQPACKET; mode: of the file, from its first moment on. The descriptor, or -errno.
 */
int unixsock_listen(const char *dir, const char *name, int type, mode_t mode);

/* The descriptor, or -errno: -ENOENT, -ECONNREFUSED nobody listens, -EACCES. */
int unixsock_connect(const char *dir, const char *name, int type);

#endif
