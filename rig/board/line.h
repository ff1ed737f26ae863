/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The console of a real board as the lab file names it: a serial port, or a program whose stdin
 * and stdout it is. Opened by the board's driver, or by its console keeper, rig-console(8).
 * Layer: board, inside.
 */
#ifndef RIG_BOARD_LINE_H
#define RIG_BOARD_LINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "board/lab-wired.h"

struct err;
struct serial;

struct line {
	const struct lab_console *lab;
	long baud;
	struct serial *serial; /* or: */
	pid_t program;
	int fd; /* of the program, or of a stream that somebody else reads from the port */
};

#define LINE_INIT                                                                                  \
	{                                                                                          \
		NULL, 0, NULL, 0, -1                                                               \
	}

/*
 * Opens it anew. 0 or -errno with err: BOARD, console-gone: not there (-ENODEV); RIG, console: held
 * (by whom), no permission, speed refused.
 */
int line_open(struct line *l, struct err *err);

void line_close(struct line *l);

/* Non-blocking; -1 = not open. Stays the line's. */
int line_fd(const struct line *l);

/* A wait ended without a byte: has the port left, or the program ended? */
bool line_is_gone(const struct line *l);

#endif
