// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The drivers of rig/io one call at a time, for the cases of the guest: prints what came of it, as
 * "rc=0" or "rc=ENODEV", and exits 0 or 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "io/gpio.h"
#include "io/hub.h"
#include "io/serial.h"
#include "io/usb.h"

#define CHUNK	 4096
#define STUCK_MS 30000

static int result(int rc)
{
	printf("rc=%s\n", rc < 0 ? strerrorname_np(-rc) : "0");
	return rc < 0;
}

static double cpu_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

/* ---- serial ---- */

static int serial_try(struct serial **s, char **a)
{
	long got = 0;
	int rc = serial_open(s, a[0], atol(a[1]), &got);

	printf("baud=%ld path=%s\n", got, rc ? "" : serial_path(*s));
	return rc;
}

static int do_open(char **a)
{
	struct serial *s = NULL;
	int rc = serial_try(&s, a);

	serial_close(s);
	return result(rc);
}

/* Opens, says so, and keeps it until the port is gone. */
static int do_wait(char **a)
{
	struct serial *s = NULL;
	int rc = serial_try(&s, a);
	char buf[CHUNK];
	double cpu;

	if (rc)
		return result(rc);
	fflush(stdout);
	cpu = cpu_ms();
	for (;;) {
		int events = deadline_poll(serial_fd(s), POLLIN, deadline_in(STUCK_MS));

		if (events <= 0 || (events & POLLHUP) || read(serial_fd(s), buf, CHUNK) <= 0)
			break;
	}
	rc = serial_check(s);
	printf("gone_at=%llu cpu_ms=%.1f\n", (unsigned long long)mono_ms(), cpu_ms() - cpu);
	serial_close(s);
	return result(rc == -ENODEV ? 0 : -ETIMEDOUT);
}

/* Fills the output of a port whose far end does not read, then closes. */
static int do_stuff(char **a)
{
	struct serial *s = NULL;
	int rc = serial_try(&s, a);
	char buf[CHUNK] = { 0 };
	uint64_t start;
	long n = 0;

	if (rc)
		return result(rc);
	while (n < (1 << 20) && write(serial_fd(s), buf, CHUNK) > 0)
		n += CHUNK;
	start = mono_ms();
	serial_close(s);
	printf("unsent=%ld close_ms=%llu\n", n, (unsigned long long)(mono_ms() - start));
	return result(0);
}

static int do_break(char **a)
{
	struct serial_errors e;
	struct serial *s = NULL;
	int rc = serial_try(&s, a);

	if (!rc)
		rc = serial_break(s, 250);
	if (!rc && !serial_errors(s, &e))
		printf("overrun=%u frame=%u breaks=%u\n", e.overrun, e.frame, e.breaks);
	serial_close(s);
	return result(rc);
}

static unsigned char pattern(size_t i)
{
	return (unsigned char)((i * 2654435761U) >> 13);
}

struct flow {
	int out, in;
	size_t sent, received, size;
	size_t wrong;
};

static int flow_send(struct flow *f)
{
	unsigned char buf[CHUNK];
	size_t n = f->size - f->sent < CHUNK ? f->size - f->sent : CHUNK;
	ssize_t w;

	for (size_t i = 0; i < n; i++)
		buf[i] = pattern(f->sent + i);
	w = write(f->out, buf, n);
	if (w < 0)
		return errno == EAGAIN ? 0 : -errno;
	f->sent += (size_t)w;
	return 0;
}

static int flow_receive(struct flow *f)
{
	unsigned char buf[CHUNK];
	ssize_t n = read(f->in, buf, sizeof(buf));

	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	for (ssize_t i = 0; i < n; i++)
		f->wrong += buf[i] != pattern(f->received + (size_t)i);
	f->received += (size_t)n;
	return n ? 0 : -EPIPE;
}

/* Sends the pattern into out and checks what comes in; at most 8 kB on the way where it echoes. */
static int flow_run(struct flow *f)
{
	while (f->received < f->size) {
		bool may = f->sent < f->size && f->sent - f->received < 2 * CHUNK;
		struct pollfd p[] = { { f->in, POLLIN, 0 }, { may ? f->out : -1, POLLOUT, 0 } };
		int rc = 0;

		if (poll(p, 2, STUCK_MS) <= 0)
			return -ETIMEDOUT;
		if (p[1].revents)
			rc = flow_send(f);
		if (!rc && p[0].revents)
			rc = flow_receive(f);
		if (rc)
			return rc;
	}
	return f->wrong ? -EBADMSG : 0;
}

