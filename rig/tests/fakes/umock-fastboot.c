// SPDX-License-Identifier: GPL-2.0-or-later
/* A fastboot device on umockdev; see umock-fastboot.h. */
#include "umock-fastboot.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define LOOK_US 1000
#define AWAY_MS 20

/* A device of one interface ff/42/03 with two bulk endpoints, as a Pixel shows it. */
static const uint8_t descriptors[] = {
	18,   1,    0x00, 0x02, 0,    0,    0,	  64,	0xd1,
	0x18, 0xe0, 0x4e, 0x00, 0x01, 1,    2,	  3,	1,   /* device */
	9,    2,    32,	  0,	1,    1,    0,	  0x80, 250, /* config */
	9,    4,    0,	  0,	2,    0xff, 0x42, 0x03, 4,   /* interface */
	7,    5,    0x81, 2,	0x00, 0x02, 0,		     /* bulk in */
	7,    5,    0x02, 2,	0x00, 0x02, 1,		     /* bulk out */
};

struct mock_fastboot {
	struct mock_bed *bed;
	struct mock_usb *usb; /* NULL while it is away */
	struct fb_device *fb;
	char port[32];
	unsigned int address;
	unsigned int away_ms;
	const char *strings[5];
	GThread *thread;
	GMutex plugging; /* by the test and by the device itself */
	gint stop;
};

static int out(void *ctx, const uint8_t *data, int n)
{
	return fb_out(((struct mock_fastboot *)ctx)->fb, data, n);
}

static int in(void *ctx, uint8_t *buf, int n)
{
	return fb_in(((struct mock_fastboot *)ctx)->fb, buf, n);
}

static const struct mock_usb_ops ops = { .out = out, .in = in };

static void plug(struct mock_fastboot *m)
{
	struct mock_usb_info info = {
		.port = m->port,
		.address = ++m->address,
		.descriptors = descriptors,
		.descriptors_size = sizeof(descriptors),
		.serial = fb_serial(m->fb),
		.strings = m->strings,
		.ops = &ops,
		.ctx = m,
	};

	g_mutex_lock(&m->plugging);
	m->strings[2] = fb_serial(m->fb);
	m->usb = mock_plug(m->bed, &info);
	g_mutex_unlock(&m->plugging);
}

static void unplug(struct mock_fastboot *m)
{
	g_mutex_lock(&m->plugging);
	if (m->usb)
		mock_unplug(m->usb);
	m->usb = NULL;
	mock_lock();
	fb_reset(m->fb);
	mock_unlock();
	g_mutex_unlock(&m->plugging);
}

/* Plugging must not happen in umockdev's thread, where the transfers are. */
static gpointer carry_out(gpointer p)
{
	struct mock_fastboot *m = p;

	while (!g_atomic_int_get(&m->stop)) {
		enum fb_event e;

		mock_lock();
		e = fb_event(m->fb);
		mock_unlock();
		if (e)
			unplug(m);
		if (e == FB_BOOTLOADER || e == FB_FASTBOOT) {
			g_usleep(m->away_ms * 1000ul);
			plug(m);
		}
		g_usleep(LOOK_US);
	}
	return NULL;
}

struct mock_fastboot *mock_fastboot_new(struct mock_bed *bed, const char *port, const char *store)
{
	struct mock_fastboot *m = g_new0(struct mock_fastboot, 1);
	static unsigned int next_address = 10;

	g_mutex_init(&m->plugging);
	m->bed = bed;
	m->fb = fb_new(store);
	g_strlcpy(m->port, port, sizeof(m->port));
	m->address = next_address += 10;
	m->away_ms = AWAY_MS;
	m->strings[0] = "Google";
	m->strings[1] = "Fake";
	m->strings[3] = "fastboot";
	plug(m);
	m->thread = g_thread_new("fastboot", carry_out, m);
	return m;
}

void mock_fastboot_free(struct mock_fastboot *m)
{
	g_atomic_int_set(&m->stop, 1);
	g_thread_join(m->thread);
	unplug(m);
	fb_free(m->fb);
	g_mutex_clear(&m->plugging);
	g_free(m);
}

void mock_fastboot_set(struct mock_fastboot *m, const char *knob)
{
	if (!strncmp(knob, "away-ms=", 8)) {
		m->away_ms = (unsigned int)strtoul(knob + 8, NULL, 10);
		return;
	}
	if (!strcmp(knob, "gone=1")) {
		unplug(m);
		return;
	}
	mock_lock();
	if (!fb_set(m->fb, knob))
		abort();
	mock_unlock();
	/* the serial number is seen when it is plugged in */
	if (!strncmp(knob, "serial=", 7)) {
		unplug(m);
		plug(m);
	}
}

char *mock_fastboot_log(struct mock_fastboot *m)
{
	char *log;

	mock_lock();
	log = xstrdup(fb_log(m->fb));
	mock_unlock();
	return log;
}

struct mock_usb *mock_fastboot_usb(struct mock_fastboot *m)
{
	return m->usb;
}
