// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * USB devices on umockdev: what matches, what is waited for, what the transfers make of a device
 * that is slow, silent or gone. Descriptors as they are, cut short and damaged.
 */
#include "mock_main.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "base/signals.h"
#include "io/usb.h"

/* Two interfaces: cdc-like without endpoints and a vendor's with two alternate settings. */
static const uint8_t descriptors[] = {
	18,   1,    0x00, 0x02, 0,    0,    0,
	64,   0xd1, 0x18, 0xe0, 0x4e, 0x00, 0x01,
	1,    2,    3,	  1,	9,    2,    9 + 9 + 5 + 9 + 9 + 7 + 7,
	0,    2,    1,	  0,	0x80, 250,  9,
	4,    0,    0,	  0,	2,    2,    1,
	0,    5,    0x24, 0,	1,    1,    9,
	4,    1,    0,	  0,	0xff, 0x42, 3,
	4,    9,    4,	  1,	1,    2,    0xff,
	0x43, 3,    4,	  7,	5,    0x81, 2,
	0,    2,    0,	  7,	5,    0x02, 2,
	0,    2,    0,
};

/* A device that gives back what it was given. */
static struct {
	uint8_t data[8 << 20];
	int n;
	bool deaf;
} echo;

static int echo_out(void *ctx, const uint8_t *data, int n)
{
	(void)ctx;
	if (echo.deaf || echo.n + n > (int)sizeof(echo.data))
		return -EAGAIN;
	memcpy(echo.data + echo.n, data, (size_t)n);
	echo.n += n;
	return n;
}

static int echo_in(void *ctx, uint8_t *buf, int n)
{
	(void)ctx;
	if (!echo.n)
		return -EAGAIN;
	if (n > echo.n)
		n = echo.n;
	memcpy(buf, echo.data, (size_t)n);
	memmove(echo.data, echo.data + n, (size_t)(echo.n - n));
	echo.n -= n;
	return n;
}

static const struct mock_usb_ops ops = { .out = echo_out, .in = echo_in };
static const char *const strings[] = { "Google", "caf\xe9", "S1", "v", NULL };

static struct mock_usb *plug(const char *port, unsigned int address)
{
	struct mock_usb_info info = {
		.port = port,
		.address = address,
		.descriptors = descriptors,
		.descriptors_size = sizeof(descriptors),
		.serial = "S1",
		.strings = strings,
		.ops = &ops,
	};

	return mock_plug(bed, &info);
}

static const struct usb_match second = {
	.port = "1-2", .class = 0xff, .subclass = 0x43, .protocol = -1
};

static void matches(void **state)
{
	static const struct {
		struct usb_match m;
		int n;
	} rows[] = {
		{ { 0 }, 2 },
		{ { .port = "1-2" }, 1 },
		{ { .port = "1-2.1" }, 0 },
		{ { .port = "../1-2" }, 0 },
		{ { .vid = 0x18d1, .pid = 0x4ee0 }, 2 },
		{ { .vid = 0x18d1, .pid = 0x4ee1 }, 0 },
		{ { .class = 0xff, .subclass = 0x42, .protocol = 3 }, 2 },
		{ { .class = 0xff, .subclass = 0x42, .protocol = 4 }, 0 },
		{ { .class = 2, .subclass = -1, .protocol = -1 }, 2 },
		{ { .serial = "S1" }, 2 },
		{ { .port = "1-1", .serial = "S2" }, 0 },
	};
	struct usb_found found[2];
	struct mock_usb *a = plug("1-1", 2), *b = plug("1-2", 3);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(usb_find(&rows[i].m, NULL, 0), rows[i].n);
	assert_int_equal(usb_find(&rows[1].m, found, 2), 1);
	assert_string_equal(found[0].port, "1-2");
	assert_int_equal(found[0].address, 3);
	assert_int_equal(found[0].speed_mbps, 480);
	assert_string_equal(found[0].serial, "S1");
	assert_int_equal(usb_wait_arrived(&rows[0].m, NULL, deadline_in(1000)), -EEXIST);
	mock_unplug(a);
	mock_unplug(b);
	assert_int_equal(usb_find(&rows[0].m, NULL, 0), 0);
}

