// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig doctor: what else runs on a host with wired boards: udevd, programs that grab serial ports,
 * the tools that the boards are driven by, addresses that their bootloaders ask. Layer: cli.
 */
#include "cli/doctor.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "board/board.h"
#include "board/lab-ports.h"
#include "io/sysfs.h"

#define UDEV_CONTROL "/run/udev/control"

/* ---- udevd ---- */

/* The socket file of a udevd that died stays: only a connection tells. 0 or errno. */
static int udev_answers(const struct doctor *d)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char *path = doctor_path(d, UDEV_CONTROL);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int rc = 0;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		rc = errno;
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

static void udevd(struct doctor *d)
{
	int rc = udev_answers(d);

	if (!rc)
		doctor_add(d, DOCTOR_OK, "udevd", NULL, "answers");
	else if (rc == EACCES || rc == EPERM)
		doctor_add(d, DOCTOR_OK, "udevd", NULL,
			   "has its control socket (which is for root alone)");
	else
		doctor_add(d, DOCTOR_WARN, "udevd",
			   "sudo systemctl restart systemd-udevd (in a container: mount the host's "
			   "/run/udev into it)",
			   "%s, so no udev rule is in force",
			   rc == ECONNREFUSED ? "it is dead and has left its control socket behind"
					      : "does not run");
}

/* ---- programs that talk to every serial port they see ---- */

static bool is_comm(const struct doctor *d, const char *pid, const char *name)
{
	struct buf text = BUF_INIT;
	bool is = isdigit((unsigned char)pid[0]) && doctor_read(d, &text, "/proc/%s/comm", pid) &&
		  !strcmp(buf_str(&text), name);

	buf_release(&text);
	return is;
}

/* Its pid, 0 = it does not run. */
static long pid_of(const struct doctor *d, const char *name)
{
	char *dir = doctor_path(d, "/proc");
	DIR *proc = opendir(dir);
	struct dirent *e;
	long pid = 0;

	while (proc && !pid && (e = readdir(proc)))
		if (is_comm(d, e->d_name, name))
			pid = strtol(e->d_name, NULL, 10);
	if (proc)
		closedir(proc);
	free(dir);
	return pid;
}

/* Rules in force are those that some device of ours has got its mark from. */
static bool is_marked(const struct doctor *d, const char *port)
{
	struct buf dev = BUF_INIT, data = BUF_INIT;
	char *path = NULL;
	bool marked = false;

	if (doctor_read(d, &dev, SYSFS_USB "/%s/dev", port)) {
		path = doctor_path(d, "/run/udev/data/c%s", buf_str(&dev));
		marked = path_read(path, &data, 65536) == 0 &&
			 strstr(buf_str(&data), "E:ID_MM_DEVICE_IGNORE=1");
	}
	free(path);
	buf_release(&dev);
	buf_release(&data);
	return marked;
}

static void modem_manager(struct doctor *d, const struct lab_port *ports, size_t n)
{
	long pid = pid_of(d, "ModemManager");
	size_t open = 0;

	if (!pid) {
		doctor_add(d, DOCTOR_OK, "ModemManager", NULL, "does not run");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		char *dev = doctor_path(d, SYSFS_USB "/%s/dev", ports[i].port);

		if (ports[i].role != LAB_PORT_SWITCH && path_exists(dev) &&
		    !is_marked(d, ports[i].port))
			open++;
		free(dev);
	}
	if (open)
		doctor_add(
			d, DOCTOR_WARN, "ModemManager", DOCTOR_UDEV_MEND,
			"runs (process %ld), and %zu device%s of this lab %s open to it: it sends "
			"AT commands into consoles and breaks EDL downloads",
			pid, open, open > 1 ? "s" : "", open > 1 ? "are" : "is");
	else
		doctor_add(d, DOCTOR_OK, "ModemManager", NULL,
			   "runs (process %ld), udev rules keep it off what is plugged in", pid);
}

