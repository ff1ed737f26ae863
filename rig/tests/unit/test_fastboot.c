// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fastboot client, and Debian's `fastboot` beside it, against a device that answers as ABL does
 * (umockdev): the same commands leave the same device; every fault ends with its error and leaves a
 * client that can go on.
 */
#include "mock_main.h"

#include <errno.h>

#include "io/fastboot-sparse.h"
#include "io/fastboot.h"
#include "rig/tests/fakes/umock-fastboot.h"

#define PORT "1-1.2"

static struct mock_fastboot *device;
static struct fastboot *f;
static const struct usb_match here = { .port = PORT };

static int set_up(void **state)
{
	(void)state;
	fresh_dir();
	device = mock_fastboot_new(bed, PORT, dir);
	f = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fastboot_close(f);
	mock_fastboot_free(device);
	return 0;
}

static void open_it(void)
{
	assert_int_equal(fastboot_open(&f, &here, soon()), 0);
}

static void assert_var(const char *name, const char *value)
{
	char got[FASTBOOT_ANSWER_MAX];

	assert_int_equal(fastboot_getvar(f, name, got, sizeof(got), soon()), 0);
	assert_string_equal(got, value);
}

static void assert_log_has(const char *what, bool has)
{
	char *log = mock_fastboot_log(device);

	if (!strstr(log, what) == has)
		fail_msg("%s%s in the commands:\n%s", what, has ? " is not" : " is", log);
	free(log);
}

static int count_in_log(const char *what)
{
	char *log = mock_fastboot_log(device);
	int n = 0;

	for (const char *p = log; (p = strstr(p, what)); p++)
		n++;
	free(log);
	return n;
}

/* --- questions ---------------------------------------------------------------------------- */

static void collect(void *ctx, const char *text)
{
	buf_addf(ctx, "%s\n", text);
}

static void variables(void **state)
{
	struct buf all = BUF_INIT;
	struct fastboot_watch watch = { .info = collect, .ctx = &all };
	char got[FASTBOOT_ANSWER_MAX];

	(void)state;
	open_it();
	assert_string_equal(fastboot_where(f)->port, PORT);
	assert_string_equal(fastboot_where(f)->serial, "FAKE0001");
	assert_var("product", "oriole");
	assert_var("slot-retry-count:b", "7");
	assert_int_equal(fastboot_getvar(f, "nothing", got, sizeof(got), soon()), -EREMOTEIO);
	assert_string_equal(fastboot_reason(f), "GetVar Variable Not found");
	assert_int_equal(fastboot_is(f, "unlocked", soon()), 1);
	assert_int_equal(fastboot_is(f, "nothing", soon()), 0);
	assert_string_equal(fastboot_reason(f), "");
	fastboot_set_watch(f, &watch);
	assert_int_equal(fastboot_getvar_all(f, soon()), 0);
	assert_non_null(strstr(buf_str(&all), "product:oriole\n"));
	assert_non_null(strstr(buf_str(&all), "has-slot:userdata:no\n"));
	buf_release(&all);
}

static void names_of_partitions(void **state)
{
	static const struct {
		const char *name, *slot, *full;
		int rc;
	} rows[] = {
		{ "boot", NULL, "boot_b", 0 },
		{ "boot", "a", "boot_a", 0 },
		{ "boot_a", NULL, "boot_a", 0 },
		{ "userdata", NULL, "userdata", 0 },
		{ "unheard_of", NULL, "unheard_of", 0 },
		{ "vendor_boot:dlkm", NULL, NULL, -EINVAL },
		{ "", NULL, NULL, -EINVAL },
	};
	char full[FASTBOOT_NAME_MAX];

	(void)state;
	mock_fastboot_set(device, "slot=b");
	open_it();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(fastboot_partition(f, rows[i].name, rows[i].slot, full,
						    sizeof(full), soon()),
				 rows[i].rc);
		if (rows[i].full)
			assert_string_equal(full, rows[i].full);
	}
}

/* --- images ------------------------------------------------------------------------------- */

static uint64_t last_done, last_total;

