// SPDX-License-Identifier: GPL-2.0-or-later
/* usbfs on umockdev; see umock-usb.h. */
#include "umock-usb.h"

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <umockdev.h>
#include <unistd.h>

#define POLL_US	 200 /* an empty-handed reap takes so long, since poll() never waits here */
#define RETRY_MS 2

#define GET_CONFIGURATION 8
#define GET_STATUS	  0
#define GET_DESCRIPTOR	  6
#define STRING_DESCRIPTOR 3

struct mock_bed {
	UMockdevTestbed *testbed;
	GMutex lock;		    /* of the lists */
	GList *devices, *unplugged; /* a program may still have those open */
};

struct urb {
	UMockdevIoctlData *data, *buffer;
};

struct mock_usb {
	struct mock_bed *bed;
	struct mock_usb_info info;
	struct mock_usb_faults faults;
	UMockdevIoctlBase *handler;
	char *syspath, *node;
	GQueue pending, done; /* of struct urb */
	bool gone;
	int claims, most;
};

static GMutex lock;

void mock_lock(void)
{
	g_mutex_lock(&lock);
}

void mock_unlock(void)
{
	g_mutex_unlock(&lock);
}

/* ---- transfers ---- */

static int standard_request(struct mock_usb *dev, const uint8_t *setup, uint8_t *data, int n)
{
	const char *const *strings = dev->info.strings;
	int index = setup[2];

	if (setup[1] == GET_STATUS) {
		memset(data, 0, (size_t)n);
		return n < 2 ? n : 2;
	}
	if (setup[1] != GET_DESCRIPTOR || setup[3] != STRING_DESCRIPTOR || !strings)
		return -EPIPE;
	if (!index) {
		memcpy(data, "\x04\x03\x09\x04", 4);
		return 4;
	}
	for (int i = 1; i < index; i++)
		if (!strings[i - 1])
			return -EPIPE;
	if (!strings[index - 1])
		return -EPIPE;
	n = 2 + 2 * (int)strlen(strings[index - 1]);
	data[0] = (uint8_t)n;
	data[1] = STRING_DESCRIPTOR;
	for (int i = 2; i < n; i += 2) {
		data[i] = (uint8_t)strings[index - 1][i / 2 - 1];
		data[i + 1] = 0;
	}
	return n;
}

static int control(struct mock_usb *dev, uint8_t *setup, int n)
{
	if (!(setup[0] & 0x60))
		return standard_request(dev, setup, setup + 8, n - 8);
	return dev->info.ops->control
		       ? dev->info.ops->control(dev->info.ctx, setup, setup + 8, n - 8)
		       : -EPIPE;
}

static int bulk(struct mock_usb *dev, unsigned int endpoint, uint8_t *buf, int n)
{
	if (dev->gone || dev->faults.errors) {
		dev->faults.errors -= !dev->gone;
		return -EPROTO;
	}
	if (endpoint & 0x80)
		return dev->info.ops->in(dev->info.ctx, buf, n);
	if (dev->faults.short_after && n > dev->faults.short_after)
		n = dev->faults.short_after;
	return dev->info.ops->out(dev->info.ctx, buf, n);
}

static int transfer(struct mock_usb *dev, struct usbdevfs_urb *urb)
{
	if (urb->type != USBDEVFS_URB_TYPE_CONTROL)
		return bulk(dev, urb->endpoint, urb->buffer, urb->buffer_length);
	return dev->gone ? -EPROTO : control(dev, urb->buffer, urb->buffer_length);
}

/* Lets the device work on what is there. One that is not ready holds up only its endpoint. */
static void work(struct mock_usb *dev)
{
	bool held[256] = { false };
	GList *next;

	for (GList *l = dev->pending.head; l; l = next) {
		struct urb *u = l->data;
		struct usbdevfs_urb *urb = (struct usbdevfs_urb *)u->data->data;
		int rc;

		next = l->next;
		if (held[urb->endpoint])
			continue;
		rc = transfer(dev, urb);
		if (rc == -EAGAIN) {
			held[urb->endpoint] = true;
			continue;
		}
		urb->status = rc < 0 ? rc : 0;
		urb->actual_length = rc < 0 ? 0 : rc;
		g_queue_delete_link(&dev->pending, l);
		g_queue_push_tail(&dev->done, u);
	}
}

static void free_urb(struct urb *u)
{
	g_object_unref(u->data);
	if (u->buffer)
		g_object_unref(u->buffer);
	g_free(u);
}

