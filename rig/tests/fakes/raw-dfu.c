// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The DFU device of dfu-device.h as a real USB device (raw-gadget), for the guest with dummy_hcd.
 * Not FunctionFS: that does not tell which alternate setting was selected.
 *
 *	raw-dfu UDC STORE [KNOB=VALUE]...
 *
 * Plugs itself in. Prints "event left" when it leaves the bus to start what it was given, and stays
 * away; on stdin every line is a knob, or "plug", "unplug". Ends when stdin does.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/usb/raw_gadget.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/path.h"
#include "dfu-device.h"

#define LOOK_US	    2000
#define DEVICE_SIZE 18
#define CLASS	    0x60 /* the type bits of bRequestType: not a standard request */

struct port {
	const char *udc;
	struct dfu_device *device;
	pthread_mutex_t lock;
	bool wanted, plugged; /* under lock */
	int fd;
};

struct ep0 {
	struct usb_raw_ep_io io;
	uint8_t data[DFU_DEVICE_TRANSFER];
};

static bool is_wanted(struct port *p)
{
	bool wanted;

	pthread_mutex_lock(&p->lock);
	wanted = p->wanted;
	pthread_mutex_unlock(&p->lock);
	return wanted;
}

/* ---- control transfers ---- */

static int string_descriptor(int index, uint8_t *data)
{
	const char *const *strings = dfu_device_strings();
	int n = 2;

	if (!index) {
		memcpy(data, "\x04\x03\x09\x04", 4);
		return 4;
	}
	for (int i = 1; i < index; i++)
		if (!*strings++)
			return -EPIPE;
	if (!*strings)
		return -EPIPE;
	for (const char *s = *strings; *s; s++) {
		data[n++] = (uint8_t)*s;
		data[n++] = 0;
	}
	data[0] = (uint8_t)n;
	data[1] = USB_DT_STRING;
	return n;
}

static int descriptor(const struct usb_ctrlrequest *r, uint8_t *data)
{
	size_t size;
	const uint8_t *all = dfu_device_descriptors(&size);

	switch (r->wValue >> 8) {
	case USB_DT_DEVICE:
		memcpy(data, all, DEVICE_SIZE);
		return DEVICE_SIZE;
	case USB_DT_CONFIG:
		memcpy(data, all + DEVICE_SIZE, size - DEVICE_SIZE);
		return (int)(size - DEVICE_SIZE);
	case USB_DT_STRING:
		return string_descriptor(r->wValue & 0xff, data);
	default:
		return -EPIPE;
	}
}

static int standard(struct port *p, const struct usb_ctrlrequest *r, uint8_t *data)
{
	switch (r->bRequest) {
	case USB_REQ_GET_DESCRIPTOR:
		return descriptor(r, data);
	case USB_REQ_SET_CONFIGURATION:
		ioctl(p->fd, USB_RAW_IOCTL_VBUS_DRAW, 250);
		ioctl(p->fd, USB_RAW_IOCTL_CONFIGURE, 0);
		return 0;
	case USB_REQ_SET_INTERFACE:
		pthread_mutex_lock(&p->lock);
		dfu_device_alt(p->device, r->wValue);
		pthread_mutex_unlock(&p->lock);
		return 0;
	default:
		return -EPIPE;
	}
}

/* The data stage in either direction: bytes, or -EPIPE. */
static int class_request(struct port *p, const struct usb_ctrlrequest *r, struct ep0 *e)
{
	const uint8_t *setup = (const uint8_t *)r;
	int n = r->wLength;

	do {
		pthread_mutex_lock(&p->lock);
		n = dfu_device_control(p->device, setup, e->data, r->wLength);
		pthread_mutex_unlock(&p->lock);
		if (n == -EAGAIN)
			usleep(LOOK_US);
		pthread_mutex_lock(&p->lock);
		if (n == -EAGAIN && dfu_device_leaves(p->device)) {
			p->wanted = false;
			n = -EPIPE;
		}
		pthread_mutex_unlock(&p->lock);
	} while (n == -EAGAIN && is_wanted(p));
	return n;
}

