// SPDX-License-Identifier: GPL-2.0-or-later
/* Rebooting a fastboot device and finding it again; see fastboot.h. Layer: io. */
#include "io/fastboot-priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where a device goes, and whether fastboot is spoken there. */
static const struct target {
	const char *name;
	bool comes_back;
	bool userspace;
} targets[] = {
	{ "", false, false }, /* the system */
	{ "recovery", false, false },
	{ "bootloader", true, false },
	{ "fastboot", true, true },
};

static const struct target *find_target(const char *name)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(targets[i].name, name ? name : ""))
			return &targets[i];
	return NULL;
}

/*
 * Some devices are gone before their OKAY is out; that they have left is the better proof. One that
 * refused or did not take the command stays.
 */
static int ask_to_leave(struct fastboot *f, const struct target *t, struct deadline d)
{
	int rc = fastboot_tell(f, d, "reboot%s%s", *t->name ? "-" : "", t->name);

	return rc == -ENODEV || rc == -EIO ? 0 : rc;
}

static int settle(struct fastboot *f, struct deadline d)
{
	char value[FASTBOOT_ANSWER_MAX];
	struct deadline settled = deadline_min(d, deadline_in(FASTBOOT_SETTLE_MS));
	int rc = 0;

	while (rc >= 0 && !deadline_passed(settled))
		rc = deadline_poll(-1, 0, settled);
	if (rc < 0)
		return rc;
	rc = fastboot_getvar(f, "version", value, sizeof(value), d);
	return rc == -EREMOTEIO ? 0 : rc;
}

/* A device may come and go more than once before it stays. */
static int come_back(struct fastboot *f, const struct usb_match *m, struct deadline d)
{
	int rc;

	do {
		rc = fastboot_reopen(f, m, d);
		if (!rc)
			rc = settle(f, d);
	} while ((rc == -ENODEV || rc == -EIO) && !deadline_passed(d));
	return rc;
}

static int check_mode(struct fastboot *f, const struct target *t, struct deadline d)
{
	int userspace = fastboot_is(f, "is-userspace", d);

	if (userspace < 0)
		return userspace;
	if (userspace != t->userspace)
		return fastboot_fail(f, -EREMOTEIO, "came back in %s",
				     userspace ? "fastbootd" : "the bootloader");
	return 0;
}

int fastboot_reboot(struct fastboot *f, const char *target, struct deadline d)
{
	const struct target *t = find_target(target);
	char port[USB_PORT_MAX];
	struct usb_match m = { .port = port };
	unsigned int address;
	int rc;

	if (!t)
		return fastboot_fail(f, -EINVAL, "no such target: %s", target);
	if (!f->usb)
		return fastboot_fail(f, -ENODEV, "has left");
	snprintf(port, sizeof(port), "%s", f->port);
	address = usb_where(f->usb)->address;
	rc = ask_to_leave(f, t, d);
	if (rc)
		return rc;
	rc = usb_wait_left(&m, address, d);
	if (rc)
		return fastboot_fail(f, rc, "accepted the reboot and stays on port %s", port);
	usb_close(f->usb);
	f->usb = NULL;
	if (!t->comes_back)
		return 0;
	rc = come_back(f, &m, d);
	if (rc)
		return fastboot_fail(f, rc, "has left and does not answer again on port %s", port);
	return check_mode(f, t, d);
}
