// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * udev rules of a lab; see udev-rules.h. Layer: cli.
 *
 * A port is matched by the name of the kernel's device, which is its port path, exactly: KERNEL of
 * the USB device ("1-1.2"), and KERNELS of an interface ("1-1.2:1.0") for what hangs below it.
 * KERNELS of a device would match everything behind a hub in that port as well.
 */
#include "cli/udev-rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "board/lab-ports.h"

struct rules {
	struct buf *out;
	const char *tty_group, *group;
};

/* Vendors whose devices are consoles and boards here: they are no modems. */
static const struct {
	const char *id, *who;
} vendors[] = {
	{ "0403", "FTDI" },
	{ "10c4", "Silicon Labs" },
	{ "1a86", "WCH" },
	{ "067b", "Prolific" },
	{ "05c6", "Qualcomm (EDL)" },
	{ "18d1", "Google (fastboot, adb)" },
	{ "8087", "Intel (Edison)" },
};

static void header(const struct rules *r, const struct lab *lab)
{
	buf_addf(
		r->out,
		"# udev rules made by `rig doctor --udev` from %s; make them anew when it changes:\n"
		"#\n"
		"#\trig doctor --udev | sudo tee /etc/udev/rules.d/65-rig.rules\n"
		"#\tsudo udevadm control --reload && sudo udevadm trigger\n"
		"#\n"
		"# The number matters: after 60-serial.rules, whose links are looked at here, before\n"
		"# 73-seat-late.rules. Users of the boards belong to the groups %s and %s.\n"
		"\n"
		"ACTION==\"remove\", GOTO=\"rig_end\"\n"
		"\n",
		lab_source(lab), r->tty_group, r->group);
}

static void ignore_vendors(const struct rules *r)
{
	buf_adds(r->out, "# ModemManager would send AT commands to them:");
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		buf_addf(r->out, "%s %s %s", i ? "," : "", vendors[i].id, vendors[i].who);
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		buf_addf(r->out,
			 "\nSUBSYSTEMS==\"usb\", ATTRS{idVendor}==\"%s\", "
			 "ENV{ID_MM_DEVICE_IGNORE}=\"1\", ENV{ID_MM_PORT_IGNORE}=\"1\"",
			 vendors[i].id);
	buf_adds(r->out, "\n\n");
}

/* The name is the board's; of an adapter with several ports the first one has it. */
static void usb_console(const struct rules *r, const struct lab_port *p)
{
	const char *name = p->board->name;
	char below[LAB_PORT_MAX + 4];

	snprintf(below, sizeof(below), "%s%s", p->interface[0] ? p->interface : p->port,
		 p->interface[0] ? "" : ":*");
	buf_addf(r->out,
		 "SUBSYSTEM==\"tty\", KERNELS==\"%s\", SYMLINK+=\"rig/%s-console\", GROUP=\"%s\", "
		 "MODE=\"0660\", ENV{ID_MM_PORT_IGNORE}=\"1\"\n",
		 below, name, r->tty_group);
	if (!p->interface[0])
		buf_addf(r->out,
			 "SUBSYSTEM==\"tty\", KERNELS==\"%s:*.0\", OPTIONS+=\"link_priority=10\"\n",
			 p->port);
	/* the attribute is there once the driver is bound */
	buf_addf(r->out,
		 "SUBSYSTEM==\"usb-serial\", KERNELS==\"%s\", DRIVERS==\"ftdi_sio\", "
		 "ATTR{latency_timer}=\"1\"\n",
		 below);
	buf_addf(r->out,
		 "SUBSYSTEM==\"usb\", KERNEL==\"%s\", TEST==\"power/control\", "
		 "ATTR{power/control}=\"on\", ENV{ID_MM_DEVICE_IGNORE}=\"1\"\n",
		 p->port);
}

/* A console that the lab file gives by a path: a link of 60-serial.rules, or the node itself. */
static void path_console(const struct rules *r, const struct lab_board *b, const char *at)
{
	const char *name = strncmp(at, "/dev/", 5) ? at : at + 5;
	bool node = !strchr(name, '/');

	buf_addf(r->out,
		 "SUBSYSTEM==\"tty\", %s==\"%s\", SYMLINK+=\"rig/%s-console\", GROUP=\"%s\", "
		 "MODE=\"0660\", ENV{ID_MM_PORT_IGNORE}=\"1\"\n",
		 node ? "KERNEL" : "SYMLINK", name, b->name, r->tty_group);
}

static void usb_plug(const struct rules *r, const struct lab_port *p)
{
	buf_addf(r->out,
		 "SUBSYSTEM==\"usb\", KERNEL==\"%s\", SYMLINK+=\"rig/%s-usb\", GROUP=\"%s\", "
		 "MODE=\"0660\", ENV{ID_MM_DEVICE_IGNORE}=\"1\"\n"
		 "SUBSYSTEM==\"usb\", KERNEL==\"%s\", TEST==\"power/control\", "
		 "ATTR{power/control}=\"on\"\n"
		 "SUBSYSTEMS==\"usb\", KERNELS==\"%s:*\", ENV{ID_MM_PORT_IGNORE}=\"1\"\n",
		 p->port, p->board->name, r->group, p->port, p->port);
}

