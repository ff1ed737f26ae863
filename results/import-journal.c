// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journal of a run: one JSON object a line, in order of time; see import-journal.h.
 *
 * Two lines may be broken, and are ignored: the last one without a newline (the job was killed in
 * the middle of it, or is writing it now), and one right before the fault job-lost (the same, with
 * the supervisor's words after it). Events that this rig does not know are ignored too. Layer:
 * results.
 */
#include "results/import-journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/runfiles.h"
#include "results/import-step.h"
#include "results/import.h"
#include "results/session.h"
#include "scan/klog.h"

#define JOURNAL_MAX	((size_t)256 << 20)
#define LINE_MAX_BYTES	((size_t)1 << 20)
#define VISITS_MAX	20000 /* some of the lookups walk over all of them */
#define STEPS_MAX	1000000
#define FINGERPRINT_MAX ((size_t)1 << 20)
#define NS_MAX		INT64_MAX

struct journal {
	struct reading *r;
	struct journal_end *end;
	int64_t now_ms;			/* "t" of the current line */
	int64_t line_errors, line_gaps; /* of the console, up to the last visit */
};

/* Index of the visit that the event names, which must have begun; -1 with an error. */
static int get_visit(struct journal *j, const json_t *event)
{
	int64_t number = -1;
	int visit;

	if (get_int(j->r, event, "visit", false, 0, VISITS_MAX, &number) < 0)
		return -1;
	visit = session_find_visit(j->r->s, (int)number);
	if (visit < 0)
		return bad(j->r, "visit %lld has not begun", (long long)number);
	return visit;
}

static int check_dir(struct journal *j, const char *dir)
{
	if (*dir == '/' || !strncmp(dir, "../", 3) || strstr(dir, "/../") || !strcmp(dir, "..") ||
	    (strlen(dir) >= 3 && !strcmp(dir + strlen(dir) - 3, "/..")))
		return bad(j->r, "'dir' leads out of the run directory: '%.100s'", dir);
	return 0;
}

static int on_visit_start(struct journal *j, const json_t *event)
{
	struct session *s = j->r->s;
	int64_t last = s->n_visits ? s->visits[s->n_visits - 1].number : -1;
	struct session_visit *v = session_add_visit(s);
	int64_t number = 0;
	int64_t kernel = 0;
	int64_t pair = 0;
	int64_t position = 0;

	if (get_int(j->r, event, "visit", false, last + 1, VISITS_MAX, &number) < 0 ||
	    get_int(j->r, event, "kernel", false, 0, (int64_t)s->n_kernels - 1, &kernel) < 0 ||
	    get_int(j->r, event, "pair", true, 0, VISITS_MAX, &pair) < 0 ||
	    get_int(j->r, event, "position", true, 0, VISITS_MAX, &position) < 0 ||
	    get_bool(j->r, event, "warmup", &v->warmup) < 0 ||
	    get_bool(j->r, event, "control", &v->control) < 0 ||
	    get_text(j->r, event, "dir", true, &v->dir) < 0 || check_dir(j, v->dir) < 0)
		return -1;
	v->number = (int)number;
	v->kernel = (int)kernel;
	v->pair = (int)pair;
	v->position = (int)position;
	v->started_ms = j->now_ms;
	if (v->pair && session_pair_visit(s, v->kernel, v->pair) != (int)s->n_visits - 1 &&
	    !v->warmup && !v->control)
		return bad(j->r, "kernel %d has two visits in pair %d", v->kernel, v->pair);
	return 0;
}

static int on_agent_hello(struct journal *j, const json_t *event)
{
	int visit = get_visit(j, event);
	struct session_visit *v;

	if (visit < 0)
		return -1;
	v = &j->r->s->visits[visit];
	if (get_int(j->r, event, "boot_ms", true, -1, NS_MAX, &v->boot_ms) < 0)
		return -1;
	return get_text(j->r, event, "release", true, &v->release);
}

/* Compact JSON, so that what is stored can be compared and printed. */
static void read_fingerprint(struct journal *j, struct session_visit *v)
{
	struct buf text = BUF_INIT;
	json_t *json = NULL;
	char *compact = NULL;

	if (*v->dir &&
	    !read_inside(j->r->run_dir, v->dir, "fingerprint.json", &text, FINGERPRINT_MAX))
		json = json_loadb(buf_str(&text), text.size, 0, NULL);
	if (json_is_object(json))
		compact = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	v->fingerprint = session_str(j->r->s, compact);
	free(compact);
	json_decref(json);
	buf_release(&text);
}

/* What a counter gained; one that is smaller than before began anew. */
static int64_t gained(int64_t *before, int64_t now)
{
	int64_t n = now < *before ? now : now - *before;

	*before = now;
	return n;
}

/* The journal has what the console counted since the session began; "console" may be null. */
static int read_line(struct journal *j, const json_t *event, struct session_visit *v)
{
	static const char *const kinds[] = { "overrun", "buffer_full", "frame", "parity" };
	const json_t *console = json_object_get(event, "console");
	int64_t errors = 0, gaps = 0;

	if (!json_is_object(console))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int64_t n = 0;

		if (get_int(j->r, console, kinds[i], true, 0, UINT32_MAX, &n) < 0)
			return -1;
		errors += n;
	}
	if (get_int(j->r, console, "gaps", true, 0, UINT32_MAX, &gaps) < 0)
		return -1;
	v->line_errors = gained(&j->line_errors, errors);
	v->line_gaps = gained(&j->line_gaps, gaps);
	return 0;
}

