// SPDX-License-Identifier: GPL-2.0-or-later
/* Bootloaders (board/loader.h) as they are and as they fail, against one in a thread. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/loader.h"
#include "fake_loader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Real ones have 200; the thread answers at once, but not always at once under load. */
#define QUIET_MS 20

/* Ends what must fail by its deadline. */
#define SHORT_MS 600
#define LONG_MS	 10000

#define BANNER "\r\n\r\nU-Boot 2011.12\r\n\r\nHit any key to stop autoboot:  2 \b\b\b 1 "

static const struct loader_var vars[] = {
	{ "addr", "0x84f00000" },
	{ "file", "image" },
	{ "size", "1257" },
	{ NULL, NULL },
};

static const struct loader_step tftp[] = {
	{ NULL, "tftpboot {addr} {file}", "Bytes transferred = {size} ", 0, 2 },
	{ NULL, NULL, NULL, 0, 0 },
};
static const struct loader_step boot[] = {
	{ NULL, "bootm {addr}", NULL, 0, 0 },
	{ NULL, NULL, NULL, 0, 0 },
};
static const struct loader_step menu[] = {
	{ "Enter your choice(0-8):", "3", NULL, 0, 0 },
	{ "Enter your choice(0-5):", "1", "Downloading", 0, 0 },
	{ NULL, NULL, NULL, 0, 0 },
};
static const struct loader_step answers[] = {
	{ "Password:", "secret", NULL, 0, 0 },
	{ NULL, NULL, NULL, 0, 0 },
};

static const struct loader_rules uboot = { " ", "=>", NULL, "\003", answers, true, QUIET_MS };
static const struct loader_rules vendor = { " ", "RTL838x#", NULL, NULL, NULL, false, QUIET_MS };
static const struct loader_rules menus = {
	"\002", "Enter your choice(0-8):", NULL, NULL, NULL, false, QUIET_MS
};

#define T_OK	 "Loading: *####\r\ndone\r\nBytes transferred = 1257 (4e9 hex)\r\n"
#define T_FAIL	 "Loading: *\r\nTFTP error: 'File not found' (1)\r\n"
#define STATUS	 LOADER_STATUS_ASK
#define TFTP	 "tftpboot 0x84f00000 image"
#define BOOT	 "bootm 0x84f00000"
#define STARTING "## Booting kernel\r\n\r\nStarting kernel ...\r\n\r\n"

