// SPDX-License-Identifier: GPL-2.0-or-later
/* USB port power by sysfs, else by the hub class requests; see hub.h. Layer: io. */
#include "io/hub.h"

#include <errno.h>
#include <libusb.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/sysfs.h"

/* How often the device's absence is looked for. */
#define LOOK_MS 20

/* USB 2.0, tables 11-16 and 11-17. */
#define HUB_PORT      (LIBUSB_REQUEST_TYPE_CLASS | LIBUSB_RECIPIENT_OTHER)
#define PORT_POWER    8
#define PORT_POWER_2  0x0100 /* in wPortStatus: USB 2 hubs */
#define PORT_POWER_3  0x0200 /* and USB 3 hubs */
#define CONTROL_MS    1000
#define PORT_PATH_MAX 64

/* ---- names ---- */

static bool is_port_path(const char *s)
{
	size_t bus = strspn(s, "0123456789");

	return bus && s[bus] == '-' && s[bus + 1] && strlen(s) < PORT_PATH_MAX &&
	       s[bus + 1] != '.' && s[strlen(s) - 1] != '.' &&
	       strspn(s + bus + 1, "0123456789.") == strlen(s + bus + 1);
}

int hub_port_parse(const char *port, char *hub, size_t size, unsigned int *number)
{
	const char *last;

	if (!is_port_path(port))
		return -EINVAL;
	last = strrchr(port, '.');
	if (last)
		snprintf(hub, size, "%.*s", (int)(last - port), port);
	else
		snprintf(hub, size, "usb%.*s", (int)strcspn(port, "-"), port);
	last = last ? last : strchr(port, '-');
	*number = (unsigned int)strtoul(last + 1, NULL, 10);
	return 0;
}

/* The hub's own interface: usb1 -> 1-0:1.0, 1-1 -> 1-1:1.0. */
static int port_dir(const char *port, char *dir, size_t size)
{
	char hub[PORT_PATH_MAX];
	unsigned int n;
	int rc = hub_port_parse(port, hub, sizeof(hub), &n);

	if (rc)
		return rc;
	if (!strncmp(hub, "usb", 3))
		snprintf(dir, size, SYSFS_USB "/%s-0:1.0/%s-port%u", hub + 3, hub, n);
	else
		snprintf(dir, size, SYSFS_USB "/%s:1.0/%s-port%u", hub, hub, n);
	return access(dir, F_OK) == 0 ? 0 : -ENODEV;
}

/* "/sys/.../usb2-port3" -> "2-3", "/sys/.../2-1-port3" -> "2-1.3". */
static int port_of_dir(const char *dir, char *port, size_t size)
{
	const char *name = strrchr(dir, '/') + 1;
	const char *number = strstr(name, "-port");

	if (!number)
		return -ENODEV;
	if (!strncmp(name, "usb", 3))
		snprintf(port, size, "%.*s-%s", (int)(number - name) - 3, name + 3, number + 5);
	else
		snprintf(port, size, "%.*s.%s", (int)(number - name), name, number + 5);
	return 0;
}

/* The port of the other speed in the same socket. -ENODEV: it has none. */
static int twin(const char *dir, char *port, size_t size)
{
	char link[PATH_MAX + 8];
	char *real;
	int rc;

	snprintf(link, sizeof(link), "%s/peer", dir);
	real = realpath(link, NULL);
	if (!real)
		return -ENODEV;
	rc = port_of_dir(real, port, size);
	free(real);
	return rc;
}

/* ---- by the kernel ---- */

static int sysfs_set(const char *dir, bool on)
{
	char file[PATH_MAX + 16];

	snprintf(file, sizeof(file), "%s/disable", dir);
	return sysfs_write(file, on ? "0" : "1");
}

static int sysfs_get(const char *dir)
{
	char file[PATH_MAX + 16];
	char c = 0;
	ssize_t n;

	snprintf(file, sizeof(file), "%s/disable", dir);
	n = sysfs_read(file, &c, 1);
	return n < 0 ? (int)n : n == 1 ? c == '0' : -EIO;
}

