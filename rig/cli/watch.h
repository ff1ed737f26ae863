/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A console on the screen: passes its bytes on, tells when the first one and when a text came,
 * sends what is typed. Layer: cli.
 */
#ifndef RIG_CLI_WATCH_H
#define RIG_CLI_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"

#define WATCH_TEXT_MAX 256

struct attach;

struct watch {
	struct attach *keeper; /* the console is attached to; NULL = it is read here */
	const char *until; /* ends when this text came; "" = any byte; NULL = never for a text */
	bool write;	   /* standard input goes to the console; Ctrl-] ends it on a terminal */
	uint64_t start_ms; /* the times below count from here; mono_ms() */
	/* what came of it */
	uint64_t bytes;
	uint64_t first_ms, until_ms;   /* valid with bytes, with seen */
	bool seen;		       /* until */
	char tail[2 * WATCH_TEXT_MAX]; /* the last bytes, as text */
	size_t tail_size;
};

/* Bytes that came some other way: of a loader, whom the board's driver talked to. */
void watch_add(struct watch *w, const void *data, size_t size);

/*
 * 0 at the deadline, when the text came, at Ctrl-] or the end of the input; -EINTR a stop was asked
 * for, -ENODEV the console is gone, -EACCES the keeper refuses what is typed (attach_reason()). fd
 * is not used with a keeper, and stays the caller's.
 */
int watch_run(struct watch *w, int fd, struct deadline d);

/* The last line that says something; text is returned. */
const char *watch_last_line(const struct watch *w, char *text, size_t size);

#endif
