// SPDX-License-Identifier: GPL-2.0-or-later
/* Supplies of real boards; see power.h. Layer: board. */
#include "board/power.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "io/gpio.h"
#include "io/hub.h"
#include "io/pdudaemon.h"
#include "io/tool.h"

#define LOCK_LOOK_MS 20
#define WORDS_MAX    200
#define ARGS_MAX     32

const char *const power_by_words[] = { "none", "gpio", "hub", "pdudaemon", "external", NULL };

struct power {
	const struct lab_power *lab;
	const struct driver *driver;
	const char *board, *what;
	struct gpio *gpio;
	char words[WORDS_MAX]; /* what a program said last */
};

/* ---- keys ---- */

#define AT(member) .offset = offsetof(struct lab_power, member)

static const struct conf_key power_keys[] = {
	{ .name = "by",
	  .type = CONF_ENUM,
	  AT(by),
	  .def = "none",
	  .words = power_by_words,
	  .help = "What switches it: *none* (nothing does), *gpio*, *hub*, *pdudaemon*, *external*." },
	{ .name = "chip",
	  .type = CONF_STR,
	  AT(chip),
	  .min = 1,
	  .max = 80,
	  .help = "*gpio*: the label of the GPIO chip, as gpiodetect(1) shows it." },
	{ .name = "line",
	  .type = CONF_STR,
	  AT(line),
	  .min = 1,
	  .max = 80,
	  .help = "*gpio*: the line, by name or offset." },
	{ .name = "active_low",
	  .type = CONF_BOOL,
	  AT(active_low),
	  .def = "false",
	  .help = "*gpio*: the line is low when the supply is on." },
	{ .name = "port",
	  .type = CONF_STR,
	  AT(port),
	  .min = 3,
	  .max = 60,
	  .help = "*hub*: the USB port, as in /sys/bus/usb/devices: 1-1.2." },
	{ .name = "url",
	  .type = CONF_STR,
	  AT(url),
	  .min = 8,
	  .max = 200,
	  .help = "*pdudaemon*: where it listens: http://pdu-host:16421." },
	{ .name = "unit",
	  .type = CONF_STR,
	  AT(unit),
	  .min = 1,
	  .max = 80,
	  .help = "*pdudaemon*: the power distribution unit, as its configuration names it." },
	{ .name = "outlet",
	  .type = CONF_STR,
	  AT(outlet),
	  .min = 1,
	  .max = 20,
	  .help = "*pdudaemon*: the outlet of the unit." },
	{ .name = "program",
	  .type = CONF_STR,
	  AT(program),
	  .min = 1,
	  .max = 4096,
	  .help = "*external*: the program to run. It gets _args_, then *on* or *off*; exit code 0 "
		  "means that it is done." },
	{ .name = "args",
	  .type = CONF_TEXTS,
	  AT(args),
	  .max = ARGS_MAX - 3,
	  .help = "*external*: its first arguments." },
	{ .name = "off_ms",
	  .type = CONF_INT,
	  AT(off_ms),
	  .def = "1000",
	  .max = 60000,
	  .unit = "ms",
	  .help = "How long it stays off at least: until what feeds on it is really down." },
};

const struct conf_table lab_power_table = { "power", power_keys, ARRAY_LEN(power_keys),
					    sizeof(struct lab_power) };

/* ---- drivers ---- */

static int gpio_start(struct power *p)
{
	const struct lab_power *lab = p->lab;
	struct gpio_name name = { lab->chip, lab->line, lab->active_low };
	char *consumer = xasprintf("rig %s", p->board);
	int rc = gpio_open_output(&p->gpio, &name, false, consumer);

	if (rc == -EBUSY && gpio_consumer(&name, p->words, sizeof(p->words)) < 0)
		p->words[0] = '\0';
	free(consumer);
	return rc;
}

static int gpio_switch(struct power *p, bool on, struct deadline d)
{
	(void)d;
	return gpio_set(p->gpio, on);
}

static int hub_switch(struct power *p, bool on, struct deadline d)
{
	return hub_port_set(p->lab->port, on, d);
}

static int pdu_switch(struct power *p, bool on, struct deadline d)
{
	struct pdudaemon pdu = { p->lab->url, p->lab->unit, p->lab->outlet };

	return pdudaemon_set(&pdu, on, d);
}

static int external_switch(struct power *p, bool on, struct deadline d)
{
	const char *argv[ARGS_MAX] = { p->lab->program };
	char *dir = path_in_home("boards/%s.%s", p->board, p->what);
	struct tool tool = { .dir = dir };
	struct buf out = BUF_INIT;
	size_t n = 1;
	int rc;

	for (size_t i = 0; i < p->lab->args.n; i++)
		argv[n++] = p->lab->args.items[i].s;
	argv[n] = on ? "on" : "off";
	rc = tool_run(&tool, argv, &out, d);
	tool_last_words(&out, p->words, sizeof(p->words));
	buf_release(&out);
	free(dir);
	return rc > 0 ? -EREMOTEIO : rc;
}

struct driver {
	const char *device; /* of the lock: this and a text */
	size_t device_at;   /* that text, in struct lab_power */
	const char *needs[3];
	int (*start)(struct power *p); /* NULL = nothing to open */
	int (*set)(struct power *p, bool on, struct deadline d);
};

#define OF(member) offsetof(struct lab_power, member)

