// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding USB devices in sysfs and waiting for them; see usb.h. Layer: io. */
#include "io/usb.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/sysfs.h"
#include "io/uevent.h"
#include "io/usb-priv.h"

/* ---- one device in sysfs ---- */

/* The file's bytes, at most size; -errno. A device may go at any moment: then -ENODEV. */
static ssize_t attribute(const char *port, const char *name, void *buf, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), SYSFS_USB "/%s/%s", port, name);
	n = sysfs_read(path, buf, size);
	return n == -ENOENT || n == -EIO ? -ENODEV : n;
}

static int attribute_text(const char *port, const char *name, char *buf, size_t size)
{
	ssize_t n = attribute(port, name, buf, size - 1);

	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return n < 0 ? (int)n : 0;
}

/* 0 when it is missing or empty, as the configuration of a device that has none yet is. */
static unsigned int attribute_uint(const char *port, const char *name)
{
	char text[16];

	if (attribute_text(port, name, text, sizeof(text)))
		return 0;
	return (unsigned int)strtoul(text, NULL, 10);
}

int usb_load(const char *port, struct usb_device *dev)
{
	ssize_t n = attribute(port, "descriptors", dev->raw, sizeof(dev->raw));

	if (n < 0)
		return (int)n;
	dev->size = (size_t)n;
	dev->config = attribute_uint(port, "bConfigurationValue");
	memset(&dev->at, 0, sizeof(dev->at));
	if (!usb_desc_ids(dev->raw, dev->size, &dev->at.vid, &dev->at.pid))
		return -EPROTO;
	snprintf(dev->at.port, sizeof(dev->at.port), "%s", port);
	dev->at.bus = attribute_uint(port, "busnum");
	dev->at.address = attribute_uint(port, "devnum");
	dev->at.speed_mbps = attribute_uint(port, "speed");
	attribute_text(port, "serial", dev->at.serial, sizeof(dev->at.serial));
	return dev->at.address ? 0 : -ENODEV;
}

/* ---- matching ---- */

bool usb_match_interface(const struct usb_match *m, const struct usb_device *dev,
			 struct usb_interface *interface)
{
	size_t at = 0;

	while (usb_desc_next(dev->raw, dev->size, dev->config, &at, interface)) {
		if (!m->class)
			return true;
		if (interface->class == m->class &&
		    (m->subclass < 0 || interface->subclass == m->subclass) &&
		    (m->protocol < 0 || interface->protocol == m->protocol))
			return true;
	}
	return false;
}

static bool matches(const struct usb_match *m, const struct usb_device *dev)
{
	struct usb_interface unused;

	if (m->port && strcmp(m->port, dev->at.port) != 0)
		return false;
	if ((m->vid && m->vid != dev->at.vid) || (m->pid && m->pid != dev->at.pid))
		return false;
	if (m->serial && strcmp(m->serial, dev->at.serial) != 0)
		return false;
	return !m->class || usb_match_interface(m, dev, &unused);
}

/* "1-1.2", and neither "usb1" nor "1-1:1.0". */
static bool is_port(const char *name)
{
	return name[0] >= '0' && name[0] <= '9' && !strchr(name, ':') &&
	       strlen(name) < USB_PORT_MAX;
}

int usb_find(const struct usb_match *m, struct usb_found *found, size_t max)
{
	DIR *dir = opendir(SYSFS_USB);
	struct usb_device dev;
	struct dirent *e;
	size_t n = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((e = readdir(dir))) {
		if (!is_port(e->d_name) || (m->port && strcmp(m->port, e->d_name) != 0))
			continue;
		if (usb_load(e->d_name, &dev) || !matches(m, &dev))
			continue;
		if (n < max)
			found[n] = dev.at;
		n++;
	}
	closedir(dir);
	return (int)n;
}

/* ---- waiting ---- */

int usb_wait_arrived(const struct usb_match *m, struct usb_found *found, struct deadline d)
{
	/* before the first look, so that nothing falls in between */
	int fd = uevent_open();
	struct usb_found one;
	int rc;

	for (;;) {
		rc = usb_find(m, &one, 1);
		if (rc)
			break;
		if (deadline_passed(d))
			rc = -ETIMEDOUT;
		else
			rc = uevent_wait(fd, d);
		if (rc)
			break;
	}
	if (rc == 1 && found)
		*found = one;
	if (rc > 0)
		rc = rc == 1 ? 0 : -EEXIST;
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Does one match, or, if an address is given, the one with it? */
static int is_listed(const struct usb_match *m, unsigned int address)
{
	struct usb_found found[16] = { 0 };
	size_t max = sizeof(found) / sizeof(found[0]);
	int n = usb_find(m, found, max);

	if (n <= 0 || !address)
		return n;
	for (int i = 0; i < n && (size_t)i < max; i++)
		if (found[i].address == address)
			return 1;
	return 0;
}

int usb_wait_left(const struct usb_match *m, unsigned int address, struct deadline d)
{
	int fd = uevent_open();
	int rc;

	while ((rc = is_listed(m, address)) > 0) {
		rc = deadline_passed(d) ? -ETIMEDOUT : uevent_wait(fd, d);
		if (rc)
			break;
	}
	if (fd >= 0)
		close(fd);
	return rc;
}
