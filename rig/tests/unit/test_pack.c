// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * board/pack with Debian's mkbootimg and u-boot-tools: every type of file is unpacked again by the
 * packer itself; here also the bytes that a loader would look at, and each refusal.
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
#include "base/err.h"
#include "base/path.h"
#include "board/pack.h"

static char dir[64];
static char *kernel, *initrd, *dtb, *out;
static struct pack_input input;

static char *file(const char *name, size_t size)
{
	char *path = path_join(dir, name);
	uint8_t *data = xmalloc(size);

	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)(i * 7 + i / 251 + size);
	assert_int_equal(path_write(path, data, size), 0);
	free(data);
	return path;
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/rig-pack.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	/* no multiples of a page, so that padding shows */
	kernel = file("Image", 100001);
	initrd = file("initrd", 30003);
	dtb = file("dtb", 5005);
	out = path_join(dir, "out");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	path_remove(dir);
	free(kernel);
	free(initrd);
	free(dtb);
	free(out);
	return 0;
}

static int fresh(void **state)
{
	(void)state;
	input = (struct pack_input){ kernel, initrd, dtb, "console=ttyMSM0,115200 panic=0" };
	return path_remove(out);
}

static int build(const struct pack *p, struct err *err)
{
	return pack_build(p, &input, out, deadline_in(60000), err);
}

static void build_ok(const struct pack *p)
{
	struct err err = ERR_INIT;

	if (build(p, &err))
		fail_msg("%s", err.message);
}

static struct buf content(const struct pack *p, enum pack_type type)
{
	char *path = pack_path(p, type, out);
	struct buf b = BUF_INIT;

	assert_int_equal(path_read(path, &b, 1 << 24), 0);
	free(path);
	return b;
}

static bool was_made(const struct pack *p, enum pack_type type)
{
	char *path = pack_path(p, type, out);
	bool made = path_exists(path);

	free(path);
	return made;
}