struct later {
	struct mock_usb *unplug;
	unsigned int plug; /* address; 0 = does not come */
	struct mock_usb *plugged;
};

static void *do_later(void *p)
{
	struct later *l = p;

	usleep(50000);
	if (l->unplug)
		mock_unplug(l->unplug);
	if (l->plug)
		l->plugged = plug("1-2", l->plug);
	return NULL;
}

static void waits(void **state)
{
	struct later l = { .plug = 4 };
	struct usb_found found;
	pthread_t thread;

	(void)state;
	assert_int_equal(usb_wait_arrived(&second, NULL, deadline_in(50)), -ETIMEDOUT);
	assert_int_equal(usb_wait_left(&second, 0, deadline_in(50)), 0);
	pthread_create(&thread, NULL, do_later, &l);
	assert_int_equal(usb_wait_arrived(&second, &found, deadline_in(10000)), 0);
	pthread_join(thread, NULL);
	assert_int_equal(found.address, 4);
	assert_int_equal(usb_wait_left(&second, 0, deadline_in(50)), -ETIMEDOUT);
	/* there is no device with that address: it has come back since as another */
	assert_int_equal(usb_wait_left(&second, 3, deadline_in(50)), 0);
	mock_unplug(l.plugged);
}

static struct mock_usb *mock;
static struct usb_dev *dev;

static int set_up(void **state)
{
	static unsigned int address = 20;

	(void)state;
	echo.n = 0;
	echo.deaf = false;
	mock = plug("1-2", address++);
	return usb_open(&dev, &second, deadline_in(1000));
}

static int tear_down(void **state)
{
	(void)state;
	usb_close(dev);
	if (mock)
		mock_unplug(mock);
	return 0;
}

static void opens_by_descriptors(void **state)
{
	char text[USB_SERIAL_MAX];
	unsigned int config;
	size_t size;

	(void)state;
	assert_int_equal(usb_claimed(dev)->number, 1);
	assert_int_equal(usb_claimed(dev)->alt, 1);
	assert_int_equal(usb_claimed(dev)->in, 0x81);
	assert_int_equal(usb_claimed(dev)->out, 0x02);
	assert_int_equal(usb_claimed(dev)->out_packet, 512);
	assert_memory_equal(usb_descriptors(dev, &size, &config), descriptors, sizeof(descriptors));
	assert_int_equal(size, sizeof(descriptors));
	assert_int_equal(usb_string(dev, 1, text, sizeof(text), deadline_in(1000)), 0);
	assert_string_equal(text, "Google");
	assert_int_equal(usb_string(dev, 2, text, sizeof(text), deadline_in(1000)), 0);
	assert_string_equal(text, "caf?");
	assert_int_equal(usb_string(dev, 9, text, sizeof(text), deadline_in(1000)), -EPIPE);
	assert_int_equal(mock_claims(mock), 1);
}

static void carries_bytes(void **state)
{
	size_t n = (3u << 20) + 77;
	uint8_t *sent = xmalloc(n), *got = xmalloc(n);
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < n; i++)
		sent[i] = (uint8_t)(i ^ i >> 8);
	assert_int_equal(usb_write(dev, sent, n, deadline_in(10000)), 0);
	while (at < n) {
		ssize_t r = usb_read(dev, got + at, 1u << 20 < n - at ? 1u << 20 : n - at,
				     deadline_in(10000));

		assert_true(r > 0);
		at += (size_t)r;
	}
	assert_memory_equal(sent, got, n);
	free(sent);
	free(got);
}

