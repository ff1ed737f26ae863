// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The splat detector (klog.h): every row of its table against its own examples, streaming in any
 * chunking, whole splats. The corpus of real logs: test_scan_corpus.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "scan/generic.h"
#include "scan/klog.h"
#include "scan/logline.h"
#include "scan/patterns.h"
#include "scan/symbol.h"
#include "scan/trace.h"

#define FOUND_MAX 64

struct found {
	size_t n;
	struct klog_finding items[FOUND_MAX];
};

static void collect(void *ctx, const struct klog_finding *f)
{
	struct found *all = ctx;

	if (all->n < FOUND_MAX)
		all->items[all->n] = *f;
	all->n++;
}

/* Feeds text in pieces of `chunk` bytes. */
static void scan(const char *text, size_t size, size_t chunk, struct found *all)
{
	struct klog *k = klog_new(collect, all);

	all->n = 0;
	for (size_t i = 0; i < size; i += chunk)
		klog_feed(k, text + i, size - i < chunk ? size - i : chunk);
	klog_finish(k);
	klog_free(k);
}

static void scan_line(const char *prefix, const char *line, const char *end, struct found *all)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s", prefix, line, end);
	scan(text, strlen(text), 7, all);
}

/* What may stand around a kernel message on a console. */
static const char *const wrappings[][2] = {
	{ "", "\n" },
	{ "", "" },
	{ "[   12.345678] ", "\r\n" },
	{ "[   12.345678][ T1234] ", "\n\r" },
	{ "[    0.000000][    C1] ", "\n" },
	{ "<4>[    1.234567] ", "\r\r\n" },
	{ "<4>", "\n" },
	{ "4,1234,5678901,-;", "\n" },
	{ "[Mon Sep 12 14:38:59 2022] ", "\n" },
	{ "[Sep12 14:38] ", "\n" },
	{ "[  +0.000012] ", "\n" },
	{ "Sep 23 02:31:17 host kernel: [   69.295771] ", "\n" },
	{ "2026-11-30T15:04:05.123456+00:00 host kernel: ", "\n" },
	{ "login: [   16.305150] ", "\n" },
	{ "\x1b[0;31m[   16.305150] ", "\x1b[0m\n" },
	{ "\0[   16.305150] ", "\n" },
};

static void test_examples(void **state)
{
	struct found all;

	(void)state;
	for (size_t i = 0; i < klog_n_patterns(); i++) {
		enum klog_kind kind;
		const char *anchor;
		const struct klog_example *e = klog_examples(i, &kind, &anchor);
		unsigned int yes = 0, no = 0;

		for (; e->line; e++) {
			scan_line("", e->line, "\n", &all);
			if (!e->title) {
				no++;
				for (size_t f = 0; f < all.n; f++)
					assert_string_not_equal(all.items[f].title,
								patterns[i].title);
				continue;
			}
			yes++;
			assert_int_equal(all.n, 1);
			assert_string_equal(all.items[0].title, e->title);
			assert_int_equal(all.items[0].kind, kind);
			assert_int_equal(all.items[0].severity, patterns[i].severity);
		}
		if (!yes || !no)
			fail_msg("row %zu (%s) lacks examples", i, anchor);
		assert_true(strlen(anchor) >= 4);
	}
}

static void test_wrappings(void **state)
{
	struct found all;

	(void)state;
	for (size_t i = 0; i < klog_n_patterns(); i++) {
		enum klog_kind kind;
		const char *anchor;
		const struct klog_example *e = klog_examples(i, &kind, &anchor);

		for (; e->line && e->title; e++) {
			for (size_t w = 0; w < sizeof(wrappings) / sizeof(wrappings[0]); w++) {
				scan_line(wrappings[w][0], e->line, wrappings[w][1], &all);
				assert_int_equal(all.n, 1);
				assert_string_equal(all.items[0].title, e->title);
				assert_int_equal(all.items[0].begin, 0);
			}
		}
	}
}

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < KLOG_N_KINDS; i++) {
		assert_non_null(klog_kind_name((enum klog_kind)i));
		assert_int_equal(klog_kind_parse(klog_kind_name((enum klog_kind)i)), i);
	}
	assert_int_equal(klog_kind_parse("panik"), -1);
	assert_string_equal(klog_severity_name(KLOG_FATAL), "fatal");
}

