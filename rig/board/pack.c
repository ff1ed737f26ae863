// SPDX-License-Identifier: GPL-2.0-or-later
/* Images for loaders; see pack.h. One row for each type of file. Layer: board. */
#include "board/pack.h"

#include <errno.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "io/tool.h"

#define ARGS_MAX  48
#define INPUT_MAX (256u << 20)

/* One file that is being made. */
struct job {
	const struct pack *pack;
	const struct pack_input *in;
	const char *path; /* of the file */
	char *work;	  /* a directory beside it, for what is unpacked again; goes away */
	struct buf said;  /* by the last program */
	struct deadline d;
};

/* ---- programs ---- */

struct args {
	char *v[ARGS_MAX + 1];
	size_t n;
};

static void arg(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void arg(struct args *a, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (a->n < ARGS_MAX)
		a->v[a->n++] = xstrdup(text);
}

/* "--dtb X", when there is an X. */
static void option(struct args *a, const char *name, const char *value)
{
	if (!value)
		return;
	arg(a, "%s", name);
	arg(a, "%s", value);
}

static void number(struct args *a, const char *name, uint64_t value)
{
	arg(a, "%s", name);
	arg(a, "0x%08" PRIx64, value);
}

/* Runs it and frees the arguments. */
static int run(struct job *j, struct args *a, struct err *err)
{
	struct tool tool = { .dir = j->work };
	char words[200];
	int rc;

	buf_reset(&j->said);
	rc = tool_run(&tool, (const char *const *)a->v, &j->said, j->d);
	tool_last_words(&j->said, words, sizeof(words));
	if (rc == -ENOENT)
		err_set(err, BLAME_RIG, "pack", "%s is not installed; run 'make setup'", a->v[0]);
	else if (rc < 0)
		err_sys(err, BLAME_RIG, "pack", rc, "%s", a->v[0]);
	else if (rc > 0)
		err_set(err, BLAME_RIG, "pack", "%s failed (%d): %s", a->v[0], rc, words);
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
	return rc ? -1 : 0;
}

/* ---- comparing ---- */

int pack_hash(const char *path, char hash[PACK_HASH_SIZE])
{
	return SHA256File(path, hash) ? 0 : -errno;
}

/* What came out of an image is what went in. */
static int same(const struct job *j, const char *part, const char *in, const char *out,
		struct err *err)
{
	char a[PACK_HASH_SIZE], b[PACK_HASH_SIZE];
	int rc = pack_hash(in, a);

	if (rc)
		return err_sys(err, BLAME_RIG, "pack", rc, "cannot read %s", in);
	rc = pack_hash(out, b);
	if (rc)
		return err_sys(err, BLAME_RIG, "pack", rc, "%s: no %s came out of it", j->path,
			       part);
	if (!strcmp(a, b))
		return 0;
	return err_set(err, BLAME_RIG, "pack", "%s: its %s is not the one that went in", j->path,
		       part);
}

static int same_in_work(const struct job *j, const char *part, const char *in, struct err *err)
{
	char *out = path_join(j->work, part);
	int rc = same(j, part, in, out, err);

	free(out);
	return rc;
}

/* ---- plain files ---- */

static int copy_file(const char *from, const char *to, struct err *err)
{
	struct buf data = BUF_INIT;
	int rc = path_read(from, &data, INPUT_MAX);

	if (rc)
		err_sys(err, BLAME_RIG, "pack", rc, "cannot read %s", from);
	else if ((rc = path_write(to, data.data, data.size)))
		err_sys(err, BLAME_RIG, "pack", rc, "cannot write %s", to);
	buf_release(&data);
	return rc ? -1 : 0;
}

static int copy(struct job *j, const char *from, struct err *err)
{
	return copy_file(from, j->path, err) ? -1 : same(j, "copy", from, j->path, err);
}

static int make_kernel(struct job *j, struct err *err)
{
	return copy(j, j->in->kernel, err);
}

static int make_initrd(struct job *j, struct err *err)
{
	return copy(j, j->in->initrd, err);
}

static int make_dtb(struct job *j, struct err *err)
{
	return j->in->dtb ? copy(j, j->in->dtb, err) : 0;
}

/* ---- Android ---- */

static void boot_layout(const struct pack *p, struct args *a)
{
	number(a, "--base", p->base);
	number(a, "--kernel_offset", p->kernel_offset);
	number(a, "--ramdisk_offset", p->ramdisk_offset);
	number(a, "--tags_offset", p->tags_offset);
	number(a, "--dtb_offset", p->dtb_offset);
	arg(a, "--pagesize");
	arg(a, "%u", p->page_size);
}

static int unpack_boot(struct job *j, struct err *err)
{
	struct args a = { .n = 0 };

	arg(&a, "unpack_bootimg");
	option(&a, "--boot_img", j->path);
	option(&a, "--out", j->work);
	return run(j, &a, err);
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
static int same_cmdline(const struct job *j, struct err *err)
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

static int make_boot(struct job *j, const char *version, const char *dtb, struct err *err)
{
	struct args a = { .n = 0 };

	arg(&a, "mkbootimg");
	option(&a, "--header_version", version);
	option(&a, "--kernel", j->in->kernel);
	option(&a, "--ramdisk", j->in->initrd);
	option(&a, "--dtb", dtb);
	option(&a, "--cmdline", j->in->cmdline);
	boot_layout(j->pack, &a);
	option(&a, "-o", j->path);
	if (run(j, &a, err) || unpack_boot(j, err) || same_cmdline(j, err) ||
	    same_in_work(j, "kernel", j->in->kernel, err) ||
	    same_in_work(j, "ramdisk", j->in->initrd, err))
		return -1;
	return dtb ? same_in_work(j, "dtb", dtb, err) : 0;
}

static int make_boot_2(struct job *j, struct err *err)
{
	if (!j->in->dtb)
		return err_set(err, BLAME_USER, "no-dtb",
			       "a boot image with header 2 holds a device tree: the kernel brings "
			       "none, and the lab file has no \"dtb\" for this board");
	return make_boot(j, "2", j->in->dtb, err);
}

static int make_boot_4(struct job *j, struct err *err)
{
	return make_boot(j, "4", NULL, err);
}

static int make_vendor_boot(struct job *j, struct err *err)
{
	struct args a = { .n = 0 };
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
	arg(&a, "mkbootimg");
	option(&a, "--header_version", "4");
	option(&a, "--vendor_ramdisk", empty);
	option(&a, "--dtb", j->in->dtb);
	boot_layout(j->pack, &a);
	option(&a, "--vendor_boot", j->path);
	free(empty);
	if (run(j, &a, err) || unpack_boot(j, err))
		return -1;
	return same_in_work(j, "dtb", j->in->dtb, err);
}

/* ---- U-Boot ---- */

/* tree: of a FIT, its device tree or NULL. */
static int mkimage(struct job *j, const char *type, const char *data, bool fit, const char *tree,
		   struct err *err)
{
	const struct pack *p = j->pack;
	struct args a = { .n = 0 };
	bool ramdisk = !strcmp(type, "ramdisk");

	arg(&a, "mkimage");
	if (fit)
		option(&a, "-f", "auto");
	option(&a, "-A", p->arch);
	option(&a, "-O", "linux");
	option(&a, "-T", type);
	option(&a, "-C", ramdisk ? "none" : p->compression);
	number(&a, "-a", ramdisk ? 0 : p->load);
	number(&a, "-e", ramdisk ? 0 : p->entry);
	option(&a, "-n", "rig");
	option(&a, "-d", data);
	if (fit)
		option(&a, "-i", j->in->initrd);
	option(&a, "-b", tree);
	arg(&a, "%s", j->path);
	return run(j, &a, err);
}

/* Takes part number i out again and compares it. */
static int check_part(struct job *j, const char *type, unsigned int i, const char *name,
		      const char *in, struct err *err)
{
	struct args a = { .n = 0 };
	char *out = path_join(j->work, name);
	int rc;

	arg(&a, "dumpimage");
	option(&a, "-T", type);
	arg(&a, "-p");
	arg(&a, "%u", i);
	option(&a, "-o", out);
	arg(&a, "%s", j->path);
	rc = run(j, &a, err) || same(j, name, in, out, err) ? -1 : 0;
	free(out);
	return rc;
}

static int make_uimage(struct job *j, struct err *err)
{
	if (mkimage(j, "kernel", j->in->kernel, false, NULL, err))
		return -1;
	return check_part(j, "kernel", 0, "kernel", j->in->kernel, err);
}

static int make_uinitrd(struct job *j, struct err *err)
{
	if (mkimage(j, "ramdisk", j->in->initrd, false, NULL, err))
		return -1;
	return check_part(j, "ramdisk", 0, "initrd", j->in->initrd, err);
}

static int make_multi(struct job *j, struct err *err)
{
	char *data = xasprintf("%s:%s", j->in->kernel, j->in->initrd);
	int rc = mkimage(j, "multi", data, false, NULL, err);

	free(data);
	if (rc || check_part(j, "multi", 0, "kernel", j->in->kernel, err))
		return -1;
	return check_part(j, "multi", 1, "initrd", j->in->initrd, err);
}

/*
 * mkimage -f auto puts the kernel first, then the device tree, then the initramfs. It takes the
 * tree's name up to the last dot of its whole path and crashes when that is one of a directory
 * (2023.01): so it is given one that ends in .dtb.
 */
static int make_fit(struct job *j, struct err *err)
{
	char *tree = j->in->dtb ? path_join(j->work, "board.dtb") : NULL;
	unsigned int n = 0;
	int rc = -1;

	if ((tree && copy_file(j->in->dtb, tree, err)) ||
	    mkimage(j, "kernel", j->in->kernel, true, tree, err) ||
	    check_part(j, "flat_dt", n++, "kernel", j->in->kernel, err))
		goto out;
	if (tree && check_part(j, "flat_dt", n++, "dtb", j->in->dtb, err))
		goto out;
	rc = check_part(j, "flat_dt", n, "initrd", j->in->initrd, err);
out:
	free(tree);
	return rc;
}

/* ---- all files of a pack ---- */

static int (*const makers[])(struct job *j, struct err *err) = {
	[PACK_KERNEL] = make_kernel, [PACK_INITRD] = make_initrd,
	[PACK_DTB] = make_dtb,	     [PACK_BOOT_2] = make_boot_2,
	[PACK_BOOT_4] = make_boot_4, [PACK_VENDOR_BOOT] = make_vendor_boot,
	[PACK_UIMAGE] = make_uimage, [PACK_UINITRD] = make_uinitrd,
	[PACK_MULTI] = make_multi,   [PACK_FIT] = make_fit,
};

char *pack_path(const struct pack *p, enum pack_type type, const char *dir)
{
	for (const struct pack_file *f = p->files; f->type; f++)
		if (f->type == type)
			return path_join(dir, f->name);
	return NULL;
}

static int build_file(const struct pack *p, const struct pack_file *f, const struct pack_input *in,
		      const char *dir, struct deadline d, struct err *err)
{
	char *path = path_join(dir, f->name);
	struct job j = { .pack = p, .in = in, .path = path, .d = d };
	int rc;

	j.work = xasprintf("%s.work", path);
	unlink(path);
	rc = path_mkdirs(j.work);
	if (rc)
		err_sys(err, BLAME_RIG, "pack", rc, "cannot make %s", j.work);
	else
		rc = makers[f->type](&j, err);
	path_remove(j.work);
	free(j.work);
	free(path);
	buf_release(&j.said);
	return rc ? -1 : 0;
}

static int write_sums(const struct pack *p, const char *dir, struct err *err)
{
	char *sums = path_join(dir, "SHA256SUMS");
	struct buf text = BUF_INIT;
	char hash[PACK_HASH_SIZE];
	int rc;

	for (const struct pack_file *f = p->files; f->type; f++) {
		char *path = path_join(dir, f->name);

		if (!pack_hash(path, hash))
			buf_addf(&text, "%s  %s\n", hash, f->name);
		free(path);
	}
	rc = path_write(sums, buf_str(&text), text.size);
	if (rc)
		err_sys(err, BLAME_RIG, "pack", rc, "cannot write %s", sums);
	buf_release(&text);
	free(sums);
	return rc ? -1 : 0;
}

/* Before anything is made of them: which one cannot be read is lost in a program's words. */
static int readable(const char *path, struct err *err)
{
	if (!path || access(path, R_OK) == 0)
		return 0;
	return err_sys(err, BLAME_RIG, "pack", errno, "cannot read %s", path);
}

int pack_build(const struct pack *p, const struct pack_input *in, const char *dir,
	       struct deadline d, struct err *err)
{
	if (readable(in->kernel, err) || readable(in->initrd, err) || readable(in->dtb, err))
		return -1;
	for (const struct pack_file *f = p->files; f->type; f++)
		if (build_file(p, f, in, dir, d, err))
			return -1;
	return write_sums(p, dir, err);
}
