// SPDX-License-Identifier: GPL-2.0-or-later
/* Steps on this host; see host-step.h. Layer: job. */
#include "job/host-step.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/board.h"
#include "io/http.h"
#include "job/boottime.h"
#include "job/rundir.h"
#include "suite/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERE	  "host"
#define LOG_MAX	  (64u << 20)
#define COUNT_MAX 1000
#define URL_MAX	  512

/* One step under way. */
struct task {
	const struct host_visit *visit;
	const struct plan_step *step;
	struct deadline limit;
	struct dut_result *result;
};

static void metric(const struct task *t, const char *name, const char *what, double value,
		   const char *unit)
{
	char full[96], text[40];

	snprintf(full, sizeof(full), "%s%s", name, what);
	snprintf(text, sizeof(text), "%.0f", value);
	t->visit->hooks->metric(t->visit->ctx, full, text, unit);
}

static void note(const struct task *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void note(const struct task *t, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	t->visit->hooks->note(t->visit->ctx, text);
}

static void end(const struct task *t, enum dut_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void end(const struct task *t, enum dut_status status, const char *format, ...)
{
	va_list ap;

	t->result->status = status;
	va_start(ap, format);
	vsnprintf(t->result->message, sizeof(t->result->message), format, ap);
	va_end(ap);
}

/* ---- boottime ---- */

/* "NAME=TEXT" */
static void tell_mark(const struct task *t, const struct boottime *b, const char *arg)
{
	size_t n = strcspn(arg, "=");
	struct boottime_at at;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)n, arg);
	if (!arg[n] || !boottime_find(b, arg + n + 1, &at)) {
		note(t, "%s: \"%s\" did not come on the console after power-on", name,
		     arg[n] ? arg + n + 1 : "");
		return;
	}
	metric(t, name, ".time_ns", (double)at.since_ms * 1e6, "ns");
	if (at.uptime_ns >= 0)
		metric(t, name, ".uptime_ns", (double)at.uptime_ns, "ns");
}

static void run_boottime(const struct task *t)
{
	const struct host_visit *v = t->visit;
	char *log_path = rundir_file(v->dir, v->visit_dir, "console.log");
	char *index_path = rundir_file(v->dir, v->visit_dir, "console.idx");
	struct buf log = BUF_INIT, index = BUF_INIT;
	struct boottime b = { .power_on_ms = v->power_on_ms };

	if (path_read(log_path, &log, LOG_MAX) || path_read(index_path, &index, LOG_MAX)) {
		end(t, DUT_FAILED, "the record of the console cannot be read");
	} else {
		b.log = buf_str(&log);
		b.log_size = log.size;
		b.index = buf_str(&index);
		for (size_t i = 0; i < t->step->n_args; i++)
			tell_mark(t, &b, t->step->args[i]);
		metric(t, "ready", ".time_ns", (double)(v->hello_ms - v->power_on_ms) * 1e6, "ns");
		if (v->hello_uptime_ms >= 0)
			metric(t, "ready", ".uptime_ns", (double)v->hello_uptime_ms * 1e6, "ns");
	}
	buf_release(&index);
	buf_release(&log);
	free(index_path);
	free(log_path);
}

/* ---- http ---- */

static const char *arg_of(const struct plan_step *s, const char *name, const char *otherwise)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < s->n_args; i++)
		if (!strncmp(s->args[i], name, n) && s->args[i][n] == '=')
			return s->args[i] + n + 1;
	return otherwise;
}

struct loads {
	struct buf list;
	unsigned int n;
	uint64_t first_ns, sum_ns, max_ns;
	size_t bytes;
};

static int load_once(const struct task *t, const char *url, struct loads *l)
{
	struct http_page page = HTTP_PAGE_INIT;
	int rc = http_get(url, t->limit, &page);

	if (rc) {
		end(t, rc == -ETIMEDOUT ? DUT_TIMEOUT : DUT_FAILED, "%s: %s", url, strerror(-rc));
	} else if (page.status != 200) {
		end(t, DUT_FAILED, "%s: status %ld", url, page.status);
		rc = -EPROTO;
	} else {
		buf_addf(&l->list, "%" PRIu64 " %ld %zu\n", page.duration_ns, page.status,
			 page.body.size);
		l->first_ns = l->n++ ? l->first_ns : page.duration_ns;
		l->sum_ns += page.duration_ns;
		l->max_ns = page.duration_ns > l->max_ns ? page.duration_ns : l->max_ns;
		l->bytes = page.body.size;
	}
	http_page_release(&page);
	return rc;
}

static void load_pages(const struct task *t, const char *url, unsigned long count)
{
	struct loads l = { .list = BUF_INIT };
	int rc = 0;

	for (unsigned long i = 0; i < count && !rc; i++)
		rc = load_once(t, url, &l);
	if (l.list.size)
		t->visit->hooks->file(t->visit->ctx, "stdout", l.list.data, l.list.size);
	if (!rc) {
		metric(t, "first_ns", "", (double)l.first_ns, "ns");
		metric(t, "mean_ns", "", (double)l.sum_ns / l.n, "ns");
		metric(t, "max_ns", "", (double)l.max_ns, "ns");
		metric(t, "page_bytes", "", (double)l.bytes, "bytes");
	}
	buf_release(&l.list);
}

static void run_http(const struct task *t)
{
	const char *address = arg_of(t->step, "address", "");
	unsigned long count = strtoul(arg_of(t->step, "count", "10"), NULL, 10);
	struct err err = ERR_INIT;
	char found[128], url[URL_MAX];

	if (!count || count > COUNT_MAX) {
		end(t, DUT_FAILED, "count=%s: a number from 1 to %d", arg_of(t->step, "count", ""),
		    COUNT_MAX);
		return;
	}
	if (!*address && board_address(t->visit->board, found, sizeof(found), &err)) {
		end(t, DUT_UNSUPPORTED, "%s", err.message);
		return;
	}
	snprintf(url, sizeof(url), "http://%s%s", *address ? address : found,
		 arg_of(t->step, "path", "/"));
	load_pages(t, url, count);
}

/* ---- all of them ---- */

static const struct {
	const char *kind;
	void (*run)(const struct task *t);
} kinds[] = {
	{ "boottime", run_boottime },
	{ "http", run_http },
};

bool host_step_is(const struct plan_step *step)
{
	return step->where && !strcmp(step->where, HERE);
}

int host_step_run(const struct host_visit *v, const struct plan_step *step, struct deadline limit,
		  struct dut_result *result, struct err *err)
{
	struct task t = { v, step, limit, result };
	uint64_t begin_ns = mono_ns();

	*result = (struct dut_result){ .signal = -1, .agent_cpu_ns = -1, .agent_wakeups = -1 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].kind, step->kind) != 0)
			continue;
		kinds[i].run(&t);
		result->exit = result->status == DUT_OK ? 0 : -1;
		result->duration_ns = (int64_t)(mono_ns() - begin_ns);
		return 0;
	}
	return err_set(err, BLAME_RIG, "host-step", "no step kind '%s' on the host", step->kind);
}
