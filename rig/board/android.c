// SPDX-License-Identifier: GPL-2.0-or-later
/* Boards with an Android bootloader: the roles; see android.h. Layer: board, inside. */
#include "board/android-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/lab-state.h"
#include "board/pack.h"
#include "board/retry.h"

const char *android_slot(const struct android *a)
{
	return a->lab->slot == ANDROID_SLOT_A ? "a" : "b";
}

/* ---- errors ---- */

static void end_talk(struct android *a)
{
	fastboot_close(a->fb);
	a->fb = NULL;
}

int android_failed(struct android *a, const char *action, int rc, struct err *err)
{
	static const struct {
		int rc;
		const char *code, *text;
	} rows[] = {
		{ -EINTR, "cancelled", "cancelled" },
		{ -EREMOTEIO, "fastboot", "the bootloader refuses" },
		{ -ENODEV, "device-gone", "it has left the USB" },
		{ -ETIMEDOUT, "fastboot-timeout", "the bootloader does not answer" },
		{ -EBUSY, "usb", "another program holds its interface" },
		{ -EACCES, "usb", "no permission; see `rig doctor --udev`" },
		{ -ENOMEM, "usb", "usbfs has no memory left; see `rig doctor`" },
	};
	enum blame blame = wired_usb_blame(rc);
	const char *reason = a->fb ? fastboot_reason(a->fb) : "";
	size_t i = 0;

	while (i < ARRAY_LEN(rows) && rows[i].rc != rc)
		i++;
	if (i < ARRAY_LEN(rows))
		err_set(err, blame, rows[i].code, "%s: %s%s%s", action, rows[i].text,
			*reason ? ": " : "", reason);
	else
		err_sys(err, blame, "fastboot", rc, "%s%s%s", action, *reason ? ": " : "", reason);
	end_talk(a);
	return -1;
}

/* ---- life ---- */

/* What make_safe needs as well. */
static int start(struct android *a, struct board *b, struct err *err)
{
	const struct lab_wired *wired = b->lab->own;

	a->board = b;
	a->lab = b->lab->more;
	a->port = (struct usb_match){ .port = wired->usb, .subclass = -1, .protocol = -1 };
	a->bootloader = (struct usb_match){
		.port = wired->usb, .class = 0xff, .subclass = 0x42, .protocol = 0x03
	};
	a->dir = path_in_home("boards/%s.android", b->lab->name);
	snprintf(a->adb_device, sizeof(a->adb_device), "usb:%s", wired->usb);
	a->tool = (struct tool){ .dir = a->dir, .adb_device = a->adb_device };
	if (wired_take(&a->wired, b, 0, err))
		return -1;
	return power_open(&a->key, &a->lab->key, b->lab->name, "key", err);
}

static void stop(struct android *a)
{
	end_talk(a);
	power_close(a->key);
	wired_release(&a->wired);
	free(a->boot_image);
	free(a->vendor_boot);
	free(a->dir);
}

static int android_init(struct board *b, struct err *err)
{
	struct android *a = xcalloc(1, sizeof(*a));

	b->priv = a;
	a->model = b->row->data;
	if (start(a, b, err))
		return -1;
	a->wired.line.baud = a->wired.line.baud ? a->wired.line.baud : b->row->console_baud;
	if (a->lab->oem_uart && !a->model->uart)
		return err_set(err, BLAME_USER, "config", "%s: a %s has no \"oem_uart\"",
			       board_name(b), b->lab->type);
	return 0;
}

static void android_release(struct board *b)
{
	stop(b->priv);
	free(b->priv);
	b->priv = NULL;
}

static int android_console(struct board *b, int *fd, struct deadline d, struct err *err)
{
	struct android *a = b->priv;

	(void)d;
	return wired_console(&a->wired, fd, err);
}

static int android_check(struct board *b, struct err *err)
{
	struct android *a = b->priv;

	return wired_check(&a->wired, err);
}

/* ---- trying again ---- */

static int vbus_cycle(void *ctx, struct deadline d, struct err *err)
{
	struct android *a = ctx;

	end_talk(a);
	return wired_vbus_cycle(&a->wired, d, err);
}

static int power_cycle(void *ctx, struct deadline d, struct err *err)
{
	struct android *a = ctx;

	end_talk(a);
	return wired_power_cycle(&a->wired, d, err);
}

static int recovery(void *ctx, struct deadline d, struct err *err)
{
	struct android *a = ctx;

	end_talk(a);
	return android_edl(a, d, err);
}

static int try(struct android *a, const char *what, retry_fn *step, struct deadline d,
	       struct err *err)
{
	struct retry r = { .board = a->board, .ctx = a };

	if (a->wired.vbus)
		r.vbus_cycle = vbus_cycle;
	if (a->wired.power)
		r.power_cycle = power_cycle;
	if (a->lab->edl_programmer)
		r.recovery = recovery;
	return retry_run(&r, what, step, a->model->attempt_ms, d, err);
}

/* ---- deploy ---- */

/* The row's command line has the console at its usual speed. */
static char *command_line(const struct android *a, const struct board_image *image)
{
	const char *own = a->board->row->cmdline, *more = image->cmdline ? image->cmdline : "";
	const char *comma = strchr(own, ',');
	size_t digits = comma ? strspn(comma + 1, "0123456789") : 0;

	if (!digits)
		return xasprintf("%s%s%s", own, *more ? " " : "", more);
	return xasprintf("%.*s%ld%s%s%s", (int)(comma + 1 - own), own, a->wired.line.baud,
			 comma + 1 + digits, *more ? " " : "", more);
}

