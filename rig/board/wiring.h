/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wiring of a board, apart from any session: its console and its supplies tried and used by
 * hand, for `rig doctor`, `rig power` and `rig console`. The caller holds the board's lock
 * (board_lock()) for all that opens or switches something. Layer: board.
 */
#ifndef RIG_BOARD_WIRING_H
#define RIG_BOARD_WIRING_H

#include <stdbool.h>
#include <stddef.h>

#include "board/lab-wired.h"

struct err;

/* ---- looking ---- */

enum wiring_health { WIRING_GOOD, WIRING_DOUBTFUL, WIRING_WRONG };

struct wiring_report {
	enum wiring_health health;
	char text[500];
	const char *mend; /* what to do about it; NULL = nothing, or the text says it */
};

/* Opens the console for a moment, at its speed, and reads that back. */
void wiring_try_console(const struct lab_board *b, struct wiring_report *r);

/* Is what switches it there and free, and can it switch? Nothing is switched. */
void wiring_try_supply(const struct lab_power *lab, struct wiring_report *r);

/* 1 on, 0 off; -ENOTSUP: what switches it cannot tell; other -errno. */
int wiring_supply_state(const struct lab_power *lab);

/* The speed of its console. */
long wiring_baud(const struct lab_board *b);

/* ---- using ---- */

struct wiring_console;

/* err: RIG, "console". */
int wiring_console_open(struct wiring_console **out, const struct lab_board *b, struct err *err);
void wiring_console_close(struct wiring_console *c); /* NULL is fine */

/* For poll(), read() and write(); non-blocking, stays the console's. */
int wiring_console_fd(const struct wiring_console *c);

#endif
