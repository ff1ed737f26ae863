// SPDX-License-Identifier: GPL-2.0-or-later
/* USB ports of a lab; see lab-ports.h. Layer: board. */
#include "board/lab-ports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/hub.h"

const char *const lab_port_words[] = { "usb", "console", "supply", NULL };

struct list {
	struct lab_port *ports;
	size_t n;
};

const struct lab_wired *lab_wiring(const struct lab_board *b)
{
	return b->row->keys == &lab_wired_keys ? b->own : NULL;
}

void lab_port_hub(const char *port, char *hub, size_t size)
{
	unsigned int number;

	if (hub_port_parse(port, hub, size, &number) && size)
		hub[0] = '\0';
}

static void add(struct list *l, const struct lab_board *b, enum lab_port_role role,
		const char *port)
{
	struct lab_port *p;

	l->ports = xrealloc(l->ports, (l->n + 1) * sizeof(*l->ports));
	p = &l->ports[l->n++];
	memset(p, 0, sizeof(*p));
	p->board = b;
	p->role = role;
	snprintf(p->port, sizeof(p->port), "%.*s", (int)strcspn(port, ":"), port);
	if (strchr(port, ':'))
		snprintf(p->interface, sizeof(p->interface), "%s", port);
}

static void add_board(struct list *l, const struct lab_board *b)
{
	const struct lab_wired *w = lab_wiring(b);

	if (!w)
		return;
	if (w->usb)
		add(l, b, LAB_PORT_USB, w->usb);
	if (w->console.at && !strncmp(w->console.at, "usb:", 4))
		add(l, b, LAB_PORT_CONSOLE, w->console.at + 4);
	if (w->power.by == POWER_HUB)
		add(l, b, LAB_PORT_SWITCH, w->power.port);
	if (w->vbus.by == POWER_HUB)
		add(l, b, LAB_PORT_SWITCH, w->vbus.port);
}

size_t lab_ports(const struct lab *lab, struct lab_port **ports)
{
	struct list l = { NULL, 0 };
	const struct lab_board *b;

	for (size_t i = 0; lab && (b = lab_board(lab, i)); i++)
		add_board(&l, b);
	*ports = l.ports;
	return l.n;
}
