/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a real board is wired to this host: its console, its USB plug, and what switches its
 * supplies. The keys of every real board in the lab file, rig-lab(5); what its family needs beyond
 * that is in the family's own table. Layer: board.
 *
 *	usb: "1-1.2"
 *	console: {at: "usb:1-1.3", baud: 115200}
 *	power: {by: gpio, chip: relays, line: board3}
 *	vbus: {by: hub, port: "1-1.2"}
 */
#ifndef RIG_BOARD_LAB_WIRED_H
#define RIG_BOARD_LAB_WIRED_H

#include "board/lab.h"
#include "board/power.h"

struct lab_console {
	struct conf_pos pos; /* line 0: there is no console */
	const char *at;	     /* serial_open()'s name of the port; NULL when it is a program */
	long baud;	     /* 0 = what the board type speaks */
	const char *program; /* whose stdin and stdout are the console; NULL = a port */
	struct conf_texts args;
};

/* lab_board.own of a type whose keys are lab_wired_keys. */
struct lab_wired {
	struct conf_pos pos;
	const char *usb; /* port path of the board's own USB device; NULL = not wired */
	struct lab_console console;
	struct lab_power power; /* mains or battery input */
	struct lab_power vbus;	/* 5 V on its USB plug */
};

/*
 * The check refuses port paths and console names that cannot be, names that a replug changes
 * (/dev/ttyUSB0), and supplies that lack a key. The clash: two boards on one console, USB port or
 * supply.
 */
extern const struct lab_keys lab_wired_keys;

/* "usb:1-1.3" or the program: for messages and `rig boards`. */
const char *lab_console_text(const struct lab_console *console);

/* For the checks of families: the board's wiring has that role, else a complaint. */
int lab_wired_needs_usb(const struct conf *c, const struct lab_board *b, struct err *err);

/* And a text is an IPv4 address, or NULL. */
int lab_check_ipv4(const struct conf *c, struct conf_pos pos, const char *key, const char *text,
		   struct err *err);

#endif