static void note_progress(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	assert_true(done >= last_done);
	last_done = done;
	last_total = total;
}

static void flash_raw(void **state)
{
	struct fastboot_watch watch = { .progress = note_progress };
	size_t n = (3u << 20) + 1;
	struct fastboot_image image = { .fd = make_file("image", n, 1) };

	(void)state;
	open_it();
	last_done = 0;
	fastboot_set_watch(f, &watch);
	assert_int_equal(fastboot_flash(f, "boot", &image, soon()), 0);
	assert_int_equal(last_done, n);
	assert_int_equal(last_total, n);
	assert_same_bytes(image.fd, "boot_a", n);
	assert_log_has("download:00300001\n", true);
	assert_true(mock_most_in_flight(mock_fastboot_usb(device)) <= 16);
	close(image.fd);
}

static void flash_part_of_file(void **state)
{
	struct fastboot_image image = { .fd = make_file("image", 100000, 2),
					.offset = 5000,
					.size = 70000 };
	uint8_t want[70000], got[70001];
	char *path = path_join(dir, "dtbo_a");
	int fd;

	(void)state;
	open_it();
	assert_int_equal(fastboot_flash(f, "dtbo", &image, soon()), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, got, sizeof(got)), sizeof(want));
	assert_int_equal(pread(image.fd, want, sizeof(want), 5000), sizeof(want));
	assert_memory_equal(got, want, sizeof(want));
	image.size = 100000;
	assert_int_equal(fastboot_flash(f, "dtbo", &image, soon()), -EINVAL);
	close(fd);
	close(image.fd);
	free(path);
}

static void flash_split(void **state)
{
	size_t n = (1u << 20) + 1;
	struct fastboot_image image = { .fd = make_file("image", n, 3) };

	(void)state;
	mock_fastboot_set(device, "max-download-size=0x40000");
	open_it();
	assert_int_equal(fastboot_flash(f, "boot", &image, soon()), 0);
	assert_same_bytes(image.fd, "boot_a", n);
	/* 768 KiB of it are not zeros, in pieces of a little less than 256 KiB */
	assert_int_equal(count_in_log("flash:boot_a\n"), 4);
	mock_fastboot_set(device, "max-download-size=4096");
	assert_int_equal(fastboot_flash(f, "boot", &image, soon()), -EMSGSIZE);
	close(image.fd);
}

/* The whole image as one sparse file: dir/name. */
static int make_sparse(int from, size_t n, const char *name)
{
	struct sparse *s;
	uint64_t size;
	uint8_t *data;
	int fd = make_file(name, 0, 0);

	assert_int_equal(sparse_new(&s, from, 0, n), 0);
	assert_int_equal(sparse_next(s, UINT32_MAX, &size), 1);
	data = xmalloc(size);
	assert_int_equal(sparse_read(s, data, size), 0);
	assert_int_equal(write(fd, data, size), size);
	assert_int_equal(sparse_next(s, UINT32_MAX, &size), 0);
	sparse_free(s);
	free(data);
	return fd;
}

static void flash_sparse(void **state)
{
	size_t n = 1u << 20;
	int raw = make_file("image", n, 4);
	struct fastboot_image image = { .fd = make_sparse(raw, n, "sparse") };

	(void)state;
	open_it();
	assert_int_equal(fastboot_flash(f, "boot", &image, soon()), 0);
	assert_int_equal(count_in_log("flash:boot_a\n"), 1);
	assert_same_bytes(raw, "boot_a", n);
	mock_fastboot_set(device, "max-download-size=0x30000");
	assert_int_equal(fastboot_flash(f, "vendor_boot", &image, soon()), 0);
	assert_true(count_in_log("flash:vendor_boot_a\n") > 4);
	assert_same_bytes(raw, "vendor_boot_a", n);
	close(image.fd);
	close(raw);
}