static int on_visit_end(struct journal *j, const json_t *event)
{
	int visit = get_visit(j, event);
	const char *result = "";
	int parsed;

	if (visit < 0 || get_text(j->r, event, "result", false, &result) < 0)
		return -1;
	parsed = visit_result_parse(result);
	if (parsed < 0)
		return bad(j->r, "visit-end with result '%.40s'", result);
	j->r->s->visits[visit].result = (enum visit_result)parsed;
	return read_line(j, event, &j->r->s->visits[visit]);
}

static int on_step_start(struct journal *j, const json_t *event)
{
	struct session *s = j->r->s;
	int visit = get_visit(j, event);
	int64_t number = 0;
	int64_t last = -1;
	struct session_step *step;

	if (visit < 0)
		return -1;
	if (visit != (int)s->n_visits - 1)
		return bad(j->r, "a step of visit %d, which is not the current one",
			   s->visits[visit].number);
	if (s->n_steps && s->steps[s->n_steps - 1].visit == visit)
		last = s->steps[s->n_steps - 1].number;
	step = session_add_step(s);
	step->visit = visit;
	if (get_int(j->r, event, "step", false, last + 1, STEPS_MAX, &number) < 0 ||
	    get_text(j->r, event, "kind", false, &step->kind) < 0 ||
	    get_text(j->r, event, "workload", true, &step->workload) < 0 ||
	    get_text(j->r, event, "dir", true, &step->dir) < 0)
		return -1;
	step->number = (int)number;
	return check_dir(j, step->dir);
}

/* The step must be the last that began: a job runs one after the other. */
static struct session_step *current_step(struct journal *j, const json_t *event)
{
	struct session *s = j->r->s;
	int visit = get_visit(j, event);
	struct session_step *step = s->n_steps ? &s->steps[s->n_steps - 1] : NULL;
	int64_t number = -1;

	if (visit < 0 || get_int(j->r, event, "step", false, 0, STEPS_MAX, &number) < 0)
		return NULL;
	if (step && step->visit == visit && step->number == number && step->status == STEP_OPEN)
		return step;
	bad(j->r, "step %lld of visit %d has not begun", (long long)number,
	    s->visits[visit].number);
	return NULL;
}