/* ---- ioctls: each returns 0 or -errno; 1 = answered by itself ---- */

static int submit(struct mock_usb *dev, UMockdevIoctlData *arg)
{
	UMockdevIoctlData *data =
		umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_urb), NULL);
	struct usbdevfs_urb *urb = (struct usbdevfs_urb *)data->data;
	int busy = (int)g_queue_get_length(&dev->pending);
	struct urb *u;

	if (dev->gone || dev->faults.no_memory ||
	    (dev->faults.memory && busy >= dev->faults.memory)) {
		g_object_unref(data);
		return dev->gone ? -ENODEV : -ENOMEM;
	}
	u = g_new0(struct urb, 1);
	u->data = data;
	if (urb->buffer_length)
		u->buffer = umockdev_ioctl_data_resolve(data, offsetof(struct usbdevfs_urb, buffer),
							(gsize)urb->buffer_length, NULL);
	g_queue_push_tail(&dev->pending, u);
	if (busy + 1 > dev->most)
		dev->most = busy + 1;
	return 0;
}

static int discard(struct mock_usb *dev, UMockdevIoctlData *arg)
{
	gulong addr = *(gulong *)arg->data;

	for (GList *l = dev->pending.head; l; l = l->next) {
		struct urb *u = l->data;

		if (u->data->client_addr != addr)
			continue;
		((struct usbdevfs_urb *)u->data->data)->status = -ENOENT;
		g_queue_delete_link(&dev->pending, l);
		g_queue_push_tail(&dev->done, u);
		return 0;
	}
	return -EINVAL;
}

static int reap(struct mock_usb *dev, UMockdevIoctlData *arg)
{
	UMockdevIoctlData *data;
	struct urb *u;

	work(dev);
	u = g_queue_pop_head(&dev->done);
	if (!u) {
		if (!dev->gone)
			g_usleep(POLL_US);
		return dev->gone ? -ENODEV : -EAGAIN;
	}
	data = umockdev_ioctl_data_resolve(arg, 0, sizeof(gpointer), NULL);
	umockdev_ioctl_data_set_ptr(data, 0, u->data);
	g_object_unref(data);
	free_urb(u);
	return 0;
}

/* The synchronous transfer of Debian's fastboot: a device that is not ready is asked again. */
struct blocked {
	struct mock_usb *dev;
	UMockdevIoctlClient *client;
	UMockdevIoctlData *buffer;
	struct usbdevfs_bulktransfer *t;
};

static gboolean retry(gpointer p)
{
	struct blocked *b = p;
	int rc = 0;

	mock_lock();
	rc = bulk(b->dev, b->t->ep, b->buffer ? b->buffer->data : NULL, (int)b->t->len);
	mock_unlock();
	if (rc == -EAGAIN)
		return G_SOURCE_CONTINUE;
	umockdev_ioctl_client_complete(b->client, rc < 0 ? -1 : rc, rc < 0 ? -rc : 0);
	return G_SOURCE_REMOVE;
}

static void free_blocked(gpointer p)
{
	struct blocked *b = p;

	g_object_unref(b->client);
	if (b->buffer)
		g_object_unref(b->buffer);
	g_free(b);
}

static int bulk_ioctl(struct mock_usb *dev, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
	struct blocked *b = g_new0(struct blocked, 1);
	UMockdevIoctlData *data = umockdev_ioctl_data_resolve(arg, 0, sizeof(*b->t), NULL);
	GSource *source = g_timeout_source_new(RETRY_MS);

	b->dev = dev;
	b->client = g_object_ref(client);
	b->t = (struct usbdevfs_bulktransfer *)data->data;
	if (b->t->len)
		b->buffer = umockdev_ioctl_data_resolve(
			data, offsetof(struct usbdevfs_bulktransfer, data), b->t->len, NULL);
	g_source_set_ready_time(source, 0);
	g_source_set_callback(source, retry, b, free_blocked);
	g_source_attach(source, g_main_context_get_thread_default());
	g_source_unref(source);
	g_object_unref(data);
	return 1;
}

static int capabilities(UMockdevIoctlData *arg)
{
	UMockdevIoctlData *data = umockdev_ioctl_data_resolve(arg, 0, sizeof(uint32_t), NULL);

	*(uint32_t *)data->data = USBDEVFS_CAP_BULK_SCATTER_GATHER |
				  USBDEVFS_CAP_NO_PACKET_SIZE_LIM |
				  USBDEVFS_CAP_REAP_AFTER_DISCONNECT | USBDEVFS_CAP_ZERO_PACKET;
	g_object_unref(data);
	return 0;
}

