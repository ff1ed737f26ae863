// SPDX-License-Identifier: GPL-2.0-or-later
/* Prompts and banners (prompt.h): every row against its examples, in all the disguises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "io/prompt.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void start(struct prompt *p, const char *text, size_t n)
{
	prompt_init(p, prompt_rows, prompt_rows_n);
	for (size_t i = 0; i < n; i++)
		prompt_feed(p, text + i, 1);
}

/* What the text is in the end: a banner in it, or the prompt that it rests at. */
static const struct prompt_row *seen(const char *text, size_t n)
{
	const struct prompt_row *row;
	struct prompt p;

	start(&p, text, n);
	row = prompt_banner(&p);
	return row ? row : prompt_at_rest(&p);
}

static const struct prompt_row *seen_text(const char *text)
{
	return seen(text, strlen(text));
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < prompt_rows_n; i++) {
		const struct prompt_row *row = &prompt_rows[i], *yes = seen_text(row->yes);

		if (!yes || yes->kind != row->kind || seen_text(row->no))
			fail_msg("row %zu: \"%s\" and \"%s\"", i, row->yes, row->no);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(row->pattern, prompt_rows[k].pattern);
	}
}

/* What may come before and after a prompt without making it another. */
static void test_disguises(void **state)
{
	static const char *const around[][2] = {
		{ "some output\r\n", "" },
		{ "\r\n\r\n", "" },
		{ "\n\r", "" },
		{ "\x1b[1;32m", "\x1b[0m" },
		{ "\x1b]0;root@host: ~\x07", "" },
		{ "\x1b[2J\x1b[1;1H", "" },
		{ "half a line\x1b[5;1H", "" },
		{ "\r\x1b[K", "" },
		{ "old text\r", "" },
		{ "\x1b(B\x1b[m", "\x1b[6n" },
		{ "", "x\b \b" },
		{ "", "help\b \b\b \b\b \b\b \b" },
		{ "[    1.000000] usb: new\r\n", "" },
		{ "", "[    9.123456] usb: new\r\n" },
		{ "", "[    9.1234567][   T12] a" },
		{ "", "[    9.123456] a\r\n[    9.2345] b\r\n" },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < prompt_rows_n; i++) {
		for (size_t k = 0; k < COUNT(around); k++) {
			const struct prompt_row *row;

			snprintf(text, sizeof(text), "%s%s%s", around[k][0], prompt_rows[i].yes,
				 around[k][1]);
			row = seen_text(text);
			if (!row || row->kind != prompt_rows[i].kind)
				fail_msg("\"%s\" in disguise %zu", prompt_rows[i].yes, k);
		}
	}
}

/* A kernel message in the middle of a prompt, at every place of it. */
static void test_split_by_printk(void **state)
{
	static const char message[] = "[   16.305150] random: crng init done [a=>b]# \r\n";
	char text[512];

	(void)state;
	for (size_t i = 0; i < prompt_rows_n; i++) {
		const char *yes = prompt_rows[i].yes;

		if (prompt_is_banner(prompt_rows[i].kind))
			continue;
		for (size_t at = 0; at <= strlen(yes); at++) {
			const struct prompt_row *row;

			snprintf(text, sizeof(text), "boot\r\n%.*s%s%s", (int)at, yes, message,
				 yes + at);
			row = seen_text(text);
			if (!row || row->kind != prompt_rows[i].kind)
				fail_msg("\"%s\" split at %zu", yes, at);
		}
	}
}

static void test_no_prompts(void **state)
{
	static const char *const lines[] = {
		"Loading: #################",
		"=> printenv",
		"login: root",
		"the value is => ",
		"=> \r\n",
		"# comment",
		"buildroot login: root\r\n",
		"100 $ ",
		"[    1.000000] foo: 5 # ",
		"Last login: Mon Nov 30",
		"[    1.000000] a=> ",
		"",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		if (seen_text(lines[i]))
			fail_msg("\"%s\" is no prompt", lines[i]);
}

/* The end of other output before a kernel message, then a prompt: the prompt counts. */
static void test_after_printk(void **state)
{
	const struct prompt_row *row = seen_text("Starting [    3.123456] usb: new\r\n=> ");

	(void)state;
	assert_non_null(row);
	assert_int_equal(row->kind, PROMPT_LOADER);
}

static void test_banner_once(void **state)
{
	static const char text[] = "Hit any key to stop autoboot:  3 \b\b\b 2 \b\b\b 1 ";
	struct prompt p;

	(void)state;
	start(&p, text, sizeof(text) - 1);
	assert_int_equal(prompt_banner(&p)->kind, PROMPT_AUTOBOOT);
	assert_null(prompt_banner(&p));
}

static void test_own_rows(void **state)
{
	static const struct prompt_row own[] = {
		{ PROMPT_LOADER, "mine", "K230#", NULL, "K230# ", "K230" },
	};
	struct prompt p;

	(void)state;
	prompt_init(&p, own, 1);
	prompt_feed(&p, "=> ", 3);
	assert_null(prompt_at_rest(&p));
	prompt_feed(&p, "\nK230#", 6);
	assert_ptr_equal(prompt_at_rest(&p), own);
}

/* Any bytes, long lines, torn sequences: nothing breaks, and the next line is whole again. */
static void test_garbage(void **state)
{
	struct prompt p;
	uint32_t x = 1;

	(void)state;
	prompt_init(&p, prompt_rows, prompt_rows_n);
	for (int i = 0; i < 200000; i++) {
		char c;

		x = x * 1664525u + 1013904223u;
		c = (char)(x >> 24);
		prompt_feed(&p, &c, 1);
		if (i % 64 == 0)
			prompt_at_rest(&p);
	}
	for (int i = 0; i < 1000; i++)
		prompt_feed(&p, "x", 1);
	assert_null(prompt_at_rest(&p));
	prompt_feed(&p, "\x1b[12", 4);
	prompt_feed(&p, "\n=> ", 4);
	assert_non_null(prompt_at_rest(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_disguises),
		cmocka_unit_test(test_split_by_printk),
		cmocka_unit_test(test_no_prompts),
		cmocka_unit_test(test_after_printk),
		cmocka_unit_test(test_banner_once),
		cmocka_unit_test(test_own_rows),
		cmocka_unit_test(test_garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