static int on_step_end(struct journal *j, const json_t *event)
{
	struct session_step *step = current_step(j, event);
	const char *status = "";
	int64_t exit_code = 0;
	int64_t signal = 0;
	int parsed;

	if (!step || get_text(j->r, event, "status", false, &status) < 0 ||
	    get_int(j->r, event, "exit", true, INT32_MIN, INT32_MAX, &exit_code) < 0 ||
	    get_int(j->r, event, "signal", true, INT32_MIN, INT32_MAX, &signal) < 0 ||
	    get_int(j->r, event, "duration_ns", true, -1, NS_MAX, &step->duration_ns) < 0 ||
	    get_int(j->r, event, "agent_cpu_ns", true, -1, NS_MAX, &step->agent_cpu_ns) < 0 ||
	    get_int(j->r, event, "agent_wakeups", true, -1, NS_MAX, &step->agent_wakeups) < 0 ||
	    get_text(j->r, event, "message", true, &step->message) < 0)
		return -1;
	parsed = step_status_parse(status);
	if (parsed < 0 || parsed == STEP_OPEN)
		return bad(j->r, "step-end with status '%.40s'", status);
	step->status = (enum step_status)parsed;
	step->blame = step->status == STEP_OK ? BLAME_NONE : BLAME_TEST;
	step->exit_code = (int)exit_code;
	step->signal = (int)signal;
	import_step_files(j->r);
	return 0;
}

/* A list of functions -> one a line. */
static int get_trace(struct journal *j, const json_t *event, const char **trace)
{
	const json_t *frames = json_object_get(event, "trace");
	size_t n = json_array_size(frames);
	struct buf lines = BUF_INIT;

	if (n > KLOG_TRACE_MAX)
		return bad(j->r, "'trace' has %zu entries", n);
	for (size_t i = 0; i < n; i++) {
		const char *frame = json_string_value(json_array_get(frames, i));

		if (!frame || !*frame || strlen(frame) >= KLOG_FRAME_MAX || strchr(frame, '\n')) {
			buf_release(&lines);
			return bad(j->r, "'trace': entry %zu is no function", i);
		}
		buf_addf(&lines, "%s%s", i ? "\n" : "", frame);
	}
	*trace = session_str(j->r->s, buf_str(&lines));
	buf_release(&lines);
	return 0;
}

/* Signature, guilty file and trace came later: a journal of an older rig has none. */
static int on_finding(struct journal *j, const json_t *event)
{
	struct session_finding *f;
	int visit = get_visit(j, event);

	if (visit < 0)
		return -1;
	f = session_add_finding(j->r->s);
	f->visit = visit;
	if (get_text(j->r, event, "kind", false, &f->kind) < 0 ||
	    get_text(j->r, event, "title", false, &f->title) < 0 ||
	    get_text(j->r, event, "severity", true, &f->severity) < 0 ||
	    get_text(j->r, event, "signature", true, &f->signature) < 0 ||
	    get_text(j->r, event, "guilty", true, &f->guilty) < 0 ||
	    get_trace(j, event, &f->trace) < 0 ||
	    get_int(j->r, event, "begin", true, 0, INT64_MAX, &f->begin) < 0 ||
	    get_int(j->r, event, "end", true, 0, INT64_MAX, &f->end) < 0)
		return -1;
	return 0;
}

static int on_fault(struct journal *j, const json_t *event)
{
	struct session_fault *f;
	const char *blame = "";
	int visit = -1;

	if (json_is_integer(json_object_get(event, "visit")) && (visit = get_visit(j, event)) < 0)
		return -1;
	f = session_add_fault(j->r->s);
	f->visit = visit;
	f->at_ms = j->now_ms;
	if (get_text(j->r, event, "blame", false, &blame) < 0 ||
	    get_text(j->r, event, "code", false, &f->code) < 0 ||
	    get_text(j->r, event, "message", true, &f->message) < 0)
		return -1;
	f->blame = blame_parse(blame);
	if (f->blame == BLAME_NONE)
		return bad(j->r, "fault with blame '%.40s'", blame);
	return 0;
}

