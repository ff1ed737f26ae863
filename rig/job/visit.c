// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One visit: one boot of one kernel, in which every workload runs once. Power off, deploy, power
 * on, boot, steps, power off; to be read from visit_run() upwards. Layer: job.
 */
#include "agents/wire.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/log.h"
#include "base/path.h"
#include "base/path.h"
#include "base/signals.h"
#include "board/board.h"
#include "board/lab.h"
#include "io/attach.h"
#include "io/console.h"
#include "io/record.h"
#include "job/collect.h"
#include "job/dut.h"
#include "job/host-step.h"
#include "job/job.h"
#include "job/journal.h"
#include "job/shell.h"
#include "base/manifest.h"
#include "suite/plan.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limits of a board hold for a boot; a board that fell back to something slower gets one more.
 */
#define BOOT_ATTEMPTS 2

/* The keeper answers at once; but the host may be busy. */
#define KEEPER_MS 10000

/* An agent that lives says at once that it is about to reboot. */
#define LEAVE_MS 10000

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

/* A visit that is going on. */
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

/* All events of a visit say which one. */
static int event(struct run *r, const char *name, json_t *fields, struct err *err)
{
	if (!fields)
		fields = json_object();
	json_object_set_new(fields, "visit", json_integer(r->outcome->number));
	return journal_event(r->job->journal, name, fields, err);
}

/* --- boot --------------------------------------------------------------------------------- */

static void on_loader_output(void *ctx, const void *data, size_t size)
{
	struct run *r = ctx;

	console_add(r->console, data, size);
}

static void note(struct run *r, const char *text)
{
	event(r, "note", json_pack("{s:s}", "message", text), NULL);
}

static void on_note(void *ctx, const char *text)
{
	struct run *r = ctx;

	log_warn("%s: %s", board_name(r->job->board), text);
	note(r, text);
}

static const struct board_hooks board_hooks = { on_loader_output, on_note };

/* What the console's keeper tells beside the stream. */
static void on_keeper(void *ctx, char type, const char *text)
{
	static const char *const words[128] = {
		['g'] = "the console is gone: ",
		['b'] = "the console is back ",
		['e'] = "errors on the console's line: ",
		['E'] = "the keeper: ",
	};
	struct run *r = ctx;
	char line[400];

	if (!words[(unsigned char)type & 127])
		return;
	snprintf(line, sizeof(line), "%s%s", words[(unsigned char)type & 127], text);
	on_note(r, line);
}

static void drop_dut(struct run *r)
{
	board_listen(r->job->board, NULL, NULL);
	if (r->job->keeper)
		attach_listen(r->job->keeper, NULL, NULL);
	dut_free(r->dut);
	r->dut = NULL;
	console_free(r->console);
	r->console = NULL;
}

static int record_failed(int rc, const char *what, struct err *err)
{
	return err_sys(err, BLAME_RIG, rc == -ENOSPC ? "disk-full" : "record", rc,
		       "cannot record the console in %s", what);
}

/* The job's own record, where it has no keeper. */
static int record_here(struct run *r, struct err *err)
{
	char *log = rundir_file(r->job->dir, r->dir, RECORD_LOG);
	char *index = rundir_file(r->job->dir, r->dir, RECORD_INDEX);
	int rc = console_record(r->console, log, index);

	if (rc)
		record_failed(rc, log, err);
	free(index);
	free(log);
	return rc ? -1 : 0;
}

static int record_there(struct run *r, struct err *err)
{
	char *path = path_join(r->job->dir->path, r->dir);
	char *dir = realpath(path, NULL);
	int rc = attach_record(r->job->keeper, dir ? dir : path, deadline_in(KEEPER_MS));

	if (rc == -EPIPE)
		err_set(err, BLAME_RIG, "keeper-lost", "the keeper of the board's console is gone");
	else if (rc)
		record_failed(rc, path, err);
	attach_listen(r->job->keeper, on_keeper, r);
	free(dir);
	free(path);
	return rc ? -1 : 0;
}

static int open_console(struct run *r, struct err *err)
{
	struct attach *keeper = r->job->keeper;
	int fd;

	if ((keeper && record_there(r, err)) || board_console(r->job->board, &fd, err))
		return -1;
	r->console = keeper ? console_new_kept(fd, keeper) : console_new(fd);
	board_listen(r->job->board, &board_hooks, r);
	r->dut = dut_new(r->console, &wire_link_console,
			 r->job->adoptable ? -1 : r->job->control_fd, &collect_hooks, &r->collect);
	return keeper ? 0 : record_here(r, err);
}

