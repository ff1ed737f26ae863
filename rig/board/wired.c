// SPDX-License-Identifier: GPL-2.0-or-later
/* What all real boards do the same; see wired.h. Layer: board, inside. */
#include "board/wired.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/spawn.h"
#include "board/driver.h"
#include "board/lab-state.h"
#include "board/proc.h"
#include "io/serial.h"

#define PROGRAM_ARGS_MAX 32

int wired_take(struct wired *w, struct board *b, long baud, struct err *err)
{
	const char *name = board_name(b);

	*w = (struct wired){ .board = b, .lab = b->lab->own, .program_fd = -1 };
	w->baud = w->lab->console.baud ? w->lab->console.baud : baud;
	if (power_open(&w->power, &w->lab->power, name, "power", err) ||
	    power_open(&w->vbus, &w->lab->vbus, name, "vbus", err))
		return -1;
	return 0;
}

int wired_init(struct wired *w, struct board *b, long baud, struct err *err)
{
	if (wired_take(w, b, baud, err))
		return -1;
	return wired_off(w, deadline_in(b->row->power_off_ms), err);
}

static void close_console(struct wired *w)
{
	serial_close(w->serial);
	w->serial = NULL;
	if (w->program)
		spawn_kill(w->program, 0, NULL);
	w->program = 0;
	if (w->program_fd >= 0)
		close(w->program_fd);
	w->program_fd = -1;
}

void wired_release(struct wired *w)
{
	close_console(w);
	power_close(w->vbus);
	power_close(w->power);
	w->vbus = w->power = NULL;
}

/* ---- console ---- */

static int console_fd(const struct wired *w)
{
	return w->serial ? serial_fd(w->serial) : w->program_fd;
}

static int port_error(const struct wired *w, int rc, long got, struct err *err)
{
	const char *at = w->lab->console.at;
	char path[256], name[32];
	pid_t holder;

	switch (rc) {
	case -ENODEV:
		return err_set(err, BLAME_BOARD, "console-gone",
			       "%s: no serial port is there; is the adapter plugged in?", at);
	case -ERANGE:
		return err_set(err, BLAME_RIG, "console",
			       "%s: its driver refuses %ld Bd and set %ld Bd", at, w->baud, got);
	case -EBUSY:
		holder = serial_locate(at, path, sizeof(path))
				 ? 0
				 : proc_holder(path, name, sizeof(name));
		if (holder)
			return err_set(err, BLAME_RIG, "console",
				       "%s: held by process %d (%s); end it, or `rig doctor` "
				       "tells how to keep it away",
				       at, (int)holder, name);
		return err_set(err, BLAME_RIG, "console", "%s: held by another process", at);
	default:
		return err_sys(err, BLAME_RIG, "console", rc, "%s: cannot open", at);
	}
}

static int open_port(struct wired *w, struct err *err)
{
	long got = 0;
	int rc = serial_open(&w->serial, w->lab->console.at, w->baud, &got);

	return rc ? port_error(w, rc, got, err) : 0;
}

static int open_program(struct wired *w, struct err *err)
{
	const struct lab_console *con = &w->lab->console;
	const char *argv[PROGRAM_ARGS_MAX] = { con->program };
	struct spawn s = SPAWN_INIT;
	int pair[2];

	for (size_t i = 0; i < con->args.n && i + 2 < PROGRAM_ARGS_MAX; i++)
		argv[i + 1] = con->args.items[i].s;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, BLAME_RIG, "console", errno, "socketpair");
	s.argv = argv;
	s.in = s.out = pair[1];
	w->program = spawn_start(&s);
	close(pair[1]);
	w->program_fd = pair[0];
	if (w->program > 0)
		return fcntl(pair[0], F_SETFL, O_NONBLOCK);
	err_sys(err, BLAME_RIG, "console", (int)w->program, "cannot run %s", con->program);
	w->program = 0;
	return -1;
}

int wired_console(struct wired *w, int *fd, struct err *err)
{
	close_console(w);
	if (w->lab->console.at ? open_port(w, err) : open_program(w, err))
		return -1;
	if (!fd)
		return 0;
	*fd = fcntl(console_fd(w), F_DUPFD_CLOEXEC, 0);
	return *fd < 0 ? err_sys(err, BLAME_RIG, "console", errno, "dup") : 0;
}

