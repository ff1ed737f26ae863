// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fastboot device of fastboot-device.h as a real USB gadget (configfs and FunctionFS), for the
 * guest with dummy_hcd.
 *
 *	ffs-fastboot NAME UDC STORE [unplugged] [KNOB=VALUE]...
 *
 * Plugs itself into the controller UDC, and out and in again as a device does that reboots. Prints
 * a line "event bootloader|fastboot|system|recovery|booted|die SLOT" for each; after the last four
 * it stays away until it is told otherwise on stdin, where every line is a knob, or "plug" (power
 * on: it comes back in the bootloader), "unplug". Ends when stdin does, and takes the gadget with
 * it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/usb/functionfs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "fastboot-device.h"

#define GADGETS "/sys/kernel/config/usb_gadget"
#define AWAY_US 300000
#define LOOK_US 2000
#define CHUNK	(1u << 20)
#define COMMAND 1024 /* a whole packet at any speed: some controllers refuse other sizes */

struct function {
	struct usb_interface_descriptor interface;
	struct usb_endpoint_descriptor_no_audio out, in;
} __attribute__((packed));

struct function_ss {
	struct usb_interface_descriptor interface;
	struct usb_endpoint_descriptor_no_audio out;
	struct usb_ss_ep_comp_descriptor out_more;
	struct usb_endpoint_descriptor_no_audio in;
	struct usb_ss_ep_comp_descriptor in_more;
} __attribute__((packed));

#define INTERFACE                                                                                  \
	{                                                                                          \
		.bLength = sizeof(struct usb_interface_descriptor),                                \
		.bDescriptorType = USB_DT_INTERFACE, .bNumEndpoints = 2, .bInterfaceClass = 0xff,  \
		.bInterfaceSubClass = 0x42, .bInterfaceProtocol = 0x03, .iInterface = 1            \
	}
#define BULK(address, packet)                                                                      \
	{                                                                                          \
		.bLength = USB_DT_ENDPOINT_SIZE, .bDescriptorType = USB_DT_ENDPOINT,               \
		.bEndpointAddress = address, .bmAttributes = USB_ENDPOINT_XFER_BULK,               \
		.wMaxPacketSize = packet                                                           \
	}
#define COMPANION                                                                                  \
	{                                                                                          \
		.bLength = USB_DT_SS_EP_COMP_SIZE, .bDescriptorType = USB_DT_SS_ENDPOINT_COMP,     \
		.bMaxBurst = 15                                                                    \
	}

static const struct {
	struct usb_functionfs_descs_head_v2 head;
	__le32 fs_count, hs_count, ss_count;
	struct function fs, hs;
	struct function_ss ss;
} __attribute__((packed)) descriptors = {
	.head = { .magic = FUNCTIONFS_DESCRIPTORS_MAGIC_V2,
		  .flags = FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_HAS_HS_DESC | FUNCTIONFS_HAS_SS_DESC,
		  .length = sizeof(descriptors) },
	.fs_count = 3,
	.hs_count = 3,
	.ss_count = 5,
	.fs = { INTERFACE, BULK(0x01, 64), BULK(0x82, 64) },
	.hs = { INTERFACE, BULK(0x01, 512), BULK(0x82, 512) },
	.ss = { INTERFACE, BULK(0x01, 1024), COMPANION, BULK(0x82, 1024), COMPANION },
};

static const struct {
	struct usb_functionfs_strings_head head;
	__le16 language;
	char name[sizeof("fastboot")];
} __attribute__((packed)) strings = {
	.head = { .magic = FUNCTIONFS_STRINGS_MAGIC,
		  .length = sizeof(strings),
		  .str_count = 1,
		  .lang_count = 1 },
	.language = 0x0409,
	.name = "fastboot",
};

struct gadget {
	char dir[256], mount[64];
	const char *name, *udc;
	struct fb_device *fb;
	pthread_mutex_t lock;
	int ep0, out, in;
	bool plugged; /* under lock */
	bool over;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- configfs ---- */

static void put(const struct gadget *g, const char *file, const char *text)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", g->dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || (write(fd, text, strlen(text)) < 0 && *text != '\n'))
		die(path);
	close(fd);
}

