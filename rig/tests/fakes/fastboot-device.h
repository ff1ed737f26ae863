/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A phone in its bootloader, as ABL and fastbootd answer: slots and retry counts, partitions with
 * and without slots, logical ones in fastbootd alone, sparse and raw images, an unlocked flag. The
 * state alone: a front end (umockdev, FunctionFS) carries the bytes and does the plugging.
 *
 * Flashed partitions are files in a directory: store/boot_a. `boot` leaves store/booted.
 *
 * Knobs are text, "name=value", so that a test and a command line say the same:
 *	serial=, product=, max-download-size= (bytes), unlocked=yes|no, slot=a|b
 *	stall=PREFIX	a command that begins so is never answered
 *	stall-at=N	takes N bytes of a download, then none
 *	die=PREFIX	unplugged instead of an answer	die-at=N	N bytes into a download
 *	fail=PREFIX/TEXT	FAIL TEXT		say=PREFIX/TEXT	TEXT instead of the answer
 *	long=PREFIX	an answer of 300 bytes
 *	info=PREFIX/COUNT/MS	COUNT lines of INFO, MS apart, before the answer
 *	wrong-slot=N	N times set_active says OKAY and does nothing
 *	stay=1		reboots say OKAY and do nothing	wrong-mode=1	fastbootd is the bootloader
 *	heal=1		none of these from now on, and what stalled goes on
 */
#ifndef RIG_TESTS_FAKES_FASTBOOT_DEVICE_H
#define RIG_TESTS_FAKES_FASTBOOT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fb_device;

/* What the device does to its port, after its last answer has been read. */
enum fb_event {
	FB_NONE,
	FB_DIE,	       /* unplugged, stays away */
	FB_SYSTEM,     /* leaves to boot what is flashed */
	FB_RECOVERY,   /* leaves */
	FB_BOOTED,     /* leaves to run store/booted */
	FB_BOOTLOADER, /* leaves and comes back */
	FB_FASTBOOT,   /* leaves and comes back as fastbootd */
};

struct fb_device *fb_new(const char *store);
void fb_free(struct fb_device *fb);

/* False: no such knob. */
bool fb_set(struct fb_device *fb, const char *knob);

/* The host's bulk transfers. Bytes; -EAGAIN: not now. */
int fb_out(struct fb_device *fb, const uint8_t *data, int n);
int fb_in(struct fb_device *fb, uint8_t *buf, int n);

/* Are there answers that fb_in() will give, now or later? */
bool fb_has_answers(const struct fb_device *fb);

/* Bytes of a download still to come. */
uint32_t fb_wants(const struct fb_device *fb);

/* What is to be done now; it is then done. */
enum fb_event fb_event(struct fb_device *fb);

/* Unplugged or reset: the conversation begins anew. */
void fb_reset(struct fb_device *fb);

const char *fb_serial(const struct fb_device *fb);

/* The slot that it boots from: 'a' or 'b'. */
char fb_slot(const struct fb_device *fb);

/* Commands since the beginning, one a line. */
const char *fb_log(const struct fb_device *fb);

#endif
