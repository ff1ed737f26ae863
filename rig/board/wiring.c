// SPDX-License-Identifier: GPL-2.0-or-later
/* Consoles and supplies by hand; see wiring.h. Layer: board. */
#include "board/wiring.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/spawn.h"
#include "board/board.h"
#include "board/lab-ports.h"
#include "io/gpio.h"
#include "io/hub.h"
#include "io/serial.h"

#define BAUD_USUAL 115200
#define ARGS_MAX   34
#define GRACE_MS   500

#define GROUP_MEND                                                                                 \
	"rig doctor --udev | sudo tee /etc/udev/rules.d/65-rig.rules; then: sudo adduser $USER "   \
	"dialout && sudo adduser $USER plugdev, and log in again"

long wiring_baud(const struct lab_board *b)
{
	const struct lab_wired *w = lab_wiring(b);
	const struct board_row *row = board_find(b->type);

	if (w && w->console.baud)
		return w->console.baud;
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

static bool is_program(const char *name)
{
	const char *p = strchr(name, '/') ? "" : getenv("PATH");

	for (; p; p = strchr(p, ':') ? strchr(p, ':') + 1 : NULL) {
		char *file = xasprintf("%.*s%s%s", (int)strcspn(p, ":"), p, *p ? "/" : "", name);
		bool found = access(file, X_OK) == 0;

		free(file);
		if (found)
			return true;
	}
	return false;
}

static void try_program(const char *name, struct wiring_report *r)
{
	bool found = is_program(name);

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

struct wiring_console {
	struct serial *serial; /* or: */
	pid_t program;
	int program_fd;
};

static int start_program(struct wiring_console *c, const struct lab_console *lab)
{
	const char *argv[ARGS_MAX] = { lab->program };
	struct spawn s = SPAWN_INIT;
	int pair[2];

	for (size_t i = 0; i < lab->args.n && i < ARGS_MAX - 2; i++)
		argv[i + 1] = lab->args.items[i].s;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	s.argv = argv;
	s.in = s.out = s.err = pair[1];
	c->program = spawn_start(&s);
	close(pair[1]);
	c->program_fd = pair[0];
	if (c->program < 0)
		return (int)c->program;
	return fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

int wiring_console_open(struct wiring_console **out, const struct lab_board *b, struct err *err)
{
	const struct lab_wired *w = lab_wiring(b);
	struct wiring_console *c = xcalloc(1, sizeof(*c));
	long got = 0;
	int rc;

	c->program_fd = -1;
	if (w->console.program)
		rc = start_program(c, &w->console);
	else
		rc = serial_open(&c->serial, w->console.at, wiring_baud(b), &got);
	if (!rc) {
		*out = c;
		return 0;
	}
	wiring_console_close(c);
	if (rc == -ERANGE)
		return err_set(err, BLAME_RIG, "console",
			       "%s: console: %s refuses %ld Bd and stays at %ld", b->name,
			       w->console.at, wiring_baud(b), got);
	return err_sys(err, BLAME_RIG, "console", rc, "%s: console: cannot open %s", b->name,
		       lab_console_text(&w->console));
}

void wiring_console_close(struct wiring_console *c)
{
	if (!c)
		return;
	serial_close(c->serial);
	if (c->program > 0)
		spawn_kill(c->program, GRACE_MS, NULL);
	if (c->program_fd >= 0)
		close(c->program_fd);
	free(c);
}

int wiring_console_fd(const struct wiring_console *c)
{
	return c->serial ? serial_fd(c->serial) : c->program_fd;
}
