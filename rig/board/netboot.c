// SPDX-License-Identifier: GPL-2.0-or-later
/* Boards that load their kernel by TFTP; see netboot.h. Layer: board. */
#include "board/netboot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/driver.h"
#include "board/loaded.h"
#include "board/pack.h"
#include "board/retry.h"
#include "board/served.h"
#include "board/wired.h"

#define ENTER_MS      60000
#define UIMAGE_HEADER 64

struct netboot {
	struct wired wired;
	struct netboot_model *model;
	struct loader *loader;
	struct served served;
	bool powered;
	struct loaded_file image;
	uint64_t kernel_size, initrd_size;
	char *cmdline;
	char file[80]; /* name of the image on the server */
	struct loaded_vars vars;
};

/* ---- placeholders ---- */

/* A multi-file image: header, the sizes of both with a zero, the kernel, padded, the initramfs. */
static uint64_t initrd_addr(const struct netboot *n)
{
	return n->model->addr + UIMAGE_HEADER + 3 * 4 + ((n->kernel_size + 3) & ~3ULL);
}

static void set_vars(struct netboot *n)
{
	const struct lab_board *b = n->wired.board->lab;
	const struct lab_netboot *lab = b->more;
	const char *client = lab->client ? lab->client : netboot_family(b)->client;
	struct loaded_vars *v = &n->vars;

	loaded_vars_release(v);
	loaded_var(v, "addr", "0x%" PRIx64, n->model->addr);
	loaded_var(v, "end", "0x%" PRIx64, n->model->end);
	loaded_var(v, "server", "%s", netboot_server(b));
	loaded_var(v, "client", "%s", client);
	loaded_var(v, "file", "%s", n->file);
	loaded_var(v, "size", "%" PRIu64, n->image.size);
	loaded_var(v, "hexsize", "%" PRIx64, n->image.size);
	loaded_var(v, "crc", "%08" PRIx32, n->image.crc);
	loaded_var(v, "cmdline", "%s", n->cmdline);
	loaded_var(v, "initrd_addr", "0x%" PRIx64, initrd_addr(n));
	loaded_var(v, "initrd_size", "%" PRIu64, n->initrd_size);
}

/* ---- the image ---- */

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

static int check_size(const struct netboot *n, struct err *err)
{
	uint64_t room = n->model->end - n->model->addr;

	if (!n->model->end || n->image.size <= room)
		return 0;
	return err_set(err, BLAME_USER, "image-size",
		       "the image has %" PRIu64 " bytes; between 0x%" PRIx64 " and 0x%" PRIx64
		       " are %" PRIu64,
		       n->image.size, n->model->addr, n->model->end, room);
}

/* The first file of the row's pack is the one that is loaded. */
static int make_image(struct board *b, const struct board_image *image, struct deadline d,
		      struct err *err)
{
	struct netboot *n = b->priv;
	const struct pack *pack = b->row->pack;
	const struct lab_netboot *lab = b->lab->more;
	char *dtb = pack_dtb(lab->dtb, image->dtb);
	struct pack_input in = { image->kernel, image->initrd, dtb, NULL };
	char *dir = path_in_home("boards/%s.image", board_name(b));
	int rc = pack_build(pack, &in, dir, d, err);

	if (!rc)
		rc = loaded_file_set(&n->image, path_join(dir, pack->files[0].name), err);
	n->kernel_size = size_of(image->kernel);
	if (pack->dtb_behind && dtb)
		n->kernel_size += size_of(dtb);
	free(dir);
	free(dtb);
	if (rc)
		return -1;
	snprintf(n->file, sizeof(n->file), "%s-%s", board_name(b), pack->files[0].name);
	n->initrd_size = size_of(image->initrd);
	return check_size(n, err);
}

/* ---- ops ---- */