/* What sysfs creates is root's; `peer` is the same socket's port of the other speed. */
static void switched_port(const struct rules *r, const struct lab_port *p)
{
	const char *number = strrchr(p->port, strchr(p->port, '.') ? '.' : '-') + 1;
	char hub[LAB_PORT_MAX], interface[LAB_PORT_MAX + 8];

	lab_port_hub(p->port, hub, sizeof(hub));
	if (!strncmp(hub, "usb", 3))
		snprintf(interface, sizeof(interface), "%s-0:1.0", hub + 3);
	else
		snprintf(interface, sizeof(interface), "%s:1.0", hub);
	buf_addf(r->out,
		 "SUBSYSTEM==\"usb\", KERNEL==\"%s\", "
		 "RUN+=\"/bin/chgrp -f %s /sys%%p/%s-port%s/disable "
		 "/sys%%p/%s-port%s/peer/disable\", "
		 "RUN+=\"/bin/chmod -f g+w /sys%%p/%s-port%s/disable "
		 "/sys%%p/%s-port%s/peer/disable\"\n"
		 "SUBSYSTEM==\"usb\", KERNEL==\"%s\", GROUP=\"%s\", MODE=\"0660\"\n",
		 interface, r->group, hub, number, hub, number, hub, number, hub, number, hub,
		 r->group);
}

static void port_rules(const struct rules *r, const struct lab_port *p)
{
	switch (p->role) {
	case LAB_PORT_USB:
		usb_plug(r, p);
		break;
	case LAB_PORT_CONSOLE:
		usb_console(r, p);
		break;
	case LAB_PORT_SWITCH:
		switched_port(r, p);
		break;
	}
}

static bool by_gpio(const struct lab_wired *w)
{
	return w->power.by == POWER_GPIO || w->vbus.by == POWER_GPIO;
}

/* True when some line is a GPIO's. */
static bool board_rules(const struct rules *r, const struct lab_board *b,
			const struct lab_port *ports, size_t n)
{
	const struct lab_wired *w = lab_wiring(b);

	if (!w)
		return false;
	buf_addf(r->out, "# %s (%s)\n", b->name, b->type);
	for (size_t i = 0; i < n; i++)
		if (ports[i].board == b)
			port_rules(r, &ports[i]);
	if (w->console.at && *w->console.at == '/')
		path_console(r, b, w->console.at);
	buf_adds(r->out, "\n");
	return by_gpio(w);
}

static void hub_rule(const struct rules *r, const char *hub, struct buf *seen)
{
	char *word = xasprintf(" %s ", hub);

	if (!strstr(buf_str(seen), word))
		buf_addf(r->out,
			 "SUBSYSTEM==\"usb\", KERNEL==\"%s\", TEST==\"power/control\", "
			 "ATTR{power/control}=\"on\"\n",
			 hub);
	buf_adds(seen, word);
	free(word);
}

/* Each hub on the way to a port, once. */
static void hub_rules(const struct rules *r, const struct lab_port *ports, size_t n)
{
	struct buf seen = BUF_INIT;

	buf_adds(r->out, "# A hub that sleeps takes its ports along.\n");
	for (size_t i = 0; i < n; i++) {
		char port[LAB_PORT_MAX], hub[LAB_PORT_MAX];

		snprintf(port, sizeof(port), "%s", ports[i].port);
		do {
			lab_port_hub(port, hub, sizeof(hub));
			hub_rule(r, hub, &seen);
			snprintf(port, sizeof(port), "%s", hub);
		} while (*hub && strncmp(hub, "usb", 3) != 0);
	}
	buf_adds(r->out, "\n");
	buf_release(&seen);
}

void udev_rules(const struct lab *lab, const char *group, struct buf *out)
{
	struct rules r = { out, group ? group : "dialout", group ? group : "plugdev" };
	struct lab_port *ports = NULL;
	size_t n = lab_ports(lab, &ports);
	const struct lab_board *b;
	bool gpio = false;

	header(&r, lab);
	ignore_vendors(&r);
	for (size_t i = 0; (b = lab_board(lab, i)); i++)
		gpio = board_rules(&r, b, ports, n) || gpio;
	if (n)
		hub_rules(&r, ports, n);
	if (gpio)
		buf_addf(out,
			 "# Relays; udev does not see the label of a chip, so all of them.\n"
			 "SUBSYSTEM==\"gpio\", KERNEL==\"gpiochip*\", GROUP=\"%s\", MODE=\"0660\"\n"
			 "\n",
			 r.group);
	buf_adds(out, "LABEL=\"rig_end\"\n");
	free(ports);
}
