// SPDX-License-Identifier: GPL-2.0-or-later
/* Network interfaces; see net.h. Above sysfs.c. */
#include "agents/net.h"
#include "agents/agent.h"
#include "agents/sysfs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* How a gadget made by configfs is called as a driver, with its own name behind it. */
#define GADGET_DRIVER "configfs-gadget"

static bool is_driver(const char *root, const char *interface, const char *want, size_t n)
{
	char path[SYSFS_PATH + 16], driver[64];

	snprintf(path, sizeof(path), "%s/device/driver", interface);
	if (sysfs_link_name(root, path, driver, sizeof(driver)))
		return false;
	if (n == strlen("gadget") && !strncmp(want, "gadget", n))
		return !strncmp(driver, GADGET_DRIVER, strlen(GADGET_DRIVER));
	return strlen(driver) == n && !strncmp(driver, want, n);
}

static int find_by_driver(const char *root, const char *selector, char name[NET_NAME])
{
	const char *colon = strchr(selector, ':');
	size_t n = 0, number = strtoul(colon + 1, NULL, 10);
	struct strv all = { 0 };
	int rc = -ENODEV;

	sysfs_glob(root, "/sys/class/net/*", &all);
	sysfs_sort_by_place(root, &all, "");
	for (size_t i = 0; i < all.count && rc; i++) {
		if (!is_driver(root, all.v[i], selector, (size_t)(colon - selector)) ||
		    n++ != number)
			continue;
		snprintf(name, NET_NAME, "%s", strrchr(all.v[i], '/') + 1);
		rc = 0;
	}
	strv_release(&all);
	return rc;
}

static int find(const char *root, const char *selector, char name[NET_NAME])
{
	char path[SYSFS_PATH];

	if (strchr(selector, ':'))
		return find_by_driver(root, selector, name);
	snprintf(path, sizeof(path), "/sys/class/net/%s", selector);
	if (strchr(selector, '/') || !*selector || !sysfs_exists(root, path))
		return -ENODEV;
	snprintf(name, NET_NAME, "%s", selector);
	return 0;
}

int net_find(const char *root, const char *selector, unsigned int wait_ms, char name[NET_NAME],
	     char *why, size_t cap)
{
	uint64_t end_ms = agent_now_ms() + wait_ms;
	int rc;

	while ((rc = find(root, selector, name)) && agent_now_ms() < end_ms)
		poll(NULL, 0, 50);
	if (rc)
		snprintf(why, cap, "interface '%s': none such within %u ms", selector, wait_ms);
	return rc;
}

/* ---- ioctls ---- */

static int on_socket(unsigned long request, struct ifreq *ifr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = fd < 0 || ioctl(fd, request, ifr) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return rc;
}

static struct ifreq request_for(const char *name)
{
	struct ifreq ifr = { 0 };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%.*s", IFNAMSIZ - 1, name);
	return ifr;
}

int net_up(const char *name)
{
	struct ifreq ifr = request_for(name);
	int rc = on_socket(SIOCGIFFLAGS, &ifr);

	ifr.ifr_flags |= IFF_UP;
	return rc ? rc : on_socket(SIOCSIFFLAGS, &ifr);
}

int net_address(const char *name, const char *address)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct ifreq ifr = request_for(name);
	int rc;

	if (inet_pton(AF_INET, address, &in.sin_addr) != 1)
		return -EINVAL;
	memcpy(&ifr.ifr_addr, &in, sizeof(in));
	rc = on_socket(SIOCSIFADDR, &ifr);
	in.sin_addr.s_addr = htonl(0xffffff00);
	memcpy(&ifr.ifr_netmask, &in, sizeof(in));
	return rc ? rc : on_socket(SIOCSIFNETMASK, &ifr);
}

/* ---- name spaces ---- */

static int talk(void *request, size_t size)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	char answer[4096] = { 0 };
	struct nlmsghdr *nl = (struct nlmsghdr *)answer;
	struct nlmsgerr *error = NLMSG_DATA(nl);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (send(fd, request, size, 0) < 0 ||
	    recv(fd, answer, sizeof(answer), 0) < (ssize_t)NLMSG_LENGTH(sizeof(*error)))
		rc = errno ? -errno : -EIO;
	else if (nl->nlmsg_type == NLMSG_ERROR)
		rc = error->error;
	close(fd);
	return rc;
}

int net_move(const char *name, int pid)
{
	struct {
		struct nlmsghdr nl;
		struct ifinfomsg info;
		struct rtattr attr;
		uint32_t pid;
	} request = {
		.nl = { .nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_NEWLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.info = { .ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(name) },
		.attr = { .rta_len = RTA_LENGTH(sizeof(uint32_t)), .rta_type = IFLA_NET_NS_PID },
		.pid = (uint32_t)pid,
	};

	return request.info.ifi_index ? talk(&request, sizeof(request)) : -ENODEV;
}

/* ---- sysfs ---- */

static int read_number(const char *root, const char *path, uint64_t *value)
{
	char text[32], *end;
	int rc = sysfs_read(root, path, text, sizeof(text));

	if (rc < 0)
		return rc;
	*value = strtoull(text, &end, 10);
	return end == text || *end || *text == '-' ? -EINVAL : 0;
}

int net_counter(const char *root, const char *name, const char *counter, uint64_t *value)
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", name, counter);
	return read_number(root, path, value);
}

uint64_t net_line_rate(const char *root, const char *name)
{
	char path[SYSFS_PATH];
	uint64_t mbits;

	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", name);
	return read_number(root, path, &mbits) ? 0 : mbits * 1000000;
}
