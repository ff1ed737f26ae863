// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The DFU client, and `dfu-util` beside it, against an Edison-like device (umockdev): the same
 * files arrive, every fault ends with its error, and the next host can go on.
 */
#include "mock_main.h"

#include <errno.h>

#include "io/dfu.h"
#include "rig/tests/fakes/umock-dfu.h"

#define PORT "1-4"

static struct mock_dfu *device;
static struct dfu *dfu;
static const struct usb_match here = { .port = PORT };

static int set_up(void **state)
{
	(void)state;
	fresh_dir();
	device = mock_dfu_new(bed, PORT, dir);
	dfu = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dfu_close(dfu);
	mock_dfu_free(device);
	return 0;
}

static void open_it(void)
{
	assert_int_equal(dfu_open(&dfu, &here, soon()), 0);
}

static void lists_alts(void **state)
{
	const struct dfu_alt *alts;

	(void)state;
	open_it();
	assert_int_equal(dfu_alts(dfu, &alts), 6);
	assert_string_equal(alts[0].name, "ifwi00");
	assert_string_equal(alts[1].name, "u-boot0");
	assert_int_equal(alts[5].number, 5);
	assert_string_equal(dfu_where(dfu)->port, PORT);
}

static uint64_t last_done, last_total;

static void note_progress(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	assert_true(done > last_done);
	last_done = done;
	last_total = total;
}

static void downloads(void **state)
{
	struct dfu_watch watch = { .progress = note_progress };
	int image = make_file("image", 50000, 1);

	(void)state;
	open_it();
	last_done = 0;
	dfu_set_watch(dfu, &watch);
	assert_int_equal(dfu_download(dfu, "u-boot0", image, soon()), 0);
	assert_int_equal(last_done, 50000);
	assert_int_equal(last_total, 50000);
	assert_same_bytes(image, "u-boot0", 50000);
	assert_int_equal(dfu_download(dfu, "u-boot9", image, soon()), -ENOENT);
	/* by number, and whole blocks */
	assert_int_equal(ftruncate(image, 2 * DFU_DEVICE_TRANSFER), 0);
	last_done = 0;
	assert_int_equal(dfu_download(dfu, "4", image, soon()), 0);
	assert_same_bytes(image, "rootfs", 2 * DFU_DEVICE_TRANSFER);
	close(image);
}

static void uploads(void **state)
{
	static const size_t sizes[] = { 10000, 2 * DFU_DEVICE_TRANSFER, 1 };
	uint64_t size;

	(void)state;
	open_it();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int from = make_file("boot", sizes[i], (unsigned int)i);
		int to = make_file("back", 0, 0);

		assert_int_equal(dfu_upload(dfu, "boot", to, 1 << 20, &size, soon()), 0);
		assert_int_equal(size, sizes[i]);
		assert_same_bytes(to, "boot", sizes[i]);
		if (sizes[i] > 1)
			assert_int_equal(dfu_upload(dfu, "boot", to, sizes[i] - 1, &size, soon()),
					 -EFBIG);
		close(from);
		close(to);
	}
	assert_int_equal(dfu_upload(dfu, "initrd", -1, 1, &size, soon()), -EREMOTEIO);
	assert_string_equal(dfu_reason(dfu), "errADDRESS: address out of range");
}

static void waits_as_long_as_told(void **state)
{
	int image = make_file("image", 5 * DFU_DEVICE_TRANSFER, 2);
	int small = make_file("small", DFU_DEVICE_TRANSFER, 2);

	(void)state;
	mock_dfu_set(device, "poll-ms=30");
	open_it();
	assert_int_equal(dfu_download(dfu, "boot", image, soon()), 0);
	assert_int_equal(mock_dfu_impatience(device), 0);
	assert_same_bytes(image, "boot", 5 * DFU_DEVICE_TRANSFER);
	/* what it asks for is not counted as a stall */
	dfu_set_watch(dfu, &(struct dfu_watch){ .stall_ms = 1000 });
	mock_dfu_set(device, "poll-ms=1500");
	assert_int_equal(dfu_download(dfu, "boot", small, soon()), 0);
	dfu_set_watch(dfu, NULL);
	/* but never past the deadline */
	mock_dfu_set(device, "poll-ms=250");
	assert_int_equal(dfu_download(dfu, "boot", image, deadline_in(100)), -ETIMEDOUT);
	mock_dfu_set(device, "poll-ms=0");
	assert_int_equal(dfu_download(dfu, "boot", image, soon()), 0);
	close(small);
	close(image);
}