/* A wait that ended without a byte: is anybody there? */
static bool is_gone(const struct wired *w)
{
	int status;

	if (w->serial)
		return serial_check(w->serial) < 0;
	return !w->program || spawn_wait(w->program, &status, deadline_in(0)) == 0;
}

ssize_t wired_read(struct wired *w, void *buf, size_t size, struct deadline d)
{
	int rc = deadline_poll(console_fd(w), POLLIN, d);
	ssize_t n;

	if (rc <= 0)
		return rc;
	n = read(console_fd(w), buf, size);
	if (n > 0) {
		board_heard(w->board, buf, (size_t)n);
		return n;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return -ENODEV;
}

int wired_write(struct wired *w, const void *data, size_t size, struct deadline d)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(console_fd(w), at, size);
		int rc;

		if (n > 0) {
			at += n;
			size -= (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -ENODEV;
		rc = deadline_poll(console_fd(w), POLLOUT, d);
		if (rc <= 0)
			return rc ? rc : -ETIMEDOUT;
	}
	return 0;
}

int wired_check(struct wired *w, struct err *err)
{
	if (console_fd(w) < 0 || !is_gone(w))
		return 0;
	/* reaped, or of no use any more */
	w->program = 0;
	return err_set(err, BLAME_BOARD, "console-gone",
		       w->serial ? "%s: the serial port has left" : "%s: the program has ended",
		       lab_console_text(&w->lab->console));
}

/* ---- its USB plug ---- */

enum blame wired_usb_blame(int rc)
{
	switch (rc) {
	case -EINTR:
		return BLAME_USER;
	case -EACCES:
	case -EBUSY:
	case -EEXIST:
	case -ENOMEM:
		return BLAME_RIG;
	default:
		return BLAME_BOARD;
	}
}

/* ---- supplies ---- */

static int supplies_on(struct wired *w, struct deadline d, struct err *err)
{
	return power_set(w->power, true, d, err) || power_set(w->vbus, true, d, err) ? -1 : 0;
}

/* Both are tried, whatever becomes of the first. */
static int supplies_off(struct power *power, struct power *vbus, struct deadline d, struct err *err)
{
	struct err second = ERR_INIT;
	int rc = power_set(vbus, false, d, err);

	if (!power_set(power, false, d, rc ? &second : err))
		return rc;
	return -1;
}

int wired_on(struct wired *w, struct deadline d, struct err *err)
{
	if (lab_state_write(w->board->state_path, w->board->lab, err))
		return -1;
	return supplies_on(w, d, err);
}

int wired_off(struct wired *w, struct deadline d, struct err *err)
{
	if (supplies_off(w->power, w->vbus, d, err))
		return -1;
	unlink(w->board->state_path);
	return 0;
}

int wired_power_cycle(struct wired *w, struct deadline d, struct err *err)
{
	return supplies_off(w->power, w->vbus, d, err) ? -1 : supplies_on(w, d, err);
}

int wired_vbus_cycle(struct wired *w, struct deadline d, struct err *err)
{
	return power_set(w->vbus, false, d, err) || power_set(w->vbus, true, d, err) ? -1 : 0;
}

int wired_make_safe(const char *state_path, const struct lab_keys *more, struct deadline d,
		    struct err *err)
{
	struct lab_state s;
	struct power *power = NULL, *vbus = NULL;
	const struct lab_wired *lab;
	int rc = -1;

	if (lab_state_read(&s, state_path, &lab_wired_keys, more, err))
		return -1;
	if (!s.conf)
		return 0;
	lab = s.board.own;
	if (power_open(&power, &lab->power, s.board.name, "power", err) ||
	    power_open(&vbus, &lab->vbus, s.board.name, "vbus", err))
		goto out;
	rc = supplies_off(power, vbus, d, err);
	if (!rc)
		unlink(state_path);
out:
	power_close(vbus);
	power_close(power);
	lab_state_release(&s);
	return rc;
}
