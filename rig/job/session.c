// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A session: warm-up, then rounds of visits in mirrored order until the plan or the supervisor
 * says that it is enough, and what it means when a visit fails. Layer: job.
 */
#include "base/deadline.h"
#include "base/log.h"
#include "base/signals.h"
#include "board/board.h"
#include "job/job.h"
#include "job/journal.h"
#include "suite/plan.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int cancelled(struct err *err)
{
	return err_set(err, BLAME_USER, "cancelled", "cancelled");
}

/* Without a supervisor somebody ran us by hand, and wants to see something. */
static void show(const struct job *job, const struct visit *v, const struct visit_outcome *o,
		 uint64_t begin_ms, int rc)
{
	char what[32];

	if (job->control_fd >= 0)
		return;
	snprintf(what, sizeof(what), "pair %u", v->pair);
	log_status(true, "visit %3u  %-20s  %-8s  %-6s  %5.1f s", o->number,
		   job->plan->kernels[v->kernel].label,
		   v->warmup	? "warm-up"
		   : v->control ? "control"
				: what,
		   rc ? "FAILED" : "ok", (double)(mono_ms() - begin_ms) / 1000);
}

static int run_visit(struct job *job, const struct visit *v, struct visit_outcome *o)
{
	uint64_t begin_ms = mono_ms();
	int rc;

	if (stop_requested()) {
		*o = (struct visit_outcome){ .booted = false, .step = -1 };
		return cancelled(&o->err);
	}
	rc = visit_run(job, v, o);
	show(job, v, o, begin_ms, rc);
	return rc;
}

/* Faults that are the kernel's if the baseline fares better: of a boot, of a step. */
static const char *const boot_codes[] = { "boot-timeout", "panic", "silent-reset", NULL };
static const char *const step_codes[] = { "wire-lost", "step-timeout", "silent-reset", NULL };

static bool has_code(const struct err *err, const char *const *codes)
{
	for (; *codes; codes++)
		if (!strcmp(err->code, *codes))
			return true;
	return false;
}

/* What kept a control visit from telling anything. */
static bool is_no_answer(const struct err *err)
{
	return err->blame == BLAME_USER || err->blame == BLAME_RIG;
}

/* Adds to what is known of a fault. */
static void add_evidence(struct err *err, const char *text)
{
	size_t n = strlen(err->message);

	snprintf(err->message + n, sizeof(err->message) - n, "; %s", text);
}

/* One more boot of the kernel that failed to. True when it fails to again. */
static bool boots_badly_again(struct job *job, const struct visit *failed, struct err *err)
{
	struct visit again = { .kernel = failed->kernel, .control = true };
	struct visit_outcome o;

	if (run_visit(job, &again, &o) == 0) {
		add_evidence(err, "it came up when it was booted again");
		return false;
	}
	if (has_code(&o.err, boot_codes))
		return true;
	if (is_no_answer(&o.err)) {
		*err = o.err;
		return false;
	}
	add_evidence(err, "booted again, it failed otherwise: ");
	add_evidence(err, o.err.message);
	return false;
}

/* True when the baseline boots on the same board now. */
static bool baseline_boots(struct job *job, struct err *err)
{
	struct visit control = { .kernel = 0, .control = true };
	struct visit_outcome o;

	if (run_visit(job, &control, &o) == 0)
		return true;
	if (is_no_answer(&o.err))
		*err = o.err;
	return false;
}

/*
 * A kernel that does not boot is to blame only if the baseline then boots on the same board; the
 * baseline itself has nothing to be compared with. A panic is a kernel's own word; a boot that just
 * does not come up is what a bad cable does as well, one time in ten: so the kernel fails again
 * before the baseline boots, and once more after it.
 */
static void judge_boot(struct job *job, const struct visit *failed, struct err *err)
{
	bool said_it = !strcmp(err->code, "panic");

	if (!has_code(err, boot_codes))
		return;
	err->blame = BLAME_BOARD;
	if (failed->kernel == 0 || (!said_it && !boots_badly_again(job, failed, err)) ||
	    !baseline_boots(job, err) || (!said_it && !boots_badly_again(job, failed, err)))
		return;
	err->blame = BLAME_KERNEL;
	if (!said_it)
		add_evidence(err, "so it did two times more, while the baseline came up");
}

/* Again, up to the same step. True when it fails there in such a way, too. */
static bool fails_again(struct job *job, const struct visit *failed, int step, struct err *err)
{
	struct visit again = { .kernel = failed->kernel,
			       .control = true,
			       .steps = (unsigned int)step + 1 };
	struct visit_outcome o;

	if (run_visit(job, &again, &o) == 0) {
		add_evidence(err, "it got through when it was booted again");
		return false;
	}
	if (is_no_answer(&o.err) || o.err.blame == BLAME_KERNEL) {
		*err = o.err;
		return false;
	}
	if (o.step == step && has_code(&o.err, step_codes))
		return true;
	add_evidence(err, "booted again, it failed otherwise: ");
	add_evidence(err, o.err.message);
	return false;
}