static int flow(const char *what, int out, int in, size_t size)
{
	struct flow f = { .out = out, .in = in, .size = size };
	double cpu = cpu_ms();
	uint64_t start = mono_ms();
	int rc = flow_run(&f);
	double s = (double)(mono_ms() - start) / 1e3;

	printf("%s: %zu of %zu bytes, %zu wrong, %.0f kB/s, cpu_ms=%.0f\n", what, f.received, size,
	       f.wrong, (double)f.received / 1e3 / (s > 0 ? s : 1e-3), cpu_ms() - cpu);
	return rc;
}

/* WHERE BAUD BYTES: the far end sends everything back. */
static int do_echo(char **a)
{
	struct serial *s = NULL;
	int rc = serial_try(&s, a);

	if (!rc)
		rc = flow("echo", serial_fd(s), serial_fd(s), (size_t)atol(a[2]));
	serial_close(s);
	return result(rc);
}

static int open_raw(const char *path)
{
	struct termios t;
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && !tcgetattr(fd, &t)) {
		cfmakeraw(&t);
		tcsetattr(fd, TCSANOW, &t);
	}
	return fd;
}

/* WHERE BAUD BYTES PEER: there and back between the port and the gadget's end of it. */
static int do_pair(char **a)
{
	struct serial *s = NULL;
	int rc = serial_try(&s, a);
	int peer = open_raw(a[3]);

	if (peer < 0)
		rc = -errno;
	if (!rc)
		rc = flow("out", serial_fd(s), peer, (size_t)atol(a[2]));
	if (!rc)
		rc = flow("in", peer, serial_fd(s), (size_t)atol(a[2]));
	if (peer >= 0) {
		tcflush(peer, TCIOFLUSH);
		close(peer);
	}
	serial_close(s);
	return result(rc);
}

static int do_locate(char **a)
{
	char path[4096] = "";
	int rc = serial_locate(a[0], path, sizeof(path));

	printf("path=%s\n", path);
	return result(rc);
}

/* WHERE BAUD MS: waits for a byte. */
static int do_byte(char **a)
{
	struct serial *s = NULL;
	int rc = serial_try(&s, a);

	if (!rc) {
		rc = deadline_poll(serial_fd(s), POLLIN, deadline_in((uint64_t)atol(a[2])));
		rc = rc > 0 ? 0 : rc ? rc : serial_check(s) ? serial_check(s) : -ETIMEDOUT;
	}
	serial_close(s);
	return result(rc);
}

/* WHERE BAUD: opens, says so, and writes after a line on stdin. */
static int do_write(char **a)
{
	struct serial *s = NULL;
	int rc = serial_try(&s, a);
	char line[8];

	fflush(stdout);
	if (!rc && fgets(line, sizeof(line), stdin)) {
		ssize_t n = write(serial_fd(s), "x", 1);

		printf("write=%s\n", n < 0 ? strerrorname_np(errno) : "0");
		rc = n < 0 ? serial_check(s) : 0;
	}
	serial_close(s);
	return result(rc);
}

/* ---- USB: PORT MS ... ---- */

static int usb_try(struct usb_dev **dev, char **a)
{
	struct usb_match m = { .port = a[0] };
	int rc = usb_open(dev, &m, deadline_in((uint64_t)atol(a[1])));

	if (!rc)
		printf("address=%u serial=%s\n", usb_where(*dev)->address, usb_where(*dev)->serial);
	fflush(stdout);
	return rc;
}

/* Claims its interface, says so, and holds it until stdin ends. */
static int do_usb_hold(char **a)
{
	struct usb_dev *dev = NULL;
	int rc = usb_try(&dev, a);
	char line[8];

	while (!rc && fgets(line, sizeof(line), stdin))
		;
	usb_close(dev);
	return result(rc);
}

/* PORT OPEN-MS READ-MS */
static int do_usb_read(char **a)
{
	struct usb_dev *dev = NULL;
	char buf[CHUNK];
	int rc = usb_try(&dev, a);

	if (!rc)
		rc = (int)usb_read(dev, buf, sizeof(buf), deadline_in((uint64_t)atol(a[2])));
	usb_close(dev);
	return result(rc);
}

/* SERIAL MS */
static int do_usb_serial(char **a)
{
	struct usb_match m = { .serial = a[0] };
	struct usb_dev *dev = NULL;
	int rc = usb_open(&dev, &m, deadline_in((uint64_t)atol(a[1])));

	usb_close(dev);
	return result(rc);
}

static int do_usb_left(char **a)
{
	struct usb_match m = { .port = a[0] };

	return result(usb_wait_left(&m, 0, deadline_in((uint64_t)atol(a[1]))));
}

static int do_usb_arrived(char **a)
{
	struct usb_match m = { .port = a[0] };
	struct usb_found found = { .address = 0 };
	int rc = usb_wait_arrived(&m, &found, deadline_in((uint64_t)atol(a[1])));

	printf("port=%s address=%u\n", found.port, found.address);
	return result(rc);
}

