/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What switches a supply of a real board: its mains or battery input (`power`) or the 5 V on its
 * USB plug (`vbus`). One table of drivers behind the keys of the lab file. Layer: board -> io.
 *
 *	power: {by: gpio, chip: relays, line: board3, active_low: true}
 *	power: {by: hub, port: "1-1.2"}
 *	power: {by: pdudaemon, url: "http://pdu:16421", unit: pdu03, outlet: "4"}
 *	power: {by: external, program: /usr/local/bin/board3-power, args: [--gentle]}
 *	                      runs: PROGRAM ARG... on|off
 *
 * A GPIO line is held from power_open() to power_close() and falls back to what the wiring does
 * when the holder dies: wire relays so that this is "off". The others keep their state.
 *
 * What several boards share is switched by one of them at a time: each switching takes
 * $RIG_HOME/control/<device>.lock, where the device is the chip, hub, unit or program.
 *
 * Errors: blame RIG (the rig's own equipment), code "power"; the message names what was switched.
 */
#ifndef RIG_BOARD_POWER_H
#define RIG_BOARD_POWER_H

#include <stdbool.h>

#include "base/deadline.h"
#include "conf/conf.h"

struct err;
struct power;

enum power_by { POWER_NONE, POWER_GPIO, POWER_HUB, POWER_PDUDAEMON, POWER_EXTERNAL };

/* The keys in the lab file. Texts are NULL when absent. */
struct lab_power {
	struct conf_pos pos; /* line 0: the whole mapping is absent */
	int by;		     /* enum power_by */
	const char *chip, *line;
	bool active_low;
	const char *port;
	const char *url, *unit, *outlet;
	const char *program;
	struct conf_texts args;
	long off_ms; /* without power, before it counts as off */
};

extern const struct conf_table lab_power_table;
extern const char *const power_by_words[]; /* "none", "gpio", ... */

/* Every key that its driver needs is there, and none that it does not know. 0 or -1. */
int power_check(const struct conf *c, const struct lab_power *lab, struct err *err);

/*
 * what: "power" or "vbus", board: its name, both for messages and as consumer of a line. Takes a
 * GPIO line as it is wanted: off. lab and the texts must outlive it. NULL for POWER_NONE.
 */
int power_open(struct power **out, const struct lab_power *lab, const char *board, const char *what,
	       struct err *err);
void power_close(struct power *p); /* NULL is fine */

/* On, or off and settled (off_ms later). p NULL: nothing happens, 0. */
int power_set(struct power *p, bool on, struct deadline d, struct err *err);

/* "gpio relays/board3", "hub port 1-1.2": for messages and `rig boards`; buf is returned. */
const char *power_text(const struct lab_power *lab, char *buf, unsigned int size);

#endif
