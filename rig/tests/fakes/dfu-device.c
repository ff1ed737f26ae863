// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of a DFU device; see dfu-device.h. Chapter 6 of DFU 1.1. */
#include "dfu-device.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"

enum { DETACH, DNLOAD, UPLOAD, GETSTATUS, CLRSTATUS, GETSTATE, ABORT };
enum state {
	IDLE = 2,
	DNLOAD_SYNC,
	DNBUSY,
	DNLOAD_IDLE,
	MANIFEST_SYNC,
	MANIFEST,
	MANIFEST_WAIT_RESET,
	UPLOAD_IDLE,
	ERROR,
};
#define STALLED_PACKET 15

static const char *const strings[] = { "Intel",	      "Edison", "E0001",  "ifwi00", "u-boot0",
				       "u-boot-env0", "boot",	"rootfs", "initrd", NULL };
#define FIRST_ALT 4
#define N_ALTS	  6

#define ALT(n)	    9, 4, 0, n, 0, 0xfe, 0x01, 0x02, FIRST_ALT + (n)
#define CONFIG_SIZE (9 + N_ALTS * 9 + 9)
static const uint8_t descriptors[] = {
	18,
	1,
	0x00,
	0x02,
	0,
	0,
	0,
	64,
	0x87,
	0x80,
	0x99,
	0x0a,
	0x00,
	0x01,
	1,
	2,
	3,
	1,
	9,
	2,
	CONFIG_SIZE,
	0,
	1,
	1,
	0,
	0x80,
	250,
	ALT(0),
	ALT(1),
	ALT(2),
	ALT(3),
	ALT(4),
	ALT(5),
	/* downloads, uploads, stays in DFU mode; 255 ms to detach; 4096 bytes; 1.1 */
	9,
	0x21,
	0x07,
	0xff,
	0x00,
	0x00,
	0x10,
	0x10,
	0x01,
};

struct dfu_device {
	char store[PATH_MAX];
	enum state state;
	uint8_t status;
	unsigned int alt, poll_ms, blocks;
	int fd; /* what is being downloaded to; -1 = nothing */
	uint64_t busy_until_ms, upload_at;
	int impatience;
	int error;
	bool stall, die, vanish, wait_reset, garbage, mute, busy;
	bool leaves, gone;
};

const uint8_t *dfu_device_descriptors(size_t *size)
{
	*size = sizeof(descriptors);
	return descriptors;
}

const char *const *dfu_device_strings(void)
{
	return strings;
}

static int open_alt(const struct dfu_device *d, int flags)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", d->store, strings[FIRST_ALT - 1 + d->alt]);
	return open(path, flags | O_CLOEXEC, 0644);
}

static int fail(struct dfu_device *d, uint8_t status)
{
	d->state = ERROR;
	d->status = status;
	return -EPIPE;
}

/* ---- requests ---- */

