// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is written to an Android board, and the state of its slots; see android.h.
 * Layer: board, inside.
 */
#include "board/android-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/pack.h"

#define RECORD_MAX 65536
#define VBMETA_MAX (1 << 20)

/* AvbVBMetaImageHeader.flags, big endian, 120 bytes in: 1 no verity, 2 no verification. */
#define VBMETA_FLAGS	 123
#define VBMETA_FLAGS_OFF 3

static char *patched_vbmeta(struct android *a, const char *path, struct err *err);

/* All that may be written. */
static const struct image {
	const char *partition;
	size_t lab;    /* where the lab file has its path; 0 = it has none */
	size_t packed; /* where deploy has it, when the lab file has none; 0 = it makes none */
	/* a copy that is written instead; NULL: *err */
	char *(*prepare)(struct android *a, const char *path, struct err *err);
} android_images[] = {
	{ "vbmeta", offsetof(struct lab_android, vbmeta), 0, patched_vbmeta },
	{ "dtbo", offsetof(struct lab_android, dtbo), 0, NULL },
	{ "vendor_boot", offsetof(struct lab_android, vendor_boot),
	  offsetof(struct android, vendor_boot), NULL },
	{ "vendor_kernel_boot", offsetof(struct lab_android, vendor_kernel_boot), 0, NULL },
	{ "init_boot", offsetof(struct lab_android, init_boot), 0, NULL },
	{ "boot", 0, 0, NULL }, /* android_flash_boot() */
};

bool android_may_flash(const char *partition)
{
	for (size_t i = 0; i < ARRAY_LEN(android_images); i++)
		if (!strcmp(android_images[i].partition, partition))
			return true;
	return false;
}

/* ---- the record of what was written ---- */

/*
 * <board>.flashed: "partition_slot sha256" a line. A board that somebody flashed by hand is not
 * what it says: the manual tells to delete it then.
 */
static char *record_path(const struct android *a)
{
	return path_in_home("boards/%s.flashed", board_name(a->board));
}

static bool is_recorded(const struct android *a, const char *full, const char *hash)
{
	char *path = record_path(a);
	char *line = xasprintf("%s %s\n", full, hash);
	struct buf text = BUF_INIT;
	bool found = path_read(path, &text, RECORD_MAX) == 0 && strstr(buf_str(&text), line);

	buf_release(&text);
	free(line);
	free(path);
	return found;
}

/* hash NULL: it is not known what is there now. */
static int record(const struct android *a, const char *full, const char *hash)
{
	char *path = record_path(a);
	struct buf old = BUF_INIT, new = BUF_INIT;
	size_t n = strlen(full);
	int rc;

	path_read(path, &old, RECORD_MAX);
	for (const char *p = buf_str(&old); *p; p += strcspn(p, "\n") + 1) {
		if (strncmp(p, full, n) != 0 || p[n] != ' ')
			buf_append(&new, p, strcspn(p, "\n") + 1);
		if (!p[strcspn(p, "\n")])
			break;
	}
	if (hash)
		buf_addf(&new, "%s %s\n", full, hash);
	rc = path_write(path, buf_str(&new), new.size);
	buf_release(&new);
	buf_release(&old);
	free(path);
	return rc;
}

void android_forget_images(const struct android *a)
{
	char *path = record_path(a);

	unlink(path);
	free(path);
}

/* ---- writing ---- */

static int write_image(struct android *a, const char *full, const char *path, struct deadline d,
		       struct err *err)
{
	struct fastboot_image image = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	char *action = xasprintf("flash %s", full);
	int rc;

	if (image.fd < 0) {
		rc = err_sys(err, BLAME_USER, "image", errno, "cannot read %s", path);
	} else {
		rc = fastboot_flash(a->fb, full, &image, d);
		if (rc)
			android_failed(a, action, rc, err);
		close(image.fd);
	}
	free(action);
	return rc ? -1 : 0;
}

/* always: also when the same image is there already. */
static int flash(struct android *a, const char *partition, const char *path, bool always,
		 struct deadline d, struct err *err)
{
	char full[FASTBOOT_NAME_MAX], hash[PACK_HASH_SIZE];
	int rc;

	if (!android_may_flash(partition))
		return err_set(err, BLAME_RIG, "forbidden", "the rig does not write '%s'",
			       partition);
	rc = pack_hash(path, hash);
	if (rc)
		return err_sys(err, BLAME_USER, "image", rc, "cannot read %s", path);
	rc = fastboot_partition(a->fb, partition, android_slot(a), full, sizeof(full), d);
	if (rc)
		return android_failed(a, partition, rc, err);
	if (!always && is_recorded(a, full, hash))
		return 0;
	/* from here to its end the partition holds nobody knows what */
	rc = record(a, full, NULL);
	if (rc)
		return err_sys(err, BLAME_RIG, "record", rc, "cannot note what is flashed");
	if (write_image(a, full, path, d, err))
		return -1;
	record(a, full, hash);
	board_note(a->board, "flashed %s, sha256 %.16s", full, hash);
	return 0;
}

