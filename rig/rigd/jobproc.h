/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rig-job as a process: started or found, ended, and asked to make a board safe. supervise.c knows
 * what that means for a session. Layer: rigd -> base.
 */
#ifndef RIG_RIGD_JOBPROC_H
#define RIG_RIGD_JOBPROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct loop;

struct jobproc {
	pid_t pid;  /* and of its process group; 0 = none, or gone */
	int fd;	    /* our end of the control channel, -1 = closed */
	int pidfd;  /* readable when it has ended */
	bool child; /* else adopted: its exit status is nobody's business any more */
};

#define JOBPROC_INIT                                                                               \
	{                                                                                          \
		.pid = 0, .fd = -1, .pidfd = -1                                                    \
	}

struct jobproc_start {
	const char *plan_path, *run_dir;
	const char *lab_path;	 /* NULL = the default lab file */
	const char *log_path;	 /* appended to; NULL = where we print */
	bool listen;		 /* to be adopted when we die */
	unsigned long memory_mb; /* as in spawn.h */
	int nice;
};

/* 0, or -1 with *err (RIG). The job does not die with us: it sees its channel close. */
int jobproc_start(struct jobproc *p, const struct jobproc_start *start, struct err *err);

/* The living job that holds the lock of the run directory. 0, or -1 with *err (RIG). */
int jobproc_adopt(struct jobproc *p, const char *run_dir, struct err *err);

/* After pidfd became readable: kills what is left of the group. The wait status; -1 = unknown. */
int jobproc_reap(struct jobproc *p);

void jobproc_terminate(struct jobproc *p); /* SIGTERM: it ends by its normal way out */
void jobproc_kill(struct jobproc *p);	   /* SIGKILL, the whole group */

/* Closes the descriptors; the process is left as it is. */
void jobproc_release(struct jobproc *p);

/* The last line of what a job printed; buf is returned. */
const char *jobproc_last_words(const char *log_path, char *buf, size_t size);

struct jobproc_safe {
	const char *board;     /* NULL = that of the plan */
	const char *plan_path; /* may be NULL with a board */
	const char *lab_path, *log_path;
	unsigned int timeout_ms;
	/* Once, from the loop: 0 = safe; else an exit code, 128 + signal, or 125: not started. */
	void (*done)(void *ctx, int code);
	void *ctx;
};

/* Runs `rig-job --safe`; done() is called in any case. Strings are used only during the call. */
void jobproc_make_safe(struct loop *loop, const struct jobproc_safe *safe);

/* Runs `rigd --tidy`; what it says goes to stderr. */
void jobproc_tidy(struct loop *loop, const char *lab_path);

#endif