static const char splat[] =
	"[    1.000000] usb 1-1: new device\r\n"
	"[    2.000000] ------------[ cut here ]------------\r\n"
	"[    2.000001] WARNING: CPU: 1 PID: 71 at drivers/ufs/core/ufshcd.c:5500 "
	"ufshcd_transfer_req_compl+0x98/0x1b0\r\n"
	"[    2.000002] Modules linked in:\r\n"
	"[    2.000003] CPU: 1 PID: 71 Comm: fio Not tainted 6.12.0 #1\r\n"
	"[    2.000004] Call trace:\r\n"
	"[    2.000005]  ufshcd_transfer_req_compl+0x98/0x1b0\r\n"
	"[    2.000006] ---[ end trace 0000000000000000 ]---\r\n"
	"[    3.000000] sd 0:0:0:0: fine\r\n";

static void test_range(void **state)
{
	struct found all;
	size_t begin = (size_t)(strstr(splat, "[    2.000001]") - splat);
	size_t end = (size_t)(strstr(splat, "[    3.0") - splat);

	(void)state;
	for (size_t chunk = 1; chunk < sizeof(splat); chunk++) {
		scan(splat, sizeof(splat) - 1, chunk, &all);
		assert_int_equal(all.n, 1);
		assert_string_equal(all.items[0].title, "WARNING in ufshcd_transfer_req_compl");
		assert_string_equal(all.items[0].func, "ufshcd_transfer_req_compl");
		assert_int_equal(all.items[0].begin, begin);
		assert_int_equal(all.items[0].end, end);
	}
}

/* One splat and what a kernel says in its course is one finding; the worst severity counts. */
static void test_oops_to_panic(void **state)
{
	static const char text[] =
		"Unable to handle kernel NULL pointer dereference at virtual address 18\n"
		"Mem abort info:\n"
		"  ESR = 0x96000004\n"
		"Internal error: Oops: 0000000096000004 [#1] PREEMPT SMP\n"
		"pc : ufshcd_poll+0x40/0x120\n"
		"lr : ufshcd_poll+0x20/0x120\n"
		"Call trace:\n"
		" ufshcd_poll+0x40/0x120\n"
		"---[ end trace 0000000000000000 ]---\n"
		"Kernel panic - not syncing: Oops: Fatal exception in interrupt\n"
		"---[ end Kernel panic - not syncing: Oops: Fatal exception in interrupt ]---\n";
	struct found all;

	(void)state;
	scan(text, sizeof(text) - 1, 100, &all);
	assert_int_equal(all.n, 1);
	assert_string_equal(all.items[0].title,
			    "BUG: unable to handle kernel NULL pointer dereference in ufshcd_poll");
	assert_int_equal(all.items[0].severity, KLOG_FATAL);
	assert_int_equal(all.items[0].end, sizeof(text) - 1);
}

static void test_refcount(void **state)
{
	static const char text[] =
		"------------[ cut here ]------------\n"
		"refcount_t: underflow; use-after-free.\n"
		"WARNING: CPU: 0 PID: 1 at lib/refcount.c:28 refcount_warn_saturate+0xf4/0x150\n"
		"Call trace:\n"
		" refcount_warn_saturate+0xf4/0x150\n"
		" kobject_put+0x1/0x2\n";
	struct found all;

	(void)state;
	scan(text, sizeof(text) - 1, 100, &all);
	assert_int_equal(all.n, 1);
	assert_string_equal(all.items[0].title, "WARNING: refcount bug in kobject_put");
	assert_string_equal(all.items[0].func, "kobject_put");
}