static const struct fake_reply good[] = {
	{ TFTP STATUS, T_OK "rig-rc=0\r\n", NULL, false },
	{ BOOT, STARTING "[    0.000000] Linux version 6.12\r\n", NULL, true },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply plain[] = {
	{ TFTP, T_OK, NULL, false },
	{ BOOT, STARTING, NULL, true },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply second_time[] = {
	{ TFTP STATUS, T_OK "rig-rc=0\r\n", T_FAIL "rig-rc=1\r\n", false },
	{ BOOT, STARTING, NULL, true },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply never[] = {
	{ TFTP STATUS, T_FAIL "rig-rc=1\r\n", NULL, false },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply status_only[] = {
	{ TFTP STATUS, "all is well\r\nrig-rc=1\r\n", NULL, false },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply too_short[] = {
	{ TFTP STATUS, "Bytes transferred = 125 (7d hex)\r\nrig-rc=0\r\n", NULL, false },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply unknown[] = {
	{ "", "Unknown command 'tftpboot' - try 'help'\r\n", NULL, false },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply tricky[] = {
	/* the prompt's text in the output, at its end even, and a line that only begins with it */
	{ TFTP STATUS,
	  "crc32 for 84f00000 ... ==> 794df376\r\na => \r\n=> is not all\r\n" T_OK "rig-rc=0\r\n",
	  NULL, false },
	{ BOOT, STARTING, NULL, true },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply resets[] = {
	{ TFTP STATUS, NULL, NULL, false },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply hangs[] = {
	{ TFTP STATUS, "Loading: *\b T T T T", NULL, true },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply bad_image[] = {
	{ TFTP STATUS, T_OK "rig-rc=0\r\n", NULL, false },
	{ BOOT, "Wrong Image Format for bootm command\r\nERROR: can't get kernel image!\r\n", NULL,
	  false },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply silent_kernel[] = {
	{ TFTP STATUS, T_OK "rig-rc=0\r\n", NULL, false },
	{ BOOT, "## Booting\r\n", NULL, true },
	{ NULL, NULL, NULL, false },
};
static const struct fake_reply choices[] = {
	{ "3", "<1> Download\r\nEnter your choice(0-5):", NULL, false },
	{ "1", "Downloading ....\r\n", NULL, true },
	{ NULL, NULL, NULL, false },
};

enum stage { ENTER, LOAD, START, DONE };

/* code: of the error that ends that stage; message: a text in it. */
static const struct scene {
	const char *name;
	struct fake_loader fake;
	const struct loader_rules *rules;
	const struct loader_step *load;
	enum stage ends;
	enum blame blame;
	const char *code, *message;
} scenes[] = {
	{ "U-Boot as it should be",
	  { .boot = BANNER, .key = ' ', .prompt = "\r\n=> ", .replies = good },
	  &uboot,
	  tftp,
	  DONE,
	  BLAME_NONE,
	  "",
	  "" },
	{ "a vendor's, without status and Ctrl-C",
	  { .boot = BANNER, .key = ' ', .prompt = "RTL838x# ", .replies = plain },
	  &vendor,
	  tftp,
	  DONE,
	  BLAME_NONE,
	  "",
	  "" },
	{ "the countdown is rewritten for long",
	  { .boot = BANNER "\b\b\b 3 \b\b\b 2 \b\b\b 1 \b\b\b 0 \r\n",
	    .key = ' ',
	    .prompt = "=> ",
	    .replies = good },
	  &uboot,
	  tftp,
	  DONE,
	  BLAME_NONE,
	  "",
	  "" },
	{ "a password",
	  { .boot = BANNER, .key = ' ', .password = "secret", .prompt = "=> ", .replies = good },
	  &uboot,
	  tftp,
	  DONE,
	  BLAME_NONE,
	  "",
	  "" },
	{ "menus",
	  { .boot = "Press Ctrl+B to enter extended boot menu...1 ",
	    .key = 2,
	    .prompt = "\r\nEnter your choice(0-8): ",
	    .replies = choices },
	  &menus,
	  menu,
	  LOAD,
	  BLAME_NONE,
	  "",
	  "" },
	{ "another password",
	  { .boot = BANNER, .key = ' ', .password = "sesame", .prompt = "=> " },
	  &uboot,
	  tftp,
	  ENTER,
	  BLAME_USER,
	  "loader-password",
	  "Password:" },
	{ "silent", { .boot = "" }, &uboot, tftp, ENTER, BLAME_BOARD, "loader-silent", "powered" },
	{ "garbage",
	  { .boot = "\x81\xfe\x90\x12\xc3\xff\xe0 \xf8\xf8" },
	  &uboot,
	  tftp,
	  ENTER,
	  BLAME_BOARD,
	  "loader-garbage",
	  "speed" },
	{ "deaf to the key",
	  { .boot = BANNER, .missed = "\r\nStarting kernel ...\r\n" },
	  &uboot,
	  tftp,
	  ENTER,
	  BLAME_BOARD,
	  "loader-missed",
	  "kernel runs" },
	{ "deaf, and the kernel is what one sees",
	  { .boot = BANNER, .missed = "\r\n[    0.000000] Linux version 5.4\r\n" },
	  &uboot,
	  tftp,
	  ENTER,
	  BLAME_BOARD,
	  "loader-missed",
	  "kernel runs" },
	{ "another prompt",
	  { .boot = BANNER, .key = ' ', .prompt = "SMALL> " },
	  &uboot,
	  tftp,
	  ENTER,
	  BLAME_BOARD,
	  "loader-prompt",
	  "'SMALL>'" },
	{ "nothing after the key",
	  { .boot = BANNER "\r\n", .key = ' ', .prompt = "" },
	  &uboot,
	  tftp,
	  ENTER,
	  BLAME_BOARD,
	  "loader-timeout",
	  "no prompt" },
	{ "bytes lost at full speed only",
	  { .boot = BANNER,
	    .key = ' ',
	    .prompt = "=> ",
	    .lose = 5,
	    .lose_once = 30,
	    .replies = good },
	  &uboot,
	  tftp,
	  DONE,
	  BLAME_NONE,
	  "",
	  "" },
	{ "bytes always lost",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .lose = 3, .replies = good },
	  &uboot,
	  tftp,
	  LOAD,
	  BLAME_BOARD,
	  "loader-echo",
	  "tftpboot" },
	{ "no echo at all",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .no_echo = true, .replies = good },
	  &uboot,
	  tftp,
	  LOAD,
	  BLAME_BOARD,
	  "loader-echo",
	  "tftpboot" },
	{ "the first TFTP fails",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = second_time },
	  &uboot,
	  tftp,
	  DONE,
	  BLAME_NONE,
	  "",
	  "" },
	{ "every TFTP fails",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = never },
	  &uboot,
	  tftp,
	  LOAD,
	  BLAME_BOARD,
	  "loader-command",
	  "File not found" },
	{ "only the status tells",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = status_only },
	  &uboot,
	  tftp,
	  LOAD,
	  BLAME_BOARD,
	  "loader-command",
	  "status 1" },
	{ "fewer bytes than were sent",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = too_short },
	  &uboot,
	  tftp,
	  LOAD,
	  BLAME_BOARD,
	  "loader-command",
	  "Bytes transferred = 1257 " },
	{ "a command that it does not have",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = unknown },
	  &uboot,
	  tftp,
	  LOAD,
	  BLAME_BOARD,
	  "loader-command",
	  "is the model right" },
	{ "prompts inside the output",
	  { .boot = BANNER, .key = ' ', .prompt = "\r\n=> ", .replies = tricky },
	  &uboot,
	  tftp,
	  DONE,
	  BLAME_NONE,
	  "",
	  "" },
	{ "a reset in the middle",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = resets },
	  &uboot,
	  tftp,
	  LOAD,
	  BLAME_BOARD,
	  "loader-reset",
	  "tftpboot" },
	{ "a command that hangs",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = hangs },
	  &uboot,
	  tftp,
	  LOAD,
	  BLAME_BOARD,
	  "loader-prompt",
	  "T T T" },
	{ "an image that it does not start",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = bad_image },
	  &uboot,
	  tftp,
	  START,
	  BLAME_BOARD,
	  "loader-command",
	  "Wrong Image Format" },
	{ "a start that goes nowhere",
	  { .boot = BANNER, .key = ' ', .prompt = "=> ", .replies = silent_kernel },
	  &uboot,
	  tftp,
	  START,
	  BLAME_BOARD,
	  "loader-timeout",
	  "bootm" },
};

/* A fake at work, and the rig's side of it. */
struct talk {
	struct fake_loader fake;
	struct fake_line line;
	struct buf heard;
	struct loader *loader;
};

static struct loader *begin(struct talk *t, const struct fake_loader *fake,
			    const struct loader_rules *rules)
{
	*t = (struct talk){ .fake = *fake };
	t->line = (struct fake_line){ fake_loader_start(&t->fake), &t->heard };
	t->loader = loader_new(rules, (struct loader_line){ .read = fake_line_read,
							    .write = fake_line_write,
							    .ctx = &t->line });
	return t->loader;
}

static void end(struct talk *t)
{
	loader_free(t->loader);
	fake_loader_stop(&t->fake);
	buf_release(&t->heard);
}

/* Only what fails by running out of time has a short one. */
static struct deadline limit(const struct scene *s, enum stage stage)
{
	static const char *const codes[] = { "loader-silent", "loader-garbage", "loader-prompt",
					     "loader-timeout" };

	for (size_t i = 0; i < COUNT(codes) && s->ends == stage; i++)
		if (!strcmp(codes[i], s->code))
			return deadline_in(SHORT_MS);
	return deadline_in(LONG_MS);
}

/* The stage that fails: ENTER, LOAD, START; DONE = none does. */
static enum stage play(const struct scene *s, struct loader *l, struct err *err)
{
	if (loader_enter(l, limit(s, ENTER), err))
		return ENTER;
	if (loader_script(l, s->load, vars, limit(s, LOAD), err))
		return LOAD;
	if (s->ends == LOAD)
		return LOAD;
	return loader_boot(l, boot, vars, limit(s, START), err) ? START : DONE;
}

static void test_scenes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(scenes); i++) {
		const struct scene *s = &scenes[i];
		struct err err = ERR_INIT;
		struct talk t;
		enum stage ended = play(s, begin(&t, &s->fake, s->rules), &err);
		char *heard = xstrdup(buf_str(&t.heard));

		end(&t);
		if (ended != s->ends || err.blame != s->blame || strcmp(err.code, s->code) != 0 ||
		    !strstr(err.message, s->message))
			fail_msg("%s: stage %d, %s %s: %s\n%s", s->name, ended,
				 blame_name(err.blame), err.code, err.message, heard);
		free(heard);
	}
}