static const struct driver drivers[] = {
	[POWER_NONE] = { NULL, 0, { NULL }, NULL, NULL },
	[POWER_GPIO] = { "gpio", OF(chip), { "chip", "line", NULL }, gpio_start, gpio_switch },
	[POWER_HUB] = { "hub", OF(port), { "port", NULL }, NULL, hub_switch },
	[POWER_PDUDAEMON] = { "pdu", OF(unit), { "url", "unit", "outlet" }, NULL, pdu_switch },
	[POWER_EXTERNAL] = { "program", OF(program), { "program", NULL }, NULL, external_switch },
};

/* ---- the lab file's side ---- */

static const char *text_of(const struct lab_power *lab, const struct conf_key *k)
{
	const char *text;

	memcpy(&text, (const char *)lab + k->offset, sizeof(text));
	return text;
}

static bool needs(const struct driver *d, const char *key)
{
	for (size_t i = 0; i < 3 && d->needs[i]; i++)
		if (!strcmp(d->needs[i], key))
			return true;
	return false;
}

int power_check(const struct conf *c, const struct lab_power *lab, struct err *err)
{
	const struct driver *d = &drivers[lab->by];
	const char *by = power_by_words[lab->by];

	for (size_t i = 0; i < ARRAY_LEN(power_keys); i++) {
		const struct conf_key *k = &power_keys[i];

		if (k->type != CONF_STR)
			continue;
		if (needs(d, k->name) && !text_of(lab, k))
			return conf_error(c, lab->pos, err, "\"by: %s\" needs \"%s\"", by, k->name);
		if (!needs(d, k->name) && text_of(lab, k))
			return conf_error(c, lab->pos, err, "\"by: %s\" takes no \"%s\"", by,
					  k->name);
	}
	return 0;
}

const char *power_text(const struct lab_power *lab, char *buf, unsigned int size)
{
	switch ((enum power_by)lab->by) {
	case POWER_NONE:
		snprintf(buf, size, "nothing");
		break;
	case POWER_GPIO:
		snprintf(buf, size, "gpio %s/%s", lab->chip, lab->line);
		break;
	case POWER_HUB:
		snprintf(buf, size, "hub port %s", lab->port);
		break;
	case POWER_PDUDAEMON:
		snprintf(buf, size, "%s outlet %s at %s", lab->unit, lab->outlet, lab->url);
		break;
	case POWER_EXTERNAL:
		snprintf(buf, size, "%s", lab->program);
		break;
	}
	return buf;
}

/* ---- switching ---- */

static int failed(const struct power *p, const char *action, int rc, struct err *err)
{
	char text[300];

	power_text(p->lab, text, sizeof(text));
	if (rc == -ENOTSUP)
		return err_set(err, BLAME_RIG, "power",
			       "%s: %s: %s obeys, but what is plugged in stays: it cuts no power",
			       p->board, p->what, text);
	if (p->words[0])
		return err_sys(err, BLAME_RIG, "power", rc, "%s: %s: cannot %s %s (\"%s\")",
			       p->board, p->what, action, text, p->words);
	return err_sys(err, BLAME_RIG, "power", rc, "%s: %s: cannot %s %s", p->board, p->what,
		       action, text);
}

int power_open(struct power **out, const struct lab_power *lab, const char *board, const char *what,
	       struct err *err)
{
	struct power *p;
	int rc;

	*out = NULL;
	if (lab->by == POWER_NONE)
		return 0;
	p = xcalloc(1, sizeof(*p));
	p->lab = lab;
	p->driver = &drivers[lab->by];
	p->board = board;
	p->what = what;
	rc = p->driver->start ? p->driver->start(p) : 0;
	if (rc) {
		failed(p, "take", rc, err);
		free(p);
		return -1;
	}
	*out = p;
	return 0;
}

void power_close(struct power *p)
{
	if (!p)
		return;
	gpio_close(p->gpio);
	free(p);
}

/* One path component, whatever the lab calls its equipment. A hub is shared, its ports are not. */
static char *lock_path(const struct power *p)
{
	const char *device;
	char *name, *path, *dot;

	memcpy(&device, (const char *)p->lab + p->driver->device_at, sizeof(device));
	name = xasprintf("%s-%s", p->driver->device, device);
	if (p->lab->by == POWER_HUB && (dot = strrchr(name, '.')))
		*dot = '\0';
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '-';
	path = path_in_home("control/%s.lock", name);
	free(name);
	return path;
}

/* The descriptor that holds the lock, or -errno. */
static int lock(const struct power *p, struct deadline d)
{
	char *dir = path_in_home("control");
	char *path = lock_path(p);
	int fd = path_mkdirs(dir);

	if (!fd)
		fd = path_lock(path);
	while (fd == -EWOULDBLOCK && !deadline_passed(d)) {
		int rc = deadline_poll(-1, 0, deadline_min(d, deadline_in(LOCK_LOOK_MS)));

		fd = rc < 0 ? rc : path_lock(path);
	}
	free(path);
	free(dir);
	return fd == -EWOULDBLOCK ? -ETIMEDOUT : fd;
}

int power_set(struct power *p, bool on, struct deadline d, struct err *err)
{
	int fd;
	int rc;

	if (!p)
		return 0;
	p->words[0] = '\0';
	fd = lock(p, d);
	if (fd < 0)
		return failed(p, "get hold of", fd, err);
	rc = p->driver->set(p, on, d);
	close(fd);
	if (rc)
		return failed(p, on ? "switch on" : "switch off", rc, err);
	if (!on)
		deadline_poll(-1, 0, deadline_in((uint64_t)p->lab->off_ms));
	return 0;
}
