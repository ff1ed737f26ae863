// SPDX-License-Identifier: GPL-2.0-or-later
/* DFU downloads and uploads, block by block; see dfu.h. Chapters are of DFU 1.1. Layer: io. */
#include "io/dfu-priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

/* When a transfer has failed already, the abort must not take long. */
#define ABORT_MS 1000

/* A transfer that failed on our side: the device is not left in the middle of it. */
static void give_up(struct dfu *dfu, int rc)
{
	if (rc == -ETIMEDOUT)
		snprintf(dfu->reason, sizeof(dfu->reason), "no progress after %" PRIu64 " bytes",
			 dfu->done);
	if (rc != -ENODEV && rc != -EREMOTEIO)
		dfu_request(dfu, ABORT, 0, NULL, 0, deadline_in(ABORT_MS));
}

static const struct dfu_alt *find_alt(const struct dfu *dfu, const char *name)
{
	char *end;
	unsigned long number;

	for (size_t i = 0; i < dfu->n_alts; i++)
		if (dfu->alts[i].name[0] && !strcmp(dfu->alts[i].name, name))
			return &dfu->alts[i];
	number = strtoul(name, &end, 10);
	for (size_t i = 0; i < dfu->n_alts && end != name && !*end; i++)
		if (dfu->alts[i].number == number)
			return &dfu->alts[i];
	return NULL;
}

static int begin(struct dfu *dfu, const char *name, struct deadline d)
{
	const struct dfu_alt *alt = find_alt(dfu, name);
	int rc;

	dfu->reason[0] = '\0';
	if (!alt)
		return -ENOENT;
	rc = usb_set_alt(dfu->usb, alt->number);
	dfu_progress(dfu, 0);
	return rc ? rc : dfu_to_idle(dfu, dfu_stall(dfu, d));
}

static void report(struct dfu *dfu, uint64_t done, uint64_t total)
{
	dfu_progress(dfu, done);
	if (dfu->watch.progress)
		dfu->watch.progress(dfu->watch.ctx, done, total);
}

/* Up to n bytes of the file; fewer only at its end. */
static ssize_t read_file(int fd, uint8_t *buf, size_t n, uint64_t at)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = pread(fd, buf + got, n - got, (off_t)(at + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (ssize_t)got;
}

static int send_block(struct dfu *dfu, uint16_t block, uint8_t *buf, size_t n, struct deadline d)
{
	struct dfu_status s;
	int rc = dfu_request(dfu, DNLOAD, block, buf, (uint16_t)n, dfu_stall(dfu, d));

	/* a device that refuses a block stalls it, and has a reason */
	if (rc == -EPIPE && !dfu_get_status(dfu, &s, d) && s.state == ERROR)
		return dfu_error(dfu, &s, d);
	return rc ? rc : dfu_wait_state(dfu, DNLOAD_IDLE, DNLOAD_IDLE, d);
}

static int send_file(struct dfu *dfu, int fd, uint64_t size, struct deadline d)
{
	uint8_t *buf = xmalloc(dfu->can.transfer_size);
	uint16_t block = 0; /* wraps: 7.1 */
	uint64_t done = 0;
	int rc = 0;

	while (done < size && !rc) {
		ssize_t n = read_file(fd, buf, dfu->can.transfer_size, done);

		if (n <= 0)
			rc = n < 0 ? (int)n : -EIO;
		else
			rc = send_block(dfu, block++, buf, (size_t)n, d);
		if (rc)
			break;
		done += (uint64_t)n;
		report(dfu, done, size);
	}
	free(buf);
	return rc;
}

/* The end of the file, and what the device makes of it. */
static int manifest(struct dfu *dfu, struct deadline d)
{
	int rc = dfu_request(dfu, DNLOAD, 0, NULL, 0, dfu_stall(dfu, d));

	if (rc)
		return rc;
	rc = dfu_wait_state(dfu, IDLE, MANIFEST_WAIT_RESET, d);
	/* many start the new firmware at once, and are no DFU device any more */
	if ((rc == -ENODEV || rc == -EIO || rc == -EPIPE) && !dfu->can.manifestation_tolerant)
		rc = 0;
	return rc;
}

int dfu_download(struct dfu *dfu, const char *alt, int fd, struct deadline d)
{
	struct stat st;
	int rc;

	if (!dfu->can.can_download)
		return -ENOTSUP;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return -EINVAL;
	rc = begin(dfu, alt, d);
	if (!rc)
		rc = send_file(dfu, fd, (uint64_t)st.st_size, d);
	if (!rc)
		rc = manifest(dfu, d);
	if (rc && rc != -ENOENT)
		give_up(dfu, rc);
	return rc;
}

static int write_file(int fd, const uint8_t *buf, size_t n)
{
	while (n) {
		ssize_t w = write(fd, buf, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		buf += w;
		n -= (size_t)w;
	}
	return 0;
}

static int receive_block(struct dfu *dfu, uint16_t block, uint8_t *buf, struct deadline d)
{
	struct dfu_status s;
	int rc = usb_control(dfu->usb, TO_HOST, UPLOAD, block, usb_claimed(dfu->usb)->number, buf,
			     dfu->can.transfer_size, dfu_stall(dfu, d));

	if (rc == -EPIPE && !dfu_get_status(dfu, &s, d) && s.state == ERROR)
		return dfu_error(dfu, &s, d);
	return rc;
}

int dfu_upload(struct dfu *dfu, const char *alt, int fd, uint64_t max, uint64_t *size,
	       struct deadline d)
{
	uint8_t *buf = xmalloc(dfu->can.transfer_size);
	uint16_t block = 0;
	uint64_t done = 0;
	int n = dfu->can.transfer_size;
	int rc = dfu->can.can_upload ? begin(dfu, alt, d) : -ENOTSUP;

	/* a short block is the last one */
	while (!rc && n == dfu->can.transfer_size) {
		n = receive_block(dfu, block++, buf, d);
		if (n < 0)
			rc = n;
		else if ((uint64_t)n > max - done)
			rc = -EFBIG;
		else
			rc = write_file(fd, buf, (size_t)n);
		if (rc)
			break;
		done += (uint64_t)n;
		report(dfu, done, 0);
	}
	if (rc && rc != -ENOTSUP && rc != -ENOENT)
		give_up(dfu, rc);
	free(buf);
	if (size)
		*size = done;
	return rc;
}
