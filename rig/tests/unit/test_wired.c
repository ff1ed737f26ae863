// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * board/wired: supplies in their order, the state file that lets others switch off, the console
 * (here a program; the serial port's own tests are test_io and the guest's).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/spawn.h"
#include "board/driver.h"
#include "board/lab-state.h"
#include "board/proc.h"
#include "board/wired.h"

static char home[64];
static char *log_path, *state_path;

/* Appends "power on" and the like; refuses what is in the file `refuse`. */
static const char script[] = "#!/bin/sh\n"
			     "echo \"$2 $3\" >> \"$1/log\"\n"
			     "if grep -qx \"$2 $3\" \"$1/refuse\" 2>/dev/null; then\n"
			     "	echo relay stuck; exit 1\nfi\n";

static const struct lab_type type = { "wired", &lab_wired_keys, NULL, false };
static const struct board_row row = { .name = "wired", .power_off_ms = 5000 };

struct bench {
	struct lab *lab;
	struct board board;
	struct wired wired;
	struct buf heard;
};

static void on_console(void *ctx, const void *data, size_t size)
{
	buf_append(&((struct bench *)ctx)->heard, data, size);
}

static const struct board_hooks hooks = { on_console, NULL };

static int set_up(void **state)
{
	char *program, *refuse;

	(void)state;
	snprintf(home, sizeof(home), "/tmp/rig-wired.XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("RIG_HOME", home, 1);
	program = path_join(home, "relay");
	refuse = path_join(home, "refuse");
	log_path = path_join(home, "log");
	state_path = path_join(home, "a.state");
	path_write(program, script, strlen(script));
	chmod(program, 0755);
	free(program);
	free(refuse);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	path_remove(home);
	free(log_path);
	free(state_path);
	return 0;
}

static void refuse(const char *what)
{
	char *path = path_join(home, "refuse");

	path_write(path, what, strlen(what));
	free(path);
}

static char *text_of(const char *path)
{
	struct buf b = BUF_INIT;

	path_read(path, &b, 4096);
	buf_adds(&b, "");
	return buf_detach(&b);
}

#define SUPPLY(what) "{by: external, program: %s/relay, args: [%s, " what "], off_ms: 0}"

static void bench_new(struct bench *t, const char *console)
{
	struct err err = ERR_INIT;
	char *text = xasprintf(
		"boards:\n- name: a\n  type: wired\n  usb: 1-1\n"
		"  console: %s\n  power: " SUPPLY("power") "\n  vbus: " SUPPLY("vbus") "\n",
		console, home, home, home, home);

	memset(t, 0, sizeof(*t));
	t->lab = lab_parse("lab", text, strlen(text), &type, 1, &err);
	assert_string_equal(err.message, "");
	t->board = (struct board){ .row = &row, .lab = lab_board(t->lab, 0) };
	t->board.state_path = state_path;
	board_listen(&t->board, &hooks, t);
	assert_int_equal(wired_init(&t->wired, &t->board, 115200, &err), 0);
	free(text);
}

static void bench_free(struct bench *t)
{
	wired_release(&t->wired);
	lab_free(t->lab);
	buf_release(&t->heard);
	unlink(log_path);
	refuse("");
}

static void check_log(const char *expected)
{
	char *log = text_of(log_path);

	assert_string_equal(log, expected);
	free(log);
	unlink(log_path);
}

static void test_order(void **state)
{
	struct err err = ERR_INIT;
	struct bench t;

	(void)state;
	bench_new(&t, "{program: cat}");
	check_log("vbus off\npower off\n");
	assert_int_equal(wired_on(&t.wired, deadline_in(5000), &err), 0);
	check_log("power on\nvbus on\n");
	assert_true(path_exists(state_path));
	assert_int_equal(wired_vbus_cycle(&t.wired, deadline_in(5000), &err), 0);
	check_log("vbus off\nvbus on\n");
	assert_int_equal(wired_power_cycle(&t.wired, deadline_in(5000), &err), 0);
	check_log("vbus off\npower off\npower on\nvbus on\n");
	assert_int_equal(wired_off(&t.wired, deadline_in(5000), &err), 0);
	check_log("vbus off\npower off\n");
	assert_false(path_exists(state_path));
	bench_free(&t);
}

/* A supply that does not obey: the other one is switched all the same, and it is not "off". */
static void test_stuck(void **state)
{
	struct err err = ERR_INIT;
	struct bench t;

	(void)state;
	bench_new(&t, "{program: cat}");
	assert_int_equal(wired_on(&t.wired, deadline_in(5000), &err), 0);
	unlink(log_path);
	refuse("vbus off\n");
	assert_int_equal(wired_off(&t.wired, deadline_in(5000), &err), -1);
	check_log("vbus off\npower off\n");
	assert_int_equal(err.blame, BLAME_RIG);
	assert_string_equal(err.code, "power");
	assert_non_null(strstr(err.message, "a: vbus: cannot switch off"));
	assert_non_null(strstr(err.message, "relay stuck"));
	assert_true(path_exists(state_path));
	refuse("power off\n");
	assert_int_equal(wired_off(&t.wired, deadline_in(5000), &err), -1);
	assert_non_null(strstr(err.message, "a: power: cannot switch off"));
	assert_true(path_exists(state_path));
	bench_free(&t);
	unlink(state_path);
}

/* The owner died: what is in the file is enough, and it can be done twice. */
static void test_make_safe(void **state)
{
	struct err err = ERR_INIT;
	struct bench t;

	(void)state;
	bench_new(&t, "{program: cat}");
	assert_int_equal(wired_on(&t.wired, deadline_in(5000), &err), 0);
	bench_free(&t);
	refuse("power off\n");
	assert_int_equal(wired_make_safe(state_path, NULL, deadline_in(5000), &err), -1);
	assert_string_equal(err.code, "power");
	assert_true(path_exists(state_path));
	refuse("");
	unlink(log_path);
	assert_int_equal(wired_make_safe(state_path, NULL, deadline_in(5000), &err), 0);
	check_log("vbus off\npower off\n");
	assert_int_equal(wired_make_safe(state_path, NULL, deadline_in(5000), &err), 0);
	check_log("");
	path_write(state_path, "{\"name\": ", 9);
	assert_int_equal(wired_make_safe(state_path, NULL, deadline_in(5000), &err), -1);
	assert_int_equal(err.blame, BLAME_RIG);
	assert_string_equal(err.code, "unsafe");
	unlink(state_path);
}

/* What is written is what was read: the set-up of both is the same text. */
static void test_state(void **state)
{
	static const char text[] =
		"boards:\n- name: a\n  type: wired\n  usb: 1-1.2\n  console: {at: /dev/x\\y, baud: "
		"3000000}\n  power: {by: pdudaemon, url: \"http://p:1\", unit: \"u \\\" \xc3\xa4\", "
		"outlet: \"4\"}\n  vbus: {by: gpio, chip: c, line: l, active_low: true, off_ms: 7}\n";
	struct err err = ERR_INIT;
	struct lab *lab = lab_parse("lab", text, strlen(text), &type, 1, &err);
	struct lab_state s;
	char *a, *b;

	(void)state;
	assert_string_equal(err.message, "");
	assert_int_equal(lab_state_write(state_path, lab_board(lab, 0), &err), 0);
	if (lab_state_read(&s, state_path, &lab_wired_keys, NULL, &err))
		fail_msg("%s", err.message);
	assert_string_equal(s.board.name, "a");
	a = lab_board_setup(lab_board(lab, 0));
	b = lab_board_setup(&s.board);
	assert_string_equal(strchr(a, '\n'), strchr(b, '\n'));
	assert_non_null(strstr(b, "unit=u \" \xc3\xa4\n"));
	free(a);
	free(b);
	lab_state_release(&s);
	unlink(state_path);
	assert_int_equal(lab_state_write("/nonexistent/x", lab_board(lab, 0), &err), -1);
	assert_string_equal(err.code, "state-file");
	lab_free(lab);
}

static void test_console(void **state)
{
	struct err err = ERR_INIT;
	struct bench t;
	char text[16] = "";
	ssize_t n = 0;
	int fd = -1;

	(void)state;
	bench_new(&t, "{program: cat}");
	assert_int_equal(wired_console(&t.wired, &fd, &err), 0);
	assert_int_equal(wired_check(&t.wired, &err), 0);
	assert_int_equal(wired_write(&t.wired, "hello", 5, deadline_in(5000)), 0);
	while (t.heard.size < 5 && n >= 0)
		n = wired_read(&t.wired, text, sizeof(text), deadline_in(5000));
	assert_string_equal(buf_str(&t.heard), "hello");
	assert_int_equal(wired_read(&t.wired, text, sizeof(text), deadline_in(10)), 0);
	/* the caller's is the same stream, and stays open */
	assert_int_equal(wired_write(&t.wired, "x", 1, deadline_in(5000)), 0);
	assert_true(deadline_poll(fd, 1, deadline_in(5000)) > 0);
	assert_int_equal(read(fd, text, sizeof(text)), 1);
	close(fd);
	bench_free(&t);
}

static void test_console_gone(void **state)
{
	struct err err = ERR_INIT;
	struct bench t;
	char text[16];
	ssize_t n = 0;
	int fd;

	(void)state;
	bench_new(&t, "{program: echo, args: [bye]}");
	assert_int_equal(wired_console(&t.wired, &fd, &err), 0);
	while (n >= 0)
		n = wired_read(&t.wired, text, sizeof(text), deadline_in(5000));
	assert_int_equal(n, -ENODEV);
	assert_string_equal(buf_str(&t.heard), "bye\n");
	while (!wired_check(&t.wired, &err))
		;
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_string_equal(err.message, "echo: the program has ended");
	close(fd);
	bench_free(&t);
	bench_new(&t, "{program: /nonexistent/x}");
	assert_int_equal(wired_console(&t.wired, NULL, &err), -1);
	assert_string_equal(err.message, "cannot run /nonexistent/x: No such file or directory");
	bench_free(&t);
	bench_new(&t, "{at: \"usb:77-1\"}");
	assert_int_equal(wired_console(&t.wired, NULL, &err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_string_equal(err.message,
			    "usb:77-1: no serial port is there; is the adapter plugged in?");
	bench_free(&t);
}

static void test_holder(void **state)
{
	char *path = path_join(home, "held");
	char name[32] = "";
	struct spawn s = SPAWN_INIT;
	const char *const argv[] = { "sh", "-c", "exec sleep 60 3>>\"$0\"", path, NULL };
	pid_t pid;

	(void)state;
	assert_int_equal(path_write(path, "", 0), 0);
	assert_int_equal(proc_holder(path, name, sizeof(name)), 0);
	s.argv = argv;
	pid = spawn_start(&s);
	assert_true(pid > 0);
	while (!proc_holder(path, name, sizeof(name)) || strcmp(name, "sleep") != 0)
		;
	assert_int_equal(proc_holder(path, name, sizeof(name)), pid);
	spawn_kill(pid, 0, NULL);
	free(path);
}

static int errno_of(const char *name)
{
	for (int i = 1; i < 200; i++)
		if (strerrorname_np(i) && !strcmp(strerrorname_np(i), name))
			return i;
	return 0;
}

/* The fault matrix says of every error on a board's USB port what the boards say of it. */
static void test_usb_blame(void **state)
{
	FILE *f = fopen("rig/tests/faults.table", "re");
	char line[256], driver[16], error[16], blame[16];
	int seen = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %15s | %*s | %*s | %15s | %15s |", driver, error, blame) != 3 ||
		    !errno_of(error))
			continue;
		if (strcmp(driver, "usb") && strcmp(driver, "fastboot") && strcmp(driver, "dfu"))
			continue;
		seen++;
		if (strcmp(blame_name(wired_usb_blame(-errno_of(error))), blame) != 0)
			fail_msg("%s", line);
	}
	fclose(f);
	assert_true(seen >= 15);
	assert_int_equal(wired_usb_blame(-EINTR), BLAME_USER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	cmocka_unit_test(test_stuck),
		cmocka_unit_test(test_state),	cmocka_unit_test(test_make_safe),
		cmocka_unit_test(test_console), cmocka_unit_test(test_console_gone),
		cmocka_unit_test(test_holder),	cmocka_unit_test(test_usb_blame),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
