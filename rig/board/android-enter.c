// SPDX-License-Identifier: GPL-2.0-or-later
/* Ways into an Android bootloader, and out of emergency download; see android.h. */
#include "board/android-priv.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/driver.h"

/* adb finds its device, asks it to reboot, and its private server ends. */
#define ADB_MS	    20000
#define ADB_STOP_MS 3000

/* It is there, and settled; it may leave again. */
#define OPEN_MS 10000

/* Qualcomm's boot ROM when it found nothing to start. */
#define EDL_VID 0x05c6
#define EDL_PID 0x9008

#define QDL_ARGS_MAX 48

static bool is_in_bootloader(const struct android *a)
{
	return usb_find(&a->bootloader, NULL, 0) > 0;
}

/* ---- adb ---- */

/* A server of our own: the user's would keep the device, and may be of another version. */
static unsigned int free_port(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t size = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0)
		return 0;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    getsockname(fd, (struct sockaddr *)&addr, &size))
		addr.sin_port = 0;
	close(fd);
	return ntohs(addr.sin_port);
}

static int run_adb(struct android *a, const char *const *argv, struct deadline d, struct err *err)
{
	struct buf said = BUF_INIT;
	char words[200];
	int rc;

	a->tool.adb_port = free_port();
	rc = tool_adb(&a->tool, argv, &said, d);
	tool_adb_stop(&a->tool, deadline_in(ADB_STOP_MS));
	tool_last_words(&said, words, sizeof(words));
	buf_release(&said);
	if (rc < 0)
		return err_sys(err, BLAME_BOARD, "adb", rc, "adb %s %s", argv[0], argv[1]);
	if (rc)
		return err_set(err, BLAME_BOARD, "adb", "adb %s %s: %s", argv[0], argv[1], words);
	return 0;
}

static int leave_by_adb(struct android *a, struct deadline d, struct err *err)
{
	static const char *const argv[] = { "reboot", "bootloader", NULL };

	return run_adb(a, argv, deadline_min(d, deadline_in(ADB_MS)), err);
}

int android_push(struct board *b, const char *path, const char *remote, struct deadline d,
		 struct err *err)
{
	const char *const argv[] = { "push", path, remote, NULL };

	return run_adb(b->priv, argv, d, err);
}

/* ---- the key ---- */

/* Held until it is there: how long a bootloader wants to see it is not written anywhere. */
static int leave_by_key(struct android *a, struct deadline d, struct err *err)
{
	struct err ignored = ERR_INIT;
	int rc = power_set(a->key, true, d, err);

	if (!rc)
		rc = wired_power_cycle(&a->wired, d, err);
	if (!rc)
		usb_wait_arrived(&a->bootloader, NULL, d);
	if (power_set(a->key, false, deadline_in(ADB_STOP_MS), rc ? &ignored : err))
		rc = -1;
	return rc;
}

/* ---- all ways ---- */

/* The message of the last way that failed stays in err. */
static void ask_to_leave(struct android *a, struct deadline d, struct err *err)
{
	if (a->lab->adb && !leave_by_adb(a, d, err))
		return;
	if (a->key)
		leave_by_key(a, d, err);
}

/* What a person would see in lsusb. */
static void look(const struct android *a, char *text, size_t size)
{
	struct usb_found found;

	if (usb_find(&a->port, &found, 1) <= 0)
		snprintf(text, size, "nothing is");
	else if (found.vid == EDL_VID && found.pid == EDL_PID)
		snprintf(text, size, "%04x:%04x (emergency download) is", found.vid, found.pid);
	else
		snprintf(text, size, "%04x:%04x is", found.vid, found.pid);
}

static int not_there(const struct android *a, const struct err *why, struct err *err)
{
	char there[80];

	look(a, there, sizeof(there));
	return err_set(err, BLAME_BOARD, "no-fastboot",
		       "no bootloader in USB port %s, %s there%s%s", a->port.port, there,
		       why->message[0] ? "; " : "", why->message);
}

static struct deadline enter_limit(const struct android *a, struct deadline d)
{
	unsigned int ms = a->model ? a->model->enter_ms : 0;

	if (a->lab->enter_s)
		ms = (unsigned int)a->lab->enter_s * 1000;
	return ms ? deadline_min(d, deadline_in(ms)) : d;
}

