// SPDX-License-Identifier: GPL-2.0-or-later
/* Intel Edison; see merrifield.h. Layer: board. */
#include "board/merrifield.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/driver.h"
#include "board/lab-wired.h"
#include "board/loaded.h"
#include "board/pack.h"
#include "board/retry.h"
#include "board/wired.h"
#include "io/dfu.h"
#include "io/tool.h"

#define BAUD	    115200
#define ENTER_MS    60000  /* power-on to U-Boot's prompt: the firmware before it takes 10 s */
#define ARRIVE_MS   20000  /* `dfu` to the device on the bus */
#define WINDOW_MS   10000  /* the boot ROM waits that long for xFSTK after a reset */
#define RESCUE_MS   120000 /* xFSTK itself: seconds, and it reconnects on the way */
#define RESCUE_ARGS 32

/* ---- models ---- */

#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, NULL, 0, 0                                                             \
	}

static const struct loader_step offer[] = {
	{ NULL,
	  "setenv dfu_alt_info '{kernel_alt} ram {kernel_addr} {kernel_room};{initrd_alt} ram "
	  "{initrd_addr} {initrd_room}'",
	  NULL, 0, 0 },
	/* goes on until Ctrl-C; what it prints differs, so that it runs is seen on the bus */
	{ NULL, "dfu 0 ram 0", "", 0, 0 },
	END,
};

static const struct loader_step verify[] = {
	{ NULL, "crc32 {kernel_addr} {kernel_hexsize}", "==> {kernel_crc}", 30000, 2 },
	{ NULL, "crc32 {initrd_addr} {initrd_hexsize}", "==> {initrd_crc}", 30000, 2 },
	END,
};

static const struct loader_step boot[] = {
	{ NULL, "setenv bootargs '{cmdline}'", NULL, 0, 0 },
	{ NULL, "zboot {kernel_addr} {kernel_hexsize} {initrd_addr} {initrd_hexsize}",
	  "Starting kernel", 30000, 0 },
	END,
};

#define MODEL(name_, what_, prompt_)                                                               \
	{                                                                                          \
		.name = (name_), .what = (what_),                                                  \
		.rules = { .key = " ", .prompt = (prompt_), .clear = "\003", .status = true },     \
		.offer = offer, .verify = verify, .boot = boot, .kernel_addr = 0x3000000,          \
		.kernel_room = 0x2000000, .initrd_addr = 0x8000000, .initrd_room = 0x8000000       \
	}

static const struct merrifield_model models[] = {
	MODEL("edison", "Intel Edison with mainline U-Boot", "=>"),
	MODEL("edison-stock", "Intel Edison with the U-Boot it was shipped with, 2014.04",
	      "boot >"),
	{ .name = NULL },
};

/* The image is 64 bit, like the agent; unpacked as `rig kernel package` does it. */
const struct pack merrifield_pack = {
	.files = { { PACK_KERNEL, "bzImage" }, { PACK_INITRD, "initrd.cpio" } },
};

/* ---- the lab file ---- */

#define AT(member) .offset = offsetof(struct lab_merrifield, member)

static const struct conf_key keys[] = {
	{ .name = "kernel_alt",
	  .type = CONF_STR,
	  AT(kernel_alt),
	  .def = "kernel",
	  .min = 1,
	  .max = 40,
	  .help = "What U-Boot is told to call the kernel's piece of RAM on DFU." },
	{ .name = "initrd_alt",
	  .type = CONF_STR,
	  AT(initrd_alt),
	  .def = "initrd",
	  .min = 1,
	  .max = 40,
	  .help = "The same for the initramfs." },
	{ .name = "stall_s",
	  .type = CONF_INT,
	  AT(stall_s),
	  .def = "10",
	  .min = 1,
	  .max = 600,
	  .unit = "s",
	  .help = "How long a DFU transfer may get no further before it is given up." },
	{ .name = "prompt",
	  .type = CONF_STR,
	  AT(prompt),
	  .min = 1,
	  .max = 80,
	  .help = "Its U-Boot's prompt; the default is the model's, *=>* or *boot >*." },
	{ .name = "rescue",
	  .type = CONF_STR,
	  AT(rescue),
	  .min = 1,
	  .max = 4096,
	  .help = "The program that brings up a board whose U-Boot is dead: xfstk-dldr-solo, or a "
		  "script around it. Run right after a power cycle, when nothing else helped." },
	{ .name = "rescue_args",
	  .type = CONF_TEXTS,
	  AT(rescue_args),
	  .max = RESCUE_ARGS - 2,
	  .help = "Its arguments." },
};
#undef AT

static const struct conf_table table = { "merrifield board", keys, ARRAY_LEN(keys),
					 sizeof(struct lab_merrifield) };

static const struct merrifield_model *find(const struct lab_board *b)
{
	/* "model" defaults to the type */
	if (!strcmp(b->model, b->type))
		return &models[0];
	for (const struct merrifield_model *m = models; m->name; m++)
		if (!strcmp(m->name, b->model))
			return m;
	return NULL;
}

static int check(const struct conf *c, const struct lab_board *b, struct err *err)
{
	if (!find(b))
		return conf_error(c, b->pos, err,
				  "board \"%s\": model \"%s\" is not known; known are edison, "
				  "edison-stock",
				  b->name, b->model);
	return lab_wired_needs_usb(c, b, err);
}