static uint32_t le32(const struct buf *b, size_t at)
{
	const uint8_t *p = (const uint8_t *)b->data + at;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t be32(const struct buf *b, size_t at)
{
	return __builtin_bswap32(le32(b, at));
}

static const struct pack boot_2 = {
	.files = { { PACK_BOOT_2, "boot.img" } },
	.page_size = 4096,
	.base = 0x80000000,
	.kernel_offset = 0x8000,
	.ramdisk_offset = 0x1000000,
	.tags_offset = 0x100,
	.dtb_offset = 0x1f00000,
};

static const struct pack boot_4 = {
	.files = { { PACK_BOOT_4, "boot.img" }, { PACK_VENDOR_BOOT, "vendor_boot.img" } },
	.page_size = 2048,
	.base = 0x10000000,
};

/* bootimg.h of AOSP: magic, sizes and addresses, header version at 40, the text at 64. */
static void test_boot_2(void **state)
{
	struct buf b;

	(void)state;
	build_ok(&boot_2);
	b = content(&boot_2, PACK_BOOT_2);
	assert_memory_equal(b.data, "ANDROID!", 8);
	assert_int_equal(le32(&b, 8), 100001);
	assert_int_equal(le32(&b, 12), 0x80008000);
	assert_int_equal(le32(&b, 16), 30003);
	assert_int_equal(le32(&b, 20), 0x81000000);
	assert_int_equal(le32(&b, 36), 4096);
	assert_int_equal(le32(&b, 40), 2);
	assert_string_equal(b.data + 64, input.cmdline);
	assert_int_equal(b.size % 4096, 0);
	buf_release(&b);
}

static void test_boot_2_without_dtb(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	input.dtb = NULL;
	assert_int_equal(build(&boot_2, &err), -1);
	assert_int_equal(err.blame, BLAME_USER);
	assert_string_equal(err.code, "no-dtb");
}

static void test_boot_4(void **state)
{
	struct buf b;

	(void)state;
	build_ok(&boot_4);
	b = content(&boot_4, PACK_BOOT_4);
	assert_memory_equal(b.data, "ANDROID!", 8);
	assert_int_equal(le32(&b, 8), 100001);
	assert_int_equal(le32(&b, 12), 30003);
	assert_int_equal(le32(&b, 40), 4);
	assert_string_equal(b.data + 44, input.cmdline);
	buf_release(&b);
	b = content(&boot_4, PACK_VENDOR_BOOT);
	assert_memory_equal(b.data, "VNDRBOOT", 8);
	assert_int_equal(le32(&b, 8), 4);
	assert_int_equal(le32(&b, 12), 2048);
	buf_release(&b);
	/* the device's own vendor_boot stays when there is no device tree */
	fresh(state);
	input.dtb = NULL;
	build_ok(&boot_4);
	assert_true(was_made(&boot_4, PACK_BOOT_4));
	assert_false(was_made(&boot_4, PACK_VENDOR_BOOT));
}

/* What does not fit into the header must not vanish. */
static void test_long_cmdline(void **state)
{
	char text[4000];
	struct err err = ERR_INIT;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	input.cmdline = text;
	assert_int_equal(build(&boot_2, &err), -1);
	assert_string_equal(err.code, "pack");
	assert_int_equal(build(&boot_4, &err), -1);
	/* more than the first field of header 2 holds goes on in the second */
	text[1000] = '\0';
	build_ok(&boot_2);
	build_ok(&boot_4);
}

#define U_BOOT .arch = "mips", .compression = "none", .load = 0x80100000, .entry = 0x80100400

static void test_uimage(void **state)
{
	static const struct pack p = {
		.files = { { PACK_UIMAGE, "uImage" }, { PACK_UINITRD, "uInitrd" } },
		U_BOOT,
	};
	struct buf b;

	(void)state;
	build_ok(&p);
	b = content(&p, PACK_UIMAGE);
	assert_int_equal(be32(&b, 0), 0x27051956);
	assert_int_equal(be32(&b, 12), 100001);
	assert_int_equal(be32(&b, 16), 0x80100000);
	assert_int_equal(be32(&b, 20), 0x80100400);
	assert_int_equal(b.data[28], 5); /* Linux */
	assert_int_equal(b.data[29], 5); /* MIPS */
	assert_int_equal(b.data[30], 2); /* kernel */
	assert_int_equal(b.data[31], 0); /* not compressed */
	assert_int_equal(b.size, 64 + 100001);
	buf_release(&b);
	b = content(&p, PACK_UINITRD);
	assert_int_equal(b.data[30], 3);
	buf_release(&b);
}

static void test_multi_and_fit(void **state)
{
	static const struct pack p = {
		.files = { { PACK_MULTI, "multi" }, { PACK_FIT, "kernel.itb" } },
		U_BOOT,
	};
	struct buf b;

	(void)state;
	build_ok(&p);
	b = content(&p, PACK_MULTI);
	assert_int_equal(b.data[30], 4);
	assert_int_equal(be32(&b, 64), 100001); /* the table of parts */
	assert_int_equal(be32(&b, 68), 30003);
	buf_release(&b);
	b = content(&p, PACK_FIT);
	assert_int_equal(be32(&b, 0), 0xd00dfeed);
	buf_release(&b);
	fresh(state);
	input.dtb = NULL;
	build_ok(&p);
}

/* For loaders that know of no device tree: it follows the kernel, byte by byte. */
static void test_tree_behind(void **state)
{
	static const struct pack p = {
		.files = { { PACK_MULTI, "multi" } },
		.dtb_behind = true,
		U_BOOT,
	};
	struct buf b, k = BUF_INIT, t = BUF_INIT;
	size_t at = 64 + 12; /* header, the table of two parts and its end */

	(void)state;
	assert_int_equal(path_read(kernel, &k, 1 << 20), 0);
	assert_int_equal(path_read(dtb, &t, 1 << 20), 0);
	build_ok(&p);
	b = content(&p, PACK_MULTI);
	assert_int_equal(be32(&b, 64), k.size + t.size);
	assert_memory_equal(b.data + at, k.data, k.size);
	assert_memory_equal(b.data + at + k.size, t.data, t.size);
	buf_release(&b);
	fresh(state);
	input.dtb = NULL;
	build_ok(&p);
	b = content(&p, PACK_MULTI);
	assert_int_equal(be32(&b, 64), k.size);
	buf_release(&b);
	buf_release(&k);
	buf_release(&t);
}

static void test_dtb_by_name(void **state)
{
	static const struct {
		const char *named, *own, *wanted;
	} cases[] = {
		{ NULL, NULL, NULL },
		{ NULL, "/k/a.dtb", "/k/a.dtb" },
		{ "b.dtb", "/k/a.dtb", "/k/b.dtb" },
		{ "/x/b.dtb", "/k/a.dtb", "/x/b.dtb" },
		{ "b.dtb", NULL, "b.dtb" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *path = pack_dtb(cases[i].named, cases[i].own);

		assert_int_equal(path != NULL, cases[i].wanted != NULL);
		if (path)
			assert_string_equal(path, cases[i].wanted);
		free(path);
	}
}

/* Plain files, and the list of hashes as `sha256sum -c` takes it. */
static void test_plain(void **state)
{
	static const struct pack p = {
		.files = { { PACK_KERNEL, "bzImage" },
			   { PACK_INITRD, "initrd.cpio" },
			   { PACK_DTB, "d" } },
	};
	char *check = xasprintf(
		"cd %s && sha256sum --quiet -c SHA256SUMS && test $(ls | wc -l) = 4", out);
	struct buf b;

	(void)state;
	build_ok(&p);
	b = content(&p, PACK_KERNEL);
	assert_int_equal(b.size, 100001);
	buf_release(&b);
	assert_int_equal(system(check), 0);
	free(check);
	assert_null(pack_path(&p, PACK_FIT, out));
}

static void test_faults(void **state)
{
	struct err err = ERR_INIT;
	char *broken = path_join(dir, "mkbootimg"), *path = xstrdup(getenv("PATH"));
	char *both = xasprintf("%s:%s", dir, path);
	static const char script[] = "#!/bin/sh\nPATH=${PATH#*:}\nmkbootimg \"$@\"\n"
				     "for o; do :; done\nprintf X | dd of=\"$o\" bs=1 seek=5000 "
				     "conv=notrunc 2>/dev/null\n";

	(void)state;
	input.kernel = "/nonexistent/Image";
	assert_int_equal(build(&boot_4, &err), -1);
	assert_int_equal(err.blame, BLAME_RIG);
	assert_string_equal(err.message,
			    "cannot read /nonexistent/Image: No such file or directory");
	fresh(state);
	/* a packer that spoils what it packs */
	path_write(broken, script, strlen(script));
	chmod(broken, 0755);
	setenv("PATH", both, 1);
	assert_int_equal(build(&boot_4, &err), -1);
	assert_non_null(strstr(err.message, "its kernel is not the one that went in"));
	setenv("PATH", dir, 1);
	unlink(broken);
	assert_int_equal(build(&boot_4, &err), -1);
	assert_string_equal(err.message, "mkbootimg is not installed; run 'make setup'");
	setenv("PATH", path, 1);
	assert_int_equal(pack_build(&boot_4, &input, out, deadline_in(0), &err), -1);
	assert_string_equal(err.message, "mkbootimg: Connection timed out");
	free(broken);
	free(both);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_boot_2, fresh),
		cmocka_unit_test_setup(test_boot_2_without_dtb, fresh),
		cmocka_unit_test_setup(test_boot_4, fresh),
		cmocka_unit_test_setup(test_long_cmdline, fresh),
		cmocka_unit_test_setup(test_uimage, fresh),
		cmocka_unit_test_setup(test_multi_and_fit, fresh),
		cmocka_unit_test_setup(test_tree_behind, fresh),
		cmocka_unit_test(test_dtb_by_name),
		cmocka_unit_test_setup(test_plain, fresh),
		cmocka_unit_test_setup(test_faults, fresh),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
