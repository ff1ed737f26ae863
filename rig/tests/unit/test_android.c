// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Android boards against a bootloader that answers as ABL does (umockdev): the way of a visit and
 * the ways into the bootloader. A thread plugs the device in when it reads the line in the log that
 * is to bring it back.
 */
#include "android_bench.h"

#include <pthread.h>
#include <stdatomic.h>

static const struct android_model patient = { uart, 8000, 15000 };
static struct mock_usb *other; /* what else is in the port */

static char *text_of(const char *path)
{
	struct buf b = BUF_INIT;

	path_read(path, &b, 1 << 20);
	buf_adds(&b, "");
	return buf_detach(&b);
}

static bool logged(const char *what)
{
	char *text = text_of(log_path);
	bool found = strstr(text, what) != NULL;

	free(text);
	return found;
}

/* Plugs the device in again once the log has this line. */
static struct {
	pthread_t thread;
	atomic_bool stop;
	const char *line;
} wall;

static void *watch(void *unused)
{
	(void)unused;
	while (!wall.stop) {
		if (logged(wall.line)) {
			if (other)
				mock_unplug(other);
			other = NULL;
			mock_fastboot_set(device, "serial=BACK");
			break;
		}
		usleep(5000);
	}
	return NULL;
}

static void comes_back_after(const char *line)
{
	wall.line = line;
	wall.stop = false;
	assert_int_equal(pthread_create(&wall.thread, NULL, watch, NULL), 0);
}

static int tear_down(void **state)
{
	wall.stop = true;
	if (wall.line)
		pthread_join(wall.thread, NULL);
	wall.line = NULL;
	if (other)
		mock_unplug(other);
	other = NULL;
	return bench_down(state);
}

static int commands(const char *what)
{
	char *log = mock_fastboot_log(device);
	int n = 0;

	for (const char *p = log; (p = strstr(p, what)); p++)
		n++;
	free(log);
	return n;
}

static void assert_noted(const char *what)
{
	if (!strstr(buf_str(&notes), what))
		fail_msg("no \"%s\" in the notes:\n%s", what, buf_str(&notes));
}

/* What is in the partition is what unpacks to the kernel. */
static void assert_kernel_in(const char *stored)
{
	struct buf out = BUF_INIT;
	char *path = path_join(dir, stored), *parts = path_join(dir, "parts");
	const char *const argv[] = { "unpack_bootimg", "--boot_img", path, "--out", parts, NULL };
	char a[PACK_HASH_SIZE], b[PACK_HASH_SIZE];
	char *unpacked = path_join(parts, "kernel");

	assert_int_equal(run_program(argv, &out), 0);
	assert_non_null(strstr(buf_str(&out), "command line args: console=ttySAC0,"));
	assert_non_null(strstr(buf_str(&out), "n8 panic=0 quiet\n"));
	assert_int_equal(pack_hash(kernel, a), 0);
	assert_int_equal(pack_hash(unpacked, b), 0);
	assert_string_equal(a, b);
	buf_release(&out);
	free(unpacked);
	free(parts);
	free(path);
}

/* ---- a visit ---- */

static void flash_and_boot(void **state)
{
	(void)state;
	open_board("");
	deploy_ok();
	assert_true(path_exists(state_path));
	assert_kernel_in("boot_a");
	assert_noted("flashed boot_a, sha256 ");
	assert_noted("slot a: retry-count 7, successful no, unbootable no");
	assert_int_equal(commands("flash:"), 1);
	assert_int_equal(commands("set_active:a"), 1);
	power_on_ok();
	assert_int_equal(commands("reboot"), 1);
	/* back in the bootloader: parked, and nothing cuts its power */
	mock_fastboot_set(device, "serial=BACK");
	power_off_ok();
	assert_false(path_exists(state_path));
	assert_false(path_exists(log_path));
}

static void other_slot(void **state)
{
	(void)state;
	open_board("  slot: b\n");
	deploy_ok();
	assert_kernel_in("boot_b");
	assert_int_equal(commands("flash:boot_a"), 0);
	assert_int_equal(commands("set_active:b"), 1);
}

