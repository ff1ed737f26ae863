// SPDX-License-Identifier: GPL-2.0-or-later
/* The DUT behind its console; see dut.h. Layer: job. */
#include "job/dut.h"
#include "job/inbox.h"
#include "job/textmap.h"
#include "agents/kv.h"
#include "agents/wire.h"
#include "base/buf.h"
#include "base/err.h"
#include "io/console.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A console that is silent for that long has finished what it was printing. */
#define QUIET_MS 200

/* A splat that goes on for longer is reported as far as it got; a crash is then given up on. */
#define SPLAT_MS 1500

#define LINE_BYTES 256

enum waiting {
	WAIT_NOTHING,
	WAIT_OUTPUT,
	WAIT_MORE,
	WAIT_HELLO,
	WAIT_END,
};

struct dut {
	struct console *con;
	struct wire *wire;
	struct klog *klog;
	int peer_fd;
	const struct dut_hooks *hooks;
	void *ctx;

	struct buf out;	    /* frames on their way to the console */
	uint64_t piece;	    /* stream offset of what the wire is being fed */
	struct textmap map; /* the klog's offsets to the record's */
	uint64_t seen;	    /* of the console, when more was waited for */
	void (*ear)(void *ctx, const void *data, size_t size);
	void *ear_ctx;
	uint64_t boot_ms;  /* when its first word was waited for; 0 = nobody did */
	uint64_t heard_ms; /* the last byte came then */
	uint64_t splat_ms; /* the open splat was seen first then; 0 = none open */

	char line[LINE_BYTES]; /* being received */
	size_t line_size;
	char last_line[LINE_BYTES];

	bool said_hello;
	struct dut_hello hello;
	bool was_reset; /* a new epoch, or a boot banner, that nobody asked for */
	struct klog_finding fatal;
	bool has_fatal;

	unsigned int step_id;
	bool step_ended;
	struct dut_result *result;
	struct inbox inbox;
};

static const char *const status_names[] = {
	[DUT_OK] = "ok",
	[DUT_FAILED] = "failed",
	[DUT_TIMEOUT] = "timeout",
	[DUT_UNSUPPORTED] = "unsupported",
};

#define N_STATUS (sizeof(status_names) / sizeof(status_names[0]))

const char *dut_status_name(enum dut_status status)
{
	return status_names[status];
}

static enum dut_status parse_status(const char *name)
{
	for (size_t i = 0; i < N_STATUS; i++)
		if (!strcmp(status_names[i], name))
			return (enum dut_status)i;
	return DUT_FAILED;
}

/* --- what comes in --------------------------------------------------------------------- */

static void copy(char *to, size_t size, const struct kv_list *list, const char *key)
{
	snprintf(to, size, "%s", kv_get(list, key, ""));
}

static int64_t number(const struct kv_list *list, const char *key)
{
	int64_t value = -1;

	kv_get_i64(list, key, &value);
	return value;
}

static void on_hello(struct dut *d, const struct kv_list *list)
{
	copy(d->hello.version, sizeof(d->hello.version), list, "version");
	copy(d->hello.arch, sizeof(d->hello.arch), list, "arch");
	copy(d->hello.release, sizeof(d->hello.release), list, "release");
	copy(d->hello.boot_id, sizeof(d->hello.boot_id), list, "boot_id");
	d->hello.uptime_ms = number(list, "uptime_ms");
	d->said_hello = true;
}

static bool is_ours(const struct dut *d, const struct kv_list *list)
{
	uint64_t id = 0;

	return d->result && kv_get_u64(list, "id", &id) == 0 && id == d->step_id;
}

static void on_metric(struct dut *d, const struct kv_list *list)
{
	if (d->hooks->metric && is_ours(d, list))
		d->hooks->metric(d->ctx, kv_get(list, "name", ""), kv_get(list, "value", ""),
				 kv_get(list, "unit", ""));
}

static void on_end(struct dut *d, const struct kv_list *list)
{
	struct dut_result *r = d->result;

	if (!is_ours(d, list))
		return;
	r->status = parse_status(kv_get(list, "status", ""));
	r->exit = number(list, "exit");
	r->signal = number(list, "signal");
	r->duration_ns = number(list, "duration_ns");
	r->agent_cpu_ns = number(list, "agent_cpu_ns");
	r->agent_wakeups = number(list, "agent_wakeups");
	copy(r->message, sizeof(r->message), list, "message");
	if (!inbox_whole(&d->inbox)) {
		r->status = DUT_FAILED;
		snprintf(r->message, sizeof(r->message), "a result file was lost or damaged");
	}
	d->step_ended = true;
}

