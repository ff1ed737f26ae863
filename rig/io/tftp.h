/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A TFTP server for bootloaders: dnsmasq, with nothing but TFTP on, bound to one address of this
 * host, serving one directory that belongs to it. Layer: io -> base.
 *
 * Functions that return int: 0 or -errno. -EADDRNOTAVAIL: the host does not have that address (or
 * the port on it is taken); -ENOENT: dnsmasq is not installed; -ECHILD: it has died.
 */
#ifndef RIG_IO_TFTP_H
#define RIG_IO_TFTP_H

#include <stddef.h>

#include "base/deadline.h"

struct tftp;

/*
 * Starts it; returns when it answers. address: "192.168.1.2", which bootloaders often have fixed.
 * dir is emptied first, and removed by tftp_stop().
 */
int tftp_start(struct tftp **out, const char *address, const char *dir, struct deadline d);
void tftp_stop(struct tftp *t); /* NULL is fine */

/* Makes a copy of the file available under that name (no directories in it). */
int tftp_put(struct tftp *t, const char *name, const char *path);

/* 0 while it runs; -ECHILD when it has died. */
int tftp_check(struct tftp *t);

/* What it last said: "sent /.../vmlinux to 192.168.1.1". "" = nothing. */
void tftp_last_words(const struct tftp *t, char *line, size_t size);

#endif
