/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of a plan that are carried out on this host and not by the agent ("where": "host"): what is
 * to be seen from outside only. Their results go the way of the agent's: files, metrics, notes,
 * the end. Layer: job.
 *
 * The console is not read meanwhile; what comes on it waits in its buffers.
 *
 *	boottime  NAME=TEXT...	from power-on until TEXT first came on the console
 *		NAME.time_ns	by this host's clock
 *		NAME.uptime_ns	by the kernel's, which stamps its lines
 *		ready.time_ns ready.uptime_ns	until the agent's hello; always there
 *	http      path= count= address=	a page of the DUT, over a new connection each time; FILE
 *		stdout: "ns status bytes" a line
 *		first_ns mean_ns max_ns
 *		page_bytes
 */
#ifndef RIG_JOB_HOST_STEP_H
#define RIG_JOB_HOST_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/deadline.h"
#include "job/dut.h"

struct board;
struct err;
struct plan_step;
struct rundir;

/* The visit, as such a step sees it. */
struct host_visit {
	struct board *board;
	const struct rundir *dir;
	const char *visit_dir;
	uint64_t power_on_ms;
	uint64_t hello_ms;	 /* mono_ms() */
	int64_t hello_uptime_ms; /* -1 = the agent did not say */
	const struct dut_hooks *hooks;
	void *ctx; /* for the hooks */
};

bool host_step_is(const struct plan_step *step);

/* As dut_run(): 0 whenever it ended, however; -1 with err when the visit cannot go on. */
int host_step_run(const struct host_visit *v, const struct plan_step *step, struct deadline limit,
		  struct dut_result *result, struct err *err);

#endif
