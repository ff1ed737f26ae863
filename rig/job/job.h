/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One job: one plan on one board into one run directory. What its parts share. Layer: job.
 *
 *	main.c     options, locks, opening and closing
 *	session.c  which kernel when, and what a failure means
 *	visit.c    one boot of one kernel, top to bottom
 *	dut.c      waiting for the DUT
 */
#ifndef RIG_JOB_JOB_H
#define RIG_JOB_JOB_H

#include <stdbool.h>

#include "base/err.h"
#include "job/rundir.h"

struct attach;
struct board;
struct journal;
struct manifest;
struct plan;

struct job {
	const struct plan *plan;
	const struct manifest *manifests; /* one for each kernel of the plan */
	const char *initrd;
	struct board *board;
	struct attach *keeper; /* of the board's console; NULL = the job records it itself */
	struct rundir *dir;
	struct journal *journal;
	int control_fd;	     /* -1: nobody supervises */
	bool adoptable;	     /* goes on when its supervisor dies, and waits for another one */
	unsigned int visits; /* so far; the number of the last one */
};

/* One boot to be done. */
struct visit {
	size_t kernel;	       /* index into the plan's kernels; 0 is the baseline */
	unsigned int pair;     /* 1.. ; 0 = warm-up or control */
	unsigned int position; /* in the round */
	bool warmup;
	bool control;	    /* to see whose a fault is; counts for nothing */
	unsigned int steps; /* of a control: so many of the plan's; 0 = to the agent's hello only */
};

struct visit_outcome {
	unsigned int number;
	bool booted; /* the agent said hello, from the kernel that was meant */
	int step;    /* the plan's step that failed; -1 = none did */
	struct err err;
};

/*
 * Runs the visit and leaves the board off. 0, or -1 with outcome->err; the journal holds all
 * events of the visit but the fault, whose blame is the session's to decide.
 */
int visit_run(struct job *job, const struct visit *visit, struct visit_outcome *outcome);

/*
 * Runs all visits and writes the journal from session-start to session-end. 0, or -1 with err: the
 * fault that is in the journal.
 */
int session_run(struct job *job, struct err *err);

#endif
