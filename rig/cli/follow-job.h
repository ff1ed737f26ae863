/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following a queued job from here: its progress on the screen, its verdict as exit code. A daemon
 * that is started anew meanwhile is waited for; Ctrl-C cancels the job and waits for its end, or
 * only leaves one that somebody else asked for.
 * Layer: cli.
 */
#ifndef RIG_CLI_FOLLOW_JOB_H
#define RIG_CLI_FOLLOW_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct launch;
struct plan;

struct follow_job {
	int64_t id;
	bool shared;		 /* it was there before us */
	const struct plan *plan; /* for the names of kernels in what is shown */
	const struct launch *l;	 /* for the reports that are wanted; NULL = none */
};

/* The exit code, or -1 with *err. */
int follow_job(const struct follow_job *job, struct err *err);

#endif
