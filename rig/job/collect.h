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

struct job;

struct collect {
	struct job *job;
	unsigned int visit;
	const char *visit_dir;
	const char *step_dir; /* of the running step; NULL between steps */
	bool to_visit;	      /* the running step's files belong to the visit as a whole */
	struct buf metrics;
	struct buf notes;
	bool failed; /* something could not be kept: err says what */
	struct err err;
};

extern const struct dut_hooks collect_hooks;

/* Around each step. collect_end() writes metrics.jsonl and notes, if there are any. */
void collect_begin(struct collect *c, const char *step_dir, bool to_visit);
void collect_end(struct collect *c);

#endif