static const struct fault {
	const char *knob;
	int rc;
	const char *reason;
	bool leaves;
} faults[] = {
	{ "error=3", -EREMOTEIO, "errWRITE: cannot write memory", false },
	{ "error=99", -EREMOTEIO, "status 99", false },
	{ "garbage=1", -EPROTO, "", false },
	{ "stall=1", -ETIMEDOUT, "no progress after 0 bytes", false },
	{ "mute=1", -ETIMEDOUT, "no progress after 4096 bytes", false },
	{ "busy=1", -ETIMEDOUT, "no progress after 4096 bytes", false },
	{ "die=1", -ENODEV, "", true },
};

/* Patience is short where it is to run out alone: this machine may be busy. */
static void one_fault(const struct fault *t)
{
	static const struct dfu_watch impatient = { .stall_ms = 300 };
	struct deadline d = deadline_in(30000);
	int image;

	print_message("%s\n", t->knob);
	set_up(NULL);
	image = make_file("image", 30000, 3);
	open_it();
	mock_dfu_set(device, t->knob);
	dfu_set_watch(dfu, t->rc == -ETIMEDOUT ? &impatient : NULL);
	assert_int_equal(dfu_download(dfu, "boot", image, d), t->rc);
	assert_false(deadline_passed(d));
	assert_string_equal(dfu_reason(dfu), t->reason);
	mock_dfu_set(device, "heal=1");
	dfu_close(dfu);
	dfu = NULL;
	if (t->leaves) {
		assert_int_equal(dfu_open(&dfu, &here, deadline_in(100)), -ENODEV);
	} else {
		open_it();
		assert_int_equal(dfu_download(dfu, "boot", image, soon()), 0);
		assert_same_bytes(image, "boot", 30000);
	}
	close(image);
	tear_down(NULL);
}

static void faults_of_the_device(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		one_fault(&faults[i]);
}

static void ends_of_a_download(void **state)
{
	int image = make_file("image", 30000, 4);

	(void)state;
	mock_dfu_set(device, "stuck=1");
	open_it();
	mock_dfu_set(device, "wait-reset=1");
	assert_int_equal(dfu_download(dfu, "boot", image, soon()), 0);
	assert_int_equal(dfu_reset(dfu), 0);
	mock_dfu_set(device, "heal=1");
	/* this one says that it stays, so that it has gone is an error */
	mock_dfu_set(device, "vanish=1");
	assert_int_equal(dfu_download(dfu, "boot", image, soon()), -ENODEV);
	close(image);
}

static void detaches(void **state)
{
	(void)state;
	open_it();
	assert_int_equal(dfu_detach(dfu, soon()), 0);
	assert_int_equal(usb_wait_left(&here, 0, soon()), 0);
	assert_int_equal(dfu_reset(dfu), 0);
}

static int dfu_util(const char *a, const char *b, const char *c, const char *d, struct buf *out)
{
	const char *argv[] = { "dfu-util", "-d", "8087:0a99", a, b, c, d, NULL };

	buf_reset(out);
	return run_program(argv, out);
}

static void debian_dfu_util(void **state)
{
	int image = make_file("image", 50000, 5);
	char *path = path_join(dir, "image"), *back = path_join(dir, "back");
	struct buf out = BUF_INIT;

	(void)state;
	if (dfu_util("-l", NULL, NULL, NULL, &out) == -ENOENT) {
		print_message("no dfu-util here\n");
		skip();
	}
	assert_non_null(strstr(buf_str(&out), "name=\"u-boot-env0\""));
	assert_int_equal(dfu_util("-a", "rootfs", "-D", path, &out), 0);
	assert_same_bytes(image, "rootfs", 50000);
	open_it();
	assert_int_equal(dfu_download(dfu, "boot", image, soon()), 0);
	dfu_close(dfu);
	dfu = NULL;
	/* what ours wrote, theirs reads */
	assert_int_equal(dfu_util("-a", "boot", "-U", back, &out), 0);
	assert_same_bytes(image, "back", 50000);
	buf_release(&out);
	close(image);
	free(back);
	free(path);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T(lists_alts),
		T(downloads),
		T(uploads),
		T(waits_as_long_as_told),
		cmocka_unit_test(faults_of_the_device),
		T(ends_of_a_download),
		T(detaches),
		T(debian_dfu_util),
	};

	(void)argc;
	mock_reexec(argv);
	return cmocka_run_group_tests(tests, bed_up, bed_down);
}
