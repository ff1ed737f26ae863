// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig doctor: the USB side of wired boards: is usbfs large enough, may we open the nodes, does the
 * kernel put them to sleep, is a port given to two, do two devices show one serial number.
 * Layer: cli.
 */
#include "cli/doctor.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "board/lab-ports.h"
#include "io/sysfs.h"

/* What a board may have in usbfs at a time (io/usb.h), and the kernel's limit for all of them. */
#define MB_PER_BOARD 4
#define MEMORY_FILE  "/sys/module/usbcore/parameters/usbfs_memory_mb"

struct usb {
	struct doctor *d;
	struct lab_port *ports;
	size_t n;
};

static size_t count(const struct usb *u, enum lab_port_role role)
{
	size_t n = 0;

	for (size_t i = 0; i < u->n; i++)
		n += u->ports[i].role == role;
	return n;
}

static void memory(const struct usb *u)
{
	struct buf text = BUF_INIT;
	size_t boards = count(u, LAB_PORT_USB);
	long want = (long)boards * MB_PER_BOARD;
	char *mend = xasprintf("echo %ld | sudo tee " MEMORY_FILE
			       "  # and usbcore.usbfs_memory_mb=%ld on the kernel command line",
			       want * 2, want * 2);
	long have;

	if (!boards || !doctor_read(u->d, &text, MEMORY_FILE))
		goto out;
	have = strtol(buf_str(&text), NULL, 10);
	if (!have)
		doctor_add(u->d, DOCTOR_OK, "usbfs memory", NULL, "no limit");
	else
		doctor_add(u->d, have < want ? DOCTOR_WARN : DOCTOR_OK, "usbfs memory", mend,
			   "%ld MB for all boards, %zu on USB want %d MB each", have, boards,
			   MB_PER_BOARD);
out:
	free(mend);
	buf_release(&text);
}

/* May this user talk to what is plugged in there now? A board that is off is not there. */
static void node(const struct usb *u, const struct lab_port *p)
{
	struct buf bus = BUF_INIT, address = BUF_INIT;
	char *path = NULL;

	if (!doctor_read(u->d, &bus, SYSFS_USB "/%s/busnum", p->port) ||
	    !doctor_read(u->d, &address, SYSFS_USB "/%s/devnum", p->port)) {
		doctor_add(u->d, DOCTOR_OK, "usb node", NULL, "%s: nothing in port %s now",
			   p->board->name, p->port);
		goto out;
	}
	path = doctor_path(u->d, "/dev/bus/usb/%03ld/%03ld", strtol(buf_str(&bus), NULL, 10),
			   strtol(buf_str(&address), NULL, 10));
	if (access(path, R_OK | W_OK) == 0)
		doctor_add(u->d, DOCTOR_OK, "usb node", NULL, "%s: %s (port %s) can be opened",
			   p->board->name, path, p->port);
	else
		doctor_add(u->d, DOCTOR_BAD, "usb node", DOCTOR_UDEV_MEND,
			   "%s: no permission for %s (port %s)", p->board->name, path, p->port);
out:
	free(path);
	buf_release(&bus);
	buf_release(&address);
}

/* The switch file of a hub port, where the kernel has one. */
static void switch_file(const struct usb *u, const struct lab_port *p)
{
	char hub[LAB_PORT_MAX];
	const char *number = strrchr(p->port, strchr(p->port, '.') ? '.' : '-') + 1;
	char *path;

	lab_port_hub(p->port, hub, sizeof(hub));
	path = strncmp(hub, "usb", 3)
		       ? doctor_path(u->d, SYSFS_USB "/%s:1.0/%s-port%s/disable", hub, hub, number)
		       : doctor_path(u->d, SYSFS_USB "/%s-0:1.0/%s-port%s/disable", hub + 3, hub,
				     number);
	if (access(path, F_OK) == 0 && access(path, W_OK) < 0)
		doctor_add(u->d, DOCTOR_BAD, "hub port", DOCTOR_UDEV_MEND,
			   "%s: no permission for %s", p->board->name, path);
	free(path);
}

static void awake(const struct usb *u, const char *device, const char *what)
{
	struct buf text = BUF_INIT;

	if (doctor_read(u->d, &text, SYSFS_USB "/%s/power/control", device)) {
		bool on = !strcmp(buf_str(&text), "on");

		doctor_add(u->d, on ? DOCTOR_OK : DOCTOR_WARN, "autosuspend", DOCTOR_UDEV_MEND,
			   "%s (%s): power/control is %s", device, what, buf_str(&text));
	}
	buf_release(&text);
}