static void flash_damaged_sparse(void **state)
{
	struct fastboot_image image;
	int raw = make_file("image", 1u << 20, 5);
	uint32_t chunks = 77;

	(void)state;
	mock_fastboot_set(device, "max-download-size=0x30000");
	image = (struct fastboot_image){ .fd = make_sparse(raw, 1u << 20, "sparse") };
	assert_int_equal(pwrite(image.fd, &chunks, sizeof(chunks), 20), sizeof(chunks));
	open_it();
	assert_int_equal(fastboot_flash(f, "boot", &image, soon()), -EINVAL);
	assert_true(fastboot_reason(f)[0]);
	close(image.fd);
	close(raw);
}

static void boots_an_image(void **state)
{
	struct fastboot_image image = { .fd = make_file("image", 50000, 6) };

	(void)state;
	open_it();
	assert_int_equal(fastboot_boot(f, &image, soon()), -EREMOTEIO);
	assert_string_equal(fastboot_reason(f), "Invalid boot image header");
	assert_int_equal(pwrite(image.fd, "ANDROID!", 8, 0), 8);
	assert_int_equal(fastboot_boot(f, &image, soon()), 0);
	assert_same_bytes(image.fd, "booted", 50000);
	assert_int_equal(usb_wait_left(&here, 0, soon()), 0);
	close(image.fd);
}

static void erases(void **state)
{
	struct fastboot_image image = { .fd = make_file("image", 5000, 7) };
	char *path = path_join(dir, "misc");

	(void)state;
	open_it();
	assert_int_equal(fastboot_flash(f, "misc", &image, soon()), 0);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(fastboot_erase(f, "misc", soon()), 0);
	assert_int_equal(access(path, F_OK), -1);
	mock_fastboot_set(device, "unlocked=no");
	assert_int_equal(fastboot_erase(f, "misc", soon()), -EREMOTEIO);
	assert_non_null(strstr(fastboot_reason(f), "Lock State"));
	close(image.fd);
	free(path);
}

/* --- slots, oem, reboots ------------------------------------------------------------------- */

static void active_slot(void **state)
{
	(void)state;
	open_it();
	assert_int_equal(fastboot_set_active(f, "b", soon()), 0);
	assert_var("current-slot", "b");
	mock_fastboot_set(device, "wrong-slot=1");
	assert_int_equal(fastboot_set_active(f, "a", soon()), 0);
	mock_fastboot_set(device, "wrong-slot=2");
	assert_int_equal(fastboot_set_active(f, "b", soon()), -EREMOTEIO);
	assert_string_equal(fastboot_reason(f),
			    "set_active:b was accepted 2 times, current-slot is a");
	assert_int_equal(fastboot_set_active(f, "c", soon()), -EINVAL);
}

static void oem(void **state)
{
	struct buf text = BUF_INIT;
	struct fastboot_watch watch = { .info = collect, .ctx = &text };

	(void)state;
	open_it();
	fastboot_set_watch(f, &watch);
	assert_int_equal(fastboot_oem(f, "uart enable", soon()), 0);
	assert_string_equal(buf_str(&text), "uart enable\n");
	assert_int_equal(fastboot_oem(f, "uart list", soon()), -EREMOTEIO);
	assert_string_equal(fastboot_reason(f), "unknown oem command");
	buf_release(&text);
}

static void reboots_to_bootloader(void **state)
{
	unsigned int before;

	(void)state;
	open_it();
	before = fastboot_where(f)->address;
	assert_int_equal(fastboot_reboot(f, "bootloader", soon()), 0);
	assert_int_not_equal(fastboot_where(f)->address, before);
	assert_string_equal(fastboot_where(f)->port, PORT);
	assert_var("product", "oriole");
}

static void reboots_to_fastbootd(void **state)
{
	struct fastboot_image image = { .fd = make_file("image", 5000, 8) };

	(void)state;
	open_it();
	assert_int_equal(fastboot_flash(f, "vendor_dlkm", &image, soon()), -EREMOTEIO);
	assert_int_equal(fastboot_reboot(f, "fastboot", soon()), 0);
	assert_int_equal(fastboot_flash(f, "vendor_dlkm", &image, soon()), 0);
	assert_log_has("resize-logical-partition:vendor_dlkm_a:5000\n", true);
	assert_same_bytes(image.fd, "vendor_dlkm_a", 5000);
	mock_fastboot_set(device, "wrong-mode=1");
	assert_int_equal(fastboot_reboot(f, "fastboot", soon()), -EREMOTEIO);
	assert_string_equal(fastboot_reason(f), "came back in the bootloader");
	close(image.fd);
}