const struct lab_keys merrifield_keys = { &table, check, NULL };

void merrifield_describe(const struct lab_board *b, char *text, size_t size)
{
	const struct lab_merrifield *lab = b->more;
	const struct merrifield_model *m = find(b);

	snprintf(text, size, "3.3 V; loader at '%s', stopped by any key; DFU on %s",
		 lab->prompt ? lab->prompt : m->rules.prompt,
		 ((const struct lab_wired *)b->own)->usb);
}

/* ---- state ---- */

struct merrifield {
	struct wired wired;
	const struct lab_merrifield *lab;
	const struct merrifield_model *model;
	struct loader_rules rules;
	struct loader *loader;
	bool powered;
	struct loaded_file kernel, initrd;
	char *cmdline;
	struct loaded_vars vars;
};

static void set_vars(struct merrifield *e)
{
	const struct merrifield_model *m = e->model;
	struct loaded_vars *v = &e->vars;

	loaded_vars_release(v);
	loaded_var(v, "cmdline", "%s", e->cmdline);
	loaded_var(v, "kernel_addr", "0x%" PRIx64, m->kernel_addr);
	loaded_var(v, "kernel_room", "0x%" PRIx64, m->kernel_room);
	loaded_var(v, "kernel_hexsize", "0x%" PRIx64, e->kernel.size);
	loaded_var(v, "kernel_crc", "%08" PRIx32, e->kernel.crc);
	loaded_var(v, "kernel_alt", "%s", e->lab->kernel_alt);
	loaded_var(v, "initrd_addr", "0x%" PRIx64, m->initrd_addr);
	loaded_var(v, "initrd_room", "0x%" PRIx64, m->initrd_room);
	loaded_var(v, "initrd_hexsize", "0x%" PRIx64, e->initrd.size);
	loaded_var(v, "initrd_crc", "%08" PRIx32, e->initrd.crc);
	loaded_var(v, "initrd_alt", "%s", e->lab->initrd_alt);
}

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

/* ---- DFU ---- */

static int dfu_failed(const struct dfu *dfu, const char *what, int rc, struct err *err)
{
	enum blame blame = rc == -EACCES || rc == -EBUSY || rc == -ENOMEM ? BLAME_RIG : BLAME_BOARD;
	const char *reason = dfu ? dfu_reason(dfu) : "";

	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "cancelled");
	return err_sys(err, blame, "dfu", rc, "DFU: %s%s%s", what, *reason ? ": " : "", reason);
}

static int download(struct dfu *dfu, const char *alt, const struct loaded_file *f,
		    struct deadline d, struct err *err)
{
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_sys(err, BLAME_RIG, "image", errno, "cannot read %s", f->path);
	rc = dfu_download(dfu, alt, fd, d);
	close(fd);
	return rc ? dfu_failed(dfu, alt, rc, err) : 0;
}

static int send_images(struct merrifield *e, struct deadline d, struct err *err)
{
	struct usb_match match = { .port = e->wired.lab->usb };
	struct dfu_watch watch = { .stall_ms = (unsigned int)e->lab->stall_s * 1000 };
	struct dfu *dfu = NULL;
	int rc = dfu_open(&dfu, &match, deadline_min(d, deadline_in(ARRIVE_MS)));

	if (rc)
		return dfu_failed(NULL, "no device on the board's USB port", rc, err);
	dfu_set_watch(dfu, &watch);
	rc = download(dfu, e->lab->kernel_alt, &e->kernel, d, err) ||
	     download(dfu, e->lab->initrd_alt, &e->initrd, d, err);
	dfu_close(dfu);
	return rc ? -1 : 0;
}

/* ---- deploy ---- */

static int load(void *ctx, struct deadline d, struct err *err)
{
	struct merrifield *e = ctx;
	const struct merrifield_model *m = e->model;

	if (!e->powered && wired_on(&e->wired, d, err))
		return -1;
	e->powered = true;
	if (loader_enter(e->loader, deadline_min(d, deadline_in(ENTER_MS)), err) ||
	    loader_boot(e->loader, m->offer, e->vars.v, d, err) || send_images(e, d, err) ||
	    loader_interrupt(e->loader, d, err))
		return -1;
	return loader_script(e->loader, m->verify, e->vars.v, d, err);
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
	const char *argv[RESCUE_ARGS] = { e->lab->rescue };
	char *dir = path_in_home("boards/%s.rescue", board_name(e->wired.board));
	struct tool tool = { .dir = dir };
	struct buf out = BUF_INIT;
	char words[200];
	int rc;

	for (size_t i = 0; i < e->lab->rescue_args.n && i + 2 < RESCUE_ARGS; i++)
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

	free(e->cmdline);
	e->cmdline = loaded_cmdline(b->row->cmdline, image->cmdline, err);
	if (!e->cmdline || make_images(b, image, d, err))
		return -1;
	set_vars(e);
	loader_free(e->loader);
	e->loader = loader_new(&e->rules, loaded_line(&e->wired));
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
	e->model = find(b->lab);
	e->rules = e->model->rules;
	if (e->lab->prompt)
		e->rules.prompt = e->lab->prompt;
	return wired_init(&e->wired, b, BAUD, err);
}

static void merrifield_release(struct board *b)
{
	struct merrifield *e = b->priv;

	loader_free(e->loader);
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