static void silent_device(void **state)
{
	uint8_t buf[512] = { 1 };

	(void)state;
	assert_int_equal(usb_read(dev, buf, sizeof(buf), deadline_in(60)), -ETIMEDOUT);
	echo.deaf = true;
	assert_int_equal(usb_write(dev, buf, sizeof(buf), deadline_in(60)), -ETIMEDOUT);
	echo.deaf = false;
	assert_int_equal(usb_write(dev, buf, sizeof(buf), deadline_in(1000)), 0);
	assert_int_equal(usb_read(dev, buf, sizeof(buf), deadline_in(1000)), 512);
}

static int fill_count(void *ctx, void *buf, size_t n)
{
	memset(buf, 7, n);
	*(uint64_t *)ctx += n;
	return 0;
}

static int fill_refuse(void *ctx, void *buf, size_t n)
{
	(void)ctx;
	(void)buf;
	(void)n;
	return -ESTALE;
}

/* A stall ends after stall_ms, long before the deadline; what was taken is counted. */
static void stalled_stream(void **state)
{
	uint64_t filled = 0, done;
	struct usb_source source = { .fill = fill_count, .ctx = &filled, .stall_ms = 100 };

	(void)state;
	/* the device has room for 8 MiB */
	assert_int_equal(usb_write_stream(dev, &source, 12u << 20, &done, deadline_never()),
			 -ETIMEDOUT);
	assert_int_equal(done, 8u << 20);
	assert_true(filled - done <= USB_IN_FLIGHT);
	source.fill = fill_refuse;
	assert_int_equal(usb_write_stream(dev, &source, 100, &done, deadline_in(1000)), -ESTALE);
	assert_int_equal(done, 0);
}

static void unplugged(void **state)
{
	uint8_t buf[512];
	pthread_t thread;
	struct later l = { .unplug = mock };

	(void)state;
	pthread_create(&thread, NULL, do_later, &l);
	/* the kernel's first word is an IO error: that the device is gone was found out here */
	assert_int_equal(usb_read(dev, buf, sizeof(buf), deadline_in(10000)), -ENODEV);
	pthread_join(thread, NULL);
	mock = NULL;
	assert_int_equal(usb_write(dev, buf, 1, deadline_in(1000)), -ENODEV);
	assert_int_equal(usb_confirm(dev), -ENODEV);
}

static void stop_ends_a_wait(void **state)
{
	uint8_t buf[512];

	(void)state;
	stop_install();
	raise(SIGTERM);
	assert_int_equal(usb_read(dev, buf, sizeof(buf), deadline_never()), -EINTR);
	assert_int_equal(usb_write(dev, buf, 1, deadline_never()), -EINTR);
	assert_int_equal(usb_wait_left(&second, 0, deadline_never()), -EINTR);
	stop_clear();
	echo.n = 0;
	assert_int_equal(usb_write(dev, buf, 1, deadline_in(1000)), 0);
}

/* Cut at every length: never read behind the end (the sanitizer watches), never an endless walk. */
static void cut_descriptors(void **state)
{
	struct usb_interface i;
	struct usb_dfu functional;
	uint16_t vid, pid;

	(void)state;
	for (size_t n = 0; n <= sizeof(descriptors); n++) {
		uint8_t *copy = xmalloc(n + !n);
		size_t at = 0;
		int found = 0;

		memcpy(copy, descriptors, n);
		while (usb_desc_next(copy, n, 1, &at, &i))
			found++;
		assert_true(found <= 3);
		assert_int_equal(usb_desc_ids(copy, n, &vid, &pid), n >= 18);
		assert_false(usb_desc_dfu(copy, n, 0, &functional));
		free(copy);
	}
	assert_false(usb_desc_next(descriptors, sizeof(descriptors), 2, &(size_t){ 0 }, &i));
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_descriptors),
		cmocka_unit_test(matches),
		cmocka_unit_test(waits),
		T(opens_by_descriptors),
		T(carries_bytes),
		T(silent_device),
		T(stalled_stream),
		T(unplugged),
		T(stop_ends_a_wait),
	};

	(void)argc;
	mock_reexec(argv);
	return cmocka_run_group_tests(tests, bed_up, bed_down);
}