static void control(struct port *p, const struct usb_ctrlrequest *r)
{
	bool to_host = r->bRequestType & USB_DIR_IN;
	bool is_class = r->bRequestType & CLASS;
	struct ep0 e = { .io.length = r->wLength };
	int n;

	/* the host's data must be read before it can be judged; then it is too late to refuse it */
	if (is_class && !to_host && r->wLength && r->wLength <= sizeof(e.data)) {
		if (ioctl(p->fd, USB_RAW_IOCTL_EP0_READ, &e) >= 0)
			class_request(p, r, &e);
		return;
	}
	n = r->wLength > sizeof(e.data) ? -EPIPE
	    : is_class			? class_request(p, r, &e)
					: standard(p, r, e.data);
	if (n < 0) {
		ioctl(p->fd, USB_RAW_IOCTL_EP0_STALL, 0);
		return;
	}
	e.io.length = n < r->wLength ? (uint32_t)n : r->wLength;
	/* an answer that is short, but ends with a whole packet, needs an end */
	e.io.flags = n < r->wLength && to_host ? USB_RAW_IO_FLAGS_ZERO : 0;
	ioctl(p->fd, to_host ? USB_RAW_IOCTL_EP0_WRITE : USB_RAW_IOCTL_EP0_READ, &e);
}

/* ---- plugging ---- */

static bool plug(struct port *p)
{
	struct usb_raw_init init = { .speed = USB_SPEED_HIGH };

	p->fd = open("/dev/raw-gadget", O_RDWR | O_CLOEXEC);
	snprintf((char *)init.driver_name, sizeof(init.driver_name), "dummy_udc");
	snprintf((char *)init.device_name, sizeof(init.device_name), "%s", p->udc);
	if (p->fd < 0 || ioctl(p->fd, USB_RAW_IOCTL_INIT, &init) < 0 ||
	    ioctl(p->fd, USB_RAW_IOCTL_RUN, 0) < 0) {
		perror("raw-gadget");
		return false;
	}
	return true;
}

static void check_leaves(struct port *p)
{
	bool left;

	pthread_mutex_lock(&p->lock);
	left = dfu_device_leaves(p->device);
	if (left)
		p->wanted = false;
	pthread_mutex_unlock(&p->lock);
}

static void serve_plugged(struct port *p)
{
	struct {
		struct usb_raw_event event;
		struct usb_ctrlrequest request;
	} e;

	while (is_wanted(p)) {
		memset(&e, 0, sizeof(e));
		e.event.length = sizeof(e.request);
		if (ioctl(p->fd, USB_RAW_IOCTL_EVENT_FETCH, &e) < 0)
			continue;
		if (e.event.type == USB_RAW_EVENT_CONTROL)
			control(p, &e.request);
		check_leaves(p);
	}
	printf("event left\n");
	fflush(stdout);
}

static void set_plugged(struct port *p, bool on)
{
	pthread_mutex_lock(&p->lock);
	p->plugged = on;
	pthread_mutex_unlock(&p->lock);
}

static void *serve(void *arg)
{
	struct port *p = arg;

	for (;;) {
		while (!is_wanted(p))
			usleep(LOOK_US);
		if (!plug(p))
			exit(1);
		set_plugged(p, true);
		serve_plugged(p);
		close(p->fd);
		set_plugged(p, false);
	}
	return NULL;
}

static void interrupted(int sig)
{
	(void)sig;
}

/* Until it is so: the server may be about to wait for an event when the signal comes. */
static void want(struct port *p, pthread_t server, bool on)
{
	bool done = false;

	pthread_mutex_lock(&p->lock);
	p->wanted = on;
	if (on)
		dfu_device_set(p->device, "new=1");
	pthread_mutex_unlock(&p->lock);
	while (!done) {
		if (!on)
			pthread_kill(server, SIGUSR1);
		usleep(LOOK_US);
		pthread_mutex_lock(&p->lock);
		done = p->plugged == on;
		pthread_mutex_unlock(&p->lock);
	}
}

static void obey(struct port *p, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	pthread_mutex_lock(&p->lock);
	if (!dfu_device_set(p->device, line))
		fprintf(stderr, "raw-dfu: no such knob: %s\n", line);
	pthread_mutex_unlock(&p->lock);
}

int main(int argc, char **argv)
{
	struct port p = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct sigaction sa = { .sa_handler = interrupted };
	pthread_t server;
	char line[256];

	if (argc < 3) {
		fprintf(stderr, "usage: raw-dfu UDC STORE [KNOB=VALUE]...\n");
		return 64;
	}
	p.udc = argv[1];
	p.device = dfu_device_new(argv[2]);
	path_mkdirs(argv[2]);
	for (int i = 3; i < argc; i++)
		obey(&p, argv[i]);
	sigaction(SIGUSR1, &sa, NULL);
	pthread_create(&server, NULL, serve, &p);
	want(&p, server, true);
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "plug\n") || !strcmp(line, "unplug\n"))
			want(&p, server, *line == 'p');
		else
			obey(&p, line);
	}
	want(&p, server, false);
	return 0;
}
