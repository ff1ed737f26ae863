/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a keeper's bytes come from: the board's own line, which comes back when its adapter is
 * plugged in again, or a descriptor that the job gave, which does not. Layer: console.
 *
 *	            source_open()              gone: unplugged, hung up, program ended
 *	   absent ---------------> there ------------------------------------------+
 *	     ^                                                                     |
 *	     +----- line: source_due() tells when it is to be tried again ---------+
 *
 * A descriptor that hung up is closed at once and not looked at again, so nothing spins on it.
 */
#ifndef RIG_CONSOLE_SOURCE_H
#define RIG_CONSOLE_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/deadline.h"
#include "board/line.h"
#include "io/serial.h"

struct err;

struct source {
	struct line line; /* line.lab NULL: the board has none */
	int given_fd;	  /* -1 = none */
	bool wanted;	  /* the line is to be open */
	uint64_t opened_ms;
	unsigned int retry_ms; /* the next pause between two tries */
	struct deadline due;   /* of the next one */
	struct serial_errors counted;
};

/* lab NULL: only what is given. */
void source_init(struct source *s, const struct lab_console *lab, long baud);
void source_release(struct source *s);

/* Opens the line; 0 or -errno with err, and then it is due again later. */
int source_open(struct source *s, struct err *err);

/* Reads from fd from now on, which becomes the source's. */
void source_give(struct source *s, int fd);

/* -1 = it is not there. */
int source_fd(const struct source *s);

/* Bytes, -EAGAIN, or -ENODEV: it is gone and closed. */
ssize_t source_read(struct source *s, void *buf, size_t size);

/* What it took, 0.. or -ENODEV: gone, which the next source_read() says too. */
ssize_t source_write(struct source *s, const void *data, size_t size);

/* When source_open() is to be tried; deadline_never() while there is nothing to try. */
struct deadline source_due(const struct source *s);

/* A line that may come back. */
bool source_returns(const struct source *s);

/* Errors of the line since the last call. False: none, or it does not count. */
bool source_errors(struct source *s, struct serial_errors *since);

#endif