static int connect_info(const struct mock_usb *dev, UMockdevIoctlData *arg)
{
	UMockdevIoctlData *data =
		umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_connectinfo), NULL);

	((struct usbdevfs_connectinfo *)data->data)->devnum = dev->info.address;
	g_object_unref(data);
	return 0;
}

/* Of this libusb asks only which configuration there is. */
static int control_ioctl(UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
	UMockdevIoctlData *data =
		umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_ctrltransfer), NULL);
	struct usbdevfs_ctrltransfer *t = (struct usbdevfs_ctrltransfer *)data->data;
	UMockdevIoctlData *buffer;
	int rc = -EPIPE;

	if (t->bRequest == GET_CONFIGURATION && t->wLength == 1) {
		buffer = umockdev_ioctl_data_resolve(
			data, offsetof(struct usbdevfs_ctrltransfer, data), 1, NULL);
		buffer->data[0] = 1;
		g_object_unref(buffer);
		umockdev_ioctl_client_complete(client, 1, 0);
		rc = 1;
	}
	g_object_unref(data);
	return rc;
}

static int set_interface(struct mock_usb *dev, UMockdevIoctlData *arg)
{
	UMockdevIoctlData *data =
		umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_setinterface), NULL);

	if (dev->info.ops->set_alt)
		dev->info.ops->set_alt(dev->info.ctx,
				       ((struct usbdevfs_setinterface *)data->data)->altsetting);
	g_object_unref(data);
	return 0;
}

static int claim(struct mock_usb *dev)
{
	if (dev->faults.busy)
		return -EBUSY;
	dev->claims++;
	return 0;
}

static int handle(struct mock_usb *dev, UMockdevIoctlClient *client)
{
	UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);
	gulong request = umockdev_ioctl_client_get_request(client);

	switch (request) {
	case USBDEVFS_REAPURB:
	case USBDEVFS_REAPURBNDELAY:
		return reap(dev, arg);
	case USBDEVFS_SUBMITURB:
		return submit(dev, arg);
	case USBDEVFS_DISCARDURB:
		return discard(dev, arg);
	}
	if (dev->gone)
		return -ENODEV;
	switch (request) {
	case USBDEVFS_BULK:
		return bulk_ioctl(dev, client, arg);
	case USBDEVFS_GET_CAPABILITIES:
		return capabilities(arg);
	case USBDEVFS_CONNECTINFO:
		return connect_info(dev, arg);
	case USBDEVFS_CONTROL:
		return control_ioctl(client, arg);
	case USBDEVFS_CLAIMINTERFACE:
		return claim(dev);
	case USBDEVFS_RELEASEINTERFACE:
		dev->claims--;
		return 0;
	case USBDEVFS_RESET:
		if (dev->info.ops->reset)
			dev->info.ops->reset(dev->info.ctx);
		return 0;
	case USBDEVFS_GETDRIVER:
	case USBDEVFS_IOCTL:
		return -ENODATA; /* no kernel driver is bound */
	case USBDEVFS_SETINTERFACE:
		return set_interface(dev, arg);
	case USBDEVFS_CLEAR_HALT:
	case USBDEVFS_SETCONFIGURATION:
		return 0;
	default:
		return -ENOTTY;
	}
}

static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer p)
{
	struct mock_usb *dev = p;
	int rc;

	(void)base;
	mock_lock();
	rc = handle(dev, client);
	mock_unlock();
	if (rc <= 0)
		umockdev_ioctl_client_complete(client, rc < 0 ? -1 : 0, -rc);
	return TRUE;
}

/* ---- the bed ---- */

void mock_reexec(char **argv)
{
	const char *loaded = getenv("LD_PRELOAD");

	if (loaded && strstr(loaded, "umockdev"))
		return;
	setenv("LD_PRELOAD", "libumockdev-preload.so.0", 1);
	execv("/proc/self/exe", argv);
	perror("exec");
	exit(1);
}

struct mock_bed *mock_bed_new(void)
{
	struct mock_bed *bed = g_new0(struct mock_bed, 1);

	bed->testbed = umockdev_testbed_new();
	return bed;
}

static void free_device(gpointer p)
{
	struct mock_usb *dev = p;
	struct urb *u;

	while ((u = g_queue_pop_head(&dev->pending)) || (u = g_queue_pop_head(&dev->done)))
		free_urb(u);
	g_object_unref(dev->handler);
	g_free(dev->syspath);
	g_free(dev->node);
	g_free(dev);
}

