/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Naming a process for good: a pid alone may be used again, a pid with its start time and the
 * host's boot id is unique. So a process noted in a file can be killed by somebody else, later,
 * without the risk of killing a stranger. Layer: board, inside.
 */
#ifndef RIG_BOARD_PROC_H
#define RIG_BOARD_PROC_H

#include <stddef.h>
#include <sys/types.h>

#include "base/deadline.h"

/* Writes "pid start boot_id\n" of a living process to path. 0 or -errno. */
int proc_note(pid_t pid, const char *path);

/*
 * Kills (SIGKILL) the process noted in path, waits until it is gone and removes the note. 0, also
 * when there is no note or no such process any more; -ETIMEDOUT when it does not go away, -errno.
 */
int proc_kill_noted(const char *path, struct deadline d);

/*
 * Who has that file open, other than this process: the first one's pid, with its name; 0 = nobody
 * that we may look at.
 */
pid_t proc_holder(const char *path, char *name, size_t size);

#endif