/* ---- GPIO: CHIP LINE ... ---- */

static struct gpio_name line_of(char **a)
{
	return (struct gpio_name){ a[0], a[1], getenv("ACTIVE_LOW") != NULL };
}

/* CHIP LINE 0|1: holds the line until stdin ends. */
static int do_hold(char **a)
{
	struct gpio_name name = line_of(a);
	struct gpio *g = NULL;
	int rc = gpio_open_output(&g, &name, atoi(a[2]) != 0, "rig io-tool");
	char c;

	if (!rc)
		printf("held=%d\n", gpio_get(g));
	fflush(stdout);
	while (!rc && read(0, &c, 1) == 1) {
		if (c == '0' || c == '1')
			rc = gpio_set(g, c == '1');
		if (!rc && gpio_get(g) < 0)
			rc = gpio_get(g);
	}
	gpio_close(g);
	return result(rc);
}

static int do_pulse(char **a)
{
	struct gpio_name name = line_of(a);
	struct gpio *g = NULL;
	int rc = gpio_open_output(&g, &name, false, "rig io-tool");

	if (!rc)
		rc = gpio_pulse(g, (unsigned int)atoi(a[2]));
	if (!rc)
		printf("after=%d\n", gpio_get(g));
	gpio_close(g);
	return result(rc);
}

/* FILE: how long it held 1, as its reader sees it: value_ms=N. */
static int do_watch(char **a)
{
	struct deadline d = deadline_in(STUCK_MS);
	uint64_t rise = 0;
	char c = '0';

	while (!deadline_passed(d)) {
		int fd = open(a[0], O_RDONLY | O_CLOEXEC);

		if (fd < 0 || read(fd, &c, 1) != 1)
			c = '?';
		if (fd >= 0)
			close(fd);
		if (c == '1' && !rise)
			rise = mono_ms();
		if (c == '0' && rise)
			break;
	}
	printf("value_ms=%llu\n", (unsigned long long)(mono_ms() - rise));
	return result(rise && c == '0' ? 0 : -ETIMEDOUT);
}

static int do_read(char **a)
{
	struct gpio_name name = line_of(a);
	struct gpio *g = NULL;
	int rc = gpio_open_input(&g, &name, "rig io-tool");

	if (!rc)
		printf("value=%d\n", gpio_get(g));
	gpio_close(g);
	return result(rc);
}

static int do_consumer(char **a)
{
	struct gpio_name name = line_of(a);
	char who[64] = "";
	int rc = gpio_consumer(&name, who, sizeof(who));

	printf("consumer=%s\n", who);
	return result(rc);
}

/* ---- hub: PORT ---- */

static int do_hub(char **a)
{
	static const char *const verbs[] = { "off",	 "on",	      "get", "cycle",
					     "occupied", "switching", NULL };
	struct deadline d = deadline_in(5000);
	int verb = 0;
	int rc;

	while (verbs[verb] && strcmp(verbs[verb], a[1]) != 0)
		verb++;
	switch (verb) {
	case 0:
	case 1:
		return result(hub_port_set(a[0], verb == 1, d));
	case 2:
		rc = hub_port_get(a[0]);
		printf("power=%d\n", rc);
		return result(rc);
	case 3:
		return result(hub_port_cycle(a[0], 300, d));
	case 5:
		rc = hub_port_switching(a[0]);
		printf("switching=%d\n", rc);
		return result(rc);
	default:
		printf("occupied=%d\n", hub_port_occupied(a[0]));
		return result(0);
	}
}

static const struct {
	const char *name;
	int n_args;
	int (*run)(char **args);
} tools[] = {
	{ "serial-open", 2, do_open },	     { "serial-wait", 2, do_wait },
	{ "serial-stuff", 2, do_stuff },     { "serial-break", 2, do_break },
	{ "serial-echo", 3, do_echo },	     { "serial-pair", 4, do_pair },
	{ "serial-locate", 1, do_locate },   { "serial-byte", 3, do_byte },
	{ "serial-write", 2, do_write },     { "usb-hold", 2, do_usb_hold },
	{ "usb-read", 3, do_usb_read },	     { "usb-serial", 2, do_usb_serial },
	{ "usb-left", 2, do_usb_left },	     { "usb-arrived", 2, do_usb_arrived },
	{ "gpio-hold", 3, do_hold },	     { "gpio-pulse", 3, do_pulse },
	{ "gpio-watch", 1, do_watch },	     { "gpio-read", 2, do_read },
	{ "gpio-consumer", 2, do_consumer }, { "hub", 2, do_hub },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (argc > 1 && !strcmp(argv[1], tools[i].name) && argc == 2 + tools[i].n_args)
			return tools[i].run(argv + 2);
	fprintf(stderr, "usage: io-tool TOOL ARG...\n");
	return 64;
}
