// SPDX-License-Identifier: GPL-2.0-or-later
/* A DFU device on umockdev; see umock-dfu.h. */
#include "umock-dfu.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>

#define LOOK_US 1000

struct mock_dfu {
	struct mock_usb *usb; /* NULL: it has left */
	struct dfu_device *device;
	GThread *thread;
	gint stop;
};

static int control(void *ctx, const uint8_t setup[8], uint8_t *data, int n)
{
	return dfu_device_control(((struct mock_dfu *)ctx)->device, setup, data, n);
}

static void set_alt(void *ctx, unsigned int alt)
{
	dfu_device_alt(((struct mock_dfu *)ctx)->device, alt);
}

static void reset(void *ctx)
{
	dfu_device_reset(((struct mock_dfu *)ctx)->device);
}

static int no_bulk_out(void *ctx, const uint8_t *data, int n)
{
	(void)ctx;
	(void)data;
	(void)n;
	return -EPIPE;
}

static int no_bulk_in(void *ctx, uint8_t *buf, int n)
{
	(void)ctx;
	(void)buf;
	(void)n;
	return -EPIPE;
}

static const struct mock_usb_ops ops = {
	.out = no_bulk_out,
	.in = no_bulk_in,
	.control = control,
	.set_alt = set_alt,
	.reset = reset,
};

/* Unplugging must not happen in umockdev's thread, where the requests are. */
static gpointer carry_out(gpointer p)
{
	struct mock_dfu *m = p;

	while (!g_atomic_int_get(&m->stop)) {
		bool leaves;

		mock_lock();
		leaves = dfu_device_leaves(m->device);
		mock_unlock();
		if (leaves && m->usb) {
			mock_unplug(m->usb);
			m->usb = NULL;
		}
		g_usleep(LOOK_US);
	}
	return NULL;
}

struct mock_dfu *mock_dfu_new(struct mock_bed *bed, const char *port, const char *store)
{
	struct mock_dfu *m = g_new0(struct mock_dfu, 1);
	static unsigned int next_address = 3;
	struct mock_usb_info info = {
		.port = port,
		.address = next_address++,
		.serial = "E0001",
		.strings = dfu_device_strings(),
		.ops = &ops,
		.ctx = m,
	};

	info.descriptors = dfu_device_descriptors(&info.descriptors_size);
	m->device = dfu_device_new(store);
	m->usb = mock_plug(bed, &info);
	m->thread = g_thread_new("dfu", carry_out, m);
	return m;
}

void mock_dfu_free(struct mock_dfu *m)
{
	g_atomic_int_set(&m->stop, 1);
	g_thread_join(m->thread);
	if (m->usb)
		mock_unplug(m->usb);
	dfu_device_free(m->device);
	g_free(m);
}

void mock_dfu_set(struct mock_dfu *m, const char *knob)
{
	mock_lock();
	if (!dfu_device_set(m->device, knob))
		abort();
	mock_unlock();
}

int mock_dfu_impatience(struct mock_dfu *m)
{
	int n;

	mock_lock();
	n = dfu_device_impatience(m->device);
	mock_unlock();
	return n;
}