static const struct fake_loader plain_loader = {
	.boot = BANNER, .key = ' ', .prompt = "=> ", .replies = good
};

/* After the start of the kernel nothing more is taken from the console. */
static void test_kernel_is_left(void **state)
{
	static const char wanted[] = " ...\r\n\r\n[    0.000000] Linux version 6.12\r\n";
	static const char last[] = "Starting kernel";
	struct err err = ERR_INIT;
	char rest[200] = "";
	struct talk t;
	struct loader *l = begin(&t, &plain_loader, &uboot);

	(void)state;
	if (loader_enter(l, deadline_in(LONG_MS), &err) ||
	    loader_boot(l, boot, vars, deadline_in(LONG_MS), &err))
		fail_msg("%s\n%s", err.message, buf_str(&t.heard));
	assert_memory_equal(t.heard.data + t.heard.size - strlen(last), last, strlen(last));
	for (size_t n = 0; n < strlen(wanted);) {
		ssize_t got = fake_line_read(&t.line, rest + n, sizeof(rest) - 1 - n,
					     deadline_in(LONG_MS));

		assert_true(got > 0);
		n += (size_t)got;
	}
	assert_string_equal(rest, wanted);
	end(&t);
}

/* Again, after something failed: the prompt has been shown long ago. */
static void test_enter_again(void **state)
{
	struct err err = ERR_INIT;
	struct talk t;
	struct loader *l = begin(&t, &plain_loader, &uboot);

	(void)state;
	for (int i = 0; i < 3; i++)
		if (loader_enter(l, deadline_in(LONG_MS), &err))
			fail_msg("%s\n%s", err.message, buf_str(&t.heard));
	if (loader_script(l, tftp, vars, deadline_in(LONG_MS), &err))
		fail_msg("%s\n%s", err.message, buf_str(&t.heard));
	end(&t);
}

