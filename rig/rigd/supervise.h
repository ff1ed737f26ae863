/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Supervision of one job: starts rig-job, imports each visit as it ends, asks the gate whether
 * another pair is needed and tells the job, and leaves the board safe and the run directory
 * importable whatever happens to the job. `rig run` uses it when there is no daemon.
 * Layer: rigd -> base, results (runs rig-job as a program).
 */
#ifndef RIG_RIGD_SUPERVISE_H
#define RIG_RIGD_SUPERVISE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

struct store;

struct supervise {
	const char *plan_path; /* the plan for rig-job */
	const char *run_dir;   /* to be created by the job */
	const char *session;   /* last component of run_dir */
	const char *lab_path;  /* NULL = the default lab file */
	struct store *store;
	/* Each event of the journal as it happens; judged = pairs that the gate has seen. */
	void (*event)(void *ctx, const json_t *event);
	void *ctx;
};

struct supervise_result {
	bool cancelled; /* a stop was asked for while it ran */
	bool job_lost;	/* the job died and was ended by us */
	bool imported;	/* the session is in the store as far as it got */
};

/*
 * Runs the session to its end. 0, or -1 with *err when the session could not be started, or when
 * what the run directory holds could not be stored (the message says where it is).
 */
int supervise_session(const struct supervise *s, struct supervise_result *result, struct err *err);

#endif
