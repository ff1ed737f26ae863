/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all real boards do the same: the serial console, the supplies, and what it takes to switch
 * them off from outside. A driver holds a struct wired in its own state and calls these from its
 * ops; struct board is in driver.h. Layer: board, inside.
 *
 *	wired_init		supplies taken and switched off
 *	  wired_console		a new stream for the caller, and the same one for the driver
 *	  wired_on		state file, then power, then VBUS: a board that is fed by its
 *				USB plug before its own supply is there may start half
 *	  wired_read/write	the driver talks to the loader; the job hears what it reads
 *	  wired_off		VBUS, then power; the state file goes when both are off
 *	wired_release
 *
 * A board without a supply that can be switched is on for good: on and off do nothing for it, and
 * its driver must know another "off".
 */
#ifndef RIG_BOARD_WIRED_H
#define RIG_BOARD_WIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/deadline.h"
#include "base/err.h"
#include "board/lab-wired.h"
#include "board/line.h"

struct board;
struct power;

struct wired {
	struct board *board;
	const struct lab_wired *lab;
	struct line line;	    /* the console */
	struct power *power, *vbus; /* NULL = not switched */
};

/* baud: of the board type, where the lab file has none. After an error: wired_release(). */
int wired_init(struct wired *w, struct board *b, long baud, struct err *err);

/* The same, but what is on stays on, GPIO lines aside: for a board whose "off" is another one. */
int wired_take(struct wired *w, struct board *b, long baud, struct err *err);

/* What is switched stays as it is, but for GPIO lines, which fall back to their wiring. */
void wired_release(struct wired *w);

/* ---- console ---- */

/*
 * Opens it anew; *fd (may be NULL) is the caller's own descriptor of the same stream. BOARD,
 * console-gone: not there; RIG, console: held (by whom), no permission, speed refused.
 */
int wired_console(struct wired *w, int *fd, struct err *err);

/*
 * What the board says next, as soon as there is any, at most size bytes; all of it goes to
 * board_heard(). 0 at the deadline, -ENODEV when the console is gone, -EINTR.
 */
ssize_t wired_read(struct wired *w, void *buf, size_t size, struct deadline d);

/* All of it, or -ETIMEDOUT, -ENODEV, -EINTR. */
int wired_write(struct wired *w, const void *data, size_t size, struct deadline d);

/* BOARD, console-gone: the port has left or the program has ended. */
int wired_check(struct wired *w, struct err *err);

/* ---- its USB plug ---- */

/*
 * Whose fault an error of a driver in io/ on the board's port is: RIG when this host keeps us from
 * it or two devices answer to the name, USER when a stop was asked for, else the board's.
 */
enum blame wired_usb_blame(int rc);

/* ---- supplies ---- */

int wired_on(struct wired *w, struct deadline d, struct err *err);
int wired_off(struct wired *w, struct deadline d, struct err *err);

/* Off, its time without power, on. Power takes VBUS down with it: else the board stays half fed. */
int wired_power_cycle(struct wired *w, struct deadline d, struct err *err);
int wired_vbus_cycle(struct wired *w, struct deadline d, struct err *err);

/* From outside: reads the state file and switches off what it names. */
int wired_make_safe(const char *state_path, const struct lab_keys *more, struct deadline d,
		    struct err *err);

#endif