/*
 * A kernel that falls silent in a step, or starts again, and leaves no splat: so would a board with
 * a loose cable. It is the kernel when that comes again in the same step, and the baseline then
 * gets through it on the same board.
 */
static void judge_step(struct job *job, const struct visit *failed, int step, struct err *err)
{
	struct visit control = { .kernel = 0, .control = true, .steps = (unsigned int)step + 1 };
	struct visit_outcome o;

	if (failed->kernel == 0 || step < 0 || !has_code(err, step_codes) ||
	    !fails_again(job, failed, step, err))
		return;
	if (run_visit(job, &control, &o) == 0) {
		err->blame = BLAME_KERNEL;
		if (strcmp(err->code, "silent-reset") != 0)
			snprintf(err->code, sizeof(err->code), "hang");
		add_evidence(err, "so it did when booted again, while the baseline got through");
	} else if (is_no_answer(&o.err)) {
		*err = o.err;
	} else {
		add_evidence(err, "so it did when booted again, and the baseline failed as well");
	}
}

static json_t *fault_fields(const struct err *err)
{
	return json_pack("{s:s, s:s, s:s}", "blame", blame_name(err->blame), "code", err->code,
			 "message", err->message);
}

/* Writes the fault of a visit, after the control visits that it calls for. */
static void report(struct job *job, const struct visit *v, const struct visit_outcome *o,
		   struct err *err)
{
	json_t *fields;

	if (!o->booted)
		judge_boot(job, v, err);
	else
		judge_step(job, v, o->step, err);
	fields = fault_fields(err);
	json_object_set_new(fields, "visit", o->number ? json_integer(o->number) : json_null());
	json_object_set_new(fields, "kernel", json_integer((json_int_t)v->kernel));
	journal_event(job->journal, "fault", fields, NULL);
}

/* One visit, and its fault in the journal if it failed. */
static int visit(struct job *job, const struct visit *v, struct err *err)
{
	struct visit_outcome o;

	if (run_visit(job, v, &o) == 0)
		return 0;
	*err = o.err;
	report(job, v, &o, err);
	return -1;
}

static int warm_up(struct job *job, struct err *err)
{
	struct visit v = { .kernel = 0, .warmup = true };
	int rc = 0;

	for (long i = 0; !rc && i < job->plan->warmup; i++)
		rc = visit(job, &v, err);
	return rc;
}

static int round_of_visits(struct job *job, unsigned int pair, struct err *err)
{
	int rc = 0;

	for (size_t position = 0; !rc && position < job->plan->n_kernels; position++) {
		struct visit v = {
			.kernel = plan_visit(job->plan, pair, position),
			.pair = pair,
			.position = (unsigned int)position,
		};

		rc = visit(job, &v, err);
	}
	return rc;
}

static unsigned int most_rounds(const struct job *job)
{
	const struct plan_pairs *p = &job->plan->pairs;

	if (p->fixed > 0)
		return (unsigned int)p->fixed;
	return (unsigned int)(job->control_fd >= 0 ? p->max : p->min);
}

/* 1 = another round, 0 = enough, -1 with err, which is in the journal then. */
static int wants_more(struct job *job, unsigned int pair, struct err *err)
{
	int more = 1;

	if (job->control_fd >= 0) {
		more = journal_ask(job->journal, pair, err);
		if (more < 0)
			journal_event(job->journal, "fault", fault_fields(err), NULL);
	}
	return job->plan->pairs.fixed > 0 && more == 0 ? 1 : more;
}

/* All rounds; *result is how the session ends if nothing fails. */
static int rounds(struct job *job, const char **result, struct err *err)
{
	unsigned int most = most_rounds(job);

	*result = "complete";
	for (unsigned int pair = 1; pair <= most; pair++) {
		int more;

		if (round_of_visits(job, pair, err))
			return -1;
		more = wants_more(job, pair, err);
		if (more < 0)
			return -1;
		if (!more && pair < most) {
			*result = "enough";
			break;
		}
	}
	return 0;
}

static const char *failed_result(const struct err *err)
{
	if (err->blame == BLAME_KERNEL)
		return "kernel-fault";
	if (!strcmp(err->code, "cancelled") || !strcmp(err->code, "supervisor-gone"))
		return "cancelled";
	return "fault";
}

int session_run(struct job *job, struct err *err)
{
	const char *result = "complete";
	int rc;

	rc = journal_event(job->journal, "session-start", NULL, err);
	if (rc)
		journal_event(job->journal, "fault", fault_fields(err), NULL);
	if (!rc)
		rc = warm_up(job, err);
	if (!rc)
		rc = rounds(job, &result, err);
	if (rc)
		result = failed_result(err);
	journal_event(job->journal, "session-end", json_pack("{s:s}", "result", result),
		      rc ? NULL : err);
	return rc;
}
