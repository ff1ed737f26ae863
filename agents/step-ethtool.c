// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step ethtool: how long the questions take that `ethtool IF` asks of a port's driver. It is no
 * ethtool program: the same four ioctls, link settings, wake-on-LAN, message level and link, are
 * made by the agent, so that no program's start is in the time. Keys: arg interface= (net.h)
 * count=.
 *
 *	first_ns mean_ns max_ns	ns	all four together, `count` times
 *
 * FILE stdout: the settings in ethtool's words (results/parse-ethtool.h); FILE times: ns, one a
 * line.
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/net.h"
#include "agents/numbers.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MS	   5000
#define MASK_WORDS 127 /* of link modes, at most: the kernel says how many in 8 bits */

static struct port {
	char name[NET_NAME];
	uint64_t count;
	char text[320], times[320]; /* paths */
	int fd;
	struct {
		struct ethtool_link_settings head;
		uint32_t masks[3 * MASK_WORDS];
	} settings;
	struct ethtool_value link;
} port;

/* A question that the driver has no answer to takes its time all the same. */
static int ask(void *question)
{
	struct ifreq ifr = { .ifr_data = question };

	memcpy(ifr.ifr_name, port.name, IFNAMSIZ);
	return ioctl(port.fd, SIOCETHTOOL, &ifr) && errno != EOPNOTSUPP ? -errno : 0;
}

/* How many words, then the words. */
static int ask_settings(void)
{
	int rc;

	memset(&port.settings, 0, sizeof(port.settings));
	port.settings.head.cmd = ETHTOOL_GLINKSETTINGS;
	rc = ask(&port.settings);
	if (rc || port.settings.head.link_mode_masks_nwords >= 0)
		return rc;
	port.settings.head.link_mode_masks_nwords =
		(int8_t)-port.settings.head.link_mode_masks_nwords;
	port.settings.head.cmd = ETHTOOL_GLINKSETTINGS;
	return ask(&port.settings);
}

static int ask_all(void)
{
	struct ethtool_wolinfo wol = { .cmd = ETHTOOL_GWOL };
	struct ethtool_value level = { .cmd = ETHTOOL_GMSGLVL };
	int rc = ask_settings();

	port.link = (struct ethtool_value){ .cmd = ETHTOOL_GLINK };
	if (!rc)
		rc = ask(&wol);
	if (!rc)
		rc = ask(&level);
	return rc ? rc : ask(&port.link);
}

static const char *duplex(unsigned int value)
{
	return value == DUPLEX_FULL ? "Full" : value == DUPLEX_HALF ? "Half" : "Unknown! (255)";
}

static int keep_settings(void)
{
	const struct ethtool_link_settings *s = &port.settings.head;
	FILE *f = fopen(port.text, "we");

	if (!f)
		return work_fail("%s: %s", port.text, strerror(errno));
	fprintf(f, "Settings for %s:\n", port.name);
	if (!s->speed || s->speed > INT32_MAX)
		fprintf(f, "\tSpeed: Unknown!\n");
	else
		fprintf(f, "\tSpeed: %uMb/s\n", s->speed);
	fprintf(f, "\tDuplex: %s\n\tAuto-negotiation: %s\n\tLink detected: %s\n", duplex(s->duplex),
		s->autoneg == AUTONEG_ENABLE ? "on" : "off", port.link.data ? "yes" : "no");
	return fclose(f) ? work_fail("%s: %s", port.text, strerror(errno)) : 0;
}

static int keep_times(const struct numbers *list)
{
	FILE *f = fopen(port.times, "we");

	for (size_t i = 0; f && i < list->n; i++)
		fprintf(f, "%.0f\n", list->v[i]);
	return !f || fclose(f) ? work_fail("%s: %s", port.times, strerror(errno)) : 0;
}

static int take_times(struct numbers *list)
{
	for (uint64_t i = 0; i < port.count; i++) {
		uint64_t start_ns = agent_now_ns();
		int rc = ask_all();

		if (rc)
			return work_fail("%s: %s", port.name, strerror(-rc));
		if (!numbers_add(list, (double)(agent_now_ns() - start_ns)))
			return work_fail("out of memory");
	}
	return 0;
}

static int work(void *step)
{
	struct numbers list = { 0 };
	int rc;

	(void)step;
	port.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (port.fd < 0)
		return work_fail("socket: %s", strerror(errno));
	rc = take_times(&list);
	if (!rc)
		rc = keep_times(&list) | keep_settings();
	if (!rc && list.n) {
		work_metric("first_ns", list.v[0], "ns");
		numbers_sort(&list);
		work_metric("mean_ns", numbers_mean(&list), "ns");
		work_metric("max_ns", list.v[list.n - 1], "ns");
	}
	numbers_release(&list);
	close(port.fd);
	return rc;
}

void step_ethtool(struct step *s)
{
	char why[160] = "";

	if (!args_number(s, "count", 10, 1, 10000, &port.count))
		return;
	if (net_find(s->agent->root, args_text(s, "interface", ""), WAIT_MS, port.name, why,
		     sizeof(why)) ||
	    net_up(port.name)) {
		step_end(s, STEP_FAILED, "%s", *why ? why : "it cannot be set up");
		return;
	}
	step_path(s, "stdout.settings", port.text, sizeof(port.text));
	step_path(s, "times", port.times, sizeof(port.times));
	work_run(s, work);
	if (s->status == STEP_OK && !step_file(s, "stdout", port.text))
		step_file(s, "times", port.times);
	unlink(port.text);
	unlink(port.times);
}
