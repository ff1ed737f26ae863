/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way to start a program. No shell, every descriptor but the named ones closed on exec,
 * default signal dispositions, its own process group (so that it can be killed as one), and a
 * kill by the kernel when the parent dies.
 */
#ifndef RIG_BASE_SPAWN_H
#define RIG_BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/deadline.h"

struct buf;

struct spawn {
	const char *const *argv; /* NULL-terminated; argv[0] is searched in PATH */
	const char *const *env;	 /* "NAME=value" added to the environment; NULL = none */
	const char *cwd;	 /* NULL = the parent's */
	int in, out, err; /* descriptors to become 0, 1, 2; -1 = /dev/null. Stay the caller's */
	int pass_fd;	  /* one more descriptor kept open under the same number; -1 = none */
	bool same_group;  /* stay in the parent's process group */
	unsigned int grace_ms; /* spawn_run(): from SIGTERM to SIGKILL at the deadline; 0 = 500 */
	bool outlive_parent;   /* do not die with the parent */
	/* limits of the program and of all that it starts */
	unsigned long memory_mb; /* address space of each process; 0 = the parent's */
	int nice;		 /* added to the parent's */
};

#define SPAWN_INIT                                                                                 \
	{                                                                                          \
		.in = -1, .out = -1, .err = -1, .pass_fd = -1                                      \
	}

/* The pid, or -errno (a program that cannot be executed is reported here, not by exit code). */
pid_t spawn_start(const struct spawn *s);

/*
 * Waits for the process. Returns 0 and fills *status (as of waitpid(2)), -ETIMEDOUT at the
 * deadline (the process still runs), -EINTR when a stop was asked for, -errno.
 */
int spawn_wait(pid_t pid, int *status, struct deadline d);

/* SIGTERM to the group, then SIGKILL after grace_ms; reaps the leader. *status may be NULL. */
void spawn_kill(pid_t pid, unsigned int grace_ms, int *status);

/*
 * Runs to the end and collects stdout (max 16 MiB, may be NULL); at the deadline the group is
 * killed. Returns the exit code (0..255), 128 + signal, or -errno (-ETIMEDOUT).
 */
int spawn_run(const struct spawn *s, struct buf *out, struct deadline d);

/* "exit code 3" or "signal 9 (Killed)" of a wait status; returns buf. */
char *spawn_status_text(int status, char *buf, unsigned int size);

#endif
