/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A visit that is going on, for the files that run it: visit.c, visit-steps.c. Layer: job. */
#ifndef RIG_JOB_VISIT_PRIV_H
#define RIG_JOB_VISIT_PRIV_H

#include <jansson.h>
#include <stdint.h>

#include "job/collect.h"

struct console;
struct dut;
struct err;
struct job;
struct plan_kernel;
struct visit;
struct visit_outcome;

struct run {
	struct job *job;
	const struct visit *visit;
	const struct plan_kernel *kernel;
	struct visit_outcome *outcome;
	char *dir;
	struct console *console;
	struct dut *dut;
	struct collect collect;
	uint64_t power_on_ms;
	unsigned int gaps; /* of the console before the kernel was started */
	uint64_t hello_ms;
	int64_t hello_uptime_ms;
};

/* An event of the journal that says which visit it is of; takes fields, NULL = none. 0 or -1. */
int visit_event(struct run *r, const char *name, json_t *fields, struct err *err);

/*
 * The steps of the plan, on a DUT that has said hello. After a step that failed, or the last one
 * wanted, only those run that put the DUT back or tell what it went through. 0, or -1 with *err of
 * the first that failed, and its number in the outcome.
 */
int visit_run_steps(struct run *r, struct err *err);

#endif
