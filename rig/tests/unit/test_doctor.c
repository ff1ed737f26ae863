// SPDX-License-Identifier: GPL-2.0-or-later
/* rig doctor on hosts that are made for it, and the udev rules of a lab. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/board.h"
#include "board/lab-ports.h"
#include "cli/doctor.h"
#include "cli/udev-rules.h"

static const struct lab_type types[] = {
	{ .name = "wired", .keys = &lab_wired_keys },
	{ .name = "virt-ufs", .keys = &lab_virt_keys, .builtin = true },
};

/* Two boards behind one hub; the first is switched by that hub, the second by a relay. */
#define TWO_BOARDS                                                                                 \
	"boards:\n"                                                                                \
	"- {name: b1, type: wired, usb: 1-1.2, console: {at: 'usb:1-1.3', baud: 115200},\n"        \
	"   vbus: {by: hub, port: 1-1.2}}\n"                                                       \
	"- {name: b2, type: wired, usb: 2-4, console: {at: 'usb:1-1.4:1.1'},\n"                    \
	"   power: {by: gpio, chip: relays, line: b2}}\n"

static char *root; /* of the host, and $RIG_HOME */
static struct doctor d;
static struct lab *lab;

static int set_up(void **state)
{
	char name[] = "/tmp/rig-doctor-XXXXXX";

	(void)state;
	root = xstrdup(mkdtemp(name));
	setenv("RIG_HOME", root, 1);
	d = (struct doctor){ .root = root };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	doctor_release(&d);
	lab_free(lab);
	lab = NULL;
	path_remove(root);
	free(root);
	return 0;
}

static void with_lab(const char *text)
{
	struct err err = ERR_INIT;

	lab = lab_parse("lab.yaml", text, strlen(text), types, 2, &err);
	assert_string_equal(err.message, "");
	d.lab = lab;
}

static void host_file(const char *path, const char *text)
{
	char *full = xasprintf("%s%s", root, path);
	char *dir = xstrdup(full);

	*strrchr(dir, '/') = '\0';
	assert_int_equal(path_mkdirs(dir), 0);
	assert_int_equal(path_write(full, text, strlen(text)), 0);
	free(dir);
	free(full);
}

static int chmod_in_root(const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	int rc = chmod(full, 0755);

	free(full);
	return rc;
}

static void device(const char *port, const char *ids, const char *serial, const char *control)
{
	static int address = 4;
	char path[200], text[32];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/%s", port,
			 i ? "idProduct" : "idVendor");
		snprintf(text, sizeof(text), "%.4s\n", ids + 5 * i);
		host_file(path, text);
	}
	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/busnum", port);
	host_file(path, "1\n");
	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/devnum", port);
	snprintf(text, sizeof(text), "%d\n", ++address);
	host_file(path, text);
	snprintf(path, sizeof(path), "/dev/bus/usb/001/%03d", address);
	host_file(path, "");
	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/dev", port);
	snprintf(text, sizeof(text), "189:%d\n", address - 1);
	host_file(path, text);
	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/serial", port);
	if (serial)
		host_file(path, serial);
	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/power/control", port);
	if (control)
		host_file(path, control);
}

/* The row of that check whose evidence has the text, and its state; else fails. */
static const struct doctor_row *row(const char *check, const char *text, enum doctor_state want)
{
	for (size_t i = 0; i < d.n_rows; i++) {
		const struct doctor_row *r = &d.rows[i];

		if (strcmp(r->check, check) != 0 || !strstr(r->evidence, text))
			continue;
		assert_int_equal(r->state, want);
		if (want != DOCTOR_OK)
			assert_non_null(r->mend);
		return r;
	}
	for (size_t i = 0; i < d.n_rows; i++)
		print_message("%d %s: %s\n", d.rows[i].state, d.rows[i].check, d.rows[i].evidence);
	fail_msg("no row %s with \"%s\"", check, text);
	return NULL;
}

static size_t rows(const char *check)
{
	size_t n = 0;

	for (size_t i = 0; i < d.n_rows; i++)
		n += !strcmp(d.rows[i].check, check);
	return n;
}

/* ---- USB ---- */

static void virtual_boards_need_no_usb(void **state)
{
	(void)state;
	with_lab("boards:\n- {name: v, type: virt-ufs}\n");
	doctor_usb(&d);
	doctor_host(&d);
	doctor_wires(&d);
	assert_int_equal(d.n_rows, 0);
	d.lab = NULL;
	doctor_usb(&d);
	doctor_host(&d);
	doctor_wires(&d);
	assert_int_equal(d.n_rows, 0);
}

