/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run directory: the contract between the job that writes it and the results that are imported
 * from it. All knowledge of its layout is here. Layer: job.
 *
 *	session.json		who, what, where: written once, before anything else
 *	lock			flock()ed by the living job, holds its pid
 *	events.jsonl		the journal, see journal.h
 *	visits/NNN-<label>/	one boot: console.log, console.idx, dmesg, fingerprint.json
 *	  steps/NN-<workload>/	command, stdout, stderr, fio.json, metrics.jsonl, notes
 *
 * Files appear whole: they are written and synced before they get their name. console.log,
 * console.idx and events.jsonl grow.
 */
#ifndef RIG_JOB_RUNDIR_H
#define RIG_JOB_RUNDIR_H

#include <stddef.h>

#include "base/runfiles.h"

struct err;
struct plan;
struct manifest;
struct lab_board;

/* What session.json says beyond who and when. */
struct session_info {
	const struct plan *plan;
	const struct manifest *manifests; /* one for each kernel of the plan, see manifest.h */
	const struct lab_board *board;
};

struct rundir {
	char *path;
	char *session; /* the last component of path */
	int lock_fd;
};

/*
 * Creates the directory if it is missing, takes its lock and writes session.json. Refuses a
 * directory that has a session.json already: a run is never written over. Errors: USER for a used
 * directory or one that cannot be written, RIG for the rest.
 */
int rundir_create(struct rundir *r, const char *path, const struct session_info *info,
		  struct err *err);
void rundir_release(struct rundir *r);

/*
 * "visits/NNN-label" (or, for steps, "<visit>/steps/NN-name"), created below the run directory.
 * The caller frees the relative path; NULL with err filled (RIG) when it cannot be created.
 * Characters that do not belong into a file name become '_'.
 */
char *rundir_visit(struct rundir *r, unsigned int visit, const char *label, struct err *err);
char *rundir_step(struct rundir *r, const char *visit_dir, unsigned int step, const char *name,
		  struct err *err);

/* Absolute path of a file in a directory given by the two above; the caller frees it. */
char *rundir_file(const struct rundir *r, const char *dir, const char *name);

/* Writes one whole file. name may come from the DUT: a '/' or a leading '.' in it is refused. */
int rundir_put(const struct rundir *r, const char *dir, const char *name, const void *data,
	       size_t size, struct err *err);

#endif