static int deploy(struct run *r, struct err *err)
{
	const struct manifest *m = &r->job->manifests[r->visit->kernel];
	struct board_image image = {
		.kernel = m->image,
		.initrd = r->job->initrd,
		.cmdline = r->kernel->cmdline,
		.dtb = *m->dtb ? m->dtb : NULL,
	};

	return board_deploy(r->job->board, &image, err);
}

static unsigned int gaps(const struct run *r)
{
	struct attach *keeper = r->job->keeper;

	if (!keeper)
		return 0;
	attach_hear(keeper);
	return attach_state(keeper)->gaps;
}

static int power_on(struct run *r, struct err *err)
{
	r->gaps = gaps(r);
	r->power_on_ms = mono_ms();
	if (board_power_on(r->job->board, err))
		return -1;
	return event(r, "power-on", NULL, err);
}

static int check_release(const struct run *r, const struct dut_hello *hello, struct err *err)
{
	const char *wanted = r->job->manifests[r->visit->kernel].release;

	if (!strcmp(hello->release, wanted))
		return 0;
	return err_set(err, BLAME_BOARD, "wrong-kernel",
		       "the board booted kernel '%s' instead of '%s'", hello->release, wanted);
}

static int await_hello(struct run *r, struct deadline limit, struct err *err)
{
	struct dut_hello hello;
	uint64_t boot_ms;

	if (dut_wait_hello(r->dut, &hello, limit, err))
		return -1;
	r->hello_ms = mono_ms();
	r->hello_uptime_ms = hello.uptime_ms;
	boot_ms = r->hello_ms - r->power_on_ms;
	if (event(r, "agent-hello",
		  json_pack("{s:I, s:s, s:s}", "boot_ms", (json_int_t)boot_ms, "release",
			    hello.release, "agent", hello.version),
		  err))
		return -1;
	return check_release(r, &hello, err);
}

/* On a system of the board's own the agent is brought there first. */
static int start_agent(struct run *r, struct deadline limit, struct err *err)
{
	struct board *b = r->job->board;
	const struct lab_agent *how = &board_lab(b)->agent;
	char *name, *agent;
	int rc;

	if (how->start != LAB_AGENT_SHELL)
		return 0;
	name = xasprintf("rig-agent-%s", board_type(b)->arch);
	agent = path_program(name);
	rc = shell_start_agent(r->dut, b, how, agent, limit, err);
	free(agent);
	free(name);
	return rc;
}

/* One attempt. Returns 1 when the board gave no sign of life and has another way to try. */
static int boot_once(struct run *r, const char **dropped, struct err *err)
{
	struct board *b = r->job->board;
	struct deadline limit;
	int rc;

	if (open_console(r, err) || deploy(r, err))
		return -1;
	if (power_on(r, err))
		return board_fallback(b, dropped) ? 1 : -1;
	limit = deadline_in(board_limit_ms(b, board_boot_ms(b)));
	rc = dut_wait_output(
		r->dut,
		deadline_min(limit, deadline_in(board_limit_ms(b, board_type(b)->first_output_ms))),
		err);
	if (rc == 1 && board_fallback(b, dropped))
		return 1;
	if (rc >= 0)
		rc = start_agent(r, limit, err);
	if (!rc)
		rc = await_hello(r, limit, err);
	return rc ? err_prefix(err, "%s: boot", board_name(b)) : 0;
}

static int boot(struct run *r, struct err *err)
{
	for (int attempt = 0; attempt < BOOT_ATTEMPTS; attempt++) {
		const char *dropped = NULL;
		int rc = boot_once(r, &dropped, err);

		if (rc <= 0)
			return rc;
		on_note(r, dropped);
		if (board_power_off(r->job->board, err))
			return -1;
		drop_dut(r);
	}
	return err_set(err, BLAME_BOARD, "no-output", "%s: boot: no sign of life",
		       board_name(r->job->board));
}

/* --- steps -------------------------------------------------------------------------------- */

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
	return event(r, "step-start", fields, err);
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
	return event(r, "step-end", fields, err);
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

/*
 * After a step that failed, or the last one wanted, only those run that put the DUT back or tell
 * what it went through.
 */
static int run_steps(struct run *r, struct err *err)
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

/* --- the visit ---------------------------------------------------------------------------- */

static int begin(struct run *r, struct err *err)
{
	const struct visit *v = r->visit;

	r->dir = rundir_visit(r->job->dir, r->outcome->number, r->kernel->label, err);
	if (!r->dir)
		return -1;
	r->collect.visit_dir = r->dir;
	return event(r, "visit-start",
		     json_pack("{s:i, s:i, s:i, s:b, s:b, s:s}", "kernel", (int)v->kernel, "pair",
			       (int)v->pair, "position", (int)v->position, "warmup", v->warmup,
			       "control", v->control, "dir", r->dir),
		     err);
}