static int netboot_init(struct board *b, struct err *err)
{
	struct netboot *n = xcalloc(1, sizeof(*n));

	b->priv = n;
	n->wired = (struct wired){ .board = b, .lab = b->lab->own, .line = LINE_INIT };
	n->served = (struct served){ .board = b, .address = netboot_server(b->lab), .n_files = 1 };
	n->model = netboot_model_new(b->lab, err);
	if (!n->model)
		return -1;
	return wired_init(&n->wired, b, n->model->baud, err);
}

static void drop_session(struct netboot *n)
{
	loader_free(n->loader);
	n->loader = NULL;
	served_stop(&n->served);
}

static void netboot_release(struct board *b)
{
	struct netboot *n = b->priv;

	drop_session(n);
	wired_release(&n->wired);
	netboot_model_free(n->model);
	loaded_vars_release(&n->vars);
	loaded_file_release(&n->image);
	free(n->cmdline);
	free(n);
	b->priv = NULL;
}

static int netboot_console(struct board *b, int *fd, struct deadline d, struct err *err)
{
	struct netboot *n = b->priv;

	(void)d;
	return wired_console(&n->wired, fd, err);
}

static int power_cycle(void *ctx, struct deadline d, struct err *err)
{
	struct netboot *n = ctx;

	return wired_power_cycle(&n->wired, d, err);
}

/* Into the loader and the image to its memory; a board that is on already is only asked again. */
static int load(void *ctx, struct deadline d, struct err *err)
{
	struct netboot *n = ctx;
	const struct netboot_model *m = n->model;
	unsigned int enter_ms =
		board_limit_ms(n->wired.board, m->enter_ms ? m->enter_ms : ENTER_MS);

	if (!n->powered && wired_on(&n->wired, d, err))
		return -1;
	n->powered = true;
	if (served_check(&n->served) && served_start(&n->served, err))
		return -1;
	if (loader_enter(n->loader, deadline_min(d, deadline_in(enter_ms)), err))
		return -1;
	if (loader_script(n->loader, m->prepare, n->vars.v, d, err) ||
	    loader_script(n->loader, m->load, n->vars.v, d, err))
		return served_failed(&n->served, err);
	return 0;
}

static int netboot_deploy(struct board *b, const struct board_image *image, struct deadline d,
			  struct err *err)
{
	struct netboot *n = b->priv;
	struct retry retry = { .board = b, .power_cycle = power_cycle, .ctx = n };
	struct loader_line line = loaded_line(&n->wired);

	free(n->cmdline);
	n->cmdline = loaded_cmdline(b->row->cmdline, image->cmdline, err);
	if (!n->cmdline || make_image(b, image, d, err))
		return -1;
	n->served.files[0] = (struct served_file){ n->file, n->image.path };
	if (served_start(&n->served, err))
		return -1;
	set_vars(n);
	loader_free(n->loader);
	line.check = served_check;
	line.check_ctx = &n->served;
	n->loader = loader_new(&n->model->rules, line);
	if (retry_run(&retry, "load", load, 0, d, err))
		return -1;
	loaded_tell(b, n->file, &n->image);
	return 0;
}

static int netboot_power_on(struct board *b, struct deadline d, struct err *err)
{
	struct netboot *n = b->priv;

	return loader_boot(n->loader, n->model->boot, n->vars.v, d, err);
}

static int netboot_power_off(struct board *b, struct deadline d, struct err *err)
{
	struct netboot *n = b->priv;

	drop_session(n);
	n->powered = false;
	return wired_off(&n->wired, d, err);
}

static int netboot_make_safe(const char *state_path, struct deadline d, struct err *err)
{
	return wired_make_safe(state_path, &lab_netboot_keys, d, err);
}

static int netboot_check(struct board *b, struct err *err)
{
	struct netboot *n = b->priv;

	return wired_check(&n->wired, err);
}

const struct board_ops netboot_ops = {
	.init = netboot_init,
	.release = netboot_release,
	.deploy = netboot_deploy,
	.console = netboot_console,
	.power_on = netboot_power_on,
	.power_off = netboot_power_off,
	.make_safe = netboot_make_safe,
	.check = netboot_check,
};
