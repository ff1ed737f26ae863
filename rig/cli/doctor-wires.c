// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig doctor: the wires of each board: its console is opened and its speed read back, what switches
 * its supplies is looked at. Only while nobody uses the board. Layer: cli.
 */
#include "cli/doctor.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/board.h"
#include "board/lab-ports.h"
#include "board/wiring.h"
#include "io/sysfs.h"

static const enum doctor_state states[] = {
	[WIRING_GOOD] = DOCTOR_OK,
	[WIRING_DOUBTFUL] = DOCTOR_WARN,
	[WIRING_WRONG] = DOCTOR_BAD,
};

/* The usb-serial port below an interface, "ttyUSB3"; false when there is none. */
static bool usb_serial(const struct doctor *d, const char *interface, char *name, size_t size)
{
	char *dir = doctor_path(d, SYSFS_USB "/%s", interface);
	DIR *entries = opendir(dir);
	struct dirent *e;
	bool found = false;

	while (entries && !found && (e = readdir(entries))) {
		found = !strncmp(e->d_name, "ttyUSB", 6);
		snprintf(name, size, "%s", e->d_name);
	}
	if (entries)
		closedir(entries);
	free(dir);
	return found;
}

/* An FTDI holds short input back for latency_timer ms. Asked before the port is opened, which sets
 * it when we may. */
static void latency(struct doctor *d, const struct lab_board *b)
{
	const struct lab_wired *w = lab_wiring(b);
	struct buf text = BUF_INIT;
	char interface[LAB_PORT_MAX + 8], name[NAME_MAX + 1];

	if (!w->console.at || strncmp(w->console.at, "usb:", 4) != 0)
		return;
	snprintf(interface, sizeof(interface), "%s%s", w->console.at + 4,
		 strchr(w->console.at + 4, ':') ? "" : ":1.0");
	if (usb_serial(d, interface, name, sizeof(name)) &&
	    doctor_read(d, &text, SYSFS_USB "/%s/%s/latency_timer", interface, name))
		doctor_add(d, strcmp(buf_str(&text), "1") ? DOCTOR_WARN : DOCTOR_OK,
			   "latency timer", DOCTOR_UDEV_MEND,
			   "%s: %s holds short input back for %s ms", b->name, name,
			   buf_str(&text));
	buf_release(&text);
}

static void supply(struct doctor *d, const struct lab_board *b, const struct lab_power *lab,
		   const char *what)
{
	struct wiring_report r;

	if (lab->by == POWER_NONE)
		return;
	wiring_try_supply(lab, &r);
	doctor_add(d, states[r.health], what, r.mend, "%s: %s", b->name, r.text);
}

static void board(struct doctor *d, const struct lab_board *b)
{
	const struct lab_wired *w = lab_wiring(b);
	struct err err = ERR_INIT;
	struct wiring_report r;
	int lock;

	latency(d, b);
	lock = board_lock(b->name, "rig doctor", &err);
	if (lock < 0) {
		doctor_add(d, strcmp(err.code, "board-busy") ? DOCTOR_BAD : DOCTOR_OK, "console",
			   NULL, "%s: not tried: %s", b->name, err.message);
	} else {
		wiring_try_console(b, &r);
		doctor_add(d, states[r.health], "console", r.mend, "%s: %s", b->name, r.text);
		close(lock);
	}
	supply(d, b, &w->power, "power");
	supply(d, b, &w->vbus, "vbus");
}

void doctor_wires(struct doctor *d)
{
	const struct lab_board *b;

	for (size_t i = 0; d->lab && (b = lab_board(d->lab, i)); i++)
		if (lab_wiring(b))
			board(d, b);
}
