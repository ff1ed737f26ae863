// SPDX-License-Identifier: GPL-2.0-or-later
/* Images for U-Boot, by mkimage; see pack.h. Layer: board, inside. */
#include "board/pack-priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/path.h"

/* tree: of a FIT, its device tree or NULL. */
static int mkimage(struct pack_job *j, const char *type, const char *data, bool fit,
		   const char *tree, struct err *err)
{
	const struct pack *p = j->pack;
	struct pack_args a = { .n = 0 };
	bool ramdisk = !strcmp(type, "ramdisk");

	pack_arg(&a, "mkimage");
	if (fit)
		pack_option(&a, "-f", "auto");
	pack_option(&a, "-A", p->arch);
	pack_option(&a, "-O", "linux");
	pack_option(&a, "-T", type);
	pack_option(&a, "-C", ramdisk ? "none" : p->compression);
	pack_number(&a, "-a", ramdisk ? 0 : p->load);
	pack_number(&a, "-e", ramdisk ? 0 : p->entry);
	pack_option(&a, "-n", "rig");
	pack_option(&a, "-d", data);
	if (fit)
		pack_option(&a, "-i", j->in->initrd);
	pack_option(&a, "-b", tree);
	pack_arg(&a, "%s", j->path);
	return pack_run(j, &a, err);
}

/* Takes part number i out again and compares it. */
static int check_part(struct pack_job *j, const char *type, unsigned int i, const char *name,
		      const char *in, struct err *err)
{
	struct pack_args a = { .n = 0 };
	char *out = path_join(j->work, name);
	int rc;

	pack_arg(&a, "dumpimage");
	pack_option(&a, "-T", type);
	pack_arg(&a, "-p");
	pack_arg(&a, "%u", i);
	pack_option(&a, "-o", out);
	pack_arg(&a, "%s", j->path);
	rc = pack_run(j, &a, err) || pack_same(j, name, in, out, err) ? -1 : 0;
	free(out);
	return rc;
}

int pack_make_uimage(struct pack_job *j, struct err *err)
{
	if (mkimage(j, "kernel", j->in->kernel, false, NULL, err))
		return -1;
	return check_part(j, "kernel", 0, "kernel", j->in->kernel, err);
}

int pack_make_uinitrd(struct pack_job *j, struct err *err)
{
	if (mkimage(j, "ramdisk", j->in->initrd, false, NULL, err))
		return -1;
	return check_part(j, "ramdisk", 0, "initrd", j->in->initrd, err);
}

/* The path of the kernel with the device tree behind it, or of the kernel; NULL with err. */
static char *kernel_and_tree(const struct pack_job *j, struct err *err)
{
	struct buf data = BUF_INIT;
	char *path;
	int rc;

	if (!j->pack->dtb_behind || !j->in->dtb)
		return xstrdup(j->in->kernel);
	path = path_join(j->work, "kernel-and-tree");
	rc = path_read(j->in->kernel, &data, PACK_INPUT_MAX);
	if (!rc)
		rc = path_read(j->in->dtb, &data, PACK_INPUT_MAX);
	if (!rc)
		rc = path_write(path, data.data, data.size);
	buf_release(&data);
	if (!rc)
		return path;
	err_sys(err, BLAME_RIG, "pack", rc, "cannot write %s", path);
	free(path);
	return NULL;
}

int pack_make_multi(struct pack_job *j, struct err *err)
{
	char *kernel = kernel_and_tree(j, err);
	char *data = xasprintf("%s:%s", kernel ? kernel : "", j->in->initrd);
	int rc = -1;

	if (kernel && !mkimage(j, "multi", data, false, NULL, err) &&
	    !check_part(j, "multi", 0, "kernel", kernel, err))
		rc = check_part(j, "multi", 1, "initrd", j->in->initrd, err);
	free(data);
	free(kernel);
	return rc;
}

/*
 * mkimage -f auto puts the kernel first, then the device tree, then the initramfs. It takes the
 * tree's name up to the last dot of its whole path and crashes when that is one of a directory
 * (2023.01): so it is given one that ends in .dtb.
 */
int pack_make_fit(struct pack_job *j, struct err *err)
{
	char *tree = j->in->dtb ? path_join(j->work, "board.dtb") : NULL;
	unsigned int n = 0;
	int rc = -1;

	if ((tree && pack_copy(j->in->dtb, tree, err)) ||
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
