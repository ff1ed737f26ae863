/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board's console: a byte stream in both directions (socket, tty, pty), of which every byte that
 * comes in is recorded before anybody looks at it. Layer: io.
 *
 * The record is two files: the log, raw bytes, nothing else; and the index, text lines
 * "<mono_ms> <offset>\n": at that time the byte at that offset (or the first after it) came in.
 * One line a burst, at most one each CONSOLE_INDEX_MS.
 */
#ifndef RIG_IO_CONSOLE_H
#define RIG_IO_CONSOLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/deadline.h"

#define CONSOLE_INDEX_MS 10

struct console;

/* fd becomes the console's and is made non-blocking. */
struct console *console_new(int fd);

/* Closes everything; NULL is fine. */
void console_free(struct console *c);

/* Starts the record (both files are created anew). 0 or -errno; without it nothing is recorded. */
int console_record(struct console *c, const char *log_path, const char *index_path);

/*
 * Takes what is there, without waiting: > 0 bytes, -EAGAIN when there is nothing, -EPIPE when the
 * other end is gone, -errno. The bytes are in the record already; if they could not be recorded
 * they are returned all the same, and console_record_error() says so.
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
