// SPDX-License-Identifier: GPL-2.0-or-later
/* Consoles and supplies by hand; see wiring.h. Layer: board. */
#include "board/wiring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/signals.h"
#include "board/driver.h"
#include "board/lab-ports.h"
#include "board/wired.h"
#include "io/gpio.h"
#include "io/hub.h"
#include "io/serial.h"

#define BAUD_USUAL 115200
#define SWITCH_MS  30000

#define GROUP_MEND                                                                                 \
	"rig doctor --udev | sudo tee /etc/udev/rules.d/65-rig.rules; then: sudo adduser $USER "   \
	"dialout && sudo adduser $USER plugdev, and log in again"

long wiring_baud(const struct lab_board *b)
{
	const struct lab_wired *w = lab_wiring(b);
	const struct board_row *row = board_find(b->type);
	long own = row && row->baud ? row->baud(b) : 0;

	if (w && w->console.baud)
		return w->console.baud;
	if (own)
		return own;
	return row && row->console_baud ? row->console_baud : BAUD_USUAL;
}

/* ---- looking ---- */

struct verdict {
	int rc; /* of a driver */
	enum wiring_health health;
	const char *text, *mend;
};

static const struct verdict console_verdicts[] = {
	{ 0, WIRING_GOOD, "opens", NULL },
	{ -ENODEV, WIRING_WRONG, "nothing is plugged in there, or it has no tty",
	  "plug the adapter in; `ls -l /dev/serial/by-path` shows where it is" },
	{ -EBUSY, WIRING_DOUBTFUL, "held by another program",
	  "sudo fuser -v /dev/ttyUSB* /dev/ttyACM*  # shows which" },
	{ -ERANGE, WIRING_WRONG, "the driver refuses that speed",
	  "another adapter, or another \"baud\" in the lab file" },
	{ -EACCES, WIRING_WRONG, "no permission", GROUP_MEND },
	{ -ENOTTY, WIRING_WRONG, "is not a serial port", "the \"console\" of the lab file" },
};

static const struct verdict gpio_verdicts[] = {
	{ 0, WIRING_GOOD, "is there and free", NULL },
	{ -ENODEV, WIRING_WRONG, "there is no GPIO chip of that label",
	  "gpiodetect  # lists what there is" },
	{ -ENOENT, WIRING_WRONG, "the chip has no such line", "gpioinfo  # lists what there is" },
	{ -EEXIST, WIRING_WRONG, "several chips have that label",
	  "unplug one, or name it by path in the lab file" },
	{ -EACCES, WIRING_WRONG, "no permission", GROUP_MEND },
};