/* The loader takes the lines as they were meant, lost bytes or not. */
static void test_lines_are_whole(void **state)
{
	struct fake_loader fake = plain_loader;
	struct err err = ERR_INIT;
	struct loader *l;
	struct talk t;

	(void)state;
	fake.lose = 4;
	fake.lose_once = 20;
	l = begin(&t, &fake, &uboot);
	if (loader_enter(l, deadline_in(LONG_MS), &err) ||
	    loader_script(l, tftp, vars, deadline_in(LONG_MS), &err))
		fail_msg("%s\n%s", err.message, buf_str(&t.heard));
	assert_string_equal(t.fake.typed, TFTP STATUS "\n");
	end(&t);
}

static int gone(void *ctx)
{
	(void)ctx;
	return -ECHILD;
}

/* What was asked for cannot come any more: no use to wait for the prompt. */
static void test_gives_up(void **state)
{
	struct fake_loader fake = plain_loader;
	struct err err = ERR_INIT;
	struct loader *l;
	struct talk t;

	(void)state;
	fake.replies = hangs;
	l = begin(&t, &fake, &uboot);
	assert_int_equal(loader_enter(l, deadline_in(LONG_MS), &err), 0);
	loader_free(l);
	t.loader = loader_new(&uboot, (struct loader_line){ .read = fake_line_read,
							    .write = fake_line_write,
							    .ctx = &t.line,
							    .check = gone });
	assert_int_equal(loader_script(t.loader, tftp, vars, deadline_in(LONG_MS), &err), -1);
	assert_int_equal(err.blame, BLAME_RIG);
	end(&t);
}

static void test_console_gone(void **state)
{
	struct err err = ERR_INIT;
	struct talk t;
	struct loader *l = begin(&t, &plain_loader, &uboot);

	(void)state;
	assert_int_equal(loader_enter(l, deadline_in(LONG_MS), &err), 0);
	shutdown(t.line.fd, SHUT_RDWR);
	assert_int_equal(loader_script(l, tftp, vars, deadline_in(LONG_MS), &err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_string_equal(err.code, "console");
	end(&t);
}

static void test_expand(void **state)
{
	static const struct {
		const char *text, *result; /* NULL = refused */
	} cases[] = {
		{ "", "" },
		{ "tftpboot {addr} {file}", "tftpboot 0x84f00000 image" },
		{ "bootm {addr} - ${fdtcontroladdr}", "bootm 0x84f00000 - ${fdtcontroladdr}" },
		{ "{addr}{addr}", "0x84f000000x84f00000" },
		{ "{adr}", NULL },
		{ "{addr", NULL },
		{ "{}", NULL },
		{ "a } b", "a } b" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf out = BUF_INIT;
		int rc = loader_expand(cases[i].text, vars, &out);

		assert_int_equal(rc == 0, cases[i].result != NULL);
		if (!rc)
			assert_string_equal(buf_str(&out), cases[i].result);
		buf_release(&out);
	}
}

static void test_echo(void **state)
{
	static const struct {
		const char *heard, *typed;
		bool whole;
	} cases[] = {
		{ "help", "help", true },
		{ "he\r\nlp", "help", true },
		{ "hel", "help", false },
		{ "hhelp", "help", false },
		{ "help\r\n=> ", "help", false },
		{ "", "", true },
		{ "", "a", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(loader_echoed(cases[i].heard, strlen(cases[i].heard),
					       cases[i].typed),
				 cases[i].whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scenes),		cmocka_unit_test(test_kernel_is_left),
		cmocka_unit_test(test_lines_are_whole), cmocka_unit_test(test_enter_again),
		cmocka_unit_test(test_console_gone),	cmocka_unit_test(test_gives_up),
		cmocka_unit_test(test_expand),		cmocka_unit_test(test_echo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