static void usb_memory(void **state)
{
	static const struct {
		const char *have;
		enum doctor_state want;
		const char *text;
	} cases[] = {
		{ "16\n", DOCTOR_OK, "16 MB" },
		{ "7\n", DOCTOR_WARN, "7 MB for all boards, 2 on USB want 4 MB each" },
		{ "0\n", DOCTOR_OK, "no limit" },
	};

	(void)state;
	with_lab(TWO_BOARDS);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		host_file("/sys/module/usbcore/parameters/usbfs_memory_mb", cases[i].have);
		doctor_usb(&d);
		row("usbfs memory", cases[i].text, cases[i].want);
		doctor_release(&d);
	}
}

static void usb_nodes(void **state)
{
	(void)state;
	with_lab(TWO_BOARDS);
	device("1-1.2", "18d1:4ee0", NULL, NULL);
	doctor_usb(&d);
	row("usb node", "b1: ", DOCTOR_OK);
	row("usb node", "b2: nothing in port 2-4 now", DOCTOR_OK);
	assert_int_equal(rows("serial numbers"), 0);
}

/* Root may open what nobody else may. */
static void usb_node_without_permission(void **state)
{
	char *node;

	(void)state;
	with_lab(TWO_BOARDS);
	device("1-1.2", "18d1:4ee0", NULL, NULL);
	node = xasprintf("%s/dev/bus/usb", root);
	assert_int_equal(path_remove(node), 0); /* stands for it: access(2) fails */
	free(node);
	doctor_usb(&d);
	assert_non_null(strstr(row("usb node", "no permission", DOCTOR_BAD)->mend, "--udev"));
}

static void autosuspend(void **state)
{
	(void)state;
	with_lab(TWO_BOARDS);
	device("1-1", "05e3:0610", NULL, "auto\n");
	device("1-1.2", "18d1:4ee0", NULL, "on\n");
	device("1-1.3", "0403:6001", NULL, "auto\n");
	doctor_usb(&d);
	row("autosuspend", "1-1 (hub)", DOCTOR_WARN);
	row("autosuspend", "1-1.2 (usb)", DOCTOR_OK);
	row("autosuspend", "1-1.3 (console)", DOCTOR_WARN);
	assert_int_equal(rows("autosuspend"), 3);
}

static void serial_numbers(void **state)
{
	(void)state;
	with_lab(TWO_BOARDS);
	device("1-1.2", "18d1:4ee0", "0123456789ABCDEF\n", NULL);
	device("2-4", "18d1:4ee0", "0123456789ABCDEF\n", NULL);
	device("1-7", "05ac:0001", "same\n", NULL); /* of no board */
	device("1-8", "05ac:0001", "same\n", NULL);
	doctor_usb(&d);
	row("serial numbers", "ports 1-1.2 and 2-4 both show 18d1:4ee0 0123456789ABCDEF",
	    DOCTOR_WARN);
	assert_int_equal(rows("serial numbers"), 1);
}

static void port_claims(void **state)
{
	(void)state;
	with_lab("boards:\n"
		 "- {name: b1, type: wired, usb: 1-2, console: {at: 'usb:1-3:1.0'}}\n"
		 "- {name: b2, type: wired, usb: 1-4, console: {at: 'usb:1-2'}}\n"
		 "- {name: b3, type: wired, console: {at: 'usb:1-3:1.1'},"
		 "   vbus: {by: hub, port: 1-4}}\n");
	doctor_usb(&d);
	row("port claims", "port 1-2 is the usb of b1 and the console of b2", DOCTOR_BAD);
	row("port claims", "port 1-4 is the usb of b2 and the supply of b3", DOCTOR_BAD);
	assert_int_equal(rows("port claims"), 2); /* two interfaces of one adapter are two ports */
}

/* ---- the host ---- */

