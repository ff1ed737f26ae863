// SPDX-License-Identifier: GPL-2.0-or-later
/* Intel Edison: kernel and initramfs to its RAM, by DFU or TFTP; see merrifield.h. Layer: board. */
#include "board/merrifield-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "board/driver.h"
#include "io/dfu.h"

#define ARRIVE_MS 20000 /* `dfu` to the device on the bus */
#define LOOK_MS	  500	/* between two looks at what U-Boot says meanwhile */

/* ---- placeholders ---- */

/* Locally administered, and another one for every board and either end. */
static void set_mac(struct loaded_vars *v, const char *var, const char *board, unsigned int end)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *board; board++)
		h = (h ^ (unsigned char)*board) * 16777619u;
	loaded_var(v, var, "02:%02x:%02x:%02x:%02x:%02x", h >> 24, h >> 16 & 0xff, h >> 8 & 0xff,
		   h & 0xff, end);
}

void merrifield_set_vars(struct merrifield *e)
{
	const struct merrifield_model *m = e->model;
	const char *name = board_name(e->wired.board);
	struct loaded_vars *v = &e->vars;

	loaded_vars_release(v);
	loaded_var(v, "cmdline", "%s", e->cmdline);
	loaded_var(v, "server", "%s", e->lab->server);
	loaded_var(v, "client", "%s", e->lab->client);
	set_mac(v, "mac", name, 2);
	set_mac(v, "host_mac", name, 1);
	loaded_var(v, "kernel_addr", "0x%" PRIx64, m->kernel_addr);
	loaded_var(v, "kernel_room", "0x%" PRIx64, m->kernel_room);
	loaded_var(v, "kernel_hexsize", "0x%" PRIx64, e->kernel.size);
	loaded_var(v, "kernel_crc", "%08" PRIx32, e->kernel.crc);
	loaded_var(v, "kernel_size", "%" PRIu64, e->kernel.size);
	loaded_var(v, "kernel_file", "%s", e->kernel_file);
	loaded_var(v, "kernel_alt", "%s", e->lab->kernel_alt);
	loaded_var(v, "initrd_addr", "0x%" PRIx64, m->initrd_addr);
	loaded_var(v, "initrd_room", "0x%" PRIx64, m->initrd_room);
	loaded_var(v, "initrd_hexsize", "0x%" PRIx64, e->initrd.size);
	loaded_var(v, "initrd_crc", "%08" PRIx32, e->initrd.crc);
	loaded_var(v, "initrd_size", "%" PRIu64, e->initrd.size);
	loaded_var(v, "initrd_file", "%s", e->initrd_file);
	loaded_var(v, "initrd_alt", "%s", e->lab->initrd_alt);
}

/* ---- DFU ---- */

static int dfu_failed(const struct dfu *dfu, const char *what, int rc, struct err *err)
{
	const char *reason = dfu ? dfu_reason(dfu) : "";

	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "cancelled");
	return err_sys(err, wired_usb_blame(rc), "dfu", rc, "DFU: %s%s%s", what,
		       *reason ? ": " : "", reason);
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

/* Until the device is on the bus, or U-Boot says that it will not be. */
static int dfu_arrives(struct merrifield *e, struct dfu **dfu, struct deadline d, struct err *err)
{
	struct usb_match match = { .port = e->wired.lab->usb };
	int rc;

	do {
		if (loader_goes_on(e->loader, "dfu", d, err))
			return -1;
		rc = dfu_open(dfu, &match, deadline_min(d, deadline_in(LOOK_MS)));
	} while (rc == -ENODEV && !deadline_passed(d));
	return rc ? dfu_failed(NULL, "no device on the board's USB port", rc, err) : 0;
}

static int by_dfu(struct merrifield *e, struct deadline d, struct err *err)
{
	struct dfu_watch watch = { .stall_ms = (unsigned int)e->lab->stall_s * 1000 };
	struct dfu *dfu = NULL;
	int rc;

	if (loader_boot(e->loader, e->model->dfu, e->vars.v, d, err) ||
	    dfu_arrives(e, &dfu, deadline_min(d, deadline_in(ARRIVE_MS)), err))
		return -1;
	dfu_set_watch(dfu, &watch);
	rc = download(dfu, e->lab->kernel_alt, &e->kernel, d, err) ||
	     download(dfu, e->lab->initrd_alt, &e->initrd, d, err);
	dfu_close(dfu);
	return rc ? -1 : loader_interrupt(e->loader, d, err);
}

/* ---- TFTP ---- */

/* What the lab's U-Boot wants first; {} are those of the model's steps. */
static int prepare(struct merrifield *e, struct deadline d, struct err *err)
{
	struct loader_step steps[MERRIFIELD_PREPARE_MAX + 1] = { 0 };

	for (size_t i = 0; i < e->lab->prepare.n; i++)
		steps[i].say = e->lab->prepare.items[i].s;
	return loader_script(e->loader, steps, e->vars.v, d, err);
}

static int by_tftp(struct merrifield *e, struct deadline d, struct err *err)
{
	if (served_check(&e->served) && served_start(&e->served, err))
		return -1;
	if (prepare(e, d, err) || loader_script(e->loader, e->model->tftp, e->vars.v, d, err))
		return served_failed(&e->served, err);
	return 0;
}

/* ---- either ---- */

int merrifield_load(struct merrifield *e, struct deadline d, struct err *err)
{
	int rc = e->lab->load == MERRIFIELD_TFTP ? by_tftp(e, d, err) : by_dfu(e, d, err);

	return rc ? -1 : loader_script(e->loader, e->model->verify, e->vars.v, d, err);
}