/* A copy with verity and verification off. NULL: *err. */
static char *patched_vbmeta(struct android *a, const char *path, struct err *err)
{
	struct buf data = BUF_INIT;
	char *copy = path_join(a->dir, "vbmeta.img");
	int rc = path_read(path, &data, VBMETA_MAX);

	if (!rc && (data.size <= VBMETA_FLAGS || memcmp(data.data, "AVB0", 4) != 0))
		rc = -EINVAL;
	if (!rc) {
		data.data[VBMETA_FLAGS] |= VBMETA_FLAGS_OFF;
		rc = path_write(copy, data.data, data.size);
	}
	buf_release(&data);
	if (!rc)
		return copy;
	err_sys(err, BLAME_USER, "image", rc, "%s is no vbmeta image that can be used", path);
	free(copy);
	return NULL;
}

/* NULL = the board keeps what it has. */
static const char *image_path(const struct android *a, const struct image *image)
{
	const char *path = NULL;

	if (image->lab)
		memcpy(&path, (const char *)a->lab + image->lab, sizeof(path));
	if (!path && image->packed)
		memcpy(&path, (const char *)a + image->packed, sizeof(path));
	return path;
}

int android_flash_images(struct android *a, struct deadline d, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(android_images); i++) {
		const struct image *image = &android_images[i];
		const char *path = image_path(a, image);
		char *copy = NULL;
		int rc;

		if (!path)
			continue;
		if (image->prepare && !(copy = image->prepare(a, path, err)))
			return -1;
		rc = flash(a, image->partition, copy ? copy : path, false, d, err);
		free(copy);
		if (rc)
			return -1;
	}
	return 0;
}

int android_flash_boot(struct android *a, struct deadline d, struct err *err)
{
	return flash(a, "boot", a->boot_image, true, d, err);
}

/* ---- questions ---- */

/* "" when the bootloader does not know it. */
static int getvar(struct android *a, const char *name, const char *slot, char *value, size_t size,
		  struct deadline d, struct err *err)
{
	char full[FASTBOOT_COMMAND_MAX];
	int rc;

	snprintf(full, sizeof(full), slot ? "%s:%s" : "%s", name, slot);
	rc = fastboot_getvar(a->fb, full, value, size, d);
	if (rc)
		value[0] = '\0';
	return !rc || rc == -EREMOTEIO ? 0 : android_failed(a, full, rc, err);
}

int android_check_unlocked(struct android *a, struct deadline d, struct err *err)
{
	char unlocked[FASTBOOT_ANSWER_MAX];

	if (getvar(a, "unlocked", NULL, unlocked, sizeof(unlocked), d, err))
		return -1;
	if (strcmp(unlocked, "no") != 0)
		return 0;
	return err_set(err, BLAME_USER, "locked",
		       "its bootloader is locked; unlock it by hand (fastboot flashing unlock: "
		       "that erases its data)");
}

struct slot_state {
	char retries[FASTBOOT_ANSWER_MAX], successful[FASTBOOT_ANSWER_MAX];
	char unbootable[FASTBOOT_ANSWER_MAX];
};

static int slot_state(struct android *a, struct slot_state *s, struct deadline d, struct err *err)
{
	const char *slot = android_slot(a);

	if (getvar(a, "slot-retry-count", slot, s->retries, sizeof(s->retries), d, err) ||
	    getvar(a, "slot-successful", slot, s->successful, sizeof(s->successful), d, err) ||
	    getvar(a, "slot-unbootable", slot, s->unbootable, sizeof(s->unbootable), d, err))
		return -1;
	return 0;
}

/* What nobody answered is not held against it. */
static bool will_boot(const struct slot_state *s)
{
	return strcmp(s->unbootable, "yes") != 0 &&
	       (strcmp(s->retries, "0") != 0 || !strcmp(s->successful, "yes"));
}

/*
 * A test kernel is never marked successful, so each boot costs one of about seven retries; a new
 * boot image and set_active give them back.
 */
int android_select_slot(struct android *a, struct deadline d, struct err *err)
{
	const char *slot = android_slot(a);
	struct slot_state s;
	int rc = fastboot_is(a->fb, "has-slot:boot", d);

	if (rc < 0)
		return android_failed(a, "has-slot:boot", rc, err);
	if (!rc)
		return 0;
	rc = fastboot_set_active(a->fb, slot, d);
	if (rc)
		return android_failed(a, "set_active", rc, err);
	if (slot_state(a, &s, d, err))
		return -1;
	board_note(a->board, "slot %s: retry-count %s, successful %s, unbootable %s", slot,
		   s.retries, s.successful, s.unbootable);
	if (will_boot(&s))
		return 0;
	return err_set(err, BLAME_BOARD, "slot",
		       "slot %s will not boot: retry-count %s, unbootable %s", slot, s.retries,
		       s.unbootable);
}