static void on_note(struct dut *d, const void *data, size_t size)
{
	char text[1024];

	if (!d->hooks->note)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)size, (const char *)data);
	d->hooks->note(d->ctx, text);
}

static void on_kv(struct dut *d, unsigned int type, const void *data, size_t size)
{
	static void (*const handlers[])(struct dut *, const struct kv_list *) = {
		[WIRE_HELLO] = on_hello,
		[WIRE_METRIC] = on_metric,
		[WIRE_END] = on_end,
	};
	struct kv_list list = { 0 };

	if (type < sizeof(handlers) / sizeof(handlers[0]) && handlers[type] &&
	    kv_parse(&list, data, size) == 0)
		handlers[type](d, &list);
	kv_list_release(&list);
}

static void on_message(void *ctx, unsigned int type, const void *data, size_t size)
{
	struct dut *d = ctx;

	if (type == WIRE_NOTE)
		on_note(d, data, size);
	else if (type != WIRE_FILE)
		on_kv(d, type, data, size);
	else if (inbox_take(&d->inbox, data, size) && d->hooks->file)
		d->hooks->file(d->ctx, d->inbox.name, buf_str(&d->inbox.data), d->inbox.data.size);
}

static void end_line(struct dut *d)
{
	while (d->line_size && d->line[d->line_size - 1] == ' ')
		d->line_size--;
	if (d->line_size) {
		memcpy(d->last_line, d->line, d->line_size);
		d->last_line[d->line_size] = '\0';
	}
	d->line_size = 0;
}

static void keep_lines(struct dut *d, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\n')
			end_line(d);
		else if (d->line_size < LINE_BYTES - 1 && text[i] >= ' ' && text[i] <= '~' &&
			 (d->line_size || text[i] != ' '))
			d->line[d->line_size++] = text[i];
	}
}

static void on_text(void *ctx, const void *data, size_t size)
{
	struct dut *d = ctx;

	textmap_add(&d->map, d->piece, size);
	keep_lines(d, data, size);
	if (d->ear)
		d->ear(d->ear_ctx, data, size);
	klog_feed(d->klog, data, size);
}

static void on_restart(void *ctx, uint16_t epoch, unsigned int lost)
{
	struct dut *d = ctx;

	(void)epoch;
	(void)lost;
	d->was_reset = true;
}

static void on_finding(void *ctx, const struct klog_finding *f)
{
	struct dut *d = ctx;
	struct klog_finding mapped = *f;

	mapped.begin = textmap_find(&d->map, f->begin);
	mapped.end = textmap_find(&d->map, f->end);
	if (f->kind == KLOG_REBOOT) {
		d->was_reset = true;
	} else if (f->severity == KLOG_FATAL && !d->has_fatal) {
		d->has_fatal = true;
		d->fatal = mapped;
	}
	if (d->hooks->finding)
		d->hooks->finding(d->ctx, &mapped);
}

/* --- moving the bytes ------------------------------------------------------------------- */

static void watch_splat(struct dut *d, uint64_t now)
{
	if (!klog_pending(d->klog))
		d->splat_ms = 0;
	else if (!d->splat_ms)
		d->splat_ms = now;
}

/*
 * Frames are cut out of the stream at a '~' and end with a '}': feeding the wire in pieces that
 * begin and end there tells on_text() where in the stream its text stood.
 */
static void take(struct dut *d, const char *data, size_t size)
{
	uint64_t now = mono_ms();
	uint64_t base = console_offset(d->con) - size;

	for (size_t i = 0, begin = 0; i < size; i++) {
		bool last = i + 1 == size || data[i] == '}' || data[i + 1] == '~';

		if (!last)
			continue;
		d->piece = base + begin;
		wire_feed(d->wire, data + begin, i + 1 - begin, now);
		begin = i + 1;
	}
	d->heard_ms = now;
	watch_splat(d, now);
}

/* 0, -EAGAIN when there was nothing, -EPIPE at the end of the console, -errno. */
static int receive(struct dut *d)
{
	char chunk[16384];
	ssize_t n = console_read(d->con, chunk, sizeof(chunk));

	if (n < 0)
		return (int)n;
	take(d, chunk, (size_t)n);
	return console_record_error(d->con);
}

static int transmit(struct dut *d)
{
	char chunk[4096];
	size_t n;
	ssize_t taken;

	while (!d->out.size && (n = wire_output(d->wire, chunk, sizeof(chunk), mono_ms())) > 0) {
		buf_append(&d->out, chunk, n);
		taken = console_write(d->con, d->out.data, d->out.size);
		/* a console that cannot be written to will soon say so when it is read */
		if (taken < 0)
			buf_reset(&d->out);
		else
			buf_consume(&d->out, (size_t)taken);
	}
	return 0;
}

