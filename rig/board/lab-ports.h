/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which USB ports the boards of a lab are in: what udev rules and `rig doctor` are made from.
 * Layer: board.
 */
#ifndef RIG_BOARD_LAB_PORTS_H
#define RIG_BOARD_LAB_PORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "board/lab-wired.h"

#define LAB_PORT_MAX 64

enum lab_port_role {
	LAB_PORT_USB,	  /* the board's own plug */
	LAB_PORT_CONSOLE, /* the adapter of its console */
	LAB_PORT_SWITCH,  /* a hub port that switches its supply */
};

struct lab_port {
	const struct lab_board *board;
	enum lab_port_role role;
	char port[LAB_PORT_MAX];      /* "1-1.2" */
	char interface[LAB_PORT_MAX]; /* console: "1-1.2:1.0" when one is named, else "" */
};

extern const char *const lab_port_words[]; /* "usb", "console", "supply" */

/* The board's wiring; NULL for a type that has none. */
const struct lab_wired *lab_wiring(const struct lab_board *b);

/* All of them, in file order; the caller frees *ports. A console given by path is in no port. */
size_t lab_ports(const struct lab *lab, struct lab_port **ports);

/* The hub that a port belongs to: "1-1.2" -> "1-1", "1-2" -> "usb1". */
void lab_port_hub(const char *port, char *hub, size_t size);

#endif
