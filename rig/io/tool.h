/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that drive a board for the rig: adb, qdl, xFSTK, a lab's own power script. Each runs in
 * a directory of its own (HOME and TMPDIR lie in it), within a deadline, as a process group that
 * is killed as one, with everything that it printed kept. Layer: io -> base.
 *
 * An exit code of 0 is not trusted where a tool is known to lie: see tool_adb_shell().
 */
#ifndef RIG_IO_TOOL_H
#define RIG_IO_TOOL_H

#include <stddef.h>

#include "base/deadline.h"

struct buf;

struct tool {
	const char *dir;	/* private; made if need be. Stays as long as the caller wants */
	const char *const *env; /* "NAME=value"; NULL-terminated, NULL = none more */
	unsigned int adb_port;	/* of the private adb server; 0 = no adb */
	const char *adb_device; /* "usb:1-1.2", what `adb -s` takes; NULL = the only one */
	unsigned int term_ms;	/* from SIGTERM to SIGKILL at the deadline; 0 = 500 */
};

/*
 * Runs argv (searched in PATH) to its end. out (may be NULL) gets stdout and stderr as they came,
 * 16 MiB at most. Returns the exit code, 128 + signal, or -errno: -ENOENT no such program,
 * -ETIMEDOUT at the deadline (the whole group is killed), -EINTR a stop was asked for.
 */
int tool_run(const struct tool *t, const char *const *argv, struct buf *out, struct deadline d);

/* The last line of the output that says something, at most size - 1 bytes; for error messages. */
void tool_last_words(const struct buf *out, char *line, size_t size);

/* `adb ARG...` on the tool's device and server; argv without "adb" and its options. */
int tool_adb(const struct tool *t, const char *const *argv, struct buf *out, struct deadline d);

/*
 * A command line in the device's shell; out gets what it printed. Returns its real exit code:
 * without the device's shell_v2 feature adb's own is always 0, so it is printed behind the output
 * and taken off again. -EPROTO when it is not there: the connection broke.
 */
int tool_adb_shell(const struct tool *t, const char *command, struct buf *out, struct deadline d);

/* Ends the private adb server, which outlives its clients. 0 or -errno. */
int tool_adb_stop(const struct tool *t, struct deadline d);

#endif