static void test_reboot(void **state)
{
	static const char text[] = "U-Boot 2026.01\n"
				   "[    0.000000] Linux version 6.12.0 (a@b) (gcc) #1\n"
				   "[    9.000000] all well\n"
				   "U-Boot 2026.01\n"
				   "[    0.000000] Linux version 6.12.0 (a@b) (gcc) #1\n";
	size_t reset = (size_t)(strstr(text, "well\n") + 5 - text);
	struct found all;
	struct klog *k = klog_new(collect, &all);

	(void)state;
	scan(text, sizeof(text) - 1, 100, &all);
	assert_int_equal(all.n, 1);
	assert_int_equal(all.items[0].kind, KLOG_REBOOT);
	assert_int_equal(all.items[0].severity, KLOG_FATAL);
	assert_int_equal(all.items[0].begin, reset);

	all.n = 0;
	klog_feed(k, text, reset);
	klog_expect_boot(k);
	klog_feed(k, text + reset, sizeof(text) - 1 - reset);
	klog_finish(k);
	klog_free(k);
	assert_int_equal(all.n, 0);
}

/* A live log: flush reports at once, and what still comes of the splat is swallowed. */
static void test_flush(void **state)
{
	static const char head[] =
		"[   5.000000] Kernel panic - not syncing: rig canary: 1000 I/Os\n";
	static const char tail[] =
		"[   5.000001] CPU: 0 PID: 1 Comm: fio\n[   5.000002] Call trace:\n";
	struct found all = { .n = 0 };
	struct klog *k = klog_new(collect, &all);

	(void)state;
	klog_feed(k, head, sizeof(head) - 1);
	assert_true(klog_pending(k));
	assert_int_equal(all.n, 0);
	klog_flush(k);
	assert_int_equal(all.n, 1);
	assert_string_equal(all.items[0].title, "panic: rig canary: NUM I/Os");
	assert_false(klog_pending(k));
	klog_feed(k, tail, sizeof(tail) - 1);
	klog_finish(k);
	klog_free(k);
	assert_int_equal(all.n, 1);
}

/* A warning that was reported and then panics is worse than what was reported. */
static void test_flush_then_worse(void **state)
{
	static const char warning[] = "WARNING: CPU: 0 PID: 1 at a/b.c:1 foo_bar+0x1/0x2\n";
	static const char panic[] = "Kernel panic - not syncing: panic_on_warn set ...\n";
	struct found all = { .n = 0 };
	struct klog *k = klog_new(collect, &all);

	(void)state;
	klog_feed(k, warning, sizeof(warning) - 1);
	klog_flush(k);
	klog_feed(k, panic, sizeof(panic) - 1);
	klog_finish(k);
	klog_free(k);
	assert_int_equal(all.n, 2);
	assert_int_equal(all.items[1].kind, KLOG_PANIC);
}

/* The whole of a splat is seen through what may stand before its lines. */
static void test_wrapped_splat(void **state)
{
	static const char *const lines[] = {
		"BUG: kernel NULL pointer dereference, address: 0000000000000010",
		"#PF: supervisor read access in kernel mode",
		"RIP: 0010:memcpy+0x12/0x40",
		"RSP: 0018:ffffc90000013c58 EFLAGS: 00010246",
		"Call Trace:",
		" <TASK>",
		" ufshcd_foo+0x40/0x120",
		" ufshcd_bar+0x40/0x120",
		"---[ end trace 0000000000000000 ]---",
	};

	(void)state;
	for (size_t w = 0; w < sizeof(wrappings) / sizeof(wrappings[0]); w++) {
		struct buf text = BUF_INIT;
		struct found all;

		if (!*wrappings[w][1] || !strcmp(wrappings[w][0], "login: [   16.305150] "))
			continue;
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			buf_addf(&text, "%s%s%s", wrappings[w][0], lines[i], wrappings[w][1]);
		scan(text.data, text.size, 9, &all);
		assert_int_equal(all.n, 1);
		assert_string_equal(all.items[0].title, "BUG: unable to handle kernel NULL pointer "
							"dereference in ufshcd_foo");
		assert_int_equal(all.items[0].n_frames, 2);
		/* a CR after the last LF belongs to the line that never came */
		assert_in_range(all.items[0].end, text.size - 1, text.size);
		buf_release(&text);
	}
}