static int on_session_end(struct journal *j, const json_t *event)
{
	j->end->ended = true;
	return get_text(j->r, event, "result", false, &j->r->s->result);
}

static const struct {
	const char *name;
	int (*handle)(struct journal *j, const json_t *event);
} events[] = {
	{ "visit-start", on_visit_start },
	{ "agent-hello", on_agent_hello },
	{ "visit-end", on_visit_end },
	{ "step-start", on_step_start },
	{ "step-end", on_step_end },
	{ "finding", on_finding },
	{ "fault", on_fault },
	{ "session-end", on_session_end },
};

static int handle_event(struct journal *j, const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "ev"));

	if (!name)
		return bad(j->r, "no event: the key 'ev' is missing");
	if (get_time(j->r, event, "t", &j->now_ms) < 0)
		return -1;
	j->end->last_ms = j->now_ms;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!strcmp(events[i].name, name))
			return events[i].handle(j, event);
	return 0;
}

static bool is_job_lost(const char *line, size_t size)
{
	json_t *json = json_loadb(line, size, 0, NULL);
	const char *code = json_string_value(json_object_get(json, "code"));
	bool yes = code && !strcmp(code, "job-lost");

	json_decref(json);
	return yes;
}

/* One line and, to judge a broken one, what follows it. */
static int handle_line(struct journal *j, const char *line, size_t size, const char *rest,
		       const char *end)
{
	const char *eol = memchr(rest, '\n', (size_t)(end - rest));
	json_error_t error;
	json_t *event;
	int rc;

	if (size > LINE_MAX_BYTES)
		return bad(j->r, "line of %zu bytes", size);
	event = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);
	if (!event) {
		if (eol && is_job_lost(rest, (size_t)(eol - rest)))
			return 0;
		return bad(j->r, "column %d: %s", error.column, error.text);
	}
	rc = handle_event(j, event);
	json_decref(event);
	return rc;
}

static int handle_lines(struct journal *j, const struct buf *text)
{
	const char *p = buf_str(text);
	const char *end = p + text->size;
	const char *eol;

	while ((eol = memchr(p, '\n', (size_t)(end - p)))) {
		j->r->line++;
		if (handle_line(j, p, (size_t)(eol - p), eol + 1, end) < 0)
			return -1;
		p = eol + 1;
	}
	return 0;
}

int import_journal(struct reading *r, struct journal_end *end)
{
	struct journal j = { .r = r, .end = end };
	struct buf text = BUF_INIT;
	int rc;

	r->file = RUNDIR_EVENTS;
	r->line = 0;
	rc = read_inside(r->run_dir, "", r->file, &text, JOURNAL_MAX);
	if (!rc)
		rc = handle_lines(&j, &text);
	else if (rc != -ENOENT)
		rc = bad_file(r, rc, JOURNAL_MAX);
	else
		rc = 0;
	/* After the journal, which names the directories: at its end they hold what they will. */
	for (size_t i = 0; !rc && i < r->s->n_visits; i++)
		read_fingerprint(&j, &r->s->visits[i]);
	buf_release(&text);
	return rc;
}

static bool is_session_end(const char *line, size_t size)
{
	json_t *json = json_loadb(line, size, 0, NULL);
	const char *name = json_string_value(json_object_get(json, "ev"));
	bool yes = name && !strcmp(name, "session-end");

	json_decref(json);
	return yes;
}

bool import_has_ended(const char *run_dir)
{
	struct buf text = BUF_INIT;
	const char *p;
	const char *end;
	const char *eol;
	bool ended = false;

	if (read_inside(run_dir, "", RUNDIR_EVENTS, &text, JOURNAL_MAX) < 0)
		buf_reset(&text);
	p = buf_str(&text);
	end = p + text.size;
	for (; !ended && (eol = memchr(p, '\n', (size_t)(end - p))); p = eol + 1)
		ended = is_session_end(p, (size_t)(eol - p));
	buf_release(&text);
	return ended;
}
