// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One visit: one boot of one kernel, in which every workload runs once. Power off, deploy, power
 * on, boot, steps, power off; to be read from visit_run() upwards. Layer: job.
 */
#include "agents/wire.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/log.h"
#include "base/manifest.h"
#include "base/path.h"
#include "base/signals.h"
#include "board/board.h"
#include "board/lab.h"
#include "io/attach.h"
#include "io/console.h"
#include "io/record.h"
#include "job/collect.h"
#include "job/dut.h"
#include "job/job.h"
#include "job/journal.h"
#include "job/shell.h"
#include "job/visit-priv.h"
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

/* All events of a visit say which one. */
int visit_event(struct run *r, const char *name, json_t *fields, struct err *err)
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
	visit_event(r, "note", json_pack("{s:s}", "message", text), NULL);
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
	return visit_event(r, "power-on", NULL, err);
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
	if (visit_event(r, "agent-hello",
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

/* --- the visit ---------------------------------------------------------------------------- */

static int begin(struct run *r, struct err *err)
{
	const struct visit *v = r->visit;

	r->dir = rundir_visit(r->job->dir, r->outcome->number, r->kernel->label, err);
	if (!r->dir)
		return -1;
	r->collect.visit_dir = r->dir;
	return visit_event(r, "visit-start",
			   json_pack("{s:i, s:i, s:i, s:b, s:b, s:s}", "kernel", (int)v->kernel,
				     "pair", (int)v->pair, "position", (int)v->position, "warmup",
				     v->warmup, "control", v->control, "dir", r->dir),
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
	if (visit_event(r, "power-off", NULL, rc ? &off : err))
		rc = -1;
	if (!rc && r->collect.failed) {
		*err = r->collect.err;
		rc = -1;
	}
	if (visit_event(r, "visit-end",
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
			rc = visit_run_steps(&r, err);
		rc = end(&r, rc, err);
	}
	buf_release(&r.collect.metrics);
	buf_release(&r.collect.notes);
	free(r.dir);
	return rc;
}