void mock_bed_free(struct mock_bed *bed)
{
	while (bed->devices)
		mock_unplug(bed->devices->data);
	g_object_unref(bed->testbed);
	g_list_free_full(bed->unplugged, free_device);
	g_free(bed);
}

static void add_hex(GString *s, const uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		g_string_append_printf(s, "%02X", data[i]);
	g_string_append_c(s, '\n');
}

static char *describe(const struct mock_usb_info *i)
{
	const uint8_t *d = i->descriptors;
	GString *s = g_string_new(NULL);

	g_string_append_printf(s, "P: /devices/mock/usb1/%s\nN: bus/usb/001/%03u=", i->port,
			       i->address);
	add_hex(s, d, i->descriptors_size);
	g_string_append_printf(s,
			       "E: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\nE: BUSNUM=001\n"
			       "E: DEVNUM=%03u\nE: DEVNAME=/dev/bus/usb/001/%03u\n"
			       "E: MAJOR=189\nE: MINOR=%u\nE: PRODUCT=%x/%x/%x\n",
			       i->address, i->address, i->address - 1, d[8] | d[9] << 8,
			       d[10] | d[11] << 8, d[12] | d[13] << 8);
	g_string_append_printf(s,
			       "A: busnum=1\\n\nA: devnum=%u\\n\nA: speed=480\\n\n"
			       "A: bConfigurationValue=1\\n\nA: devpath=%s\\n\n"
			       "A: idVendor=%02x%02x\\n\nA: idProduct=%02x%02x\\n\n",
			       i->address, strchr(i->port, '-') + 1, d[9], d[8], d[11], d[10]);
	if (i->serial)
		g_string_append_printf(s, "A: serial=%s\\n\n", i->serial);
	g_string_append(s, "H: descriptors=");
	add_hex(s, d, i->descriptors_size);
	g_string_append_c(s, '\n');
	return g_string_free(s, FALSE);
}

struct mock_usb *mock_plug(struct mock_bed *bed, const struct mock_usb_info *info)
{
	struct mock_usb *dev = g_new0(struct mock_usb, 1);
	char *text = describe(info);
	GError *error = NULL;

	dev->bed = bed;
	dev->info = *info;
	g_queue_init(&dev->pending);
	g_queue_init(&dev->done);
	dev->syspath = g_strdup_printf("/sys/devices/mock/usb1/%s", info->port);
	dev->node = g_strdup_printf("/dev/bus/usb/001/%03u", info->address);
	dev->handler = umockdev_ioctl_base_new();
	g_signal_connect(dev->handler, "handle-ioctl", G_CALLBACK(on_ioctl), dev);
	/*
	 * umockdev's open() ends the program that finds the socket of a node's ioctls and nobody
	 * behind it: that one is there before the node is, and after it.
	 */
	if (!umockdev_testbed_attach_ioctl(bed->testbed, dev->node, dev->handler, &error) ||
	    !umockdev_testbed_add_from_string(bed->testbed, text, &error)) {
		fprintf(stderr, "mock_plug: %s\n", error->message);
		abort();
	}
	umockdev_testbed_uevent(bed->testbed, dev->syspath, "add");
	g_free(text);
	g_mutex_lock(&bed->lock);
	bed->devices = g_list_append(bed->devices, dev);
	g_mutex_unlock(&bed->lock);
	return dev;
}

void mock_unplug(struct mock_usb *dev)
{
	struct mock_bed *bed = dev->bed;
	UMockdevTestbed *testbed = bed->testbed;
	char *root = umockdev_testbed_get_root_dir(testbed);
	char *node = g_strconcat(root, dev->node, NULL);

	mock_lock();
	dev->gone = true;
	mock_unlock();
	unlink(node);
	umockdev_testbed_uevent(testbed, dev->syspath, "remove");
	umockdev_testbed_remove_device(testbed, dev->syspath);
	g_mutex_lock(&bed->lock);
	bed->devices = g_list_remove(bed->devices, dev);
	bed->unplugged = g_list_append(bed->unplugged, dev);
	g_mutex_unlock(&bed->lock);
	g_free(node);
	g_free(root);
}

struct mock_usb_faults *mock_faults(struct mock_usb *dev)
{
	return &dev->faults;
}

int mock_claims(const struct mock_usb *dev)
{
	return dev->claims;
}

int mock_most_in_flight(const struct mock_usb *dev)
{
	return dev->most;
}