static void reboots_to_system(void **state)
{
	char got[8];

	(void)state;
	open_it();
	mock_fastboot_set(device, "stay=1");
	assert_int_equal(fastboot_reboot(f, NULL, deadline_in(250)), -ETIMEDOUT);
	assert_string_equal(fastboot_reason(f), "accepted the reboot and stays on port " PORT);
	mock_fastboot_set(device, "heal=1");
	assert_int_equal(fastboot_reboot(f, "moon", soon()), -EINVAL);
	assert_int_equal(fastboot_reboot(f, NULL, soon()), 0);
	assert_int_equal(fastboot_getvar(f, "product", got, sizeof(got), soon()), -ENODEV);
	assert_int_equal(usb_find(&here, NULL, 0), 0);
}

static void does_not_come_back(void **state)
{
	(void)state;
	mock_fastboot_set(device, "away-ms=800");
	open_it();
	assert_int_equal(fastboot_reboot(f, "bootloader", deadline_in(400)), -ENODEV);
	assert_non_null(strstr(fastboot_reason(f), "does not answer again on port " PORT));
}

/* --- faults -------------------------------------------------------------------------------- */

static int do_getvar(struct deadline d)
{
	char got[FASTBOOT_ANSWER_MAX];

	return fastboot_getvar(f, "product", got, sizeof(got), d);
}

static int do_flash(struct deadline d)
{
	struct fastboot_image image = { .fd = make_file("image", 2u << 20, 9) };
	int rc = fastboot_flash(f, "userdata", &image, d);

	close(image.fd);
	return rc;
}

static const struct fault {
	const char *knob;
	int (*action)(struct deadline d);
	int rc;
	const char *reason;
	bool leaves;
} faults[] = {
	{ "stall=getvar:product", do_getvar, -ETIMEDOUT, "no answer", false },
	{ "stall=download:", do_flash, -ETIMEDOUT, "no answer", false },
	{ "stall=flash:", do_flash, -ETIMEDOUT, "no answer", false },
	{ "stall-at=300000", do_flash, -ETIMEDOUT, "took 524288 of 2097152 bytes", false },
	{ "die=getvar:product", do_getvar, -ENODEV, "", true },
	{ "die=flash:", do_flash, -ENODEV, "", true },
	{ "die-at=1000000", do_flash, -ENODEV, "", true },
	{ "fail=flash:/No space", do_flash, -EREMOTEIO, "No space", false },
	{ "fail=download:/busy", do_flash, -EREMOTEIO, "busy", false },
	{ "say=getvar:product/WHAT?", do_getvar, -EPROTO,
	  "no answer of the protocol: 5 bytes 'WHAT?'", false },
	{ "say=getvar:product/OK", do_getvar, -EPROTO, "no answer of the protocol: 2 bytes 'OK'",
	  false },
	{ "say=download:/DATA0000000g", do_flash, -EPROTO,
	  "no answer of the protocol: 12 bytes 'DATA0000000g'", false },
	{ "say=download:/DATA00001000", do_flash, -EPROTO, "wants 4096 bytes of 2097152", false },
	{ "say=download:/OKAY", do_flash, -EPROTO, "wants 0 bytes of 2097152", false },
	{ "say=flash:/DATA00001000", do_flash, -EPROTO, "wants data for 'flash:userdata'", false },
	{ "long=getvar:product", do_getvar, -EPROTO,
	  "no answer of the protocol: 300 bytes 'OKAYxxxxxxxxxxxxxxxxxxxxxxxxxxxx'", false },
};

/* Each on a device of its own; afterwards the same client goes on, or, if it has left, a new one.
 */
