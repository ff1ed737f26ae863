// SPDX-License-Identifier: GPL-2.0-or-later
/* Intel Edison; see merrifield.h. Layer: board. */
#include "board/merrifield-priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/driver.h"
#include "board/lab-wired.h"
#include "board/pack.h"
#include "board/retry.h"
#include "io/usb.h"
#include "io/tool.h"

#define BAUD	  115200
#define ENTER_MS  60000	 /* power-on to U-Boot's prompt: the firmware before it takes 10 s */
#define WINDOW_MS 10000	 /* the boot ROM waits that long for xFSTK after a reset */
#define RESCUE_MS 120000 /* xFSTK itself: seconds, and it reconnects on the way */

/* ---- images ---- */

static int fits(const struct loaded_file *f, uint64_t room, struct err *err)
{
	if (f->size <= room)
		return 0;
	return err_set(err, BLAME_USER, "image-size",
		       "%s has %" PRIu64 " bytes; its place %" PRIu64, f->path, f->size, room);
}

static int make_images(struct board *b, const struct board_image *image, struct deadline d,
		       struct err *err)
{
	struct merrifield *e = b->priv;
	const struct pack *pack = b->row->pack;
	struct pack_input in = { image->kernel, image->initrd, NULL, NULL };
	char *dir = path_in_home("boards/%s.image", board_name(b));
	int rc = pack_build(pack, &in, dir, d, err);

	if (!rc)
		rc = loaded_file_set(&e->kernel, pack_path(pack, PACK_KERNEL, dir), err);
	if (!rc)
		rc = loaded_file_set(&e->initrd, pack_path(pack, PACK_INITRD, dir), err);
	free(dir);
	if (rc)
		return -1;
	return fits(&e->kernel, e->model->kernel_room, err) ||
			       fits(&e->initrd, e->model->initrd_room, err)
		       ? -1
		       : 0;
}

/* ---- deploy ---- */

static int load(void *ctx, struct deadline d, struct err *err)
{
	struct merrifield *e = ctx;

	if (!e->powered && wired_on(&e->wired, d, err))
		return -1;
	e->powered = true;
	if (loader_enter(e->loader, deadline_min(d, deadline_in(ENTER_MS)), err) ||
	    merrifield_load(e, d, err))
		return -1;
	return 0;
}

static int power_cycle(void *ctx, struct deadline d, struct err *err)
{
	struct merrifield *e = ctx;

	return wired_power_cycle(&e->wired, d, err);
}

static int vbus_cycle(void *ctx, struct deadline d, struct err *err)
{
	struct merrifield *e = ctx;

	return wired_vbus_cycle(&e->wired, d, err);
}

static int run_rescue(struct merrifield *e, struct deadline d, struct err *err)
{
	const char *argv[MERRIFIELD_RESCUE_MAX + 2] = { e->lab->rescue };
	char *dir = path_in_home("boards/%s.rescue", board_name(e->wired.board));
	struct tool tool = { .dir = dir };
	struct buf out = BUF_INIT;
	char words[200];
	int rc;

	for (size_t i = 0; i < e->lab->rescue_args.n; i++)
		argv[i + 1] = e->lab->rescue_args.items[i].s;
	rc = tool_run(&tool, argv, &out, deadline_min(d, deadline_in(RESCUE_MS)));
	tool_last_words(&out, words, sizeof(words));
	buf_release(&out);
	free(dir);
	if (rc < 0)
		return err_sys(err, BLAME_RIG, "rescue", rc, "%s (\"%s\")", e->lab->rescue, words);
	return rc ? err_set(err, BLAME_BOARD, "rescue", "%s: exit code %d (\"%s\")", e->lab->rescue,
			    rc, words)
		  : 0;
}

/* The boot ROM, 8086:e005, shows itself for a short time after a reset, and only to that. */
static int rescue(void *ctx, struct deadline d, struct err *err)
{
	struct merrifield *e = ctx;
	struct usb_match rom = { .port = e->wired.lab->usb, .vid = 0x8086, .pid = 0xe005 };
	int rc;

	if (wired_power_cycle(&e->wired, d, err))
		return -1;
	rc = usb_wait_arrived(&rom, NULL, deadline_min(d, deadline_in(WINDOW_MS)));
	if (rc)
		return err_sys(err, BLAME_BOARD, "rescue", rc,
			       "its boot ROM (8086:e005) is not on USB port %s after a power cycle",
			       e->wired.lab->usb);
	return run_rescue(e, d, err);
}

