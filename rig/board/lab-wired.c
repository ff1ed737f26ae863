// SPDX-License-Identifier: GPL-2.0-or-later
/* Wiring of real boards in the lab file; see lab-wired.h. Layer: board. */
#include "board/lab-wired.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "io/hub.h"

#define BAUD_MAX 4000000
#define ARGS_MAX 30

#define AT(struct_, member) .offset = offsetof(struct struct_, member)

static const struct conf_key console_keys[] = {
	{ .name = "at",
	  .type = CONF_STR,
	  AT(lab_console, at),
	  .min = 1,
	  .max = 4096,
	  .help = "The serial port, by where it is plugged in: *usb:1-1.3* (the adapter in that "
		  "USB port; *usb:1-1.3:1.1* its second interface), or a path that a replug does "
		  "not change: _/dev/serial/by-path/..._, _/dev/ttyS0_." },
	{ .name = "baud",
	  .type = CONF_INT,
	  AT(lab_console, baud),
	  .min = 300,
	  .max = BAUD_MAX,
	  .unit = "Bd",
	  .help = "Its speed. The default is that of the board type, 115200 for most." },
	{ .name = "program",
	  .type = CONF_STR,
	  AT(lab_console, program),
	  .min = 1,
	  .max = 4096,
	  .help = "Instead of a port: a program whose standard input and output are the console, a "
		  "client of a console server for example. It runs while the board is in use." },
	{ .name = "args",
	  .type = CONF_TEXTS,
	  AT(lab_console, args),
	  .max = ARGS_MAX,
	  .help = "Arguments of that program." },
};

static const struct conf_table console_table = { "console", console_keys, ARRAY_LEN(console_keys),
						 sizeof(struct lab_console) };

static const struct conf_key wired_keys[] = {
	{ .name = "usb",
	  .type = CONF_STR,
	  AT(lab_wired, usb),
	  .min = 3,
	  .max = 31,
	  .help = "The USB port that the board's own USB plug is in, as in /sys/bus/usb/devices: "
		  "1-1.2. The port is the identity of the board: serial numbers may be equal." },
	{ .name = "console",
	  .type = CONF_MAP,
	  AT(lab_wired, console),
	  .sub = &console_table,
	  .help = "The serial console, required." },
	{ .name = "power",
	  .type = CONF_MAP,
	  AT(lab_wired, power),
	  .sub = &lab_power_table,
	  .help = "What switches its mains or battery input." },
	{ .name = "vbus",
	  .type = CONF_MAP,
	  AT(lab_wired, vbus),
	  .sub = &lab_power_table,
	  .help = "What switches the 5 V on its USB plug; the same keys as for *power*." },
};

static const struct conf_table wired_table = { "wired board", wired_keys, ARRAY_LEN(wired_keys),
					       sizeof(struct lab_wired) };

const char *lab_console_text(const struct lab_console *console)
{
	return console->at ? console->at : console->program;
}

/* ---- one board ---- */

static bool is_port(const char *port)
{
	char hub[64];
	unsigned int number;

	return hub_port_parse(port, hub, sizeof(hub), &number) == 0;
}

/* ":1.0" or nothing */
static bool is_interface(const char *s)
{
	static const char digits[] = "0123456789";
	size_t config, interface;

	if (!*s)
		return true;
	config = strspn(s + 1, digits);
	if (*s != ':' || !config || s[1 + config] != '.')
		return false;
	s += 2 + config;
	interface = strspn(s, digits);
	return interface && !s[interface];
}

/* "1-1.2" or "1-1.2:1.0" */
static bool is_usb_tty(const char *where)
{
	char port[64];
	size_t n = strcspn(where, ":");

	if (n >= sizeof(port))
		return false;
	snprintf(port, sizeof(port), "%.*s", (int)n, where);
	return is_port(port) && is_interface(where + n);
}

/* Names that the kernel gives by the order of arrival. */
static bool is_numbered(const char *at)
{
	static const char *const names[] = { "/dev/ttyUSB", "/dev/ttyACM" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strncmp(at, names[i], strlen(names[i])))
			return true;
	return false;
}