static void one_fault(const struct fault *t)
{
	static const struct fastboot_watch impatient = { .answer_ms = 400, .stall_ms = 400 };

	print_message("%s\n", t->knob);
	set_up(NULL);
	open_it();
	mock_fastboot_set(device, t->knob);
	/* short only where it is to run out: this machine may be busy */
	if (t->rc == -ETIMEDOUT)
		fastboot_set_watch(f, &impatient);
	assert_int_equal(t->action(soon()), t->rc);
	fastboot_set_watch(f, NULL);
	assert_string_equal(fastboot_reason(f), t->reason);
	mock_fastboot_set(device, "heal=1");
	if (t->leaves) {
		tear_down(NULL);
		set_up(NULL);
		open_it();
	}
	assert_int_equal(do_flash(soon()), 0);
	assert_var("product", "oriole");
	tear_down(NULL);
}

static void faults_of_the_device(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		one_fault(&faults[i]);
}

/* What was left over by a client that died is not taken for the answer to the next. */
static void stale_answer(void **state)
{
	struct usb_match m = { .port = PORT, .class = 0xff, .subclass = 0x42, .protocol = 3 };
	struct usb_dev *other;

	(void)state;
	assert_int_equal(usb_open(&other, &m, soon()), 0);
	assert_int_equal(usb_write(other, "getvar:serialno", 15, soon()), 0);
	usb_close(other);
	open_it();
	assert_var("product", "oriole");
}

/* INFO keeps a slow command alive past answer_ms, but not past the deadline. */
static void info_restarts_the_timer(void **state)
{
	struct buf text = BUF_INIT;
	struct fastboot_watch watch = { .info = collect, .ctx = &text, .answer_ms = 500 };

	(void)state;
	mock_fastboot_set(device, "info=getvar:product/5/130");
	open_it();
	fastboot_set_watch(f, &watch);
	assert_int_equal(do_getvar(soon()), 0);
	assert_string_equal(buf_str(&text), "working\nworking\nworking\nworking\nworking\n");
	mock_fastboot_set(device, "info=getvar:product/6/100");
	assert_int_equal(do_getvar(deadline_in(250)), -ETIMEDOUT);
	mock_fastboot_set(device, "heal=1");
	/* the rest of the lines belong to the command that was given up */
	assert_var("product", "oriole");
	mock_fastboot_set(device, "info=getvar:product/1/900");
	assert_int_equal(do_getvar(soon()), -ETIMEDOUT);
	buf_release(&text);
}

/* A question is given up long before a command that may take its time. */
static void questions_are_short(void **state)
{
	struct fastboot_watch watch = { .answer_ms = 60000, .query_ms = 300 };
	struct deadline d = deadline_in(30000);

	(void)state;
	open_it();
	fastboot_set_watch(f, &watch);
	mock_fastboot_set(device, "stall=getvar:product");
	assert_int_equal(do_getvar(d), -ETIMEDOUT);
	assert_false(deadline_passed(d));
	assert_string_equal(fastboot_reason(f), "no answer");
	mock_fastboot_set(device, "heal=1");
	mock_fastboot_set(device, "info=erase:/2/500");
	assert_int_equal(fastboot_erase(f, "userdata", soon()), 0);
	/* and a watch with less patience for everything has less for questions, too */
	watch = (struct fastboot_watch){ .answer_ms = 300 };
	fastboot_set_watch(f, &watch);
	mock_fastboot_set(device, "stall=getvar:product");
	assert_int_equal(do_getvar(d), -ETIMEDOUT);
	assert_false(deadline_passed(d));
}

static void faults_of_the_host(void **state)
{
	struct mock_usb_faults *faults_of = mock_faults(mock_fastboot_usb(device));

	(void)state;
	faults_of->busy = true;
	assert_int_equal(fastboot_open(&f, &here, soon()), -EBUSY);
	faults_of->busy = false;
	open_it();
	faults_of->no_memory = true;
	assert_int_equal(do_getvar(soon()), -ENOMEM);
	faults_of->no_memory = false;
	assert_int_equal(do_getvar(soon()), 0);
	/* the other boards have most of usbfs_memory_mb: slower, and right */
	faults_of->memory = 2;
	assert_int_equal(do_flash(soon()), 0);
	faults_of->memory = 0;
	faults_of->errors = 1;
	assert_int_equal(do_getvar(soon()), -EIO);
	assert_int_equal(do_getvar(soon()), 0);
	faults_of->short_after = 1000;
	assert_int_equal(do_flash(soon()), -EIO);
	faults_of->short_after = 0;
	assert_int_equal(do_flash(soon()), 0);
}