static void end(struct dfu_device *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

static void begin(struct dfu_device *d)
{
	end(d);
	d->fd = open_alt(d, O_WRONLY | O_CREAT | O_TRUNC);
}

static int dnload(struct dfu_device *d, const uint8_t *data, int n)
{
	if (n == 0 && d->state == DNLOAD_IDLE) {
		d->state = MANIFEST_SYNC;
		return 0;
	}
	if (n == 0 || (d->state != IDLE && d->state != DNLOAD_IDLE))
		return fail(d, STALLED_PACKET);
	if (d->state == IDLE)
		d->blocks = 0;
	if (++d->blocks == 2 && d->die) {
		d->leaves = d->gone = true;
		return -EAGAIN;
	}
	if (d->blocks == 2 && d->mute) {
		d->stall = true;
		return -EAGAIN;
	}
	/* kept open: opening costs more than writing where the store is on the host */
	if (d->state == IDLE)
		begin(d);
	if (d->fd < 0 || write(d->fd, data, (size_t)n) != n)
		abort();
	d->state = DNLOAD_SYNC;
	return n;
}

static int upload(struct dfu_device *d, uint8_t *data, int n)
{
	int fd;

	if (d->state != IDLE && d->state != UPLOAD_IDLE)
		return fail(d, STALLED_PACKET);
	if (d->state == IDLE)
		d->upload_at = 0;
	fd = open_alt(d, O_RDONLY);
	if (fd < 0)
		return fail(d, 8); /* errADDRESS */
	n = (int)pread(fd, data, (size_t)n, (off_t)d->upload_at);
	close(fd);
	d->upload_at += (uint64_t)n;
	d->state = n == DFU_DEVICE_TRANSFER ? UPLOAD_IDLE : IDLE;
	return n;
}

static void enter_busy(struct dfu_device *d, enum state busy)
{
	d->state = busy;
	d->busy_until_ms = mono_ms() + d->poll_ms;
}

/* What GETSTATUS makes of the state: some pass by being asked for. */
static void step(struct dfu_device *d)
{
	if (d->state == DNLOAD_SYNC && d->blocks == 2 && d->error)
		fail(d, (uint8_t)d->error);
	else if (d->state == DNLOAD_SYNC && (d->poll_ms || (d->busy && d->blocks == 2)))
		enter_busy(d, DNBUSY);
	else if (d->state == DNBUSY && d->busy && d->blocks == 2)
		enter_busy(d, DNBUSY);
	else if (d->state == DNLOAD_SYNC || d->state == DNBUSY)
		d->state = DNLOAD_IDLE;
	else if (d->state == MANIFEST_SYNC)
		enter_busy(d, MANIFEST);
	else if (d->state == MANIFEST && d->vanish)
		d->leaves = d->gone = true;
	else if (d->state == MANIFEST)
		d->state = d->wait_reset ? MANIFEST_WAIT_RESET : IDLE;
}

static int get_status(struct dfu_device *d, uint8_t *data, int n)
{
	if (n < 6)
		return -EPIPE;
	if ((d->state == DNBUSY || d->state == MANIFEST) && mono_ms() < d->busy_until_ms) {
		d->impatience++;
		return -EPIPE;
	}
	step(d);
	memset(data, 0, 6);
	data[0] = d->status;
	if (d->state == DNBUSY || d->state == MANIFEST)
		for (int i = 0; i < 3; i++)
			data[1 + i] = (uint8_t)(d->poll_ms >> 8 * i);
	data[4] = d->garbage ? 99 : (uint8_t)d->state;
	return 6;
}

static int to_idle(struct dfu_device *d, bool allowed)
{
	if (!allowed)
		return fail(d, STALLED_PACKET);
	d->state = IDLE;
	d->status = 0;
	return 0;
}

int dfu_device_control(struct dfu_device *d, const uint8_t setup[8], uint8_t *data, int n)
{
	if (d->stall || d->gone)
		return -EAGAIN;
	switch (setup[1]) {
	case DNLOAD:
		return dnload(d, data, n);
	case UPLOAD:
		return upload(d, data, n);
	case GETSTATUS:
		return get_status(d, data, n);
	case CLRSTATUS:
		return to_idle(d, d->state == ERROR);
	case ABORT:
		return to_idle(d, d->state != ERROR);
	case GETSTATE:
		data[0] = (uint8_t)d->state;
		return 1;
	case DETACH:
		d->leaves = true;
		return 0;
	default:
		return -EPIPE;
	}
}

void dfu_device_alt(struct dfu_device *d, unsigned int alt)
{
	d->alt = alt < N_ALTS ? alt : 0;
}

bool dfu_device_leaves(struct dfu_device *d)
{
	bool leaves = d->leaves;

	d->leaves = false;
	return leaves;
}

void dfu_device_reset(struct dfu_device *d)
{
	d->state = IDLE;
	d->status = 0;
}

int dfu_device_impatience(const struct dfu_device *d)
{
	return d->impatience;
}

struct dfu_device *dfu_device_new(const char *store)
{
	struct dfu_device *d = xcalloc(1, sizeof(*d));

	snprintf(d->store, sizeof(d->store), "%s", store);
	d->state = IDLE;
	d->fd = -1;
	return d;
}

void dfu_device_free(struct dfu_device *d)
{
	if (d)
		end(d);
	free(d);
}

static void power_on(struct dfu_device *d)
{
	d->state = IDLE;
	d->status = 0;
	d->alt = 0;
	d->leaves = d->gone = false;
}

bool dfu_device_set(struct dfu_device *d, const char *knob)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{ "stall=1", &d->stall },     { "die=1", &d->die },
		{ "vanish=1", &d->vanish },   { "wait-reset=1", &d->wait_reset },
		{ "garbage=1", &d->garbage }, { "mute=1", &d->mute },
		{ "busy=1", &d->busy },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(flags[i].name, knob) != 0 && strcmp(knob, "heal=1") != 0)
			continue;
		*flags[i].flag = *knob != 'h';
		if (*knob != 'h')
			return true;
	}
	if (!strcmp(knob, "heal=1"))
		d->error = 0;
	else if (!strcmp(knob, "new=1"))
		power_on(d);
	else if (!strcmp(knob, "stuck=1"))
		d->state = DNLOAD_IDLE;
	else if (!strncmp(knob, "poll-ms=", 8))
		d->poll_ms = (unsigned int)strtoul(knob + 8, NULL, 10);
	else if (!strncmp(knob, "error=", 6))
		d->error = (int)strtol(knob + 6, NULL, 10);
	else
		return false;
	return true;
}