static void flush_splat(struct dut *d)
{
	uint64_t now = mono_ms();

	if (!d->splat_ms)
		return;
	if (now - d->heard_ms >= QUIET_MS || now - d->splat_ms >= SPLAT_MS)
		klog_flush(d->klog);
	watch_splat(d, now);
}

static struct deadline next_event(const struct dut *d, struct deadline limit)
{
	int wire_ms = wire_timeout(d->wire, mono_ms());

	if (wire_ms >= 0)
		limit = deadline_min(limit, deadline_in((uint64_t)wire_ms));
	if (d->splat_ms) {
		limit = deadline_min(limit, (struct deadline){ d->heard_ms + QUIET_MS });
		limit = deadline_min(limit, (struct deadline){ d->splat_ms + SPLAT_MS });
	}
	return limit;
}

/* One turn: sends what is due, waits, takes what came. 0 or -errno. */
static int turn(struct dut *d, struct deadline limit)
{
	short events = POLLIN;
	int rc;

	if (d->out.size) {
		ssize_t n = console_write(d->con, d->out.data, d->out.size);

		buf_consume(&d->out, n > 0 ? (size_t)n : 0);
	}
	transmit(d);
	if (d->out.size)
		events |= POLLOUT;
	rc = console_wait(d->con, events, d->peer_fd, next_event(d, limit));
	if (rc > 0)
		rc = rc & ~POLLOUT ? receive(d) : 0;
	flush_splat(d);
	return rc == -EAGAIN ? 0 : rc;
}

void dut_drain(struct dut *d)
{
	struct deadline limit = deadline_in(SPLAT_MS);
	int rc = 0;

	while (!rc && !deadline_passed(limit)) {
		rc = console_wait(d->con, POLLIN, -1, deadline_min(limit, deadline_in(QUIET_MS)));
		if (rc <= 0)
			break;
		rc = receive(d);
	}
	klog_flush(d->klog);
	watch_splat(d, mono_ms());
}

/* --- waiting ----------------------------------------------------------------------------- */

/* What ended a wait before its time. */
static int explain(struct dut *d, int rc, struct err *err)
{
	if (d->has_fatal)
		return err_set(err, BLAME_KERNEL, "panic", "%s", d->fatal.title);
	if (d->was_reset)
		return err_set(err, BLAME_BOARD, "silent-reset",
			       "the board booted again by itself, and left no splat; last console "
			       "line: '%s'",
			       d->last_line);
	if (console_record_error(d->con))
		return err_sys(err, BLAME_RIG,
			       console_record_error(d->con) == -ENOSPC ? "disk-full" : "record",
			       console_record_error(d->con), "cannot record the console");
	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "cancelled");
	if (rc == -ECANCELED)
		return err_set(err, BLAME_RIG, "supervisor-gone",
			       "the supervisor of this job is gone");
	if (rc == -ENOTCONN)
		return err_set(err, BLAME_RIG, "keeper-lost",
			       "the keeper of the board's console is gone: what the board says is "
			       "not recorded any more");
	if (rc == -EPIPE)
		return err_set(err, BLAME_BOARD, "console-lost",
			       "the console ended; last line: '%s'", d->last_line);
	return err_sys(err, BLAME_RIG, "console", rc, "console");
}

static bool arrived(const struct dut *d, enum waiting what)
{
	switch (what) {
	case WAIT_OUTPUT:
		return console_offset(d->con) > 0;
	case WAIT_MORE:
		return console_offset(d->con) > d->seen;
	case WAIT_HELLO:
		return d->said_hello;
	case WAIT_END:
		return d->step_ended;
	default:
		return false;
	}
}

static bool in_trouble(const struct dut *d)
{
	return d->has_fatal || d->was_reset;
}

/* 0 when it arrived, 1 at the deadline, -1 with err. */
static int wait_for(struct dut *d, enum waiting what, struct deadline limit, struct err *err)
{
	int rc = 0;

	while (!rc && !in_trouble(d)) {
		if (arrived(d, what))
			return 0;
		if (deadline_passed(limit))
			return 1;
		rc = turn(d, limit);
		/* a splat that is still being printed decides what this is the end of */
		if (rc && (rc == -EPIPE || d->splat_ms))
			dut_drain(d);
		if (wire_failed(d->wire) && what == WAIT_END && !d->step_ended && !rc)
			return 1;
	}
	if (in_trouble(d))
		dut_drain(d);
	return explain(d, rc, err);
}