/* Two CPUs, a killed newline, a message cut by another. */
static void test_interleaved(void **state)
{
	static const char text[] =
		"[  1.000000] BUG: unable to handle [  1.000001] usb: hello\n"
		"[  1.000002] BUG: scheduling while atomic: a/1/0x2[  1.000003] x\n";
	struct found all;

	(void)state;
	scan(text, sizeof(text) - 1, 11, &all);
	assert_int_equal(all.n, 2);
	assert_int_equal(all.items[0].kind, KLOG_OOPS);
	assert_int_equal(all.items[1].kind, KLOG_ATOMIC);
}

/* Device errors come in storms; a finding each would bury everything else. */
static void test_storm(void **state)
{
	struct buf b = BUF_INIT;
	struct found all;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "[%5d.000000] I/O error, dev sda, sector %d\n", i, i);
	scan(b.data, b.size, 4096, &all);
	assert_int_equal(all.n, 20);
	assert_int_equal(all.items[0].severity, KLOG_NOTICE);
	buf_release(&b);
}

/* Every byte value, no line end, long lines: nothing found, nothing broken. */
static void test_garbage(void **state)
{
	struct found all;
	char *text = xmalloc(1 << 20);
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < 1 << 20; i++) {
		x = x * 1664525u + 1013904223u;
		text[i] = (char)(x >> 24);
	}
	scan(text, 1 << 20, 999, &all);
	assert_int_equal(all.n, 0);
	memset(text, 'x', 1 << 20);
	scan(text, 1 << 20, 1 << 20, &all);
	assert_int_equal(all.n, 0);
	free(text);
}

static void test_symbols(void **state)
{
	static const char *const cases[][2] = {
		{ "RIP: 0010:foo_bar.isra.3+0x12/0x40", "foo_bar" },
		{ "WARNING: at a.c:12 old_style()", "old_style" },
		{ "pc : __ufs_x+0x1/0x2 [ufshcd_core]", "__ufs_x" },
		{ "0x12+0x34", "" },
		{ "nothing here", "" },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		out[0] = '\0';
		symbol_in(cases[i][0], strlen(cases[i][0]), out, sizeof(out));
		assert_string_equal(out, cases[i][1]);
	}
}

static void test_normalise(void **state)
{
	static const char *const cases[][2] = {
		{ "a 12 b 0x1f  c ffff8801cbeda574.", "a NUM b ADDR c ADDR." },
		{ "foo+0x12/0x34 sda1 ext4", "foo sda1 ext4" },
		{ "tab\x01\xff end ", "tab end" },
	};
	char out[40];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		out[0] = '\0';
		symbol_normalise(cases[i][0], strlen(cases[i][0]), out, sizeof(out));
		assert_string_equal(out, cases[i][1]);
	}
	strcpy(out, "head ");
	symbol_normalise("0123456789 0123456789 0123456789 0123456789 x", 45, out, sizeof(out));
	assert_string_equal(out, "head ADDR ADDR ADDR ADDR x");
	out[0] = '\0';
	symbol_normalise("much longer than the room there is", 34, out, 8);
	assert_string_equal(out, "much lo");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_wrappings),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_oops_to_panic),
		cmocka_unit_test(test_refcount),
		cmocka_unit_test(test_reboot),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_flush_then_worse),
		cmocka_unit_test(test_wrapped_splat),
		cmocka_unit_test(test_interleaved),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_normalise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
