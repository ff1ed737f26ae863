// SPDX-License-Identifier: GPL-2.0-or-later
/* rig kernel package; see package.h. Layer: cli. */
#include "cli/package.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/manifest.h"
#include "base/path.h"
#include "board/board.h"
#include "board/pack.h"
#include "cli/kernels.h"

#define PACK_MS 300000

static const struct board_row *find_row(const char *board, struct err *err)
{
	const struct board_row *row = board_find(board);

	if (!row)
		err_set(err, BLAME_USER, "board-type", "unknown board type '%s'", board);
	else if (!row->pack)
		err_set(err, BLAME_USER, "no-package",
			"%s boots kernel and initramfs as they are: nothing to package", board);
	return row && row->pack ? row : NULL;
}

/* The packing programs run elsewhere. */
static char *absolute(const char *path)
{
	char cwd[PATH_MAX];

	if (!path || path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
		return path ? xstrdup(path) : NULL;
	return path_join(cwd, path);
}

static void print_files(const struct pack *p, const char *dir)
{
	for (const struct pack_file *f = p->files; f->type; f++) {
		char *path = path_join(dir, f->name);

		if (path_exists(path))
			puts(path);
		free(path);
	}
}

static int build(const struct board_row *row, const struct kernel_entry *entry, const char *dtb,
		 const char *dir, struct err *err)
{
	char *initrd = path_initramfs(row->arch);
	char *cmdline =
		xasprintf("%s%s%s", row->cmdline, *entry->cmdline ? " " : "", entry->cmdline);
	struct manifest m = { 0 };
	struct pack_input in = { .initrd = initrd, .cmdline = cmdline };
	int rc = manifest_read(&m, entry->dir, NULL, err);

	if (!rc && !path_exists(initrd))
		rc = err_set(err, BLAME_RIG, "no-initramfs",
			     "%s is missing; run 'make initramfs-all'", initrd);
	if (!rc) {
		in.kernel = m.image;
		in.dtb = dtb ? dtb : *m.dtb ? m.dtb : NULL;
		rc = pack_build(row->pack, &in, dir, deadline_in(PACK_MS), err);
	}
	manifest_release(&m);
	free(cmdline);
	free(initrd);
	return rc;
}

int package_kernel(const struct kernel_request *request, const char *dtb, const char *dir,
		   struct err *err)
{
	const struct board_row *row = find_row(request->board, err);
	struct kernel_entry entry = { NULL };
	char *to = absolute(dir), *tree = absolute(dtb);
	int rc = row ? kernel_build(request, &entry, err) : -1;

	if (!rc)
		rc = build(row, &entry, tree, to, err);
	if (!rc)
		print_files(row->pack, to);
	kernel_entry_release(&entry);
	free(tree);
	free(to);
	return rc;
}
