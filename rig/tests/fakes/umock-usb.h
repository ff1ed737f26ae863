/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USB devices that are not there: a umockdev test bed (sysfs, device nodes, uevents) whose usbfs is
 * answered by functions of ours. Works for this process and for programs that it starts, which see
 * only these devices. The functions run in umockdev's thread, one at a time.
 */
#ifndef RIG_TESTS_FAKES_UMOCK_USB_H
#define RIG_TESTS_FAKES_UMOCK_USB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock_bed;
struct mock_usb;

/* What the device does. -EAGAIN: nothing yet, ask again. Any other error ends the transfer so. */
struct mock_usb_ops {
	int (*out)(void *ctx, const uint8_t *data, int n); /* bytes that it takes */
	int (*in)(void *ctx, uint8_t *buf, int n);	   /* bytes that it gives */
	/* data stage either way: bytes; -EPIPE refuses. Standard requests do not come here. */
	int (*control)(void *ctx, const uint8_t setup[8], uint8_t *data, int n);
	void (*set_alt)(void *ctx, unsigned int alt); /* may be NULL, as may reset */
	void (*reset)(void *ctx);
};

struct mock_usb_info {
	const char *port;	    /* "1-1" */
	unsigned int address;	    /* on bus 1 */
	const uint8_t *descriptors; /* as in sysfs; stays the caller's */
	size_t descriptors_size;
	const char *serial;	    /* NULL = none */
	const char *const *strings; /* by index, from 1; NULL-terminated; may be NULL */
	const struct mock_usb_ops *ops;
	void *ctx;
};

/* For main(): starts the program again with umockdev loaded, if it is not. */
void mock_reexec(char **argv);

struct mock_bed *mock_bed_new(void);
void mock_bed_free(struct mock_bed *bed);

/* Plugs it in. To be freed by mock_unplug() or with the bed. */
struct mock_usb *mock_plug(struct mock_bed *bed, const struct mock_usb_info *info);

/* Transfers on their way end with -EPROTO, as they do when a cable is pulled; then it is gone. */
void mock_unplug(struct mock_usb *dev);

/* Every function of every device is called with this held. */
void mock_lock(void);
void mock_unlock(void);

/* Faults of the host's side: the next claim is refused, submits find no memory, transfers fail. */
struct mock_usb_faults {
	bool busy;	 /* claim: -EBUSY */
	bool no_memory;	 /* submit: -ENOMEM */
	int memory;	 /* that many transfers at a time, then -ENOMEM; 0 = any number */
	int errors;	 /* that many transfers end with -EPROTO */
	int short_after; /* OUT transfers longer than that end short; 0 = none */
};
struct mock_usb_faults *mock_faults(struct mock_usb *dev);

/* How many interfaces are claimed, how many transfers there were at once at most. */
int mock_claims(const struct mock_usb *dev);
int mock_most_in_flight(const struct mock_usb *dev);

#endif
