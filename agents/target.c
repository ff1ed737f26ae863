// SPDX-License-Identifier: GPL-2.0-or-later
/* Block devices by what they are, and whether they are free. Above sysfs.c. */
#include "agents/target.h"
#include "agents/agent.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME 64

/* Each writes the device's name as in /sys/class/block; 0 or -ENODEV. */

static bool behind_ufshcd(const char *root, const char *hctl)
{
	char path[SYSFS_PATH], name[NAME];

	snprintf(path, sizeof(path), "/sys/class/scsi_host/host%ld/proc_name",
		 strtol(hctl, NULL, 10));
	return sysfs_read(root, path, name, sizeof(name)) > 0 && !strcmp(name, "ufshcd");
}

static int find_ufs(const char *root, const char *arg, char *name, size_t cap)
{
	struct strv paths = { 0 };
	char pattern[SYSFS_PATH];
	int rc = -ENODEV;

	snprintf(pattern, sizeof(pattern), "/sys/class/scsi_device/*:*:*:%s/device/block/*", arg);
	sysfs_glob(root, pattern, &paths);
	for (size_t i = 0; i < paths.count && rc; i++) {
		const char *hctl = paths.v[i] + strlen("/sys/class/scsi_device/");

		if (behind_ufshcd(root, hctl))
			rc = snprintf(name, cap, "%s", strrchr(paths.v[i], '/') + 1) < (int)cap
				     ? 0
				     : -ENODEV;
	}
	strv_release(&paths);
	return rc;
}

/* Number arg of the SCSI disks that are wanted, in order of where they are plugged in. */
static int find_seated(const char *root, const char *arg,
		       bool (*wanted)(const char *root, const char *device), char *name, size_t cap)
{
	char path[SYSFS_PATH + 8], device[SYSFS_PATH];
	size_t n = 0, number = strtoul(arg, NULL, 10);
	struct strv disks = { 0 };
	int rc = -ENODEV;

	sysfs_glob(root, "/sys/class/block/sd*", &disks);
	sysfs_sort_by_place(root, &disks, "/device");
	for (size_t i = 0; i < disks.count && rc; i++) {
		snprintf(path, sizeof(path), "%s/device", disks.v[i]);
		if (sysfs_place(root, path, device, sizeof(device)) || !wanted(root, device) ||
		    n++ != number)
			continue;
		rc = snprintf(name, cap, "%s", strrchr(disks.v[i], '/') + 1) < (int)cap ? 0
											: -ENODEV;
	}
	strv_release(&disks);
	return rc;
}

/* The kernel's own mass storage function calls its LUNs so, whatever is behind them. */
static bool is_gadget(const char *root, const char *device)
{
	char path[SYSFS_PATH + 8], model[NAME];

	snprintf(path, sizeof(path), "%s/model", device);
	return strstr(device, "/usb") && sysfs_read(root, path, model, sizeof(model)) > 0 &&
	       !strcmp(model, "File-Stor Gadget");
}

static bool is_usb(const char *root, const char *device)
{
	return strstr(device, "/usb") && !is_gadget(root, device);
}

static int find_usb(const char *root, const char *arg, char *name, size_t cap)
{
	return find_seated(root, arg, is_usb, name, cap);
}

static int find_gadget(const char *root, const char *arg, char *name, size_t cap)
{
	return find_seated(root, arg, is_gadget, name, cap);
}

static int find_part(const char *root, const char *arg, char *name, size_t cap)
{
	char text[1024], want[NAME + 16];
	struct strv paths = { 0 };
	int rc = -ENODEV;

	snprintf(want, sizeof(want), "\nPARTNAME=%s", arg);
	sysfs_glob(root, "/sys/class/block/*/uevent", &paths);
	for (size_t i = 0; i < paths.count && rc; i++) {
		const char *at;

		if (sysfs_read(root, paths.v[i], text, sizeof(text)) < 0)
			continue;
		at = strstr(text, want);
		if (!at || (at[strlen(want)] && at[strlen(want)] != '\n'))
			continue;
		*strrchr(paths.v[i], '/') = '\0';
		rc = snprintf(name, cap, "%s", strrchr(paths.v[i], '/') + 1) < (int)cap ? 0
											: -ENODEV;
	}
	strv_release(&paths);
	return rc;
}

static int find_disk(const char *root, const char *arg, char *name, size_t cap)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), "/sys/class/block/%s", arg);
	if (strchr(arg, '/') || !*arg || !sysfs_exists(root, path))
		return -ENODEV;
	return snprintf(name, cap, "%s", arg) < (int)cap ? 0 : -ENODEV;
}

