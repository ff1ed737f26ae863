/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board's console: a byte stream in both directions (socket, tty, pty), of which every byte that
 * comes in is recorded before anybody looks at it. Layer: io.
 *
 * The record is made here (record.h), or by the board's console keeper, of which fd is then the
 * stream (attach.h).
 */
#ifndef RIG_IO_CONSOLE_H
#define RIG_IO_CONSOLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/deadline.h"

/* A port that was away for so long is not waited for any more. */
#define CONSOLE_AWAY_MS 30000

struct attach;
struct console;

/* fd becomes the console's and is made non-blocking. */
struct console *console_new(int fd);

/*
 * The same for a stream that a keeper records: console_record() is not for it, and waits end with
 * -ENOTCONN when the keeper is gone, with the keeper's error when it cannot record any more, and
 * with -EPIPE when the board's port stays away for CONSOLE_AWAY_MS. keeper must outlive it.
 */
struct console *console_new_kept(int fd, struct attach *keeper);

/* Closes everything; NULL is fine. */
void console_free(struct console *c);

/* Starts the record (both files are created anew). 0 or -errno; without it nothing is recorded. */
int console_record(struct console *c, const char *log_path, const char *index_path);

/*
 * Takes what is there, without waiting: > 0 bytes, -EAGAIN when there is nothing, -EPIPE when the
 * other end is gone, -ENOTCONN when the keeper is, -errno. The bytes are in the record already; if
 * they could not be recorded they are returned all the same, and console_record_error() says so.
 */
ssize_t console_read(struct console *c, void *buf, size_t cap);

/*
 * Bytes that came in while somebody else read the descriptor, a loader's client say: they are
 * recorded, and count in console_offset(), as if they had been read here.
 */
void console_add(struct console *c, const void *data, size_t size);

/* Puts what fits, without waiting: 0.. bytes taken, -EPIPE, -errno. */
ssize_t console_write(struct console *c, const void *buf, size_t size);

/*
 * Waits for POLLIN and/or POLLOUT (events) on the console, or for the deadline. The hang-up of
 * peer_fd (a socket; -1 = none) ends the wait as well. Returns the console's revents; 0 at the
 * deadline; -ECANCELED when the peer is gone and the console has nothing; -EINTR when a stop was
 * asked for; -errno.
 */
int console_wait(struct console *c, short events, int peer_fd, struct deadline d);

/* Bytes received so far = size of the log. */
uint64_t console_offset(const struct console *c);

/* 0, or the -errno that ended the record: the log lacks everything from there on. */
int console_record_error(const struct console *c);

#endif