static void set_packed(char **path, const struct pack *p, enum pack_type type, const char *dir)
{
	free(*path);
	*path = pack_path(p, type, dir);
	if (*path && !path_exists(*path)) {
		free(*path);
		*path = NULL;
	}
}

static int pack(struct android *a, const struct board_image *image, struct deadline d,
		struct err *err)
{
	const struct pack *p = a->board->row->pack;
	char *cmdline = command_line(a, image);
	char *dtb = pack_dtb(a->lab->dtb, image->dtb);
	struct pack_input in = {
		.kernel = image->kernel,
		.initrd = image->initrd,
		.dtb = dtb,
		.cmdline = cmdline,
	};
	char *dir = path_join(a->dir, "images");
	int rc = pack_build(p, &in, dir, d, err);

	set_packed(&a->boot_image, p, PACK_BOOT_2, dir);
	if (!a->boot_image)
		set_packed(&a->boot_image, p, PACK_BOOT_4, dir);
	set_packed(&a->vendor_boot, p, PACK_VENDOR_BOOT, dir);
	free(dir);
	free(dtb);
	free(cmdline);
	return rc;
}

static int enable_uart(struct android *a, struct deadline d, struct err *err)
{
	for (size_t i = 0; a->lab->oem_uart && a->model->uart[i]; i++) {
		const char *text = a->model->uart[i];
		const char *brace = strchr(text, '{');
		char *command =
			brace ? xasprintf("%.*s%ld", (int)(brace - text), text, a->wired.line.baud)
			      : xstrdup(text);
		int rc = fastboot_oem(a->fb, command, d);

		if (rc)
			android_failed(a, command, rc, err);
		free(command);
		if (rc)
			return -1;
	}
	return 0;
}

static bool from_ram(const struct android *a)
{
	return a->lab->boot == ANDROID_RAM && !a->no_ram;
}

static int flash_kernel(struct android *a, struct deadline d, struct err *err)
{
	return android_flash_boot(a, d, err) || android_select_slot(a, d, err) ? -1 : 0;
}

static int deploy_once(void *ctx, struct deadline d, struct err *err)
{
	struct android *a = ctx;

	if (android_enter(a, d, err) || android_check_unlocked(a, d, err) ||
	    enable_uart(a, d, err) || android_flash_images(a, d, err))
		return -1;
	return from_ram(a) ? 0 : flash_kernel(a, d, err);
}

static int android_deploy(struct board *b, const struct board_image *image, struct deadline d,
			  struct err *err)
{
	struct android *a = b->priv;

	if (pack(a, image, d, err) || wired_on(&a->wired, d, err))
		return -1;
	return try(a, "fastboot", deploy_once, d, err);
}

/* ---- on and off ---- */

static int start_from_flash(struct android *a, struct deadline d, struct err *err)
{
	int rc = fastboot_reboot(a->fb, NULL, d);

	return rc ? android_failed(a, "reboot", rc, err) : 0;
}

/* A bootloader that refuses to is asked once, and not again in this session. */
static int start_from_ram(struct android *a, struct deadline d, struct err *err)
{
	struct fastboot_image image = { .fd = open(a->boot_image, O_RDONLY | O_CLOEXEC) };
	int rc;

	if (image.fd < 0)
		return err_sys(err, BLAME_RIG, "image", errno, "cannot read %s", a->boot_image);
	rc = fastboot_boot(a->fb, &image, d);
	close(image.fd);
	if (rc != -EREMOTEIO)
		return rc ? android_failed(a, "fastboot boot", rc, err) : 0;
	board_note(a->board, "no boot from RAM (%s): the kernel is flashed",
		   fastboot_reason(a->fb));
	a->no_ram = true;
	return flash_kernel(a, d, err) || start_from_flash(a, d, err) ? -1 : 0;
}

static int start_once(void *ctx, struct deadline d, struct err *err)
{
	struct android *a = ctx;

	if (android_enter(a, d, err))
		return -1;
	return from_ram(a) ? start_from_ram(a, d, err) : start_from_flash(a, d, err);
}

static int android_power_on(struct board *b, struct deadline d, struct err *err)
{
	struct android *a = b->priv;
	int rc = try(a, "start the kernel", start_once, d, err);

	end_talk(a);
	return rc;
}

static bool can_be_off(const struct android *a)
{
	return !a->lab->battery && (a->wired.power || a->wired.vbus);
}

static int off(struct android *a, const char *state_path, struct deadline d, struct err *err)
{
	end_talk(a);
	if (can_be_off(a))
		return wired_off(&a->wired, d, err);
	if (!path_exists(state_path))
		return 0; /* it was never started, or is parked */
	if (android_park(a, d, err))
		return -1;
	unlink(state_path);
	return 0;
}

static int android_power_off(struct board *b, struct deadline d, struct err *err)
{
	return off(b->priv, b->state_path, d, err);
}

static int android_make_safe(const char *state_path, struct deadline d, struct err *err)
{
	struct lab_state s;
	struct android a = { .wired = { .line = LINE_INIT } };
	char *path = xstrdup(state_path);
	struct board b = { .lab = &s.board, .state_path = path };
	int rc = lab_state_read(&s, state_path, &lab_wired_keys, &android_keys, err);

	if (!rc && s.conf) {
		rc = start(&a, &b, err);
		if (!rc)
			rc = off(&a, state_path, d, err);
		stop(&a);
	}
	free(path);
	lab_state_release(&s);
	return rc ? -1 : 0;
}

const struct board_ops android_ops = {
	.init = android_init,
	.release = android_release,
	.deploy = android_deploy,
	.console = android_console,
	.power_on = android_power_on,
	.power_off = android_power_off,
	.make_safe = android_make_safe,
	.check = android_check,
	.push = android_push,
};
