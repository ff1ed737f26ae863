// SPDX-License-Identifier: GPL-2.0-or-later
/* Android boot images, by mkbootimg; see pack.h. Layer: board, inside. */
#include "board/pack-priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/path.h"

static int same_in_work(const struct pack_job *j, const char *part, const char *in, struct err *err)
{
	char *out = path_join(j->work, part);
	int rc = pack_same(j, part, in, out, err);

	free(out);
	return rc;
}

static void boot_layout(const struct pack *p, struct pack_args *a)
{
	pack_number(a, "--base", p->base);
	pack_number(a, "--kernel_offset", p->kernel_offset);
	pack_number(a, "--ramdisk_offset", p->ramdisk_offset);
	pack_number(a, "--tags_offset", p->tags_offset);
	pack_number(a, "--dtb_offset", p->dtb_offset);
	pack_arg(a, "--pagesize");
	pack_arg(a, "%u", p->page_size);
}

static int unpack_boot(struct pack_job *j, struct err *err)
{
	struct pack_args a = { .n = 0 };

	pack_arg(&a, "unpack_bootimg");
	pack_option(&a, "--boot_img", j->path);
	pack_option(&a, "--out", j->work);
	return pack_run(j, &a, err);
}

/* The rest of the line after a tag at its beginning. */
static void take_line(const char *text, const char *tag, struct buf *to)
{
	size_t n = strlen(tag);

	for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
		if (!strncmp(text, tag, n))
			buf_append(to, text + n, strcspn(text + n, "\n"));
}

/* Header 2 has two fields, which the kernel gets as one text. */
static int same_cmdline(const struct pack_job *j, struct err *err)
{
	const char *want = j->in->cmdline ? j->in->cmdline : "";
	struct buf got = BUF_INIT;
	int rc = 0;

	take_line(buf_str(&j->said), "command line args: ", &got);
	take_line(buf_str(&j->said), "additional command line args: ", &got);
	if (strcmp(buf_str(&got), want) != 0)
		rc = err_set(err, BLAME_RIG, "pack", "%s: its command line is '%s', not '%s'",
			     j->path, buf_str(&got), want);
	buf_release(&got);
	return rc;
}

static int make_boot(struct pack_job *j, const char *version, const char *dtb, struct err *err)
{
	struct pack_args a = { .n = 0 };

	pack_arg(&a, "mkbootimg");
	pack_option(&a, "--header_version", version);
	pack_option(&a, "--kernel", j->in->kernel);
	pack_option(&a, "--ramdisk", j->in->initrd);
	pack_option(&a, "--dtb", dtb);
	pack_option(&a, "--cmdline", j->in->cmdline);
	boot_layout(j->pack, &a);
	pack_option(&a, "-o", j->path);
	if (pack_run(j, &a, err) || unpack_boot(j, err) || same_cmdline(j, err) ||
	    same_in_work(j, "kernel", j->in->kernel, err) ||
	    same_in_work(j, "ramdisk", j->in->initrd, err))
		return -1;
	return dtb ? same_in_work(j, "dtb", dtb, err) : 0;
}

int pack_make_boot_2(struct pack_job *j, struct err *err)
{
	if (!j->in->dtb)
		return err_set(err, BLAME_USER, "no-dtb",
			       "a boot image with header 2 holds a device tree: the kernel brings "
			       "none, and the lab file has no \"dtb\" for this board");
	return make_boot(j, "2", j->in->dtb, err);
}

int pack_make_boot_4(struct pack_job *j, struct err *err)
{
	return make_boot(j, "4", NULL, err);
}

int pack_make_vendor_boot(struct pack_job *j, struct err *err)
{
	struct pack_args a = { .n = 0 };
	char *empty;
	int rc;

	if (!j->in->dtb)
		return 0;
	empty = path_join(j->work, "empty");
	rc = path_write(empty, "", 0);
	if (rc) {
		err_sys(err, BLAME_RIG, "pack", rc, "cannot write %s", empty);
		free(empty);
		return -1;
	}
	pack_arg(&a, "mkbootimg");
	pack_option(&a, "--header_version", "4");
	pack_option(&a, "--vendor_ramdisk", empty);
	pack_option(&a, "--dtb", j->in->dtb);
	boot_layout(j->pack, &a);
	pack_option(&a, "--vendor_boot", j->path);
	free(empty);
	if (pack_run(j, &a, err) || unpack_boot(j, err))
		return -1;
	return same_in_work(j, "dtb", j->in->dtb, err);
}