static void make(const struct gadget *g, const char *fmt, ...)
{
	char part[256], path[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(part, sizeof(part), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s%s%s", g->dir, *part ? "/" : "", part);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		die(path);
}

static void create(struct gadget *g)
{
	char function[512], link[512];

	snprintf(g->dir, sizeof(g->dir), GADGETS "/%s", g->name);
	snprintf(g->mount, sizeof(g->mount), "/run/ffs-%s", g->name);
	make(g, "%s", "");
	make(g, "strings/0x409");
	make(g, "configs/c.1");
	make(g, "functions/ffs.%s", g->name);
	put(g, "idVendor", "0x18d1");
	put(g, "idProduct", "0x4ee0");
	put(g, "strings/0x409/manufacturer", "Google");
	put(g, "strings/0x409/product", "Fake");
	snprintf(function, sizeof(function), "%s/functions/ffs.%s", g->dir, g->name);
	snprintf(link, sizeof(link), "%s/configs/c.1/ffs.%s", g->dir, g->name);
	if (symlink(function, link) < 0)
		die(link);
	mkdir(g->mount, 0755);
	if (mount(g->name, g->mount, "functionfs", 0, NULL) < 0)
		die(g->mount);
}

static void destroy(struct gadget *g)
{
	char path[600];

	close(g->ep0);
	close(g->out);
	close(g->in);
	umount2(g->mount, MNT_DETACH);
	rmdir(g->mount);
	snprintf(path, sizeof(path), "%s/configs/c.1/ffs.%s", g->dir, g->name);
	unlink(path);
	snprintf(path, sizeof(path), "%s/configs/c.1", g->dir);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/functions/ffs.%s", g->dir, g->name);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/strings/0x409", g->dir);
	rmdir(path);
	rmdir(g->dir);
}

static void set_plugged(struct gadget *g, bool on)
{
	if (on == g->plugged)
		return;
	fb_reset(g->fb);
	if (on)
		put(g, "strings/0x409/serialnumber", fb_serial(g->fb));
	put(g, "UDC", on ? g->udc : "\n");
	g->plugged = on;
}

static int open_endpoint(const struct gadget *g, const char *name, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", g->mount, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die(path);
	return fd;
}

static void open_endpoints(struct gadget *g)
{
	g->ep0 = open_endpoint(g, "ep0", O_RDWR);
	if (write(g->ep0, &descriptors, sizeof(descriptors)) < 0)
		die("descriptors");
	if (write(g->ep0, &strings, sizeof(strings)) < 0)
		die("strings");
	g->out = open_endpoint(g, "ep1", O_RDONLY);
	g->in = open_endpoint(g, "ep2", O_WRONLY);
}

/* ---- the wire ---- */

/* Answers that are due. False: the host is gone. */
static bool reply(struct gadget *g)
{
	uint8_t buf[512];

	for (;;) {
		bool more;
		int n;

		pthread_mutex_lock(&g->lock);
		n = fb_in(g->fb, buf, sizeof(buf));
		more = fb_has_answers(g->fb);
		pthread_mutex_unlock(&g->lock);
		if (n > 0 && write(g->in, buf, (size_t)n) < 0)
			return false;
		if (n < 0 && !more)
			return true;
		if (n < 0)
			usleep(LOOK_US);
	}
}

static void carry_out(struct gadget *g)
{
	static const char *const names[] = { "none",   "die",	     "system",	"recovery",
					     "booted", "bootloader", "fastboot" };
	enum fb_event e;

	pthread_mutex_lock(&g->lock);
	e = fb_event(g->fb);
	if (e) {
		printf("event %s %c\n", names[e], fb_slot(g->fb));
		fflush(stdout);
		set_plugged(g, false);
	}
	if (e == FB_BOOTLOADER || e == FB_FASTBOOT) {
		usleep(AWAY_US);
		set_plugged(g, true);
	}
	pthread_mutex_unlock(&g->lock);
}

/* To the device, which may be in no mood to take it: that holds up the host. */
static void hand_over(struct gadget *g, const uint8_t *data, int n)
{
	while (n > 0) {
		int took;

		pthread_mutex_lock(&g->lock);
		took = g->plugged ? fb_out(g->fb, data, n) : n;
		pthread_mutex_unlock(&g->lock);
		if (took < 0) {
			carry_out(g);
			usleep(LOOK_US);
			continue;
		}
		data += took;
		n -= took;
	}
}

static size_t next_read(struct gadget *g)
{
	uint32_t wants;

	pthread_mutex_lock(&g->lock);
	wants = fb_wants(g->fb);
	pthread_mutex_unlock(&g->lock);
	if (!wants)
		return COMMAND;
	if (wants > CHUNK)
		return CHUNK;
	return (wants + COMMAND - 1) / COMMAND * COMMAND;
}

static void *serve(void *p)
{
	struct gadget *g = p;
	uint8_t *buf = xmalloc(CHUNK);

	while (!g->over) {
		ssize_t n = read(g->out, buf, next_read(g));

		if (n > 0)
			hand_over(g, buf, (int)n);
		else if (n < 0)
			usleep(LOOK_US);
		if (!reply(g))
			continue;
		carry_out(g);
	}
	free(buf);
	return NULL;
}

/* Requests to the interface are refused; a host that goes takes the conversation with it. */
static void *control(void *p)
{
	struct gadget *g = p;
	struct usb_functionfs_event e;
	char none;

	while (read(g->ep0, &e, sizeof(e)) == sizeof(e)) {
		if (e.type == FUNCTIONFS_SETUP) {
			if (e.u.setup.bRequestType & USB_DIR_IN)
				e.type = (uint8_t)read(g->ep0, &none, 0);
			else
				e.type = (uint8_t)write(g->ep0, &none, 0);
		}
		if (e.type == FUNCTIONFS_DISABLE) {
			pthread_mutex_lock(&g->lock);
			fb_reset(g->fb);
			pthread_mutex_unlock(&g->lock);
		}
	}
	return NULL;
}

static void obey(struct gadget *g, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	pthread_mutex_lock(&g->lock);
	if (!strcmp(line, "plug") || !strcmp(line, "unplug"))
		set_plugged(g, *line == 'p');
	else if (!fb_set(g->fb, line))
		fprintf(stderr, "ffs-fastboot: no such knob: %s\n", line);
	pthread_mutex_unlock(&g->lock);
}

int main(int argc, char **argv)
{
	struct gadget g = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t server, controller;
	char line[256];
	bool unplugged;

	if (argc < 4) {
		fprintf(stderr, "usage: ffs-fastboot NAME UDC STORE [unplugged] [KNOB=VALUE]...\n");
		return 64;
	}
	g.name = argv[1];
	g.udc = argv[2];
	g.fb = fb_new(argv[3]);
	path_mkdirs(argv[3]);
	unplugged = argc > 4 && !strcmp(argv[4], "unplugged");
	for (int i = 4 + unplugged; i < argc; i++)
		obey(&g, argv[i]);
	create(&g);
	open_endpoints(&g);
	pthread_create(&server, NULL, serve, &g);
	pthread_create(&controller, NULL, control, &g);
	if (!unplugged)
		obey(&g, strcpy(line, "plug"));
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(&g, line);
	g.over = true;
	pthread_mutex_lock(&g.lock);
	set_plugged(&g, false);
	destroy(&g);
	return 0;
}
