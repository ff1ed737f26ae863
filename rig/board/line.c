// SPDX-License-Identifier: GPL-2.0-or-later
/* The console of a real board; see line.h. Layer: board, inside. */
#include "board/line.h"
#include "base/err.h"
#include "base/spawn.h"
#include "board/proc.h"
#include "io/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROGRAM_ARGS_MAX 32

void line_close(struct line *l)
{
	serial_close(l->serial);
	l->serial = NULL;
	if (l->program)
		spawn_kill(l->program, 0, NULL);
	l->program = 0;
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

static int held(const struct line *l, struct err *err)
{
	const char *at = l->lab->at;
	char path[PATH_MAX], name[32];
	pid_t holder =
		serial_locate(at, path, sizeof(path)) ? 0 : proc_holder(path, name, sizeof(name));

	if (!holder)
		return err_set(err, BLAME_RIG, "console", "%s: held by another process", at);
	return err_set(err, BLAME_RIG, "console",
		       "%s: held by process %d (%s); end it, or `rig doctor` tells how to keep it "
		       "away",
		       at, (int)holder, name);
}

static void explain(const struct line *l, int rc, long got, struct err *err)
{
	const char *at = l->lab->at;

	if (rc == -ENODEV)
		err_set(err, BLAME_BOARD, "console-gone",
			"%s: no serial port is there; is the adapter plugged in?", at);
	else if (rc == -ERANGE)
		err_set(err, BLAME_RIG, "console", "%s: its driver refuses %ld Bd and set %ld Bd",
			at, l->baud, got);
	else if (rc == -EBUSY)
		held(l, err);
	else
		err_sys(err, BLAME_RIG, "console", rc, "%s: cannot open", at);
}

static int open_port(struct line *l, struct err *err)
{
	long got = 0;
	int rc = serial_open(&l->serial, l->lab->at, l->baud, &got);

	if (rc)
		explain(l, rc, got, err);
	return rc;
}

static int open_program(struct line *l, struct err *err)
{
	const struct lab_console *con = l->lab;
	const char *argv[PROGRAM_ARGS_MAX] = { con->program };
	struct spawn s = SPAWN_INIT;
	int pair[2];

	for (size_t i = 0; i < con->args.n && i + 2 < PROGRAM_ARGS_MAX; i++)
		argv[i + 1] = con->args.items[i].s;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		int rc = -errno;

		err_sys(err, BLAME_RIG, "console", rc, "socketpair");
		return rc;
	}
	s.argv = argv;
	s.in = s.out = pair[1];
	l->program = spawn_start(&s);
	close(pair[1]);
	l->fd = pair[0];
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	if (l->program < 0) {
		int rc = (int)l->program;

		err_sys(err, BLAME_RIG, "console", rc, "cannot run %s", con->program);
		l->program = 0;
		line_close(l);
		return rc;
	}
	return 0;
}

int line_open(struct line *l, struct err *err)
{
	line_close(l);
	return l->lab->at ? open_port(l, err) : open_program(l, err);
}

int line_fd(const struct line *l)
{
	return l->serial ? serial_fd(l->serial) : l->fd;
}

bool line_is_gone(const struct line *l)
{
	int status;

	if (l->serial)
		return serial_check(l->serial) < 0;
	return !l->program || spawn_wait(l->program, &status, deadline_in(0)) == 0;
}
