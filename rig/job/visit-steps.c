// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps of a visit; see visit-priv.h. Layer: job. */
#include "job/visit-priv.h"
#include "base/deadline.h"
#include "base/err.h"
#include "board/board.h"
#include "job/dut.h"
#include "job/host-step.h"
#include "job/job.h"
#include "job/rundir.h"
#include "suite/plan.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of steps that differ for the job; all others are workloads or settings. */
static const struct {
	const char *kind;
	bool always;	    /* runs even after a step that failed */
	unsigned int where; /* do its files describe the step, the visit? */
} special_kinds[] = {
	{ "untune", true, COLLECT_STEP },
	{ "dmesg", true, COLLECT_VISIT },
	{ "fingerprint", false, COLLECT_STEP | COLLECT_VISIT },
};

static bool is_after_untune(const struct plan *plan, size_t i)
{
	while (i-- > 0)
		if (!strcmp(plan->steps[i].kind, "untune"))
			return true;
	return false;
}

/*
 * What the job has to know of step i. A fingerprint taken after untune tells whether the DUT is
 * back as it was: whatever failed before, and beside the visit's own.
 */
static void look_up(const struct plan *plan, size_t i, bool *always, unsigned int *where)
{
	const char *kind = plan->steps[i].kind;

	*always = false;
	*where = COLLECT_STEP;
	for (size_t k = 0; k < sizeof(special_kinds) / sizeof(special_kinds[0]); k++) {
		if (strcmp(special_kinds[k].kind, kind) != 0)
			continue;
		*always = special_kinds[k].always;
		*where = special_kinds[k].where;
	}
	if (!strcmp(kind, "fingerprint") && is_after_untune(plan, i)) {
		*always = true;
		*where = COLLECT_STEP;
	}
}

static json_t *step_fields(const struct plan_step *s, size_t i)
{
	return json_pack("{s:i, s:s, s:s?}", "step", (int)i, "kind", s->kind, "workload",
			 s->workload);
}

static int step_started(struct run *r, const struct plan_step *s, size_t i, const char *dir,
			struct err *err)
{
	json_t *fields = step_fields(s, i);

	json_object_set_new(fields, "dir", json_string(dir));
	return visit_event(r, "step-start", fields, err);
}

static int step_ended(struct run *r, const struct plan_step *s, size_t i,
		      const struct dut_result *res, struct err *err)
{
	json_t *fields = step_fields(s, i);
	json_t *more = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:s}", "status",
				 dut_status_name(res->status), "exit", (json_int_t)res->exit,
				 "signal", (json_int_t)res->signal, "duration_ns",
				 (json_int_t)res->duration_ns, "agent_cpu_ns",
				 (json_int_t)res->agent_cpu_ns, "agent_wakeups",
				 (json_int_t)res->agent_wakeups, "message", res->message);

	/* text of the DUT that is not UTF-8 */
	if (!more)
		more = json_pack("{s:s}", "status", dut_status_name(res->status));
	json_object_update(fields, more);
	json_decref(more);
	return visit_event(r, "step-end", fields, err);
}

/*
 * A workload that the board has no device or driver for: the visit goes on, and the gate leaves it
 * out if no boot could run it.
 */
static bool left_out(const struct plan_step *s, const struct dut_result *res)
{
	return s->workload && res->status == DUT_UNSUPPORTED;
}

static int judge_step(struct run *r, const struct plan_step *s, const struct dut_result *res,
		      struct err *err)
{
	const char *code = res->status == DUT_TIMEOUT ? "step-timeout" : "step-failed";

	if (r->collect.failed) {
		*err = r->collect.err;
		return -1;
	}
	if (res->status == DUT_OK || left_out(s, res))
		return 0;
	return err_set(err, BLAME_TEST, code, "%s: %s %s: %s%s%s", board_name(r->job->board),
		       s->kind, s->workload ? s->workload : "step", dut_status_name(res->status),
		       res->message[0] ? ": " : "", res->message);
}

/*
 * The agent keeps the step's own limit; ours is for an agent that cannot. The time of a virtual
 * board may pass more slowly than ours, so all of it is scaled.
 */
static struct deadline step_limit(const struct run *r, const struct plan_step *s)
{
	struct board *b = r->job->board;
	unsigned int ms = (unsigned int)s->timeout_ms + board_type(b)->step_grace_ms;

	return deadline_in(board_limit_ms(b, ms));
}

/* By the agent, or by ourselves. */
static int carry_out(struct run *r, const struct plan_step *s, struct dut_result *res,
		     struct err *err)
{
	struct dut_step spec = {
		.kind = s->kind,
		.target = s->target,
		.args = (const char *const *)s->args,
		.n_args = s->n_args,
		.observe = (const char *const *)s->observe,
		.n_observe = s->n_observe,
		.timeout_ms = s->timeout_ms,
	};
	struct host_visit here = {
		.board = r->job->board,
		.dir = r->job->dir,
		.visit_dir = r->dir,
		.power_on_ms = r->power_on_ms,
		.hello_ms = r->hello_ms,
		.hello_uptime_ms = r->hello_uptime_ms,
		.hooks = &collect_hooks,
		.ctx = &r->collect,
	};

	if (host_step_is(s))
		return host_step_run(&here, s, deadline_in((unsigned int)s->timeout_ms), res, err);
	return dut_run(r->dut, &spec, res, step_limit(r, s), err);
}

/* 0; 1 when the step failed and the DUT goes on; -1 when there is no going on. */
static int run_step(struct run *r, size_t i, struct err *err)
{
	const struct plan_step *s = &r->job->plan->steps[i];
	const char *name = s->workload ? s->workload : s->kind;
	struct dut_result res = { 0 };
	bool always;
	unsigned int where;
	char *dir;
	int rc = -1;

	look_up(r->job->plan, i, &always, &where);
	dir = rundir_step(r->job->dir, r->dir, (unsigned int)i, name, err);
	if (!dir)
		return -1;
	if (dut_pause(r->dut, (unsigned int)s->pause_ms, err) == 0 &&
	    step_started(r, s, i, dir, err) == 0) {
		collect_begin(&r->collect, dir, where);
		rc = carry_out(r, s, &res, err);
		collect_end(&r->collect);
		if (rc)
			err_prefix(err, "%s: %s", board_name(r->job->board), name);
		else
			rc = step_ended(r, s, i, &res, err);
		if (!rc && judge_step(r, s, &res, err))
			rc = r->collect.failed ? -1 : 1;
	}
	free(dir);
	return rc;
}

int visit_run_steps(struct run *r, struct err *err)
{
	const struct plan *plan = r->job->plan;
	size_t wanted = r->visit->control ? r->visit->steps : plan->n_steps;
	struct err later = ERR_INIT;
	bool failed = false;

	for (size_t i = 0; i < plan->n_steps; i++) {
		bool always;
		unsigned int where;
		int rc;

		look_up(plan, i, &always, &where);
		if ((failed || i >= wanted) && !always)
			continue;
		rc = run_step(r, i, failed ? &later : err);
		if (rc && !failed)
			r->outcome->step = (int)i;
		if (rc < 0)
			return -1;
		failed = failed || rc;
	}
	return failed ? -1 : 0;
}
