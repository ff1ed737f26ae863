// SPDX-License-Identifier: GPL-2.0-or-later
/* Images: download, flash, boot; see fastboot.h. Layer: io. */
#include "io/fastboot-priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/fastboot-sparse.h"

/* Where the bytes of a download come from, and what part of the whole they are. */
struct feed {
	struct fastboot *f;
	struct sparse *sparse; /* NULL: the file itself */
	int fd;
	uint64_t at;		/* in the file */
	uint64_t before, whole; /* of progress */
};

static int fill(void *ctx, void *buf, size_t n)
{
	struct feed *feed = ctx;
	uint8_t *to = buf;

	if (feed->sparse)
		return sparse_read(feed->sparse, buf, n);
	while (n) {
		ssize_t got = pread(feed->fd, to, n, (off_t)feed->at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EINVAL; /* it became shorter */
		to += got;
		n -= (size_t)got;
		feed->at += (uint64_t)got;
	}
	return 0;
}

static void taken(void *ctx, uint64_t done)
{
	const struct feed *feed = ctx;
	const struct fastboot_watch *w = &feed->f->watch;
	uint64_t all = feed->before + done;

	if (w->progress)
		w->progress(w->ctx, all < feed->whole ? all : feed->whole, feed->whole);
}

/* download:, the bytes, and the answer to them. */
static int download(struct fastboot *f, struct feed *feed, uint64_t size, struct deadline d)
{
	struct usb_source source = { fill, taken, feed, fastboot_stall_ms(f) };
	uint64_t done = 0;
	struct answer a;
	int rc = fastboot_ask(f, &a, d, "download:%08" PRIx32, (uint32_t)size);

	if (rc)
		return rc;
	if (a.kind != ANSWER_DATA || a.size != size) {
		f->garbled = true;
		return fastboot_fail(f, -EPROTO, "wants %" PRIu32 " bytes of %" PRIu64, a.size,
				     size);
	}
	rc = usb_write_stream(f->usb, &source, size, &done, d);
	f->owed = size - done;
	if (rc == -ETIMEDOUT)
		fastboot_fail(f, rc, "took %" PRIu64 " of %" PRIu64 " bytes", done, size);
	if (rc)
		return rc;
	rc = fastboot_answer(f, &a, d);
	if (!rc && a.kind != ANSWER_OKAY)
		rc = fastboot_fail(f, -EPROTO, "wants more than %" PRIu64 " bytes", size);
	return rc;
}

/* What size 0 stands for; checks that it is there. */
static int image_size(struct fastboot *f, const struct fastboot_image *image, uint64_t *size)
{
	struct stat st;

	*size = 0;
	f->reason[0] = '\0';
	if (fstat(image->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < image->offset ||
	    (uint64_t)st.st_size - image->offset < image->size)
		return fastboot_fail(f, -EINVAL, "no regular file that is so long");
	*size = image->size ? image->size : (uint64_t)st.st_size - image->offset;
	return *size ? 0 : fastboot_fail(f, -EINVAL, "an empty file");
}

/* Bytes that one download may have. A device that names no limit gets what the command can say. */
static int download_limit(struct fastboot *f, uint64_t *max, struct deadline d)
{
	char value[FASTBOOT_ANSWER_MAX];
	int rc = fastboot_getvar(f, "max-download-size", value, sizeof(value), d);

	*max = rc ? 0 : strtoull(value, NULL, 0);
	if (!*max || *max > UINT32_MAX)
		*max = UINT32_MAX;
	return rc == -EREMOTEIO ? 0 : rc;
}

static int download_file(struct fastboot *f, const struct fastboot_image *image, uint64_t size,
			 struct deadline d)
{
	struct feed feed = { .f = f, .fd = image->fd, .at = image->offset, .whole = size };

	return download(f, &feed, size, d);
}

int fastboot_download(struct fastboot *f, const struct fastboot_image *image, struct deadline d)
{
	uint64_t size, max;
	int rc = image_size(f, image, &size);

	if (!rc)
		rc = download_limit(f, &max, d);
	if (rc)
		return rc;
	if (size > max)
		return fastboot_fail(f, -EINVAL, "%" PRIu64 " bytes; the device takes %" PRIu64,
				     size, max);
	return download_file(f, image, size, d);
}

int fastboot_boot(struct fastboot *f, const struct fastboot_image *image, struct deadline d)
{
	int rc = fastboot_download(f, image, d);

	return rc ? rc : fastboot_command(f, "boot", d);
}

/* ---- flash ---- */

static int flash_pieces(struct fastboot *f, const char *partition, struct sparse *s, uint64_t max,
			struct deadline d)
{
	struct feed feed = { .f = f, .sparse = s, .whole = sparse_data(s) };
	uint64_t size;
	int rc;

	while ((rc = sparse_next(s, max, &size)) == 1) {
		rc = download(f, &feed, size, d);
		if (!rc)
			rc = fastboot_tell(f, d, "flash:%s", partition);
		if (rc)
			return rc;
		feed.before += size;
	}
	if (rc == -EMSGSIZE)
		fastboot_fail(f, rc, "max-download-size is %" PRIu64 " bytes: not one block", max);
	return rc;
}

static int flash_split(struct fastboot *f, const char *partition,
		       const struct fastboot_image *image, uint64_t size, uint64_t max,
		       struct deadline d)
{
	struct sparse *s;
	int rc = sparse_new(&s, image->fd, image->offset, size);

	if (rc)
		return fastboot_fail(f, rc, "the image cannot be split: %s", strerror(-rc));
	rc = flash_pieces(f, partition, s, max, d);
	sparse_free(s);
	return rc;
}

/* Bytes of the partition that the image needs. */
static int covered(struct fastboot *f, const struct fastboot_image *image, uint64_t size,
		   uint64_t *bytes)
{
	struct sparse *s;
	int rc;

	*bytes = size;
	if (!sparse_is(image->fd, image->offset, size))
		return 0;
	rc = sparse_new(&s, image->fd, image->offset, size);
	if (rc)
		return fastboot_fail(f, rc, "a damaged sparse image");
	*bytes = sparse_covers(s);
	sparse_free(s);
	return 0;
}

/* fastbootd's partitions inside `super` are as large as what was last flashed to them. */
static int make_room(struct fastboot *f, const char *partition, const struct fastboot_image *image,
		     uint64_t size, struct deadline d)
{
	char question[FASTBOOT_NAME_MAX + 16];
	uint64_t bytes;
	int rc = fastboot_is(f, "is-userspace", d);

	if (rc <= 0)
		return rc;
	snprintf(question, sizeof(question), "is-logical:%s", partition);
	rc = fastboot_is(f, question, d);
	if (rc <= 0)
		return rc;
	rc = covered(f, image, size, &bytes);
	return rc ? rc
		  : fastboot_tell(f, d, "resize-logical-partition:%s:%" PRIu64, partition, bytes);
}

int fastboot_flash(struct fastboot *f, const char *partition, const struct fastboot_image *image,
		   struct deadline d)
{
	char full[FASTBOOT_NAME_MAX];
	uint64_t size, max;
	int rc = image_size(f, image, &size);

	if (!rc)
		rc = fastboot_partition(f, partition, NULL, full, sizeof(full), d);
	if (!rc)
		rc = download_limit(f, &max, d);
	if (!rc)
		rc = make_room(f, full, image, size, d);
	if (rc)
		return rc;
	if (size > max)
		return flash_split(f, full, image, size, max, d);
	rc = download_file(f, image, size, d);
	return rc ? rc : fastboot_tell(f, d, "flash:%s", full);
}
