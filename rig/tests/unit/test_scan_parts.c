// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the splat detector is made of: frames and source files of all styles, the table of generic
 * code, the table of boot banners, and what they make of whole splats.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "scan/boot.h"
#include "scan/generic.h"
#include "scan/klog.h"
#include "scan/signature.h"
#include "scan/trace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_frames(void **state)
{
	static const struct {
		const char *line, *func;
		bool sure;
	} cases[] = {
		{ " ufshcd_poll+0x40/0x120", "ufshcd_poll", true },
		{ " ? ufshcd_poll+0x40/0x120", "ufshcd_poll", false },
		{ " [<ffffffff81051234>] warn_slowpath+0x7a/0xb0", "warn_slowpath", true },
		{ " [<ffffffff81051234>] ? warn_slowpath+0x7a/0xb0", "warn_slowpath", false },
		{ "[<8010a1c8>] (unwind_backtrace) from [<8010a1b0>] (show+0x1/0x2)",
		  "unwind_backtrace", true },
		{ "[<80c1eb20>] (schedule.part.0) from [<80c2287c>] (x+0x1/0x2)", "schedule",
		  true },
		{ " unwind_backtrace from show_stack+0x10/0x14", "unwind_backtrace", true },
		{ "[c000000007b7b9a0] [c0000000003e8f54] foo_bar+0x1/0x2 (unreliable)", "foo_bar",
		  true },
		{ " __dump_stack lib/dump_stack.c:16 [inline]", "__dump_stack", true },
		{ " foo.isra.0+0x52/0x60 lib/a.c:123", "foo", true },
		{ "? dump_stack (lib/dump_stack.c:122)", "dump_stack", false },
		{ "ret_from_fork (arch/x86/entry/entry_64.S:302)", "ret_from_fork", true },
		{ " <TASK>", NULL, false },
		{ " R13: 0000000000000000", NULL, false },
		{ " usb 1-1: new device", NULL, false },
		{ "", NULL, false },
		{ "[", NULL, false },
		{ "[<", NULL, false },
		{ "(", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct frame f;
		bool yes = frame_parse(cases[i].line, strlen(cases[i].line), &f);

		assert_int_equal(yes, cases[i].func != NULL);
		if (!yes)
			continue;
		assert_int_equal(f.func_n, strlen(cases[i].func));
		assert_memory_equal(f.func, cases[i].func, f.func_n);
		assert_int_equal(f.sure, cases[i].sure);
	}
}

static void test_sources(void **state)
{
	static const char *const cases[][2] = {
		{ "at drivers/ufs/core/ufshcd.c:55 x", "drivers/ufs/core/ufshcd.c" },
		{ "kernel BUG at ./include/linux/skbuff.h:2389!", "include/linux/skbuff.h" },
		{ "at /home/me/linux/drivers/net/usb/x.c:1", "drivers/net/usb/x.c" },
		{ "at /usr/src/kernel/arch/x86/kvm/mmu.c:1", "arch/x86/kvm/mmu.c" },
		{ "at ../kernel/sched/core.c:1", "kernel/sched/core.c" },
		{ "panicked at drivers/android/node.rs:877:13:", "drivers/android/node.rs" },
		{ "a.c is no place, b.c:x neither, c.c:7 is", "c.c" },
		{ "version 1.c", "" },
		{ ".c:1", ".c" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char out[KLOG_FILE_MAX] = "";

		source_in(cases[i][0], strlen(cases[i][0]), out, sizeof(out));
		assert_string_equal(out, cases[i][1]);
	}
}

/* The row with something in place of its stars matches; no row is there twice. */
static void check_table(const char *const *table, size_t n, bool (*matches)(const char *))
{
	for (size_t i = 0; i < n; i++) {
		char text[128] = "";

		for (const char *p = table[i]; *p; p++)
			strncat(text, *p == '*' ? "x1" : (char[]){ *p, '\0' }, 3);
		if (!matches(text))
			fail_msg("%s does not match %s", table[i], text);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(table[i], table[k]))
				fail_msg("%s is there twice", table[i]);
	}
}

static void test_generic(void **state)
{
	static const char *const ours[] = { "ufshcd_poll",
					    "usb_ep_queue",
					    "dwc3_gadget_ep_queue",
					    "drm_atomic_helper_commit",
					    "get_user_pages_fast",
					    "kobject_put",
					    "panicker",
					    "do_truncate",
					    "" };
	static const char *const files[] = { "drivers/ufs/core/ufshcd.c", "drivers/usb/dwc3/core.c",
					     "fs/ext4/inode.c", "mm/khugepaged.c", "block/bio.c" };

	(void)state;
	check_table(generic_funcs, generic_funcs_n, generic_func);
	check_table(generic_files, generic_files_n, generic_file);
	for (size_t i = 0; i < COUNT(ours); i++)
		assert_false(generic_func(ours[i]));
	for (size_t i = 0; i < COUNT(files); i++)
		assert_false(generic_file(files[i]));
	assert_true(generic_func("__mutex_lock_slowpath"));
	assert_true(generic_file("arch/arm64/kernel/entry-common.c"));
}

struct last {
	size_t n;
	struct klog_finding f; /* the first */
};

static void keep(void *ctx, const struct klog_finding *f)
{
	struct last *l = ctx;

	if (!l->n++)
		l->f = *f;
}

static void scan_as(bool stored, const char *text, struct last *l)
{
	struct klog *k = klog_new(keep, l);

	memset(l, 0, sizeof(*l));
	if (stored)
		klog_allow_reboots(k);
	klog_feed(k, text, strlen(text));
	klog_finish(k);
	klog_free(k);
}

static void scan(const char *text, struct last *l)
{
	scan_as(true, text, l);
}

/* The line after a running kernel: a reset where it matches, and only there. */
static size_t resets(const char *line)
{
	char text[512];
	struct last l;

	snprintf(text, sizeof(text), "[   10.000000] all well\n%s\n", line);
	scan(text, &l);
	assert_true(!l.n || l.f.kind == KLOG_REBOOT);
	return l.n;
}

static void test_banners(void **state)
{
	char text[512];
	struct last l;

	(void)state;
	for (size_t i = 0; i < boot_rows_n; i++) {
		const struct boot_row *row = &boot_rows[i];

		assert_true(strlen(row->literal) >= 4);
		assert_int_equal(resets(row->yes), row->role == BOOT_LOADER);
		assert_int_equal(resets(row->no), 0);
		if (row->role == BOOT_ORDERLY) {
			snprintf(text, sizeof(text), "[   10.000000] %s\nU-Boot 2026.01\n",
				 row->yes);
			scan(text, &l);
			assert_int_equal(l.n, 0);
			scan_as(false, text, &l);
			assert_int_equal(l.n, 1);
		}
		snprintf(text, sizeof(text), "%s\nclock ok\n%s\n", row->yes, row->yes);
		scan(text, &l);
		assert_int_equal(l.n, row->flags & BOOT_LOOP ? 1 : 0);
	}
}

static void test_loops(void **state)
{
	struct last l;

	(void)state;
	/* three stages of one boot, each once */
	scan("U-Boot TPL 2026.01 (x)\nU-Boot SPL 2026.01 (x)\nU-Boot 2026.01 (x)\n", &l);
	assert_int_equal(l.n, 0);
	/* a loader that starts another build of itself */
	scan("U-Boot 2026.01-a\n=> go 0x1000\nU-Boot 2026.01-b\n", &l);
	assert_int_equal(l.n, 0);
	/* its version asked at the prompt */
	scan("U-Boot 2026.01 (x)\n=> version\nU-Boot 2026.01 (x)\n", &l);
	assert_int_equal(l.n, 0);
	scan("U-Boot 2026.01 (x)\nDRAM: 1 GiB\nU-Boot 2026.01 (x)\nDRAM: 1 GiB\n"
	     "U-Boot 2026.01 (x)\n",
	     &l);
	assert_int_equal(l.n, 2);
	/* a reset in the middle of a kernel line */
	scan("[   80.000000] bam-dFormat: Log Type - Time(microsec) - Message\n", &l);
	assert_int_equal(l.n, 1);
	/* a file of syslog holds boot after boot */
	scan("Feb 10 16:12:00 h kernel: [    0.000000] Linux version 5.4.0 (a@b) (gcc) #1\n"
	     "Feb 10 16:12:09 h kernel: [    9.000000] fine\n"
	     "Feb 11 16:12:00 h kernel: [    0.000000] Linux version 5.4.0 (a@b) (gcc) #1\n",
	     &l);
	assert_int_equal(l.n, 0);
}

/* Old arm: everything between the message and the trace belongs to it. */
static const char arm[] =
	"Unable to handle kernel NULL pointer dereference at virtual address 00000000\n"
	"pgd = c0004000\n"
	"[00000000] *pgd=00000000\n"
	"Internal error: Oops: 5 [#1] SMP ARM\n"
	"CPU: 0 PID: 1 Comm: swapper/0 Not tainted 3.10.0 #1\n"
	"PC is at memcpy+0x50/0x330\n"
	"LR is at foo_copy+0x28/0x48\n"
	"pc : [<c0210a50>]    lr : [<c0310a28>]    psr: 20000013\n"
	"sp : ee84dd90  ip : 0000001c  fp : ee84ddcc\n"
	"Stack: (0xee84dd90 to 0xee84e000)\n"
	"dd80:                                     c0210a50 20000013 ffffffff 00000000\n"
	"dda0: 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n"
	"[<c0210a50>] (memcpy) from [<c0310a28>] (foo_copy+0x28/0x48)\n"
	"[<c0310a28>] (foo_copy) from [<c0310b44>] (foo_probe+0x84/0x1b0)\n"
	"[<c0310b44>] (foo_probe) from [<c0008d30>] (do_one_initcall+0x38/0x160)\n"
	"---[ end trace 0123456789abcdef ]---\n";

static const char mips[] =
	"CPU 0 Unable to handle kernel paging request at virtual address 00000010, epc == 8010a1c8, "
	"ra == 8010a1b0\n"
	"Oops[#1]:\n"
	"CPU: 0 PID: 1 Comm: init Not tainted 5.15.0 #0\n"
	"$ 0   : 00000000 00000001 00000002 00000003\n"
	"Hi    : 00000000\n"
	"Lo    : 00000000\n"
	"epc   : 8010a1c8 rtl838x_foo+0x18/0x40\n"
	"ra    : 8010a1b0 rtl838x_probe+0x30/0x60\n"
	"Status: 1000fc03 KERNEL EXL IE\n"
	"Cause : 0080000c (ExcCode 03)\n"
	"BadVA : 00000010\n"
	"Call Trace:\n"
	"[<8010a1c8>] rtl838x_foo+0x18/0x40\n"
	"[<8010a1b0>] rtl838x_probe+0x30/0x60\n"
	"Code: 00000000  8c420010\n"
	"---[ end trace 0123456789abcdef ]---\n";

static const char kasan[] =
	"==================================================================\n"
	"BUG: KASAN: use-after-free in __read_once include/linux/compiler.h:254 [inline]\n"
	"BUG: KASAN: use-after-free in queued_spin_lock_slowpath+0xb0a/0xfd0 kernel/locking/q.c:4\n"
	"Read of size 4 by task fio/130\n"
	"Call Trace:\n"
	" dump_stack+0x292/0x398 lib/dump_stack.c:52\n"
	" _raw_spin_lock+0x32/0x40 kernel/locking/spinlock.c:151\n"
	" spin_lock include/linux/spinlock.h:299 [inline]\n"
	" ns_get+0x197/0x860 fs/nsfs.c:66\n"
	" open_ns+0xda/0x200 fs/nsfs.c:143\n"
	"Allocated by task 1:\n"
	" other_alloc+0xda/0x200 net/other.c:143\n";

static const char deadlock[] = "======================================================\n"
			       "WARNING: possible circular locking dependency detected\n"
			       "6.12.0 #1 Not tainted\n"
			       "fio/130 is trying to acquire lock:\n"
			       "ffff8880 (&a){+.+.}-{3:3}, at: foo_take+0x1/0x2\n"
			       "but task is already holding lock:\n"
			       "ffff8881 (&b){+.+.}-{3:3}, at: bar_take+0x1/0x2\n"
			       "the existing dependency chain (in reverse order) is:\n"
			       "-> #1 (&b){+.+.}-{3:3}:\n"
			       "       old_frame+0x1/0x2\n"
			       "stack backtrace:\n"
			       " dump_stack+0x1/0x2\n"
			       " foo_take+0x1/0x2\n"
			       " foo_ioctl+0x1/0x2\n";

static void test_splats(void **state)
{
	static const struct {
		const char *text, *title, *guilty, *frames[3];
	} cases[] = {
		{ arm,
		  "BUG: unable to handle kernel NULL pointer dereference in foo_copy",
		  "",
		  { "foo_copy", "foo_probe", NULL } },
		{ mips,
		  "BUG: unable to handle kernel paging request in rtl838x_foo",
		  "",
		  { "rtl838x_foo", "rtl838x_probe", NULL } },
		{ kasan,
		  "KASAN: use-after-free Read in ns_get",
		  "fs/nsfs.c",
		  { "ns_get", "open_ns", NULL } },
		{ deadlock,
		  "possible deadlock in foo_take",
		  "",
		  { "foo_take", "foo_ioctl", NULL } },
		{ "WARNING: CPU: 0 PID: 1 at lib/refcount.c:28 refcount_warn_saturate+0x1/0x2\n",
		  "WARNING: refcount bug",
		  "lib/refcount.c",
		  { NULL } },
		{ "WARNING: CPU: 0 PID: 1 at drivers/ufs/x.c:28 ufshcd_x+0x1/0x2\n",
		  "WARNING in ufshcd_x",
		  "drivers/ufs/x.c",
		  { NULL } },
		{ "TITLE: kernel BUG at x\nBUG: scheduling while atomic: a/1/0x2\n",
		  "BUG: scheduling while atomic",
		  "",
		  { NULL } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct last l;
		unsigned int n = 0;

		scan(cases[i].text, &l);
		assert_int_equal(l.n, 1);
		assert_string_equal(l.f.title, cases[i].title);
		assert_string_equal(l.f.guilty, cases[i].guilty);
		for (; n < 3 && cases[i].frames[n]; n++)
			assert_string_equal(l.f.trace[n], cases[i].frames[n]);
		assert_int_equal(l.f.n_frames, n);
	}
}

/* What a change of the FIFO depth once did to a gadget: numbers fine, a splat in the log. */
static void test_dwc3(void **state)
{
	static const char text[] =
		"[   21.100000] dwc3 dwc3.0.auto: Fifosize(2154) > RAM size(2022) ep5in depth:115540359\n"
		"[   21.100010] ------------[ cut here ]------------\n"
		"[   21.100020] WARNING: CPU: 1 PID: 471 at drivers/usb/gadget/udc/core.c:294 "
		"usb_ep_queue+0x7b/0x110 [udc_core]\n"
		"[   21.100022] Modules linked in: usb_f_uac2 u_audio usb_f_eem usb_f_mass_storage\n"
		"[   21.100024] CPU: 1 PID: 471 Comm: irq/14-dwc3 Not tainted 5.13.0-rc5 #1\n"
		"[   21.100026] RIP: 0010:usb_ep_queue+0x7b/0x110 [udc_core]\n"
		"[   21.100027] Code: 8b 46 40 ff d0 0f 1f 00 eb b4 <0f> 0b b8 94 ff ff ff\n"
		"[   21.100028] RSP: 0018:ffffb0a4c0223c80 EFLAGS: 00010246\n"
		"[   21.100030] Call Trace:\n"
		"[   21.100050]  u_audio_start_capture+0x1d4/0x2a0 [u_audio]\n"
		"[   21.100060]  afunc_set_alt+0x7f/0x1a0 [usb_f_uac2]\n"
		"[   21.100070] ---[ end trace 0000000000000000 ]---\n";
	struct last l;

	(void)state;
	scan(text, &l);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.f.kind, KLOG_DEVICE);
	assert_int_equal(l.f.severity, KLOG_NOTICE);
	scan(strchr(text, '\n') + 1, &l);
	assert_int_equal(l.n, 1);
	assert_string_equal(l.f.title, "WARNING in usb_ep_queue");
	assert_string_equal(l.f.guilty, "drivers/usb/gadget/udc/core.c");
	assert_string_equal(l.f.trace[0], "u_audio_start_capture");
}

static struct signature sign(enum klog_kind kind, const char *title, const char *frames)
{
	struct klog_finding f = { .kind = kind };
	struct signature s;
	char copy[64];

	snprintf(f.title, sizeof(f.title), "%s", title);
	snprintf(copy, sizeof(copy), "%s", frames);
	for (char *p = copy; *p; p++)
		snprintf(f.trace[f.n_frames++], KLOG_FRAME_MAX, "%c", *p);
	signature_of(&f, &s);
	return s;
}

static void test_same(void **state)
{
	static const struct {
		enum klog_kind kind[2];
		const char *title[2], *frames[2];
		bool same;
	} cases[] = {
		{ { KLOG_BUG, KLOG_BUG }, { "x", "x" }, { "abc", "abc" }, true },
		{ { KLOG_BUG, KLOG_BUG }, { "x", "x" }, { "abcd", "abce" }, true },
		{ { KLOG_BUG, KLOG_BUG }, { "x", "x" }, { "abc", "a" }, true },
		{ { KLOG_BUG, KLOG_BUG }, { "x", "x" }, { "", "abc" }, true },
		{ { KLOG_BUG, KLOG_BUG }, { "x", "x" }, { "abc", "xbc" }, false },
		{ { KLOG_BUG, KLOG_BUG }, { "x", "y" }, { "abc", "abc" }, false },
		{ { KLOG_BUG, KLOG_OOPS }, { "x", "x" }, { "abc", "abc" }, false },
		{ { KLOG_RCU, KLOG_RCU }, { "stall in x", "stall in y" }, { "a", "b" }, true },
		{ { KLOG_HUNG, KLOG_HUNG }, { "hung in x", "hung in y" }, { "a", "a" }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct signature a = sign(cases[i].kind[0], cases[i].title[0], cases[i].frames[0]);
		struct signature b = sign(cases[i].kind[1], cases[i].title[1], cases[i].frames[1]);

		assert_int_equal(signature_same(&a, &b), cases[i].same);
		assert_int_equal(signature_same(&b, &a), cases[i].same);
	}
}

static void test_signature_id(void **state)
{
	struct signature a = sign(KLOG_BUG, "x", "ab"), b = sign(KLOG_BUG, "xa", "b");
	char id[2][SIGNATURE_ID_SIZE];

	(void)state;
	signature_id(&a, id[0]);
	signature_id(&b, id[1]);
	assert_string_not_equal(id[0], id[1]);
	/* stored beside results: it may never change */
	assert_string_equal(id[0], "8758fba33e3331bc");
}

static void test_new_known_gone(void **state)
{
	struct signature_set set = SIGNATURE_SET_INIT;
	struct signature s = sign(KLOG_BUG, "both", "a");
	size_t at = 0;

	(void)state;
	signature_learn(&set, &s);
	signature_learn(&set, &s);
	assert_int_equal(set.n, 1);
	assert_int_equal(signature_ask(&set, &s), SIGNATURE_KNOWN);
	s = sign(KLOG_BUG, "baseline", "a");
	signature_learn(&set, &s);
	s = sign(KLOG_BUG, "candidate", "a");
	assert_int_equal(signature_ask(&set, &s), SIGNATURE_NEW);
	assert_string_equal(signature_gone(&set, &at)->title, "baseline");
	assert_null(signature_gone(&set, &at));
	for (int i = 0; i < 2 * SIGNATURE_SET_MAX; i++) {
		snprintf(s.title, sizeof(s.title), "%d", i);
		signature_learn(&set, &s);
	}
	assert_int_equal(set.n, SIGNATURE_SET_MAX);
	signature_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),	     cmocka_unit_test(test_sources),
		cmocka_unit_test(test_generic),	     cmocka_unit_test(test_banners),
		cmocka_unit_test(test_loops),	     cmocka_unit_test(test_splats),
		cmocka_unit_test(test_dwc3),	     cmocka_unit_test(test_same),
		cmocka_unit_test(test_signature_id), cmocka_unit_test(test_new_known_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