/* With TFTP: the server, of whose death the loader hears through its line. */
static int serve(struct merrifield *e, struct loader_line *line, struct err *err)
{
	if (e->lab->load != MERRIFIELD_TFTP)
		return 0;
	e->served.files[0] = (struct served_file){ e->kernel_file, e->kernel.path };
	e->served.files[1] = (struct served_file){ e->initrd_file, e->initrd.path };
	line->check = served_check;
	line->check_ctx = &e->served;
	return served_start(&e->served, err);
}

static int merrifield_deploy(struct board *b, const struct board_image *image, struct deadline d,
			     struct err *err)
{
	struct merrifield *e = b->priv;
	struct retry retry = {
		.board = b,
		.vbus_cycle = e->wired.vbus ? vbus_cycle : NULL,
		.power_cycle = e->wired.power ? power_cycle : NULL,
		.recovery = e->lab->rescue ? rescue : NULL,
		.ctx = e,
	};
	struct loader_line line = loaded_line(&e->wired);

	free(e->cmdline);
	e->cmdline = loaded_cmdline(b->row->cmdline, image->cmdline, err);
	if (!e->cmdline || make_images(b, image, d, err))
		return -1;
	merrifield_set_vars(e);
	if (serve(e, &line, err))
		return -1;
	loader_free(e->loader);
	e->loader = loader_new(&e->rules, line);
	if (retry_run(&retry, "load", load, 0, d, err))
		return -1;
	loaded_tell(b, e->kernel.path, &e->kernel);
	loaded_tell(b, e->initrd.path, &e->initrd);
	return 0;
}

/* ---- the other ops ---- */

static int merrifield_init(struct board *b, struct err *err)
{
	struct merrifield *e = xcalloc(1, sizeof(*e));

	b->priv = e;
	e->lab = b->lab->more;
	e->model = merrifield_model(b->lab);
	e->rules = e->model->rules;
	e->served = (struct served){
		.board = b, .address = e->lab->server, .late = true, .n_files = 2
	};
	snprintf(e->kernel_file, sizeof(e->kernel_file), "%s-bzImage", board_name(b));
	snprintf(e->initrd_file, sizeof(e->initrd_file), "%s-initrd.cpio", board_name(b));
	if (e->lab->prompt)
		e->rules.prompt = e->lab->prompt;
	return wired_init(&e->wired, b, BAUD, err);
}

static void merrifield_release(struct board *b)
{
	struct merrifield *e = b->priv;

	loader_free(e->loader);
	served_stop(&e->served);
	wired_release(&e->wired);
	loaded_vars_release(&e->vars);
	loaded_file_release(&e->kernel);
	loaded_file_release(&e->initrd);
	free(e->cmdline);
	free(e);
	b->priv = NULL;
}

static int merrifield_console(struct board *b, int *fd, struct deadline d, struct err *err)
{
	struct merrifield *e = b->priv;

	(void)d;
	return wired_console(&e->wired, fd, err);
}

static int merrifield_power_on(struct board *b, struct deadline d, struct err *err)
{
	struct merrifield *e = b->priv;

	return loader_boot(e->loader, e->model->boot, e->vars.v, d, err);
}

static int merrifield_power_off(struct board *b, struct deadline d, struct err *err)
{
	struct merrifield *e = b->priv;

	loader_free(e->loader);
	e->loader = NULL;
	served_stop(&e->served);
	e->powered = false;
	return wired_off(&e->wired, d, err);
}

static int merrifield_make_safe(const char *state_path, struct deadline d, struct err *err)
{
	return wired_make_safe(state_path, &merrifield_keys, d, err);
}

static int merrifield_check(struct board *b, struct err *err)
{
	struct merrifield *e = b->priv;

	return wired_check(&e->wired, err);
}

const struct board_ops merrifield_ops = {
	.init = merrifield_init,
	.release = merrifield_release,
	.deploy = merrifield_deploy,
	.console = merrifield_console,
	.power_on = merrifield_power_on,
	.power_off = merrifield_power_off,
	.make_safe = merrifield_make_safe,
	.check = merrifield_check,
};