/* ---- by the hub ---- */

static bool is_hub(libusb_device *dev, const char *hub)
{
	char path[PORT_PATH_MAX];
	uint8_t ports[8];
	int n = libusb_get_port_numbers(dev, ports, sizeof(ports));
	int at;

	if (n <= 0) {
		snprintf(path, sizeof(path), "usb%u", libusb_get_bus_number(dev));
		return !strcmp(path, hub);
	}
	at = snprintf(path, sizeof(path), "%u", libusb_get_bus_number(dev));
	for (int i = 0; i < n; i++)
		at += snprintf(path + at, sizeof(path) - (size_t)at, "%c%u", i ? '.' : '-',
			       ports[i]);
	return !strcmp(path, hub);
}

static int usb_errno(int rc)
{
	switch (rc) {
	case LIBUSB_ERROR_ACCESS:
		return -EACCES;
	case LIBUSB_ERROR_NO_DEVICE:
	case LIBUSB_ERROR_NOT_FOUND:
		return -ENODEV;
	case LIBUSB_ERROR_PIPE:
		return -ENOTSUP; /* the hub refused */
	case LIBUSB_ERROR_TIMEOUT:
		return -ETIMEDOUT;
	default:
		return rc < 0 ? -EIO : 0;
	}
}

static int open_hub(libusb_context *usb, const char *hub, libusb_device_handle **handle)
{
	libusb_device **list;
	ssize_t n = libusb_get_device_list(usb, &list);
	int rc = -ENODEV;

	for (ssize_t i = 0; i < n && rc == -ENODEV; i++)
		if (is_hub(list[i], hub))
			rc = usb_errno(libusb_open(list[i], handle));
	if (n >= 0)
		libusb_free_device_list(list, 1);
	return rc;
}

/* A port's hub, open. */
struct reach {
	libusb_context *usb;
	libusb_device_handle *handle;
	unsigned int port;
};

static int reach_hub(struct reach *r, const char *port)
{
	char hub[PORT_PATH_MAX];
	int rc = hub_port_parse(port, hub, sizeof(hub), &r->port);

	if (rc)
		return rc;
	if (libusb_init(&r->usb) < 0)
		return -EIO;
	return open_hub(r->usb, hub, &r->handle);
}

static void leave_hub(struct reach *r)
{
	if (r->handle)
		libusb_close(r->handle);
	if (r->usb)
		libusb_exit(r->usb);
}

/* on -1: asks for the state. */
static int hub_request(const char *port, int on)
{
	struct reach r = { NULL, NULL, 0 };
	uint8_t status[4] = { 0 };
	int rc = reach_hub(&r, port);

	if (!rc && on < 0)
		rc = usb_errno(libusb_control_transfer(
			r.handle, LIBUSB_ENDPOINT_IN | HUB_PORT, LIBUSB_REQUEST_GET_STATUS, 0,
			(uint16_t)r.port, status, sizeof(status), CONTROL_MS));
	else if (!rc)
		rc = usb_errno(libusb_control_transfer(
			r.handle, HUB_PORT,
			on ? LIBUSB_REQUEST_SET_FEATURE : LIBUSB_REQUEST_CLEAR_FEATURE, PORT_POWER,
			(uint16_t)r.port, NULL, 0, CONTROL_MS));
	leave_hub(&r);
	if (rc || on >= 0)
		return rc;
	return ((status[0] | status[1] << 8) & (PORT_POWER_2 | PORT_POWER_3)) != 0;
}

/* USB 2.0 11.23.2.1 and USB 3.2 10.16.2.1: bytes 3 and 4 are wHubCharacteristics, whose lowest
 * two bits are the power switching mode: 0 all ports at once, 1 each port, else none. */
#define HUB_DESCRIPTOR_2 0x2900
#define HUB_DESCRIPTOR_3 0x2a00