int dut_wait_output(struct dut *d, struct deadline limit, struct err *err)
{
	d->boot_ms = mono_ms();
	return wait_for(d, WAIT_OUTPUT, limit, err);
}

void dut_type(struct dut *d, const void *data, size_t size)
{
	buf_append(&d->out, data, size);
}

void dut_listen(struct dut *d, void (*ear)(void *ctx, const void *data, size_t size), void *ctx)
{
	d->ear = ear;
	d->ear_ctx = ctx;
}

int dut_hear(struct dut *d, struct deadline limit, struct err *err)
{
	d->seen = console_offset(d->con);
	return wait_for(d, WAIT_MORE, limit, err);
}

int dut_wait_hello(struct dut *d, struct dut_hello *hello, struct deadline limit, struct err *err)
{
	uint64_t begin = d->boot_ms ? d->boot_ms : mono_ms();
	int rc = wait_for(d, WAIT_HELLO, limit, err);

	if (rc == 0)
		*hello = d->hello;
	if (rc <= 0)
		return rc;
	return err_set(err, BLAME_BOARD, "boot-timeout",
		       "no agent hello in %u s; last console line: '%s'",
		       (unsigned int)((mono_ms() - begin + 500) / 1000), d->last_line);
}

static int send_step(struct dut *d, const struct dut_step *s, struct err *err)
{
	struct kv kv = { 0 };
	int rc;

	kv_add_u64(&kv, "id", d->step_id);
	kv_add(&kv, "kind", s->kind);
	kv_add_i64(&kv, "timeout_ms", s->timeout_ms);
	if (s->target)
		kv_add(&kv, "target", s->target);
	for (size_t i = 0; i < s->n_args; i++)
		kv_add(&kv, "arg", s->args[i]);
	for (size_t i = 0; i < s->n_observe; i++)
		kv_add(&kv, "observe", s->observe[i]);
	rc = kv.err ? kv.err : wire_send(d->wire, WIRE_STEP, kv.data, kv.size);
	kv_release(&kv);
	if (rc)
		return err_sys(err, BLAME_RIG, "wire", rc, "cannot send step '%s'", s->kind);
	return 0;
}

int dut_run(struct dut *d, const struct dut_step *step, struct dut_result *result,
	    struct deadline limit, struct err *err)
{
	uint64_t begin = mono_ms();
	int rc;

	*result = (struct dut_result){ .status = DUT_FAILED,
				       .exit = -1,
				       .signal = -1,
				       .duration_ns = -1,
				       .agent_cpu_ns = -1,
				       .agent_wakeups = -1 };
	d->step_id++;
	d->step_ended = false;
	inbox_reset(&d->inbox);
	if (send_step(d, step, err))
		return -1;
	d->result = result;
	rc = wait_for(d, WAIT_END, limit, err);
	d->result = NULL;
	if (rc <= 0)
		return rc;
	return err_set(err, BLAME_BOARD, "wire-lost",
		       "no answer from the agent for %u ms%s; last console line: '%s'",
		       (unsigned int)(mono_ms() - begin),
		       wire_failed(d->wire) ? " (it does not acknowledge)" : "", d->last_line);
}

int dut_pause(struct dut *d, unsigned int ms, struct err *err)
{
	return wait_for(d, WAIT_NOTHING, deadline_in(ms), err) < 0 ? -1 : 0;
}

/* --- life --------------------------------------------------------------------------------- */

struct dut *dut_new(struct console *con, const struct wire_link *link, int peer_fd,
		    const struct dut_hooks *hooks, void *ctx)
{
	static const struct wire_ops ops = {
		.message = on_message,
		.text = on_text,
		.restart = on_restart,
	};
	struct wire_link ours = *link;
	struct dut *d = xcalloc(1, sizeof(*d));

	ours.side = WIRE_SIDE_RIG;
	ours.epoch = 0;
	d->con = con;
	d->peer_fd = peer_fd;
	d->hooks = hooks;
	d->ctx = ctx;
	d->klog = klog_new(on_finding, d);
	d->wire = wire_new(&ops, d, &ours);
	if (!d->klog || !d->wire)
		abort(); /* out of memory, as in base/buf.h */
	return d;
}

void dut_free(struct dut *d)
{
	if (!d)
		return;
	klog_finish(d->klog);
	klog_free(d->klog);
	wire_free(d->wire);
	textmap_release(&d->map);
	inbox_release(&d->inbox);
	buf_release(&d->out);
	free(d);
}

const char *dut_last_line(const struct dut *d)
{
	return d->last_line;
}

const struct wire_stats *dut_wire_stats(const struct dut *d)
{
	return wire_stats(d->wire);
}