static const struct selector {
	const char *prefix;
	int (*find)(const char *root, const char *arg, char *name, size_t cap);
} selectors[] = {
	{ "ufs:", find_ufs },	{ "usb:", find_usb },	{ "gadget:", find_gadget },
	{ "part:", find_part }, { "disk:", find_disk },
};

/* Whether something in /proc/mounts or /proc/swaps stands on the device with this number or name.
 */
static bool mounted(const char *root, const char *number)
{
	char want[NAME + 8], *text;
	bool found;

	/* mountinfo: id parent major:minor ... */
	if (sysfs_read_all(root, "/proc/self/mountinfo", &text) < 0)
		return false;
	snprintf(want, sizeof(want), " %s ", number);
	found = strstr(text, want);
	free(text);
	return found;
}

static bool swapped_on(const char *root, const char *name)
{
	char want[NAME + 8], *text;
	bool found;

	if (sysfs_read_all(root, "/proc/swaps", &text) < 0)
		return false;
	snprintf(want, sizeof(want), "/dev/%s ", name);
	found = strstr(text, want);
	free(text);
	return found;
}

static bool held(const char *root, const char *dir)
{
	char pattern[SYSFS_PATH];
	struct strv holders = { 0 };
	bool found;

	snprintf(pattern, sizeof(pattern), "%s/holders/*", dir);
	sysfs_glob(root, pattern, &holders);
	found = holders.count;
	strv_release(&holders);
	return found;
}

/* What is wrong with the disk or partition at this sysfs directory; NULL: nothing. */
static const char *use_of(const char *root, const char *dir)
{
	char path[SYSFS_PATH + 8], number[NAME];

	snprintf(path, sizeof(path), "%s/dev", dir);
	if (sysfs_read(root, path, number, sizeof(number)) > 0 && mounted(root, number))
		return "is mounted";
	if (swapped_on(root, strrchr(dir, '/') + 1))
		return "is used as swap space";
	return held(root, dir) ? "is held by another device" : NULL;
}

static int check_free(const char *root, const char *name, char *why, size_t cap)
{
	char dir[SYSFS_PATH], dev[2 * SYSFS_PATH];
	struct strv paths = { 0 };
	const char *use = NULL;
	int fd;

	snprintf(dir, sizeof(dir), "/sys/class/block/%s", name);
	strv_add(&paths, dir);
	snprintf(dir, sizeof(dir), "/sys/class/block/%s/%s*", name, name);
	sysfs_glob(root, dir, &paths);
	for (size_t i = 0; i < paths.count && !use; i++) {
		use = use_of(root, paths.v[i]);
		if (use)
			snprintf(why, cap, "/dev/%s %s", strrchr(paths.v[i], '/') + 1, use);
	}
	strv_release(&paths);
	if (use)
		return -EBUSY;
	snprintf(dev, sizeof(dev), "%s/dev/%s", root, name);
	fd = open(dev, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd >= 0)
		return close(fd), 0;
	snprintf(why, cap, "/dev/%s cannot be opened alone: %s", name, strerror(errno));
	return -errno;
}

static int uevent_socket(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A kernel event or 100 ms, whichever is first: not all kernels let everybody listen. */
static void wait_event(int fd, unsigned int left_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char buf[4096];

	if (poll(&pfd, 1, left_ms < 100 ? (int)left_ms : 100) > 0)
		while (recv(fd, buf, sizeof(buf), 0) > 0)
			;
}

int target_wait(const char *root, const char *selector, unsigned int wait_ms, char *name,
		size_t cap, char *why, size_t why_cap)
{
	uint64_t end_ms = agent_now_ms() + wait_ms, now_ms;
	const struct selector *s = NULL;
	int fd, rc;

	for (size_t i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++)
		if (!strncmp(selector, selectors[i].prefix, strlen(selectors[i].prefix)))
			s = &selectors[i];
	if (!s) {
		snprintf(why, why_cap,
			 "target '%s': not ufs:N, usb:N, gadget:N, part:NAME or disk:NAME",
			 selector);
		return -EINVAL;
	}
	fd = uevent_socket();
	while ((rc = s->find(root, selector + strlen(s->prefix), name, cap)) &&
	       (now_ms = agent_now_ms()) < end_ms)
		wait_event(fd, (unsigned int)(end_ms - now_ms));
	if (fd >= 0)
		close(fd);
	if (rc)
		snprintf(why, why_cap, "target '%s': no such block device within %u ms", selector,
			 wait_ms);
	return rc;
}

int target_find(const char *root, const char *selector, unsigned int wait_ms, char *dev,
		size_t dev_cap, char *why, size_t why_cap)
{
	char name[NAME];
	int rc = target_wait(root, selector, wait_ms, name, sizeof(name), why, why_cap);

	if (rc)
		return rc;
	snprintf(dev, dev_cap, "/dev/%s", name);
	return check_free(root, name, why, why_cap);
}