static void brltty(struct doctor *d)
{
	long pid = pid_of(d, "brltty");

	if (pid)
		doctor_add(
			d, DOCTOR_WARN, "brltty",
			"sudo systemctl disable --now brltty brltty-udev; or: sudo apt-get "
			"remove brltty",
			"runs (process %ld): it takes FTDI, CP210x and CH340 adapters for Braille "
			"displays and holds them",
			pid);
	else
		doctor_add(d, DOCTOR_OK, "brltty", NULL, "does not run");
}

/* ---- what board types need ---- */

static void program(struct doctor *d, const struct board_program *p, const char *type)
{
	/* /usr/sbin is in no user's PATH, and daemons live there */
	char *sbin = doctor_path(d, "/usr/sbin/%s", p->name);
	char *mend = xasprintf("sudo apt-get install %s", p->package ? p->package : p->name);

	if (path_can_run(p->name) || access(sbin, X_OK) == 0)
		doctor_add(d, DOCTOR_OK, "tool", NULL, "%s (for %s)", p->name, type);
	else
		doctor_add(d, p->optional ? DOCTOR_WARN : DOCTOR_BAD, "tool",
			   p->package ? mend : p->help, "%s is not installed (for %s: %s)", p->name,
			   type, p->help);
	free(mend);
	free(sbin);
}

static void programs(struct doctor *d)
{
	const struct board_row *row;

	for (size_t i = 0; (row = board_row(i)); i++) {
		const struct lab_board *b = NULL;

		for (size_t k = 0; (b = lab_board(d->lab, k)); k++)
			if (!strcmp(b->type, row->name))
				break;
		for (const struct board_program *p = row->programs; b && p && p->name; p++)
			program(d, p, row->name);
	}
}

/* The interface that has the address, NULL if none. The caller frees. */
static char *interface_of(const char *address)
{
	struct ifaddrs *list = NULL;
	struct in_addr want;
	char *name = NULL;

	if (inet_pton(AF_INET, address, &want) != 1 || getifaddrs(&list) < 0)
		return NULL;
	for (struct ifaddrs *i = list; i && !name; i = i->ifa_next) {
		struct sockaddr_in in;

		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
			continue;
		memcpy(&in, i->ifa_addr, sizeof(in));
		if (in.sin_addr.s_addr == want.s_addr)
			name = xstrdup(i->ifa_name);
	}
	freeifaddrs(list);
	return name;
}

static void address(struct doctor *d, const struct lab_board *b, const char *wanted)
{
	char *mend = xasprintf("sudo ip addr add %s/24 dev INTERFACE", wanted);
	char *name = interface_of(wanted);

	if (name)
		doctor_add(d, DOCTOR_OK, "tftp address", NULL, "%s: %s is on %s", b->name, wanted,
			   name);
	else
		doctor_add(d, DOCTOR_BAD, "tftp address", mend,
			   "%s: its bootloader asks %s, which no interface of this host has",
			   b->name, wanted);
	free(mend);
	free(name);
}

static void addresses(struct doctor *d)
{
	const struct lab_board *b;

	for (size_t i = 0; (b = lab_board(d->lab, i)); i++) {
		const struct board_row *row = board_find(b->type);
		const char *wanted = row && row->host_address ? row->host_address(b) : NULL;

		if (wanted)
			address(d, b, wanted);
	}
}

void doctor_host(struct doctor *d)
{
	struct lab_port *ports = NULL;
	const struct lab_board *b;
	bool wired = false;
	size_t n;

	if (!d->lab)
		return;
	for (size_t i = 0; (b = lab_board(d->lab, i)); i++)
		wired = wired || lab_wiring(b);
	n = lab_ports(d->lab, &ports);
	if (wired) {
		udevd(d);
		modem_manager(d, ports, n);
		brltty(d);
	}
	programs(d);
	addresses(d);
	free(ports);
}
