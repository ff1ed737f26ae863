/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wiring of a board, apart from any session: its console and its supplies tried and used by
 * hand, for `rig doctor`, `rig power` and `rig console`. Layer: board.
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

/* Opens the console for a moment, at its speed, and reads that back. The caller has the lock. */
void wiring_try_console(const struct lab_board *b, struct wiring_report *r);

/* Is what switches it there and free, and can it switch? Nothing is switched. */
void wiring_try_supply(const struct lab_power *lab, struct wiring_report *r);

/* 1 on, 0 off; -ENOTSUP: what switches it cannot tell; other -errno. */
int wiring_supply_state(const struct lab_power *lab);

/* The speed of its console. */
long wiring_baud(const struct lab_board *b);

/* ---- using ---- */

enum wiring_supplies { WIRING_POWER = 1, WIRING_VBUS = 2, WIRING_BOTH = 3 };

enum wiring_action { WIRING_OFF, WIRING_ON, WIRING_CYCLE };

struct wiring;

/*
 * Locks the board (board_lock()) and takes the supplies that are meant. A GPIO line among them is
 * switched off by that, and falls back to its wiring at the close. supplies 0: none. b must outlive
 * it and have a wiring.
 */
int wiring_open(struct wiring **out, const struct lab_board *b, int supplies, const char *owner,
		struct err *err);
void wiring_close(struct wiring *w); /* NULL is fine */

/* On: power before VBUS; off: the other way round; what is on is noted for board_make_safe(). */
int wiring_switch(struct wiring *w, enum wiring_action action, struct err *err);

/* Some supply lasts only as long as this is open. */
bool wiring_is_held(const struct wiring *w);

/* Its console; *fd (non-blocking) is the caller's. */
int wiring_console(struct wiring *w, int *fd, struct err *err);

#endif
