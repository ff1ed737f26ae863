// SPDX-License-Identifier: GPL-2.0-or-later
/* One boot by hand; see boot.h. Layer: cli. */
#include "cli/boot.h"
#include "cli/kernels.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/manifest.h"
#include "base/path.h"
#include "board/lab.h"

#include <stdlib.h>

struct boot {
	struct board *board;
	struct kernel_entry kernel;
	struct manifest manifest;
	char *initrd;
};

static int find_kernel(struct boot *b, const char *type, const char *name, struct err *err)
{
	struct kernel_request request = { .board = board_kernels(type), .name = name };

	if (kernel_build(&request, &b->kernel, err))
		return -1;
	/* kernel_build() has seen that it fits */
	return manifest_read(&b->manifest, b->kernel.dir, NULL, err);
}

static int find_initrd(struct boot *b, const char *type, struct err *err)
{
	b->initrd = path_initramfs(board_find(type)->arch);
	if (path_exists(b->initrd))
		return 0;
	return err_set(err, BLAME_RIG, "no-initramfs", "%s is missing; run 'make initramfs-all'",
		       b->initrd);
}

int boot_open(struct boot **out, const struct lab_board *lab, const char *kernel, int *fd,
	      struct err *err)
{
	struct boot *b = xcalloc(1, sizeof(*b));

	if (find_kernel(b, lab->type, kernel, err) || find_initrd(b, lab->type, err) ||
	    board_open(&b->board, lab, "rig console", err) || board_console(b->board, fd, err)) {
		boot_close(b);
		return -1;
	}
	*out = b;
	return 0;
}

int boot_start(struct boot *b, const struct board_hooks *hooks, void *ctx, struct err *err)
{
	const struct board_image image = {
		.kernel = b->manifest.image,
		.initrd = b->initrd,
		.cmdline = b->kernel.cmdline,
		.dtb = *b->manifest.dtb ? b->manifest.dtb : NULL,
	};
	uint64_t begin = mono_ms();

	board_listen(b->board, hooks, ctx);
	if (board_deploy(b->board, &image, err))
		return -1;
	log_info("%s: deployed in %llu ms", board_name(b->board),
		 (unsigned long long)(mono_ms() - begin));
	return board_power_on(b->board, err);
}

void boot_close(struct boot *b)
{
	if (!b)
		return;
	board_close(b->board);
	manifest_release(&b->manifest);
	kernel_entry_release(&b->kernel);
	free(b->initrd);
	free(b);
}