static const struct verdict hub_verdicts[] = {
	{ HUB_SWITCH_EACH, WIRING_GOOD, "says that it switches port by port", NULL },
	{ HUB_SWITCH_GANGED, WIRING_DOUBTFUL,
	  "switches all its ports at once: off only when every one of them is",
	  "another hub: https://github.com/mvp/uhubctl lists some that cut VBUS" },
	{ HUB_SWITCH_NONE, WIRING_WRONG, "says that it cannot switch its ports",
	  "another hub: https://github.com/mvp/uhubctl lists some that cut VBUS" },
	{ -ENODEV, WIRING_WRONG, "there is no such hub or port",
	  "lsusb -t  # shows what there is" },
	{ -EACCES, WIRING_DOUBTFUL, "no permission to ask it", GROUP_MEND },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void report(struct wiring_report *r, const char *what, const struct verdict *table, size_t n,
		   int rc)
{
	for (size_t i = 0; i < n; i++) {
		if (table[i].rc != rc)
			continue;
		snprintf(r->text, sizeof(r->text), "%s: %s", what, table[i].text);
		r->health = table[i].health;
		r->mend = table[i].mend;
		return;
	}
	snprintf(r->text, sizeof(r->text), "%s: %s", what, strerror(abs(rc)));
	r->health = WIRING_WRONG;
	r->mend = NULL;
}

static void try_program(const char *name, struct wiring_report *r)
{
	bool found = path_can_run(name);

	snprintf(r->text, sizeof(r->text), "%s: %s", name,
		 found ? "can be run" : "no such program, or it may not be run");
	r->health = found ? WIRING_GOOD : WIRING_WRONG;
	r->mend = found ? NULL : "install it, or mend its path in the lab file";
}

static void try_port(const char *at, long baud, struct wiring_report *r)
{
	struct serial *s = NULL;
	char what[300];
	long got = 0;
	int rc = serial_open(&s, at, baud, &got);

	if (!rc)
		snprintf(what, sizeof(what), "%s is %s, %ld Bd", at, serial_path(s), got);
	else if (rc == -ERANGE)
		snprintf(what, sizeof(what), "%s at %ld Bd (it stays at %ld)", at, baud, got);
	else
		snprintf(what, sizeof(what), "%s", at);
	serial_close(s);
	report(r, what, console_verdicts, COUNT(console_verdicts), rc);
}

void wiring_try_console(const struct lab_board *b, struct wiring_report *r)
{
	const struct lab_wired *w = lab_wiring(b);

	*r = (struct wiring_report){ .health = WIRING_GOOD };
	if (w->console.program)
		try_program(w->console.program, r);
	else
		try_port(w->console.at, wiring_baud(b), r);
}

static void try_gpio(const struct lab_power *lab, const char *what, struct wiring_report *r)
{
	struct gpio_name name = { lab->chip, lab->line, lab->active_low };
	char who[100] = "";
	int rc = gpio_consumer(&name, who, sizeof(who));

	report(r, what, gpio_verdicts, COUNT(gpio_verdicts), rc);
	if (rc || !who[0])
		return;
	snprintf(r->text, sizeof(r->text), "%s: held by \"%s\"", what, who);
	if (strncmp(who, "rig ", 4) != 0) {
		r->health = WIRING_DOUBTFUL;
		r->mend = "let that program go; `gpioinfo` shows all lines";
	}
}

void wiring_try_supply(const struct lab_power *lab, struct wiring_report *r)
{
	char what[300];

	*r = (struct wiring_report){ .health = WIRING_GOOD };
	power_text(lab, what, sizeof(what));
	switch ((enum power_by)lab->by) {
	case POWER_GPIO:
		try_gpio(lab, what, r);
		break;
	case POWER_HUB:
		report(r, what, hub_verdicts, COUNT(hub_verdicts), hub_port_switching(lab->port));
		break;
	case POWER_EXTERNAL:
		try_program(lab->program, r);
		break;
	case POWER_PDUDAEMON:
	case POWER_NONE:
		snprintf(r->text, sizeof(r->text), "%s: not asked", what);
		break;
	}
}

int wiring_supply_state(const struct lab_power *lab)
{
	return lab->by == POWER_HUB ? hub_port_get(lab->port) : -ENOTSUP;
}

/* ---- using ---- */

struct wiring {
	struct board board; /* of no driver: for wired.c, which only reads it */
	struct wired wired;
	int supplies;
};

int wiring_open(struct wiring **out, const struct lab_board *b, int supplies, const char *owner,
		struct err *err)
{
	struct wiring *w = xcalloc(1, sizeof(*w));
	const struct lab_wired *lab = lab_wiring(b);

	w->board = (struct board){ .row = board_find(b->type), .lab = b, .lock_fd = -1 };
	w->board.state_path = path_in_home("boards/%s.state", b->name);
	w->wired = (struct wired){ .board = &w->board, .lab = lab, .line = LINE_INIT };
	w->wired.line.lab = &lab->console;
	w->wired.line.baud = wiring_baud(b);
	w->supplies = supplies;
	w->board.lock_fd = board_lock(b->name, owner, err);
	if (w->board.lock_fd < 0 ||
	    (supplies & WIRING_POWER &&
	     power_open(&w->wired.power, &lab->power, b->name, "power", err)) ||
	    (supplies & WIRING_VBUS &&
	     power_open(&w->wired.vbus, &lab->vbus, b->name, "vbus", err))) {
		wiring_close(w);
		return -1;
	}
	*out = w;
	return 0;
}

void wiring_close(struct wiring *w)
{
	if (!w)
		return;
	wired_release(&w->wired);
	if (w->board.lock_fd >= 0)
		close(w->board.lock_fd);
	free(w->board.state_path);
	free(w);
}

/* The note of what is on stays until both are off. */
static int switch_off(struct wiring *w, struct deadline d, struct err *err)
{
	if (w->supplies == WIRING_BOTH)
		return wired_off(&w->wired, d, err);
	return power_set(w->wired.power, false, d, err) || power_set(w->wired.vbus, false, d, err)
		       ? -1
		       : 0;
}

int wiring_switch(struct wiring *w, enum wiring_action action, struct err *err)
{
	struct deadline d = deadline_in(SWITCH_MS);
	int rc = 0;

	stop_defer();
	if (action != WIRING_ON)
		rc = switch_off(w, d, err);
	if (!rc && action != WIRING_OFF)
		rc = wired_on(&w->wired, d, err);
	stop_resume();
	return rc;
}

bool wiring_is_held(const struct wiring *w)
{
	return (w->wired.power && w->wired.lab->power.by == POWER_GPIO) ||
	       (w->wired.vbus && w->wired.lab->vbus.by == POWER_GPIO);
}

int wiring_console(struct wiring *w, int *fd, struct err *err)
{
	return wired_console(&w->wired, fd, err)
		       ? err_prefix(err, "%s: console", w->board.lab->name)
		       : 0;
}