/* Brings it there, and lets it settle: it does not answer at once. */
static int arrive(struct android *a, struct deadline d, struct err *why)
{
	int rc;

	ask_to_leave(a, d, why);
	rc = usb_wait_arrived(&a->bootloader, NULL, d);
	return rc ? rc : deadline_poll(-1, 0, deadline_in(FASTBOOT_SETTLE_MS));
}

int android_enter(struct android *a, struct deadline d, struct err *err)
{
	struct err why = ERR_INIT;
	int rc;

	if (a->fb)
		return 0;
	rc = is_in_bootloader(a) ? 0 : arrive(a, enter_limit(a, d), &why);
	if (!rc)
		rc = fastboot_open(&a->fb, &a->bootloader, deadline_min(d, deadline_in(OPEN_MS)));
	if (rc == -ENODEV || rc == -ETIMEDOUT)
		return not_there(a, &why, err);
	return rc ? android_failed(a, "open", rc, err) : 0;
}

int android_park(struct android *a, struct deadline d, struct err *err)
{
	struct deadline limit = enter_limit(a, d);
	struct err why = ERR_INIT;

	if (is_in_bootloader(a) || !arrive(a, limit, &why))
		return 0;
	if (!err)
		return -1;
	not_there(a, &why, err);
	err->blame = BLAME_BOARD;
	snprintf(err->code, sizeof(err->code), "not-parked");
	return err_prefix(err, "not parked, it runs on: bring it into its bootloader by hand");
}

/* ---- emergency download ---- */

static int qdl_failed(int rc, const struct buf *said, struct err *err)
{
	char words[200];

	tool_last_words(said, words, sizeof(words));
	if (rc == -ENOENT)
		return err_set(err, BLAME_RIG, "edl", "qdl is not installed; run 'make setup'");
	if (rc < 0)
		return err_sys(err, BLAME_BOARD, "edl", rc, "qdl%s%s", words[0] ? ": " : "", words);
	return err_set(err, BLAME_BOARD, "edl",
		       "qdl failed (%d): %s. If ModemManager has touched the port (`rig doctor`), "
		       "stopping it is not enough: the board needs a power cycle in this mode",
		       rc, words);
}

static int run_qdl(struct android *a, struct deadline d, struct err *err)
{
	const char *argv[QDL_ARGS_MAX] = { "qdl", "--storage", "ufs", a->lab->edl_programmer };
	struct buf said = BUF_INIT;
	size_t n = 4;
	int rc;

	for (size_t i = 0; i < a->lab->edl_files.n; i++)
		argv[n++] = a->lab->edl_files.items[i].s;
	rc = tool_run(&a->tool, argv, &said, d);
	if (rc)
		qdl_failed(rc, &said, err);
	buf_release(&said);
	return rc ? -1 : 0;
}

/* Debian 12's qdl takes the first such device it finds: there may be one only, and one qdl. */
static int lock_edl(const struct android *a, struct err *err)
{
	const struct usb_match any = { .vid = EDL_VID, .pid = EDL_PID };
	struct usb_match ours = any;
	char *path;
	int fd;

	ours.port = a->port.port;
	if (usb_find(&ours, NULL, 0) <= 0)
		return err_set(err, BLAME_BOARD, "edl",
			       "it is not in emergency download mode (05c6:9008)");
	if (usb_find(&any, NULL, 0) > 1)
		return err_set(err, BLAME_RIG, "edl",
			       "several boards are in emergency download mode, and qdl would "
			       "write to any of them");
	path = path_in_home("control");
	path_mkdirs(path);
	free(path);
	path = path_in_home("control/qdl.lock");
	fd = path_lock(path);
	free(path);
	if (fd < 0)
		err_sys(err, BLAME_RIG, "edl", fd, "another qdl is at work");
	return fd;
}

int android_edl(struct android *a, struct deadline d, struct err *err)
{
	int fd = lock_edl(a, err);
	int rc;

	if (fd < 0)
		return -1;
	board_note(a->board, "it is in emergency download mode: writing what %s is told to",
		   a->lab->edl_programmer);
	android_forget_images(a);
	rc = run_qdl(a, d, err);
	close(fd);
	return rc;
}