static void boot_from_ram(void **state)
{
	(void)state;
	open_board("  boot: ram\n");
	deploy_ok();
	assert_int_equal(commands("flash:"), 0);
	assert_int_equal(commands("set_active"), 0);
	power_on_ok();
	assert_kernel_in("booted");
	assert_int_equal(commands("reboot"), 0);
}

/* ABL that has no `boot`: asked once, then the way that always works. */
static void ram_refused(void **state)
{
	(void)state;
	open_board("  boot: ram\n");
	mock_fastboot_set(device, "fail=boot/unknown command");
	deploy_ok();
	power_on_ok();
	assert_noted("no boot from RAM (unknown command): the kernel is flashed");
	assert_kernel_in("boot_a");
	assert_int_equal(commands("set_active:a"), 1);
	assert_int_equal(commands("reboot"), 1);
	mock_fastboot_set(device, "serial=BACK");
	deploy_ok();
	assert_int_equal(commands("flash:boot_a"), 2);
	power_on_ok();
	assert_int_equal(commands("\nboot\n"), 1);
}

/* Written once, again when they change; the boot image each time. */
static void further_images(void **state)
{
	char *dtbo = small_file("dtbo.img", 5000);

	(void)state;
	open_board("  dtbo: DIR/dtbo.img\n  dtb: DIR/dtb\n");
	deploy_ok();
	assert_int_equal(commands("flash:dtbo_a"), 1);
	assert_int_equal(commands("flash:vendor_boot_a"), 1);
	deploy_ok();
	assert_int_equal(commands("flash:dtbo_a"), 1);
	assert_int_equal(commands("flash:vendor_boot_a"), 1);
	assert_int_equal(commands("flash:boot_a"), 2);
	free(dtbo);
	dtbo = small_file("dtbo.img", 6000);
	deploy_ok();
	assert_int_equal(commands("flash:dtbo_a"), 2);
	free(dtbo);
}

/* Which device tree goes into vendor_boot: the kernel's, another of the kernel's, a file. */
static void device_trees(void **state)
{
	char *second = small_file("second.dtb", 2000);
	static const struct {
		const char *keys;
		size_t size;
	} cases[] = { { "", 3001 },
		      { "  dtb: second.dtb\n", 2000 },
		      { "  dtb: DIR/Image\n", 300001 } };
	char *stored = path_join(dir, "vendor_boot_a");

	(void)state;
	image.dtb = dtb;
	for (size_t i = 0; i < 3; i++) {
		struct buf b = BUF_INIT;
		uint32_t size;

		open_board(cases[i].keys);
		deploy_ok();
		assert_int_equal(path_read(stored, &b, 1 << 27), 0);
		memcpy(&size, b.data + 2100, sizeof(size)); /* dtb_size of vendor_boot_img_hdr */
		assert_int_equal(size, cases[i].size);
		buf_release(&b);
		close_board();
	}
	free(stored);
	free(second);
}

/* A write that failed leaves nobody knows what: it is not taken for written. */
static void failed_image_is_written_again(void **state)
{
	char *dtbo = small_file("dtbo.img", 5000), *good = path_join(dir, "good");
	struct err err = ERR_INIT;

	(void)state;
	open_board("  dtbo: DIR/dtbo.img\n");
	deploy_ok();
	rename(dtbo, good);
	free(small_file("dtbo.img", 6000));
	mock_fastboot_set(device, "fail=flash:dtbo/no");
	assert_int_equal(deploy(30000, &err), -1);
	mock_fastboot_set(device, "heal=1");
	rename(good, dtbo);
	deploy_ok();
	/* 1 + 2 that failed + 1 */
	assert_int_equal(commands("flash:dtbo_a"), 4);
	free(dtbo);
	free(good);
}

static void vbmeta_flags(void **state)
{
	uint8_t data[256] = "AVB0";
	char *path = path_join(dir, "vbmeta"), *stored = path_join(dir, "vbmeta_a"), *text;

	(void)state;
	path_write(path, data, sizeof(data));
	open_board("  vbmeta: DIR/vbmeta\n");
	deploy_ok();
	text = text_of(stored);
	assert_int_equal(text[123], 3);
	free(text);
	free(stored);
	free(path);
}

