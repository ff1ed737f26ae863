// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intel Edison, the whole driver: an Edison's U-Boot as console program, its DFU mode on umockdev,
 * its supply a script. What is booted is what was sent.
 */
#include "mock_main.h"
#include "own_address.h"

#include "base/err.h"
#include "board/board.h"
#include "board/lab-types.h"
#include "board/lab.h"
#include "rig/tests/fakes/umock-dfu.h"

#define PORT	    "1-4"
#define KERNEL_SIZE 50000
#define INITRD_SIZE 9000

static struct mock_dfu *device;
static struct lab *lab;
static struct board *board;
static struct buf notes, heard;
static bool heal; /* the device, when the first attempt has failed */

static void on_console(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	buf_append(&heard, data, size);
}

static void on_note(void *ctx, const char *text)
{
	(void)ctx;
	buf_addf(&notes, "%s\n", text);
	if (heal)
		mock_dfu_set(device, "heal=1");
}

static const struct board_hooks hooks = { on_console, on_note };

static int set_up(void **state)
{
	(void)state;
	fresh_dir();
	setenv("RIG_HOME", dir, 1);
	device = mock_dfu_new(bed, PORT, dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	board_close(board);
	board = NULL;
	lab_free(lab);
	lab = NULL;
	mock_dfu_free(device);
	buf_release(&notes);
	buf_release(&heard);
	return 0;
}

/* The supply notes what it was told in dir/power. */
static void make_power(void)
{
	char *path = path_join(dir, "supply");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	assert_true(fd >= 0);
	dprintf(fd, "#!/bin/sh\necho $1 >>%s/power\n", dir);
	close(fd);
	free(path);
}

static void open_board(const char *knob, const char *more)
{
	size_t n;
	const struct lab_type *types = board_lab_types(&n);
	char *root = getcwd(NULL, 0);
	char *text =
		xasprintf("boards:\n"
			  "  - name: edison-1\n    type: merrifield\n    usb: \"" PORT "\"\n"
			  "    kernel_alt: boot\n    initrd_alt: rootfs\n"
			  "    console: {program: python3, args: [%s/rig/tests/fakes/edison.py, "
			  "%s, boot, rootfs%s%s]}\n"
			  "    power: {by: external, program: %s/supply, off_ms: 0}\n%s",
			  root, dir, *knob ? ", " : "", knob, dir, more);
	struct err err = ERR_INIT;
	int fd;

	make_power();
	lab = lab_parse("lab.yaml", text, strlen(text), types, n, &err);
	free(text);
	free(root);
	if (!lab || board_open(&board, lab_board(lab, 0), "test", &err) ||
	    board_console(board, &fd, &err))
		fail_msg("%s", err.message);
	close(fd);
	board_listen(board, &hooks, NULL);
}

static int deploy(struct err *err)
{
	int kernel = make_file("kernel", KERNEL_SIZE, 1),
	    initrd = make_file("initrd", INITRD_SIZE, 2);
	char *k = path_join(dir, "kernel"), *i = path_join(dir, "initrd");
	struct board_image image = { .kernel = k, .initrd = i, .cmdline = "a=b" };
	int rc = board_deploy(board, &image, err);

	if (!rc) {
		assert_same_bytes(kernel, "boot", KERNEL_SIZE);
		assert_same_bytes(initrd, "rootfs", INITRD_SIZE);
	}
	close(kernel);
	close(initrd);
	free(k);
	free(i);
	return rc;
}

static void assert_off(void)
{
	struct buf text = BUF_INIT;
	char *path = path_join(dir, "power");

	board_power_off(board, NULL);
	assert_int_equal(path_read(path, &text, 4096), 0);
	assert_true(text.size > 4);
	assert_string_equal(text.data + text.size - 4, "off\n");
	buf_release(&text);
	free(path);
}

static void boots_what_was_sent(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	open_board("", "");
	if (deploy(&err) || board_power_on(board, &err))
		fail_msg("%s\n%s", err.message, buf_str(&heard));
	assert_non_null(strstr(buf_str(&heard), "PSH loader"));
	assert_non_null(strstr(buf_str(&heard), "zboot 0x3000000 0xc350 0x8000000 0x2328"));
	assert_non_null(strstr(buf_str(&heard), "console=ttyS2,115200n8 panic=0 a=b"));
	assert_null(strstr(buf_str(&heard), "Linux version"));
	assert_non_null(strstr(buf_str(&notes), "50000 bytes, CRC-32 "));
	assert_off();
}

/* Found by the CRC of the RAM; the second attempt is good. */
static void damaged_on_its_way(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	open_board("bad-twice", "");
	if (deploy(&err))
		fail_msg("%s\n%s", err.message, buf_str(&heard));
	assert_non_null(strstr(buf_str(&notes), "load: crc32 0x3000000 0xc350: \"==> "));
	assert_non_null(strstr(buf_str(&notes), "trying again as it was"));
	assert_off();
}

/* A transfer that stands still is given up long before the whole of deploy, and then works. */
static void dfu_stalls(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	open_board("", "    stall_s: 1\n");
	mock_dfu_set(device, "mute=1");
	heal = true;
	if (deploy(&err))
		fail_msg("%s\n%s", err.message, buf_str(&heard));
	heal = false;
	assert_non_null(strstr(buf_str(&notes), "DFU: boot: no progress after 4096 bytes"));
	assert_non_null(strstr(buf_str(&notes), "trying again as it was"));
	assert_off();
}

/* U-Boot says so itself: no need to wait for a device that will not come. */
static void no_dfu(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	open_board("no-dfu", "");
	assert_int_equal(deploy(&err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_string_equal(err.code, "loader-command");
	assert_non_null(strstr(err.message, "Unknown command 'dfu'"));
	assert_off();
}

/* With the server of the test's own. */
static void open_by_tftp(const char *prepare)
{
	char *more = xasprintf("    load: tftp\n    server: %s\n    prepare: [\"%s\"]\n",
			       own_address(), prepare);

	open_board("", more);
	free(more);
}

static void by_tftp(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	if (!can_serve_tftp())
		skip(); /* port 69 needs root, and a dnsmasq */
	open_by_tftp("bind 0 {client}");
	if (deploy(&err) || board_power_on(board, &err))
		fail_msg("%s\n%s", err.message, buf_str(&heard));
	assert_non_null(strstr(buf_str(&heard), "bind 0 192.168.7.2"));
	assert_non_null(strstr(buf_str(&heard), "Bytes transferred = 50000 (c350 hex)"));
	assert_non_null(strstr(buf_str(&heard), "zboot 0x3000000 0xc350 0x8000000 0x2328"));
	assert_null(strstr(buf_str(&heard), "dfu 0 ram 0"));
	assert_off();
}

/* The file that the board asks for is not there: the board's command fails, again and again. */
static void tftp_fails(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	if (!can_serve_tftp())
		skip();
	open_by_tftp("tftpboot 0x3000000 {server}:nothing");
	assert_int_equal(deploy(&err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_non_null(strstr(err.message, ":nothing"));
	assert_non_null(strstr(err.message, "TFTP error"));
	assert_off();
}

static void dfu_fails(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	open_board("", "");
	mock_dfu_set(device, "error=10");
	assert_int_equal(deploy(&err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_string_equal(err.code, "dfu");
	assert_non_null(strstr(err.message, "DFU: boot"));
	assert_off();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(boots_what_was_sent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damaged_on_its_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(dfu_stalls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(dfu_fails, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_dfu, set_up, tear_down),
		cmocka_unit_test_setup_teardown(by_tftp, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tftp_fails, set_up, tear_down),
	};

	(void)argc;
	mock_reexec(argv);
	return cmocka_run_group_tests(tests, bed_up, bed_down);
}
