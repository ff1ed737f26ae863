// SPDX-License-Identifier: GPL-2.0-or-later
/* What all real boards do the same; see wired.h. Layer: board, inside. */
#include "board/wired.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/driver.h"
#include "board/lab-state.h"
#include "io/attach.h"

/* A port that has to be opened: FTDI chips take a moment. */
#define KEEPER_MS 10000

int wired_take(struct wired *w, struct board *b, long baud, struct err *err)
{
	const char *name = board_name(b);

	*w = (struct wired){ .board = b, .lab = b->lab->own, .line = LINE_INIT };
	w->line.lab = &w->lab->console;
	w->line.baud = w->lab->console.baud ? w->lab->console.baud : baud;
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

void wired_release(struct wired *w)
{
	line_close(&w->line);
	power_close(w->vbus);
	power_close(w->power);
	w->vbus = w->power = NULL;
}

/* ---- console ---- */

static int keeper_error(const struct wired *w, int rc, struct err *err)
{
	const char *why = attach_reason(w->board->keeper);

	if (!*why)
		return err_sys(err, BLAME_RIG, "keeper", rc, "the console keeper");
	if (rc == -ENODEV)
		return err_set(err, BLAME_BOARD, "console-gone", "%s", why);
	return err_set(err, BLAME_RIG, "console", "%s", why);
}

/* The keeper has the port; what it hands out is the same stream. */
static int open_kept(struct wired *w, struct err *err)
{
	int rc;

	line_close(&w->line);
	rc = attach_source(w->board->keeper, -1, &w->line.fd, deadline_in(KEEPER_MS));
	if (rc)
		return keeper_error(w, rc, err);
	return fcntl(w->line.fd, F_SETFL, O_NONBLOCK);
}

static int open_line(struct wired *w, struct err *err)
{
	if (w->board->keeper)
		return open_kept(w, err);
	return line_open(&w->line, err) ? -1 : 0;
}

int wired_console(struct wired *w, int *fd, struct err *err)
{
	if (open_line(w, err))
		return -1;
	if (!fd)
		return 0;
	*fd = fcntl(line_fd(&w->line), F_DUPFD_CLOEXEC, 0);
	return *fd < 0 ? err_sys(err, BLAME_RIG, "console", errno, "dup") : 0;
}

static bool is_gone(const struct wired *w)
{
	struct attach *keeper = w->board->keeper;

	if (!keeper)
		return line_is_gone(&w->line);
	return attach_hear(keeper) || attach_state(keeper)->away || attach_state(keeper)->over;
}

ssize_t wired_read(struct wired *w, void *buf, size_t size, struct deadline d)
{
	int rc = deadline_poll(line_fd(&w->line), POLLIN, d);
	ssize_t n;

	if (rc <= 0)
		return rc;
	n = read(line_fd(&w->line), buf, size);
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
		ssize_t n = write(line_fd(&w->line), at, size);
		int rc;

		if (n > 0) {
			at += n;
			size -= (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -ENODEV;
		rc = deadline_poll(line_fd(&w->line), POLLOUT, d);
		if (rc <= 0)
			return rc ? rc : -ETIMEDOUT;
	}
	return 0;
}

int wired_check(struct wired *w, struct err *err)
{
	if (line_fd(&w->line) < 0 || !is_gone(w))
		return 0;
	/* reaped, or of no use any more */
	w->line.program = 0;
	return err_set(err, BLAME_BOARD, "console-gone",
		       w->lab->console.at ? "%s: the serial port has left"
					  : "%s: the program has ended",
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