static void uart_commands(void **state)
{
	(void)state;
	open_board("  oem_uart: true\n");
	mock_fastboot_set(device, "say=oem/OKAY");
	deploy_ok();
	assert_int_equal(commands("oem uart enable"), 1);
	assert_int_equal(commands("oem uart config 115200"), 1);
}

/* A kit without a battery: off is off, wall power before USB. */
static void supplies(void **state)
{
	char *log;

	(void)state;
	open_board("  battery: false\n" POWER VBUS);
	deploy_ok();
	power_on_ok();
	power_off_ok();
	log = text_of(log_path);
	assert_string_equal(log, "power on\nvbus on\nvbus off\npower off\n");
	free(log);
	assert_false(path_exists(state_path));
}

static const char *const forbidden[] = {
	"bootloader", "abl",	 "xbl",	  "xbl_config",	   "tz",	  "hyp",       "devcfg",
	"keymaster",  "radio",	 "modem", "bl1",	   "bl2",	  "bl31",      "pbl",
	"gsa",	      "tzsw",	 "ldfw",  "ufs",	   "ufsfwupdate", "aop",       "uefi",
	"persist",    "devinfo", "frp",	  "misc",	   "super",	  "userdata",  "gpt",
	"boot_a",     "",	 "BOOT",  "vbmeta_system", "efs",	  "partition", "sec",
};

static void never_the_bootloader(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++)
		if (android_may_flash(forbidden[i]))
			fail_msg("%s may be written", forbidden[i]);
	assert_true(android_may_flash("boot"));
}

/* ---- ways in ---- */

static void by_adb(void **state)
{
	(void)state;
	row.data = &patient;
	mock_fastboot_set(device, "gone=1");
	open_board("  adb: true\n");
	comes_back_after("reboot bootloader");
	deploy_ok();
	assert_true(logged("adb -s usb:" PORT " reboot bootloader"));
	assert_true(logged("kill-server"));
	assert_kernel_in("boot_a");
}

static void by_key(void **state)
{
	char *log;

	(void)state;
	row.data = &patient;
	mock_fastboot_set(device, "gone=1");
	open_board(POWER KEY);
	comes_back_after("key on\npower off\npower on");
	deploy_ok();
	log = text_of(log_path);
	assert_string_equal(log, "power on\nkey on\npower off\npower on\nkey off\n");
	free(log);
}

/* Nobody there, until its USB power is cycled. */
static void by_vbus(void **state)
{
	(void)state;
	mock_fastboot_set(device, "gone=1");
	open_board(VBUS);
	comes_back_after("vbus off\nvbus on");
	deploy_ok();
	assert_noted("trying again as it was");
	assert_noted("trying again after a cycle of its USB power");
}

/* The lab file knows it better than the model, which would wait to the end of the deadline. */
static void as_long_as_the_lab_says(void **state)
{
	static const struct android_model endless = { uart, 600000, 600000 };
	struct err err = ERR_INIT;

	(void)state;
	row.data = &endless;
	mock_fastboot_set(device, "gone=1");
	open_board("  enter_s: 1\n");
	assert_int_equal(deploy(30000, &err), -1);
	assert_string_equal(err.code, "no-fastboot");
	assert_noted("trying again as it was");
}

static const uint8_t edl_descriptors[] = {
	18,   1,    0x00, 0x02, 0,    0,    0,	  64,	0xc6,
	0x05, 0x08, 0x90, 0x00, 0,    1,    2,	  0,	1,   /* device */
	9,    2,    32,	  0,	1,    1,    0,	  0x80, 250, /* config */
	9,    4,    0,	  0,	2,    0xff, 0xff, 0xff, 0,   /* interface */
	7,    5,    0x81, 2,	0x00, 0x02, 0,		     /* bulk in */
	7,    5,    0x01, 2,	0x00, 0x02, 0,		     /* bulk out */
};