static int bind_control(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	char *dir = xasprintf("%s/run/udev", root);

	assert_int_equal(path_mkdirs(dir), 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/control", dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	free(dir);
	return fd;
}

static void udevd(void **state)
{
	int fd;

	(void)state;
	with_lab(TWO_BOARDS);
	doctor_host(&d);
	row("udevd", "does not run", DOCTOR_WARN);
	doctor_release(&d);
	fd = bind_control();
	doctor_host(&d);
	row("udevd", "answers", DOCTOR_OK);
	doctor_release(&d);
	close(fd);
	doctor_host(&d);
	row("udevd", "left its control socket behind", DOCTOR_WARN);
}

static void programs_that_grab_ports(void **state)
{
	(void)state;
	with_lab(TWO_BOARDS);
	doctor_host(&d);
	row("ModemManager", "does not run", DOCTOR_OK);
	row("brltty", "does not run", DOCTOR_OK);
	doctor_release(&d);
	host_file("/proc/71/comm", "ModemManager\n");
	host_file("/proc/72/comm", "brltty\n");
	host_file("/proc/self/comm", "brltty\n");
	device("1-1.2", "18d1:4ee0", NULL, NULL);
	host_file("/sys/bus/usb/devices/1-1.2/dev", "189:5\n");
	doctor_host(&d);
	row("ModemManager", "process 71), and 1 device of this lab is open to it", DOCTOR_WARN);
	row("brltty", "process 72", DOCTOR_WARN);
	doctor_release(&d);
	host_file("/run/udev/data/c189:5", "I:1\nE:ID_MM_DEVICE_IGNORE=1\n");
	doctor_host(&d);
	row("ModemManager", "udev rules keep it off", DOCTOR_OK);
}

/* With the real board table: its programs, and the address that a loader asks. */
static void what_board_types_need(void **state)
{
	static const char text[] =
		"boards:\n"
		"- {name: s1, type: realtek, model: zyxel-gs1900-8, server: 127.0.0.1,"
		"   console: {program: sh, args: [1]}}\n"
		"- {name: s2, type: realtek, model: zyxel-gs1900-8, server: 192.0.2.9,"
		"   console: {program: sh, args: [2]}}\n";
	struct err err = ERR_INIT;
	const struct lab_type *all;
	char *path = xstrdup(getenv("PATH"));
	size_t n;

	(void)state;
	all = board_lab_types(&n);
	lab = lab_parse("lab.yaml", text, strlen(text), all, n, &err);
	assert_string_equal(err.message, "");
	d.lab = lab;
	setenv("PATH", root, 1);
	doctor_host(&d);
	assert_non_null(
		strstr(row("tool", "dnsmasq is not installed (for realtek", DOCTOR_BAD)->mend,
		       "apt-get install dnsmasq"));
	row("tftp address", "s1: 127.0.0.1 is on lo", DOCTOR_OK);
	assert_non_null(
		strstr(row("tftp address", "s2: ", DOCTOR_BAD)->mend, "ip addr add 192.0.2.9/24"));
	assert_int_equal(rows("tool"), 2); /* once for all boards of the type */
	doctor_release(&d);
	host_file("/usr/sbin/dnsmasq", "");
	assert_int_equal(chmod_in_root("/usr/sbin/dnsmasq"), 0);
	doctor_host(&d);
	row("tool", "dnsmasq (for realtek)", DOCTOR_OK);
	setenv("PATH", path, 1);
	free(path);
}

/* ---- wires ---- */

static void consoles_are_tried(void **state)
{
	(void)state;
	with_lab("boards:\n"
		 "- {name: b1, type: wired, console: {at: 'usb:99-1'}}\n"
		 "- {name: b2, type: wired, console: {at: /dev/null}}\n"
		 "- {name: b3, type: wired, console: {program: sh}}\n"
		 "- {name: b4, type: wired, console: {program: /nonexistent/p}}\n");
	doctor_wires(&d);
	row("console", "b1: usb:99-1: nothing is plugged in there", DOCTOR_BAD);
	row("console", "b2: /dev/null: is not a serial port", DOCTOR_BAD);
	row("console", "b3: sh: can be run", DOCTOR_OK);
	row("console", "b4: /nonexistent/p: no such program", DOCTOR_BAD);
}

static void a_board_in_use_is_left_alone(void **state)
{
	struct err err = ERR_INIT;
	int lock = board_lock("b1", "a test", &err);

	(void)state;
	assert_true(lock >= 0);
	with_lab("boards:\n- {name: b1, type: wired, console: {at: 'usb:99-1'}}\n");
	doctor_wires(&d);
	row("console", "b1: not tried: b1: the board is in use by process", DOCTOR_OK);
	close(lock);
}

static void supplies_are_looked_at(void **state)
{
	(void)state;
	with_lab("boards:\n"
		 "- {name: b1, type: wired, console: {program: sh},"
		 "   power: {by: gpio, chip: rig-no-such-chip, line: a},"
		 "   vbus: {by: hub, port: 99-1}}\n"
		 "- {name: b2, type: wired, console: {program: sh, args: [-i]},"
		 "   power: {by: external, program: /nonexistent/p},"
		 "   vbus: {by: external, program: sh}}\n");
	doctor_wires(&d);
	row("power", "b1: gpio rig-no-such-chip/a: there is no GPIO chip", DOCTOR_BAD);
	row("vbus", "b1: hub port 99-1: there is no such hub", DOCTOR_BAD);
	row("power", "b2: /nonexistent/p", DOCTOR_BAD);
	row("vbus", "b2: sh: can be run", DOCTOR_OK);
}

static void the_latency_timer_is_read(void **state)
{
	(void)state;
	with_lab(TWO_BOARDS);
	host_file("/sys/bus/usb/devices/1-1.3:1.0/ttyUSB3/latency_timer", "16\n");
	host_file("/sys/bus/usb/devices/1-1.4:1.1/ttyUSB4/latency_timer", "1\n");
	doctor_wires(&d);
	row("latency timer", "b1: ttyUSB3 holds short input back for 16 ms", DOCTOR_WARN);
	row("latency timer", "b2: ttyUSB4 holds short input back for 1 ms", DOCTOR_OK);
}

/* ---- udev rules ---- */

static void has(const struct buf *text, const char *line)
{
	if (!strstr(buf_str(text), line))
		fail_msg("no \"%s\" in:\n%s", line, buf_str(text));
}

static void rules(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	with_lab(TWO_BOARDS "- {name: b3, type: wired, console: {at: /dev/ttyS0}}\n"
			    "- {name: b4, type: wired, console: {at: /dev/serial/by-path/x}}\n"
			    "- {name: v, type: virt-ufs}\n");
	udev_rules(lab, NULL, &text);
	has(&text, "/etc/udev/rules.d/65-rig.rules");
	has(&text, "ATTRS{idVendor}==\"05c6\", ENV{ID_MM_DEVICE_IGNORE}=\"1\"");
	has(&text, "KERNELS==\"1-1.3:*\", SYMLINK+=\"rig/b1-console\", GROUP=\"dialout\"");
	has(&text, "KERNELS==\"1-1.4:1.1\", SYMLINK+=\"rig/b2-console\"");
	has(&text, "KERNEL==\"1-1.2\", SYMLINK+=\"rig/b1-usb\", GROUP=\"plugdev\"");
	has(&text, "/sys%p/1-1-port2/disable");
	has(&text, "KERNELS==\"1-1.3:*\", DRIVERS==\"ftdi_sio\", ATTR{latency_timer}=\"1\"");
	has(&text, "KERNEL==\"1-1\", TEST==\"power/control\", ATTR{power/control}=\"on\"");
	has(&text, "KERNEL==\"usb2\", TEST==\"power/control\", ATTR{power/control}=\"on\"");
	has(&text, "KERNEL==\"ttyS0\", SYMLINK+=\"rig/b3-console\"");
	has(&text, "SYMLINK==\"serial/by-path/x\", SYMLINK+=\"rig/b4-console\"");
	has(&text, "KERNEL==\"gpiochip*\", GROUP=\"plugdev\"");
	assert_null(strstr(buf_str(&text), "# v "));
	buf_reset(&text);
	udev_rules(lab, "rig", &text);
	has(&text, "SYMLINK+=\"rig/b1-console\", GROUP=\"rig\"");
	has(&text, "SYMLINK+=\"rig/b1-usb\", GROUP=\"rig\"");
	buf_release(&text);
}

/* As udevd reads them: a comment has its line for itself, the others are KEY op "value", ... */
static void rules_are_rules(void **state)
{
	struct buf text = BUF_INIT;
	char *rest, *line;

	(void)state;
	with_lab(TWO_BOARDS);
	udev_rules(lab, NULL, &text);
	rest = text.data;
	while ((line = strsep(&rest, "\n"))) {
		if (!*line || *line == '#')
			continue;
		while (*line) {
			size_t key = strcspn(line, "=+");
			size_t op = strspn(line + key, "=+");
			size_t value = strcspn(line + key + op + 1, "\"");

			assert_true(key && op && op <= 2);
			assert_int_equal(line[key + op], '"');
			line += key + op + value + 2;
			line += strspn(line, ", ");
		}
	}
	buf_release(&text);
}

/* A lab of virtual boards: valid, with nothing about ports. */
static void rules_of_nothing(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	with_lab("boards:\n- {name: v, type: virt-ufs}\n");
	udev_rules(lab, NULL, &text);
	has(&text, "LABEL=\"rig_end\"");
	assert_null(strstr(buf_str(&text), "rig/"));
	assert_null(strstr(buf_str(&text), "gpiochip"));
	buf_release(&text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(virtual_boards_need_no_usb),
		TEST(usb_memory),
		TEST(usb_nodes),
		TEST(usb_node_without_permission),
		TEST(autosuspend),
		TEST(serial_numbers),
		TEST(port_claims),
		TEST(udevd),
		TEST(programs_that_grab_ports),
		TEST(what_board_types_need),
		TEST(consoles_are_tried),
		TEST(a_board_in_use_is_left_alone),
		TEST(supplies_are_looked_at),
		TEST(the_latency_timer_is_read),
		TEST(rules),
		TEST(rules_are_rules),
		TEST(rules_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