static int check_console(const struct conf *c, const struct lab_board *b,
			 const struct lab_console *con, struct err *err)
{
	if (!con->pos.line)
		return conf_error(c, b->pos, err, "board \"%s\" has no \"console\"", b->name);
	if (!con->at == !con->program)
		return conf_error(c, con->pos, err, "console: give either \"at\" or \"program\"");
	if (con->at && con->args.n)
		return conf_error(c, con->args.items[0].pos, err,
				  "console: \"args\" are those of a \"program\"");
	if (con->program && con->baud)
		return conf_error(c, con->pos, err, "console: a program has no \"baud\"");
	if (!con->at)
		return 0;
	if (is_numbered(con->at))
		return conf_error(c, con->pos, err,
				  "console at \"%s\": that number changes at every replug; give "
				  "\"usb:PORT\" or /dev/serial/by-path/...",
				  con->at);
	if (strncmp(con->at, "usb:", 4) ? con->at[0] != '/' : !is_usb_tty(con->at + 4))
		return conf_error(c, con->pos, err,
				  "console at \"%s\": it is a path, or usb:PORT as usb:1-1.3 or "
				  "usb:1-1.3:1.0",
				  con->at);
	return 0;
}

static int check_port(const struct conf *c, struct conf_pos pos, const char *key, const char *port,
		      struct err *err)
{
	if (!port || is_port(port))
		return 0;
	return conf_error(c, pos, err,
			  "%s \"%s\" is no USB port: bus, dash, ports with dots between them, as "
			  "1-1.2",
			  key, port);
}

static int check(const struct conf *c, const struct lab_board *b, struct err *err)
{
	const struct lab_wired *w = b->own;

	if (check_console(c, b, &w->console, err) || check_port(c, b->pos, "usb", w->usb, err) ||
	    power_check(c, &w->power, err) || power_check(c, &w->vbus, err))
		return -1;
	return check_port(c, w->power.pos, "power: port", w->power.port, err) ||
			       check_port(c, w->vbus.pos, "vbus: port", w->vbus.port, err)
		       ? -1
		       : 0;
}

int lab_wired_needs_usb(const struct conf *c, const struct lab_board *b, struct err *err)
{
	const struct lab_wired *w = b->own;

	if (w->usb)
		return 0;
	return conf_error(c, b->pos, err, "board \"%s\" of type \"%s\" has no \"usb\"", b->name,
			  b->type);
}

/* ---- two boards ---- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_texts(const struct conf_texts *a, const struct conf_texts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->items[i].s, b->items[i].s) != 0)
			return false;
	return true;
}

static bool same_console(const struct lab_console *a, const struct lab_console *b)
{
	return same_text(a->at, b->at) && same_text(a->program, b->program) &&
	       same_texts(&a->args, &b->args);
}

/* One outlet. The polarity and the time of a line do not make it another one. */
static bool same_supply(const struct lab_power *a, const struct lab_power *b)
{
	return a->by != POWER_NONE && a->by == b->by && same_text(a->chip, b->chip) &&
	       same_text(a->line, b->line) && same_text(a->port, b->port) &&
	       same_text(a->url, b->url) && same_text(a->unit, b->unit) &&
	       same_text(a->outlet, b->outlet) && same_text(a->program, b->program) &&
	       same_texts(&a->args, &b->args);
}

static int quarrel(const struct conf *c, const struct lab_board *first, const struct lab_board *b,
		   const char *role, const char *what, struct err *err)
{
	return conf_error(c, b->pos, err, "board \"%s\" has the same %s as \"%s\" in line %d: %s",
			  b->name, role, first->name, first->pos.line, what);
}

static int clash(const struct conf *c, const struct lab_board *first, const struct lab_board *b,
		 struct err *err)
{
	const struct lab_wired *x = first->own, *y = b->own;
	const struct lab_power *xs[] = { &x->power, &x->vbus };
	const struct lab_power *ys[] = { &y->power, &y->vbus };
	char text[300];

	if (same_console(&x->console, &y->console))
		return quarrel(c, first, b, "console", lab_console_text(&y->console), err);
	if (y->usb && same_text(x->usb, y->usb))
		return quarrel(c, first, b, "usb port", y->usb, err);
	for (size_t i = 0; i < 4; i++)
		if (same_supply(xs[i / 2], ys[i % 2]))
			return quarrel(c, first, b, "supply",
				       power_text(ys[i % 2], text, sizeof(text)), err);
	return 0;
}

const struct lab_keys lab_wired_keys = { &wired_table, check, clash };

int lab_check_ipv4(const struct conf *c, struct conf_pos pos, const char *key, const char *text,
		   struct err *err)
{
	struct in_addr addr;

	if (!text || inet_pton(AF_INET, text, &addr) == 1)
		return 0;
	return conf_error(c, pos, err, "%s \"%s\" is no IPv4 address", key, text);
}