/* Its length, or a LIBUSB_ERROR. */
static int hub_descriptor(const struct reach *r, uint16_t which, uint8_t *d, uint16_t n)
{
	const uint8_t type = LIBUSB_ENDPOINT_IN | LIBUSB_REQUEST_TYPE_CLASS;

	return libusb_control_transfer(r->handle, type, LIBUSB_REQUEST_GET_DESCRIPTOR, which, 0, d,
				       n, CONTROL_MS);
}

int hub_port_switching(const char *port)
{
	struct reach r = { NULL, NULL, 0 };
	uint8_t d[16] = { 0 };
	int rc = reach_hub(&r, port);

	if (!rc) {
		rc = hub_descriptor(&r, HUB_DESCRIPTOR_2, d, sizeof(d));
		if (rc < 0)
			rc = hub_descriptor(&r, HUB_DESCRIPTOR_3, d, sizeof(d));
		rc = rc < 0 ? usb_errno(rc) : rc < 5 ? -EPROTO : 0;
	}
	leave_hub(&r);
	if (rc)
		return rc;
	return (d[3] & 3) < HUB_SWITCH_NONE ? d[3] & 3 : HUB_SWITCH_NONE;
}

/* ---- one port, both ways ---- */

static bool is_there(const char *port)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), SYSFS_USB "/%s", port);
	return access(path, F_OK) == 0;
}

static int wait_left(const char *port, struct deadline d)
{
	while (is_there(port)) {
		int rc;

		if (deadline_passed(d))
			return -ENOTSUP;
		rc = deadline_poll(-1, 0, deadline_min(d, deadline_in(LOOK_MS)));
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * A root hub that was switched behind the kernel's back keeps the device listed until the power
 * returns (seen with dummy_hcd, by uhubctl as well): there its own status has to do.
 */
static int verify_off(const char *port, bool by_hub, struct deadline d)
{
	if (by_hub && !strchr(port, '.'))
		return hub_request(port, -1) == 0 ? 0 : -ENOTSUP;
	return wait_left(port, d);
}

/* *by_hub: the kernel could not do it. */
static int set_one(const char *port, const char *dir, bool on, bool *by_hub)
{
	int rc = sysfs_set(dir, on);

	*by_hub = rc == -ENOENT;
	return *by_hub ? hub_request(port, on) : rc;
}

int hub_port_set(const char *port, bool on, struct deadline d)
{
	char other[PORT_PATH_MAX];
	char dir[PATH_MAX], other_dir[PATH_MAX];
	bool has_twin, by_hub, other_by_hub = false;
	int rc = port_dir(port, dir, sizeof(dir));

	if (rc)
		return rc;
	has_twin = !twin(dir, other, sizeof(other)) &&
		   !port_dir(other, other_dir, sizeof(other_dir));
	rc = set_one(port, dir, on, &by_hub);
	if (!rc && has_twin)
		rc = set_one(other, other_dir, on, &other_by_hub);
	if (rc || on)
		return rc;
	rc = verify_off(port, by_hub, d);
	return rc || !has_twin ? rc : verify_off(other, other_by_hub, d);
}

int hub_port_get(const char *port)
{
	char dir[PATH_MAX];
	int rc = port_dir(port, dir, sizeof(dir));

	if (rc)
		return rc;
	rc = sysfs_get(dir);
	return rc == -ENOENT ? hub_request(port, -1) : rc;
}

bool hub_port_occupied(const char *port)
{
	char dir[PATH_MAX], other[PORT_PATH_MAX];

	if (is_there(port))
		return true;
	return !port_dir(port, dir, sizeof(dir)) && !twin(dir, other, sizeof(other)) &&
	       is_there(other);
}

int hub_port_cycle(const char *port, unsigned int off_ms, struct deadline d)
{
	int rc = hub_port_set(port, false, d);
	int waited = rc ? 0 : deadline_poll(-1, 0, deadline_in(off_ms));
	/* on again also after a failure: a port left off is a board that is gone */
	int on = hub_port_set(port, true, d);

	return rc ? rc : on ? on : waited < 0 ? waited : 0;
}