static bool seen_before(const struct usb *u, size_t i, bool hubs)
{
	char hub[LAB_PORT_MAX], other[LAB_PORT_MAX];

	lab_port_hub(u->ports[i].port, hub, sizeof(hub));
	for (size_t k = 0; k < i; k++) {
		lab_port_hub(u->ports[k].port, other, sizeof(other));
		if (!strcmp(hubs ? other : u->ports[k].port, hubs ? hub : u->ports[i].port))
			return true;
	}
	return false;
}

/* A device that sleeps loses its first bytes, and some never wake up. */
static void autosuspend(const struct usb *u)
{
	char hub[LAB_PORT_MAX];

	for (size_t i = 0; i < u->n; i++) {
		lab_port_hub(u->ports[i].port, hub, sizeof(hub));
		if (!seen_before(u, i, false))
			awake(u, u->ports[i].port, lab_port_words[u->ports[i].role]);
		if (!seen_before(u, i, true))
			awake(u, hub, "hub");
	}
}

/* The lab file's own check knows one role at a time; a board's plug in another's console is not
 * seen there. */
static void claims(const struct usb *u)
{
	for (size_t i = 0; i < u->n; i++)
		for (size_t k = 0; k < i; k++) {
			const struct lab_port *a = &u->ports[k], *b = &u->ports[i];

			if (strcmp(a->port, b->port) != 0 ||
			    (a->board == b->board &&
			     (a->role == LAB_PORT_SWITCH) != (b->role == LAB_PORT_SWITCH)))
				continue;
			if (a->role == b->role && a->interface[0] &&
			    strcmp(a->interface, b->interface) != 0)
				continue; /* two consoles of one adapter */
			doctor_add(u->d, DOCTOR_BAD, "port claims",
				   "give each its own port in the lab file",
				   "port %s is the %s of %s and the %s of %s", b->port,
				   lab_port_words[a->role], a->board->name, lab_port_words[b->role],
				   b->board->name);
		}
}

/* "18d1:4ee7 R58M1234", false when it has no serial number. */
static bool identity(const struct usb *u, const char *device, struct buf *text)
{
	struct buf part = BUF_INIT;
	static const char *const files[] = { "idVendor", "idProduct", "serial" };
	bool has = true;

	buf_reset(text);
	for (size_t i = 0; has && i < 3; i++) {
		has = doctor_read(u->d, &part, SYSFS_USB "/%s/%s", device, files[i]) && part.size;
		buf_addf(text, "%s%s", i == 0 ? "" : i == 1 ? ":" : " ", buf_str(&part));
	}
	buf_release(&part);
	return has;
}

static const struct lab_port *port_of(const struct usb *u, const char *device)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->ports[i].role != LAB_PORT_SWITCH && !strcmp(u->ports[i].port, device))
			return &u->ports[i];
	return NULL;
}

static void compare(const struct usb *u, const char *a, const char *b)
{
	const struct lab_port *mine = port_of(u, a) ? port_of(u, a) : port_of(u, b);
	struct buf x = BUF_INIT, y = BUF_INIT;

	if (mine && identity(u, a, &x) && identity(u, b, &y) && !strcmp(buf_str(&x), buf_str(&y)))
		doctor_add(u->d, DOCTOR_WARN, "serial numbers",
			   "nothing for the rig, which goes by port; never use adb -s or "
			   "fastboot -s with it",
			   "ports %s and %s both show %s (%s of %s)", a, b, buf_str(&x),
			   lab_port_words[mine->role], mine->board->name);
	buf_release(&x);
	buf_release(&y);
}

static void serial_numbers(const struct usb *u)
{
	char *dir = doctor_path(u->d, SYSFS_USB);
	struct dirent **entries = NULL;
	int n = scandir(dir, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			if (!strchr(entries[i]->d_name, ':') && !strchr(entries[k]->d_name, ':'))
				compare(u, entries[k]->d_name, entries[i]->d_name);
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	free(dir);
}

void doctor_usb(struct doctor *d)
{
	struct usb u = { .d = d };

	u.n = lab_ports(d->lab, &u.ports);
	if (u.n) {
		memory(&u);
		claims(&u);
		for (size_t i = 0; i < u.n; i++) {
			if (u.ports[i].role == LAB_PORT_USB)
				node(&u, &u.ports[i]);
			else if (u.ports[i].role == LAB_PORT_SWITCH)
				switch_file(&u, &u.ports[i]);
		}
		autosuspend(&u);
		serial_numbers(&u);
	}
	free(u.ports);
}