static void duplicate_serial(void **state)
{
	struct mock_fastboot *twin = mock_fastboot_new(bed, "1-3", dir);
	struct usb_match by_serial = { .serial = "FAKE0001" };
	struct usb_match wrong = { .port = PORT, .serial = "OTHER" };

	(void)state;
	assert_int_equal(fastboot_open(&f, &by_serial, soon()), -EEXIST);
	open_it();
	assert_string_equal(fastboot_where(f)->port, PORT);
	fastboot_close(f);
	f = NULL;
	assert_int_equal(fastboot_open(&f, &wrong, deadline_in(150)), -ENODEV);
	mock_fastboot_free(twin);
	assert_int_equal(fastboot_open(&f, &by_serial, soon()), 0);
}

/* --- the same with Debian's program -------------------------------------------------------- */

static int fastboot_program(const char *a, const char *b, const char *c, struct buf *out)
{
	const char *argv[] = { "fastboot", "-s", "FAKE0001", a, b, c, NULL };
	int rc;

	buf_reset(out);
	rc = run_program(argv, out);
	if (rc)
		print_message("%s", buf_str(out));
	return rc;
}

static void debian_fastboot(void **state)
{
	size_t n = (1u << 20) + 1;
	int image = make_file("image", n, 10);
	char *path = path_join(dir, "image"), *ours;
	struct buf out = BUF_INIT;

	(void)state;
	if (fastboot_program("getvar", "product", NULL, &out) == -ENOENT) {
		print_message("no fastboot program here\n");
		skip();
	}
	open_it();
	assert_int_equal(fastboot_flash(f, "boot", &(struct fastboot_image){ .fd = image }, soon()),
			 0);
	assert_int_equal(fastboot_set_active(f, "b", soon()), 0);
	assert_int_equal(fastboot_erase(f, "dtbo", soon()), 0);
	ours = mock_fastboot_log(device);
	fastboot_close(f);
	f = NULL;

	assert_int_equal(fastboot_program("flash", "boot_a", path, &out), 0);
	assert_same_bytes(image, "boot_a", n);
	assert_int_equal(fastboot_program("set_active", "a", NULL, &out), 0);
	assert_int_equal(fastboot_program("erase", "dtbo", NULL, &out), 0);
	/* split by Debian's only when it is whole blocks; ours fills the last one up */
	assert_int_equal(ftruncate(image, 1 << 20), 0);
	mock_fastboot_set(device, "max-download-size=0x40000");
	assert_int_equal(fastboot_program("flash", "boot_b", path, &out), 0);
	assert_same_bytes(image, "boot_b", 1 << 20);
	open_it();
	assert_var("current-slot", "a");
	/* both said the same to the device */
	assert_non_null(strstr(ours, "download:00100001\nflash:boot_a\n"));
	assert_log_has("download:00100001\nflash:boot_a\n", true);
	assert_log_has("set_active:a\n", true);
	assert_log_has("erase:dtbo_a\n", true);
	buf_release(&out);
	close(image);
	free(ours);
	free(path);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T(variables),
		T(names_of_partitions),
		T(flash_raw),
		T(flash_part_of_file),
		T(flash_split),
		T(flash_sparse),
		T(flash_damaged_sparse),
		T(boots_an_image),
		T(erases),
		T(active_slot),
		T(oem),
		T(reboots_to_bootloader),
		T(reboots_to_fastbootd),
		T(reboots_to_system),
		T(does_not_come_back),
		cmocka_unit_test(faults_of_the_device),
		T(stale_answer),
		T(info_restarts_the_timer),
		T(questions_are_short),
		T(faults_of_the_host),
		T(duplicate_serial),
		T(debian_fastboot),
	};

	(void)argc;
	mock_reexec(argv);
	return cmocka_run_group_tests(tests, bed_up, bed_down);
}
