// SPDX-License-Identifier: GPL-2.0-or-later
/* rig power: a board's supplies by hand. Layer: cli. */
#include "cli/cli.h"
#include "base/deadline.h"
#include "base/log.h"
#include "base/signals.h"
#include "board/board.h"
#include "board/lab-ports.h"
#include "board/lab-types.h"
#include "board/wiring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
	const char *lab, *supply;
} o;

static const struct opt opts[] = {
	{ OPT_STRING, 's', "supply", "power|vbus", "only this one (default: both)", &o.supply, 0,
	  0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &o.lab, 0, 0 },
	{ .type = OPT_END },
};

static int supplies(int *mask, struct err *err)
{
	*mask = WIRING_BOTH;
	if (!o.supply)
		return 0;
	*mask = !strcmp(o.supply, "power")  ? WIRING_POWER
		: !strcmp(o.supply, "vbus") ? WIRING_VBUS
					    : 0;
	return *mask ? 0
		     : err_set(err, BLAME_USER, "usage", "--supply: '%s' is neither power nor vbus",
			       o.supply);
}

/* ---- status ---- */

static void print_supply(const char *what, const struct lab_power *lab)
{
	struct wiring_report r;
	char text[300];
	int state;

	if (lab->by == POWER_NONE) {
		printf("%-6s nothing switches it\n", what);
		return;
	}
	state = wiring_supply_state(lab);
	if (state >= 0) {
		printf("%-6s %s: %s\n", what, power_text(lab, text, sizeof(text)),
		       state ? "on" : "off");
		return;
	}
	wiring_try_supply(lab, &r);
	printf("%-6s %s\n", what, r.text);
}

static int status(const struct lab_board *b, int mask)
{
	const struct lab_wired *w = lab_wiring(b);
	struct err err = ERR_INIT;
	int lock = board_lock(b->name, "rig power status", &err);

	printf("%-6s %s\n", "board", lock < 0 ? err.message : "nobody uses it");
	if (lock >= 0)
		close(lock);
	if (!w)
		printf("%-6s a process of this host, while a session runs\n", "power");
	if (w && mask & WIRING_POWER)
		print_supply("power", &w->power);
	if (w && mask & WIRING_VBUS)
		print_supply("vbus", &w->vbus);
	return 0;
}

/* ---- switching ---- */

/* Its power is a process: that can be ended, and only a session starts it. */
static int virtual_board(const struct lab_board *b, enum wiring_action action, struct err *err)
{
	if (action == WIRING_OFF)
		return board_make_safe(b->name, b->type, err);
	return err_set(err, BLAME_USER, "no-supply",
		       "%s: a board of type %s has no supply to switch on; `rig console %s "
		       "--kernel SERIES:VARIANT` boots it",
		       b->name, b->type, b->name);
}

static bool can(const struct lab_wired *w, int mask)
{
	return (mask & WIRING_POWER && w->power.by != POWER_NONE) ||
	       (mask & WIRING_VBUS && w->vbus.by != POWER_NONE);
}

/* A GPIO line falls back to what its wiring does when its holder ends. */
static void hold(const struct lab_board *b)
{
	log_info("%s: on for as long as this holds the GPIO line; Ctrl-C lets go", b->name);
	deadline_poll(-1, 0, deadline_never());
	stop_clear();
}

static int change(const struct lab_board *b, int mask, enum wiring_action action, struct err *err)
{
	const struct lab_wired *lab = lab_wiring(b);
	struct wiring *w = NULL;
	int rc;

	if (!lab)
		return virtual_board(b, action, err);
	if (!can(lab, mask))
		return err_set(err, BLAME_USER, "no-supply",
			       "%s: nothing switches its %s; see \"power\" and \"vbus\" in "
			       "rig-lab(5)",
			       b->name, o.supply ? o.supply : "supplies");
	if (wiring_open(&w, b, mask, "rig power", err))
		return -1;
	rc = wiring_switch(w, action, err);
	if (!rc && action != WIRING_OFF && wiring_is_held(w))
		hold(b);
	wiring_close(w);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	static const char *const verbs[] = { "off", "on", "cycle", "status" };
	const struct lab_board *b;
	struct lab *lab;
	size_t verb = 0;
	int mask;
	int rc = -1;

	(void)n;
	while (verb < 4 && strcmp(verbs[verb], operands[1]) != 0)
		verb++;
	if (verb == 4)
		return err_set(err, BLAME_USER, "usage", "'%s' is none of on, off, cycle, status",
			       operands[1]);
	if (supplies(&mask, err))
		return -1;
	lab = lab_open(o.lab, err);
	b = lab ? lab_find(lab, operands[0], err) : NULL;
	if (b)
		rc = verb == 3 ? status(b, mask) : change(b, mask, (enum wiring_action)verb, err);
	lab_free(lab);
	return rc;
}

const struct command cmd_power = {
	.name = "power",
	.args = "BOARD on|off|cycle|status",
	.summary = "switch a board's supplies by hand",
	.opts = opts,
	.min_operands = 2,
	.max_operands = 2,
	.run = run,
};
