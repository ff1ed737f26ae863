/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the DUT sends during a visit, put into the run directory as it comes: the hooks of dut.h.
 * Layer: job.
 */
#ifndef RIG_JOB_COLLECT_H
#define RIG_JOB_COLLECT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "job/dut.h"
#include "scan/signature.h"

struct job;

/* Of one and the same finding in a visit, so many are told: a warning can come with every I/O. */
#define COLLECT_SAME_MAX 20
#define COLLECT_SEEN_MAX 256 /* findings of that many sorts are counted; others are all told */

/* Where files go: to the step that brought them, or to the visit, which they describe as a whole.
 */
enum collect_where { COLLECT_STEP = 1, COLLECT_VISIT = 2 };

struct collect_seen {
	char signature[SIGNATURE_ID_SIZE];
	unsigned int n;
};

struct collect {
	struct job *job;
	unsigned int visit;
	const char *visit_dir;
	const char *step_dir; /* of the running step; NULL between steps */
	unsigned int where;   /* the running step's files go: enum collect_where, or-ed */
	struct collect_seen seen[COLLECT_SEEN_MAX];
	unsigned int n_seen;
	struct buf metrics;
	struct buf notes;
	bool failed; /* something could not be kept: err says what */
	struct err err;
};

extern const struct dut_hooks collect_hooks;

/* Around each step. collect_end() writes metrics.jsonl and notes, if there are any. */
void collect_begin(struct collect *c, const char *step_dir, unsigned int where);
void collect_end(struct collect *c);

#endif