static json_t *wire_fields(const struct run *r)
{
	const struct wire_stats *s = r->dut ? dut_wire_stats(r->dut) : NULL;

	if (!s)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "frames_out", (json_int_t)s->frames_out,
			 "frames_in", (json_int_t)s->frames_in, "frames_again",
			 (json_int_t)s->data_frames_again, "frames_broken",
			 (json_int_t)s->frames_broken, "bytes_in", (json_int_t)s->bytes_in);
}

static json_t *console_fields(const struct run *r)
{
	const struct attach_state *s = r->job->keeper ? attach_state(r->job->keeper) : NULL;

	if (!s)
		return json_null();
	return json_pack("{s:i, s:I, s:i, s:i, s:i, s:i, s:i}", "gaps", (int)s->gaps, "away_ms",
			 (json_int_t)s->away_ms, "overrun", (int)s->errors.overrun, "buffer_full",
			 (int)s->errors.buffer_full, "frame", (int)s->errors.frame, "parity",
			 (int)s->errors.parity, "breaks", (int)s->errors.breaks);
}

/* Whatever the kernel said while the console was away is not in the record. */
static int check_gaps(const struct run *r, struct err *err)
{
	unsigned int n = gaps(r);

	if (n <= r->gaps || !r->dut)
		return 0;
	return err_set(err, BLAME_BOARD, "console-gap",
		       "%s: the console was away %u times, %llu ms in all: the kernel log of this "
		       "boot is not whole",
		       board_name(r->job->board), n - r->gaps,
		       (unsigned long long)attach_state(r->job->keeper)->away_ms);
}

/* QEMU's exit, a lost power supply: the board knows better than the console why it went silent. */
static void ask_board(const struct run *r, struct err *err)
{
	struct err better = ERR_INIT;

	if (err->blame == BLAME_BOARD && board_check(r->job->board, &better) &&
	    strcmp(better.code, "power-off") != 0)
		*err = better;
}

/*
 * A board that no plug switches off is left by its kernel: the agent reboots it into its loader,
 * where board_power_off() finds it. One that does not listen any more is the board's own business.
 */
static void leave_kernel(struct run *r)
{
	const char *into = board_type(r->job->board)->leave;
	struct dut_step step = { .kind = "reboot", .args = &into, .n_args = 1 };
	struct err ignored = ERR_INIT;
	struct dut_result res = { 0 };

	if (into && r->dut && r->outcome->booted)
		dut_run(r->dut, &step, &res, deadline_in(LEAVE_MS), &ignored);
}

/* The board goes off whatever happened, and a stop request does not cut that short. */
static int end(struct run *r, int rc, struct err *err)
{
	struct err off = ERR_INIT;
	json_t *wire;

	if (!rc && stop_requested())
		rc = err_set(err, BLAME_USER, "cancelled", "cancelled");
	if (!rc)
		rc = check_gaps(r, err);
	stop_clear();
	if (rc)
		ask_board(r, err);
	leave_kernel(r);
	if (board_power_off(r->job->board, rc ? &off : err)) {
		/* the visit's own fault stays the fault; but that the board runs on must be said */
		if (rc) {
			log_err(&off);
			note(r, off.message);
		}
		rc = -1;
	}
	if (r->dut)
		dut_drain(r->dut);
	wire = wire_fields(r);
	drop_dut(r); /* reports what the kernel log still holds */
	if (event(r, "power-off", NULL, rc ? &off : err))
		rc = -1;
	if (!rc && r->collect.failed) {
		*err = r->collect.err;
		rc = -1;
	}
	if (event(r, "visit-end",
		  json_pack("{s:s, s:o, s:o}", "result", rc ? "failed" : "ok", "wire", wire,
			    "console", console_fields(r)),
		  rc ? &off : err))
		rc = -1;
	return rc;
}

int visit_run(struct job *job, const struct visit *visit, struct visit_outcome *outcome)
{
	struct run r = {
		.job = job,
		.visit = visit,
		.kernel = &job->plan->kernels[visit->kernel],
		.outcome = outcome,
	};
	struct err *err = &outcome->err;
	int rc;

	*outcome = (struct visit_outcome){ .number = ++job->visits, .step = -1 };
	r.collect.job = job;
	r.collect.visit = outcome->number;
	rc = begin(&r, err);
	if (!rc) {
		rc = boot(&r, err);
		outcome->booted = !rc;
		if (!rc && (!visit->control || visit->steps))
			rc = run_steps(&r, err);
		rc = end(&r, rc, err);
	}
	buf_release(&r.collect.metrics);
	buf_release(&r.collect.notes);
	free(r.dir);
	return rc;
}
