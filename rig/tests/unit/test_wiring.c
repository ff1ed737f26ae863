// SPDX-License-Identifier: GPL-2.0-or-later
/* A board's supplies and console by hand (board/wiring.h, cli/watch.h), switched by scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/lab-ports.h"
#include "board/wiring.h"
#include "cli/watch.h"

#define LONG_MS 20000

static const struct lab_type types[] = { { .name = "wired", .keys = &lab_wired_keys } };

static char *home;
static struct lab *lab;
static int out = -1; /* the real standard output */

static int set_up(void **state)
{
	char name[] = "/tmp/rig-wiring-XXXXXX";
	static const char script[] = "#!/bin/sh\necho \"$*\" >>$RIG_HOME/calls\n"
				     "[ ! -e $RIG_HOME/stuck ]\n";
	struct err err = ERR_INIT;
	char *path, *text;

	(void)state;
	home = xstrdup(mkdtemp(name));
	setenv("RIG_HOME", home, 1);
	path = path_join(home, "switch");
	assert_int_equal(path_write(path, script, strlen(script)), 0);
	assert_int_equal(chmod(path, 0755), 0);
	text = xasprintf("boards:\n- name: b1\n  type: wired\n"
			 "  console: {program: cat}\n"
			 "  power: {by: external, program: %s, args: power, off_ms: 0}\n"
			 "  vbus: {by: external, program: %s, args: vbus, off_ms: 0}\n",
			 path, path);
	lab = lab_parse("lab.yaml", text, strlen(text), types, 1, &err);
	assert_string_equal(err.message, "");
	free(text);
	free(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	lab_free(lab);
	path_remove(home);
	free(home);
	return 0;
}

static char *in_home(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", home, name);
	return path;
}

static void assert_calls(const char *want)
{
	struct buf text = BUF_INIT;

	assert_int_equal(path_read(in_home("calls"), &text, 4096), 0);
	assert_string_equal(buf_str(&text), want);
	buf_release(&text);
	unlink(in_home("calls"));
}

static bool noted(void)
{
	return path_exists(in_home("boards/b1.state"));
}

static void take(struct wiring **w, int supplies)
{
	struct err err = ERR_INIT;
	int rc = wiring_open(w, lab_board(lab, 0), supplies, "a test", &err);

	assert_string_equal(err.message, "");
	assert_int_equal(rc, 0);
}

static void supplies_go_on_and_off_in_order(void **state)
{
	struct err err = ERR_INIT;
	struct wiring *w;

	(void)state;
	take(&w, WIRING_BOTH);
	assert_false(wiring_is_held(w));
	assert_int_equal(wiring_switch(w, WIRING_ON, &err), 0);
	assert_calls("power on\nvbus on\n");
	assert_true(noted());
	assert_int_equal(wiring_switch(w, WIRING_CYCLE, &err), 0);
	assert_calls("vbus off\npower off\npower on\nvbus on\n");
	assert_int_equal(wiring_switch(w, WIRING_OFF, &err), 0);
	assert_calls("vbus off\npower off\n");
	assert_false(noted());
	wiring_close(w);
}

/* What is still on must be found by who makes it safe. */
static void one_supply_off_leaves_the_note(void **state)
{
	struct err err = ERR_INIT;
	struct wiring *w;

	(void)state;
	take(&w, WIRING_BOTH);
	assert_int_equal(wiring_switch(w, WIRING_ON, &err), 0);
	wiring_close(w);
	assert_true(noted());
	unlink(in_home("calls"));
	take(&w, WIRING_VBUS);
	assert_int_equal(wiring_switch(w, WIRING_OFF, &err), 0);
	assert_calls("vbus off\n");
	assert_true(noted());
	wiring_close(w);
}

static void a_stuck_switch_is_an_error_of_the_rig(void **state)
{
	struct err err = ERR_INIT;
	struct wiring *w;

	(void)state;
	assert_int_equal(path_write(in_home("stuck"), "", 0), 0);
	take(&w, WIRING_POWER);
	assert_int_equal(wiring_switch(w, WIRING_ON, &err), -1);
	assert_int_equal(err.blame, BLAME_RIG);
	assert_non_null(strstr(err.message, "b1: power: cannot switch on"));
	assert_true(noted()); /* it may be on */
	wiring_close(w);
}

static void one_at_a_time(void **state)
{
	struct err err = ERR_INIT;
	struct wiring *w, *second = NULL;

	(void)state;
	take(&w, 0);
	assert_int_equal(wiring_open(&second, lab_board(lab, 0), 0, "another", &err), -1);
	assert_string_equal(err.code, "board-busy");
	assert_non_null(strstr(err.message, "(a test)"));
	wiring_close(w);
	take(&w, 0);
	wiring_close(w);
	assert_false(path_exists(in_home("calls"))); /* nothing was switched by looking */
}

/* ---- the console ---- */

/* The bytes of a console are not to be in the output of the test. */
static void mute(bool on)
{
	int null;

	fflush(stdout);
	if (!on) {
		dup2(out, STDOUT_FILENO);
		close(out);
		return;
	}
	out = dup(STDOUT_FILENO);
	null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	close(null);
}

static int watch(struct watch *w, int fd, unsigned int ms)
{
	int rc;

	mute(true);
	rc = watch_run(w, fd, deadline_in(ms));
	mute(false);
	return rc;
}

static void a_program_is_a_console(void **state)
{
	struct watch view = { .until = "hello", .start_ms = mono_ms() };
	struct err err = ERR_INIT;
	struct wiring *w;
	int fd;

	(void)state;
	take(&w, 0);
	assert_int_equal(wiring_console(w, &fd, &err), 0);
	assert_int_equal(write(fd, "hello\n", 6), 6);
	assert_int_equal(watch(&view, fd, LONG_MS), 0);
	assert_true(view.seen);
	close(fd);
	wiring_close(w);
}

static void a_text_is_found_wherever_it_is_cut(void **state)
{
	(void)state;
	for (size_t cut = 1; cut < 11; cut++) {
		struct watch w = { .until = "hello world" };
		char filler[WATCH_TEXT_MAX - 3];

		memset(filler, 'x', sizeof(filler));
		mute(true);
		watch_add(&w, filler, sizeof(filler));
		watch_add(&w, "hello world", cut);
		mute(false);
		assert_false(w.seen);
		mute(true);
		watch_add(&w, &"hello world\n"[cut], 12 - cut);
		watch_add(&w, filler, sizeof(filler));
		watch_add(&w, filler, sizeof(filler));
		mute(false);
		assert_true(w.seen);
		assert_int_equal(w.bytes, 3 * sizeof(filler) + 12);
	}
}

static void last_lines(void **state)
{
	static const struct {
		const char *text, *line;
	} rows[] = {
		{ "", "" },
		{ "one\r\ntwo\r\n\r\n", "two" },
		{ "one\n\x1b[32mtwo \x01", "[32mtwo" },
		{ "half", "half" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct watch w = { .until = NULL };
		char line[40];

		mute(true);
		watch_add(&w, rows[i].text, strlen(rows[i].text));
		mute(false);
		assert_string_equal(watch_last_line(&w, line, sizeof(line)), rows[i].line);
	}
}

static void silence_the_first_byte_and_the_end(void **state)
{
	struct watch quiet = { .start_ms = mono_ms() };
	struct watch first = { .until = "", .start_ms = mono_ms() };
	struct watch gone = { .until = "x", .start_ms = mono_ms() };
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(watch(&quiet, pair[0], 100), 0);
	assert_int_equal(quiet.bytes, 0);
	assert_int_equal(write(pair[1], "a", 1), 1);
	assert_int_equal(watch(&first, pair[0], LONG_MS), 0);
	assert_true(first.seen);
	close(pair[1]);
	assert_int_equal(watch(&gone, pair[0], LONG_MS), -ENODEV);
	assert_false(gone.seen);
	close(pair[0]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(supplies_go_on_and_off_in_order),
		TEST(one_supply_off_leaves_the_note),
		TEST(a_stuck_switch_is_an_error_of_the_rig),
		TEST(one_at_a_time),
		TEST(a_program_is_a_console),
		TEST(a_text_is_found_wherever_it_is_cut),
		TEST(last_lines),
		TEST(silence_the_first_byte_and_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
