// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step pktgen: packets from the kernel's generator over one interface, counted there and, when to=
 * names the other end of the cable, here too. Keys: arg from= to= size= seconds= line_mbit=. FILE
 * pktgen: what the generator says (results/parse-pktgen.h).
 *
 *	tx.bw_bytes rx.bw_bytes		B/s	by the interfaces' own counters, over the time they
 *	tx.packets rx.packets		count	 were read in
 *	tx.seconds			s
 *	lost_percent			%	of the packets sent
 *
 * A rate above that of the line (line_mbit, or what the driver says) is no measurement.
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/net.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROC	"/proc/net/pktgen"
#define WAIT_MS 10000
#define RAMP_MS 200 /* until queues are full */

static struct pktgen {
	char from[NET_NAME], to[NET_NAME]; /* to "": not here */
	uint64_t packet_bytes, seconds, line_mbit;
	char result[320]; /* path */
} gen;

struct counters {
	uint64_t time_ns, tx_bytes, tx_packets, rx_bytes, rx_packets;
};

static int command(const char *file, const char *text)
{
	char path[80], line[80];
	int rc;

	/* It takes the last byte for a newline, whatever it is. */
	snprintf(line, sizeof(line), "%s\n", text);
	snprintf(path, sizeof(path), PROC "/%s", file);
	rc = sysfs_write("", path, line);
	return rc ? work_fail("%s: '%s': %s", path, text, strerror(-rc)) : 0;
}

static int number(const char *name, const char *counter, uint64_t *value)
{
	int rc = net_counter("", name, counter, value);

	return rc ? work_fail("%s: %s: %s", name, counter, strerror(-rc)) : 0;
}

static int look(struct counters *c)
{
	int rc = number(gen.from, "tx_bytes", &c->tx_bytes) |
		 number(gen.from, "tx_packets", &c->tx_packets);

	if (*gen.to)
		rc |= number(gen.to, "rx_bytes", &c->rx_bytes) |
		      number(gen.to, "rx_packets", &c->rx_packets);
	c->time_ns = agent_now_ns();
	return rc;
}

/* Addresses of the other end; of nobody when it is elsewhere. */
static int aim(void)
{
	char path[80], mac[24] = "02:00:00:00:00:01", text[40];

	snprintf(path, sizeof(path), "/sys/class/net/%s/address", gen.to);
	if (*gen.to)
		sysfs_read("", path, mac, sizeof(mac));
	snprintf(text, sizeof(text), "dst_mac %s", mac);
	return command(gen.from, text);
}

static int set_up(void)
{
	char text[64];

	if (!sysfs_exists("", PROC "/pgctrl"))
		return work_unsupported("this kernel has no packet generator (NET_PKTGEN)");
	if (net_up(gen.from) || (*gen.to && net_up(gen.to)))
		return work_fail("%s and %s cannot be set up", gen.from, gen.to);
	snprintf(text, sizeof(text), "add_device %s", gen.from);
	if (command("pgctrl", "reset") || command("kpktgend_0", "rem_device_all") ||
	    command("kpktgend_0", text))
		return 1;
	snprintf(text, sizeof(text), "pkt_size %llu", (unsigned long long)gen.packet_bytes);
	return command(gen.from, "count 0") || command(gen.from, "delay 0") ||
	       command(gen.from, text) || command(gen.from, "dst_min 198.18.0.1") ||
	       command(gen.from, "dst_max 198.18.0.1") || aim();
}

/* "start" comes back when the generator has been stopped. */
static pid_t start(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(sysfs_write("", PROC "/pgctrl", "start\n") ? 1 : 0);
	return pid;
}

static double rate(uint64_t before, uint64_t after, const struct counters *a,
		   const struct counters *b)
{
	return (double)(after - before) * 1e9 / (double)(b->time_ns - a->time_ns);
}

static int check_line(const char *end, double bytes_per_s)
{
	uint64_t line = gen.line_mbit * 1000000;

	if (!line)
		line = net_line_rate("", gen.from);
	if (!line || bytes_per_s * 8 <= (double)line)
		return 0;
	return work_fail("%s: %.0f bits/s cannot be: the line carries %llu", end, bytes_per_s * 8,
			 (unsigned long long)line);
}

static int report(const struct counters *a, const struct counters *b)
{
	double tx = rate(a->tx_bytes, b->tx_bytes, a, b), rx = rate(a->rx_bytes, b->rx_bytes, a, b);
	double sent = (double)(b->tx_packets - a->tx_packets);
	double came = (double)(b->rx_packets - a->rx_packets);

	if (sent <= 0)
		return work_fail("%s sent no packet in %llu s", gen.from,
				 (unsigned long long)gen.seconds);
	work_metric("tx.bw_bytes", tx, "B/s");
	work_metric("tx.packets", sent, "count");
	work_metric("tx.seconds", (double)(b->time_ns - a->time_ns) / 1e9, "s");
	if (!*gen.to)
		return check_line("tx", tx);
	work_metric("rx.bw_bytes", rx, "B/s");
	work_metric("rx.packets", came, "count");
	/* What is under way at either look may make it more that came than was sent. */
	work_metric("lost_percent", came < sent ? 100 * (sent - came) / sent : 0, "%");
	return check_line("tx", tx) | check_line("rx", rx);
}

static void keep_result(void)
{
	char path[80], *text;
	FILE *f = fopen(gen.result, "we");
	long size;

	snprintf(path, sizeof(path), PROC "/%s", gen.from);
	size = sysfs_read_all("", path, &text);
	if (f && size > 0)
		fwrite(text, 1, (size_t)size, f);
	if (f)
		fclose(f);
	if (size >= 0)
		free(text);
}

static int work(void *step)
{
	struct counters before = { 0 }, after = { 0 };
	int rc = set_up(), status = 0;
	pid_t pid;

	(void)step;
	if (rc)
		return rc;
	pid = start();
	if (pid < 0)
		return work_fail("%s", strerror(errno));
	poll(NULL, 0, RAMP_MS);
	rc = look(&before);
	poll(NULL, 0, (int)(gen.seconds * 1000));
	rc |= look(&after);
	rc |= command("pgctrl", "stop");
	if (waitpid(pid, &status, 0) < 0 || status)
		rc |= work_fail("the generator did not run (%d)", status);
	keep_result();
	command("kpktgend_0", "rem_device_all");
	return rc ? 1 : report(&before, &after);
}

static bool find_ends(struct step *s)
{
	const char *to = args_text(s, "to", "");
	char why[160];

	if (net_find(s->agent->root, args_text(s, "from", ""), WAIT_MS, gen.from, why,
		     sizeof(why)) ||
	    (*to && net_find(s->agent->root, to, WAIT_MS, gen.to, why, sizeof(why)))) {
		step_end(s, STEP_UNSUPPORTED, "%s", why);
		return false;
	}
	return true;
}

void step_pktgen(struct step *s)
{
	memset(&gen, 0, sizeof(gen));
	if (!args_number(s, "size", 1500, 60, 9000, &gen.packet_bytes) ||
	    !args_number(s, "seconds", 10, 1, 3600, &gen.seconds) ||
	    !args_number(s, "line_mbit", 0, 0, 1000000, &gen.line_mbit) || !find_ends(s))
		return;
	step_path(s, "pktgen", gen.result, sizeof(gen.result));
	unlink(gen.result);
	work_run(s, work);
	if (!access(gen.result, R_OK))
		step_file(s, "pktgen", gen.result);
	unlink(gen.result);
}