static void plug_edl(void)
{
	static const char *const strings[] = { "Qualcomm", "QUSB_BULK_SN:1234", NULL };
	static const struct mock_usb_ops mute = { .out = NULL };
	static unsigned int address = 900; /* each once */
	const struct mock_usb_info info = {
		.port = PORT,
		.address = address++,
		.descriptors = edl_descriptors,
		.descriptors_size = sizeof(edl_descriptors),
		.strings = strings,
		.ops = &mute,
	};

	mock_fastboot_set(device, "gone=1");
	other = mock_plug(bed, &info);
}

#define EDL "  edl_programmer: /p/prog.elf\n  edl_files: [/p/rawprogram0.xml, /p/patch0.xml]\n"

static void by_edl(void **state)
{
	char *dtbo = small_file("dtbo.img", 5000);

	(void)state;
	open_board(EDL "  dtbo: DIR/dtbo.img\n");
	deploy_ok();
	assert_int_equal(commands("flash:dtbo_a"), 1);
	close_board();
	plug_edl();
	open_board(EDL "  dtbo: DIR/dtbo.img\n");
	comes_back_after("qdl");
	deploy_ok();
	/* qdl wrote nobody knows what */
	assert_int_equal(commands("flash:dtbo_a"), 2);
	free(dtbo);
	assert_noted("no bootloader in USB port 1-1.2, 05c6:9008 (emergency download) is there");
	assert_noted("trying again after recovery mode");
	assert_true(logged("qdl --storage ufs /p/prog.elf /p/rawprogram0.xml /p/patch0.xml"));
}

static void edl_fails(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	script("qdl", "#!/bin/sh\necho 'failed to read: Connection timed out'; exit 1\n");
	plug_edl();
	open_board(EDL);
	assert_int_equal(deploy(30000, &err), -1);
	assert_string_equal(err.code, "no-fastboot");
	assert_noted("qdl failed (1): failed to read: Connection timed out. If ModemManager");
}

/* The owner died while a kernel ran: the key is enough. */
static void safe_by_key(void **state)
{
	(void)state;
	row.data = &patient;
	open_board(POWER KEY);
	deploy_ok();
	power_on_ok();
	close_board();
	unlink(log_path);
	comes_back_after("key on\npower off\npower on");
	make_safe_ok();
	assert_true(logged("key off"));
}

static void lab_complaints(void **state)
{
	static const struct {
		const char *keys, *message;
	} cases[] = {
		{ "battery: false", "with nothing that switches \"power\" or \"vbus\"" },
		{ "key: {by: hub, port: 1-3}", "\"key\" is held through a power cycle" },
		{ "edl_files: /x", "\"edl_programmer\" and \"edl_files\" go together" },
		{ "dtb: x/board.dtb", "dtb of board \"a\": \"x/board.dtb\" is no absolute path" },
		{ "dtbo: dtbo.img", "dtbo of board \"a\": \"dtbo.img\" is no absolute path" },
		{ "slot: c", "slot of board must be one of a, b" },
		{ "bootloader: /x", "unknown key \"bootloader\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;
		char *text = xasprintf("boards:\n- {name: a, type: pixel, usb: 1-1, console: {at: "
				       "/dev/x}, %s}\n",
				       cases[i].keys);

		assert_null(lab_parse("lab", text, strlen(text), &type, 1, &err));
		if (!strstr(err.message, cases[i].message))
			fail_msg("%s", err.message);
		free(text);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(flash_and_boot),
		TEST(other_slot),
		TEST(boot_from_ram),
		TEST(ram_refused),
		TEST(further_images),
		TEST(device_trees),
		TEST(failed_image_is_written_again),
		TEST(vbmeta_flags),
		TEST(uart_commands),
		TEST(supplies),
		TEST(never_the_bootloader),
		TEST(by_adb),
		TEST(by_key),
		TEST(by_vbus),
		TEST(as_long_as_the_lab_says),
		TEST(by_edl),
		TEST(edl_fails),
		TEST(safe_by_key),
		TEST(lab_complaints),
	};

	(void)argc;
	bench_begin(argv);
	return cmocka_run_group_tests(tests, NULL, bed_down);
}
