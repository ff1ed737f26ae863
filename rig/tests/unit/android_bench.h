/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bench of the tests of Android boards: a bootloader that answers as ABL does (umockdev), its
 * lab file, and scripts that are its supplies, key, adb and qdl and leave a line in a log.
 */
#ifndef RIG_TESTS_UNIT_ANDROID_BENCH_H
#define RIG_TESTS_UNIT_ANDROID_BENCH_H

#include "mock_main.h"

#include "base/err.h"
#include "board/android.h"
#include "board/driver.h"
#include "board/lab-wired.h"
#include "board/pack.h"
#include "rig/tests/fakes/umock-fastboot.h"

#define PORT "1-1.2"

static const char *const uart[] = { "uart enable", "uart config {baud}", NULL };
/* How long it may take to come is what a test waits when nobody comes. */
static const struct android_model hasty = { uart, 700, 20000 };

static struct board_row row = {
	.name = "pixel",
	.cmdline = "console=ttySAC0,115200n8 panic=0",
	.ops = &android_ops,
	.keys = &lab_wired_keys,
	.more = &android_keys,
	.pack = &pixel_pack,
	.console_baud = 115200,
	.power_off_ms = 3000,
};
static const struct lab_type type = { "pixel", &lab_wired_keys, &android_keys, false };

static struct mock_fastboot *device;
static struct lab *lab;
static struct board board;
static struct buf notes;
static char *state_path, *log_path, *kernel, *initrd, *dtb;
static struct board_image image;

static void on_note(void *ctx, const char *text)
{
	(void)ctx;
	buf_addf(&notes, "%s\n", text);
}

static const struct board_hooks hooks = { NULL, on_note };

static void script(const char *name, const char *text)
{
	char *path = xasprintf("%s/bin/%s", dir, name);

	assert_int_equal(path_write(path, text, strlen(text)), 0);
	chmod(path, 0755);
	free(path);
}

static char *small_file(const char *name, size_t size)
{
	close(make_file(name, size, 7));
	return path_join(dir, name);
}

static int bench_up(void **state)
{
	char *bin;

	(void)state;
	path_remove(dir);
	bin = xasprintf("%s/bin", dir);
	path_mkdirs(bin);
	free(bin);
	setenv("RIG_HOME", dir, 1);
	script("relay", "#!/bin/sh\necho \"$1 $2\" >> ${0%/bin/relay}/log\n");
	script("adb", "#!/bin/sh\necho \"adb $*\" >> ${0%/bin/adb}/log\n");
	script("qdl", "#!/bin/sh\necho \"qdl $*\" >> ${0%/bin/qdl}/log\n");
	log_path = path_join(dir, "log");
	state_path = path_join(dir, "a.state");
	kernel = small_file("Image", 300001);
	initrd = small_file("initrd", 20001);
	dtb = small_file("dtb", 3001);
	image = (struct board_image){ kernel, initrd, "quiet", NULL };
	row.data = &hasty;
	device = mock_fastboot_new(bed, PORT, dir);
	return 0;
}

static void close_board(void)
{
	if (board.priv)
		board.row->ops->release(&board);
	board.priv = NULL;
	lab_free(lab);
	lab = NULL;
}

static int bench_down(void **state)
{
	(void)state;
	close_board();
	mock_fastboot_free(device);
	buf_release(&notes);
	free(log_path);
	free(state_path);
	free(kernel);
	free(initrd);
	free(dtb);
	return 0;
}

/* keys: more lines of the lab file; DIR in them is the test's directory. */
static void open_board(const char *keys)
{
	struct err err = ERR_INIT;
	struct buf text = BUF_INIT;

	buf_addf(&text,
		 "boards:\n- name: a\n  type: pixel\n  usb: " PORT "\n  console: {program: cat}\n");
	for (const char *at; (at = strstr(keys, "DIR")); keys = at + 3)
		buf_addf(&text, "%.*s%s", (int)(at - keys), keys, dir);
	buf_adds(&text, keys);
	lab = lab_parse("lab", text.data, text.size, &type, 1, &err);
	buf_release(&text);
	if (!lab)
		fail_msg("%s", err.message);
	board = (struct board){ .row = &row, .lab = lab_board(lab, 0), .state_path = state_path };
	board_listen(&board, &hooks, NULL);
	if (board.row->ops->init(&board, &err))
		fail_msg("%s", err.message);
}

#define VBUS  "  vbus: {by: external, program: DIR/bin/relay, args: vbus, off_ms: 0}\n"
#define POWER "  power: {by: external, program: DIR/bin/relay, args: power, off_ms: 0}\n"
#define KEY   "  key: {by: external, program: DIR/bin/relay, args: key, off_ms: 0}\n"

static int deploy(unsigned int ms, struct err *err)
{
	return android_ops.deploy(&board, &image, deadline_in(ms), err);
}

static void deploy_ok(void)
{
	struct err err = ERR_INIT;

	if (deploy(60000, &err))
		fail_msg("%s\n%s", err.message, buf_str(&notes));
}

static void power_on_ok(void)
{
	struct err err = ERR_INIT;

	if (android_ops.power_on(&board, deadline_in(10000), &err))
		fail_msg("%s", err.message);
}

static void power_off_ok(void)
{
	struct err err = ERR_INIT;

	if (android_ops.power_off(&board, deadline_in(8000), &err))
		fail_msg("%s", err.message);
}

static void make_safe_ok(void)
{
	struct err err = ERR_INIT;

	if (android_ops.make_safe(state_path, deadline_in(8000), &err))
		fail_msg("%s", err.message);
	assert_false(path_exists(state_path));
}

/* For main(), before the tests: what the scripts are called is found in front of all else. */
static void bench_begin(char **argv)
{
	char *both;

	mock_reexec(argv);
	bed_up(NULL);
	both = xasprintf("%s/bin:%s", dir, getenv("PATH"));
	setenv("PATH", both, 1);
	free(both);
}

#endif
