// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Images for loaders; see pack.h. One row for each type of file; those of Android and of U-Boot are
 * in files of their own. Layer: board.
 */
#include "board/pack-priv.h"

#include <errno.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/path.h"
#include "io/tool.h"

/* ---- programs ---- */

void pack_arg(struct pack_args *a, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (a->n < PACK_ARGS_MAX)
		a->v[a->n++] = xstrdup(text);
}

void pack_option(struct pack_args *a, const char *name, const char *value)
{
	if (!value)
		return;
	pack_arg(a, "%s", name);
	pack_arg(a, "%s", value);
}

void pack_number(struct pack_args *a, const char *name, uint64_t value)
{
	pack_arg(a, "%s", name);
	pack_arg(a, "0x%08" PRIx64, value);
}

int pack_run(struct pack_job *j, struct pack_args *a, struct err *err)
{
	struct tool tool = { .dir = j->work };
	char words[200];
	int rc;

	buf_reset(&j->said);
	rc = tool_run(&tool, (const char *const *)a->v, &j->said, j->d);
	tool_last_words(&j->said, words, sizeof(words));
	if (rc == -ENOENT)
		err_set(err, BLAME_RIG, "pack", "%s is not installed; run 'make setup'", a->v[0]);
	else if (rc == -EINTR)
		err_set(err, BLAME_USER, "cancelled", "cancelled");
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

int pack_same(const struct pack_job *j, const char *part, const char *in, const char *out,
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

/* ---- plain files ---- */

int pack_copy(const char *from, const char *to, struct err *err)
{
	struct buf data = BUF_INIT;
	int rc = path_read(from, &data, PACK_INPUT_MAX);

	if (rc)
		err_sys(err, BLAME_RIG, "pack", rc, "cannot read %s", from);
	else if ((rc = path_write(to, data.data, data.size)))
		err_sys(err, BLAME_RIG, "pack", rc, "cannot write %s", to);
	buf_release(&data);
	return rc ? -1 : 0;
}

static int copy(struct pack_job *j, const char *from, struct err *err)
{
	return pack_copy(from, j->path, err) ? -1 : pack_same(j, "copy", from, j->path, err);
}

static int make_kernel(struct pack_job *j, struct err *err)
{
	return copy(j, j->in->kernel, err);
}

static int make_initrd(struct pack_job *j, struct err *err)
{
	return copy(j, j->in->initrd, err);
}

static int make_dtb(struct pack_job *j, struct err *err)
{
	return j->in->dtb ? copy(j, j->in->dtb, err) : 0;
}

/* ---- all files of a pack ---- */

static int (*const makers[])(struct pack_job *j, struct err *err) = {
	[PACK_KERNEL] = make_kernel,
	[PACK_INITRD] = make_initrd,
	[PACK_DTB] = make_dtb,
	[PACK_BOOT_2] = pack_make_boot_2,
	[PACK_BOOT_4] = pack_make_boot_4,
	[PACK_VENDOR_BOOT] = pack_make_vendor_boot,
	[PACK_UIMAGE] = pack_make_uimage,
	[PACK_UINITRD] = pack_make_uinitrd,
	[PACK_MULTI] = pack_make_multi,
	[PACK_FIT] = pack_make_fit,
};

char *pack_dtb(const char *named, const char *own)
{
	const char *slash = own ? strrchr(own, '/') : NULL;

	if (!named)
		return own ? xstrdup(own) : NULL;
	if (strchr(named, '/') || !slash)
		return xstrdup(named);
	return xasprintf("%.*s%s", (int)(slash + 1 - own), own, named);
}

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
	struct pack_job j = { .pack = p, .in = in, .path = path, .d = d };
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
