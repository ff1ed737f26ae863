// SPDX-License-Identifier: GPL-2.0-or-later
/* Results of a visit into the run directory; see collect.h. Layer: job. */
#include "job/collect.h"
#include "job/job.h"
#include "job/journal.h"
#include "job/rundir.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The first failure is the one that explains the others. */
static void keep(struct collect *c, int rc, const struct err *err)
{
	if (!rc || c->failed)
		return;
	c->failed = true;
	c->err = *err;
}

static void put_into(struct collect *c, const char *dir, const char *name, const void *data,
		     size_t size)
{
	struct err err = ERR_INIT;

	keep(c, rundir_put(c->job->dir, dir, name, data, size, &err), &err);
}

static void put(struct collect *c, const char *name, const void *data, size_t size)
{
	if (!c->step_dir || c->where & COLLECT_VISIT)
		put_into(c, c->visit_dir, name, data, size);
	if (c->step_dir && c->where & COLLECT_STEP)
		put_into(c, c->step_dir, name, data, size);
}

static json_t *trace_json(const struct klog_finding *f)
{
	json_t *trace = json_array();

	for (unsigned int i = 0; i < f->n_frames; i++)
		json_array_append_new(trace, json_string(f->trace[i]));
	return trace;
}

/* How often it has been seen in this visit, now included. */
static unsigned int count_same(struct collect *c, const char *signature)
{
	struct collect_seen *seen = c->seen;

	while (seen < c->seen + c->n_seen && strcmp(seen->signature, signature) != 0)
		seen++;
	if (seen == c->seen + COLLECT_SEEN_MAX)
		return 1;
	if (seen == c->seen + c->n_seen) {
		memcpy(seen->signature, signature, sizeof(seen->signature));
		c->n_seen++;
	}
	return ++seen->n;
}

static void on_finding(void *ctx, const struct klog_finding *f)
{
	struct collect *c = ctx;
	struct err err = ERR_INIT;
	struct signature signature;
	char id[SIGNATURE_ID_SIZE];
	json_t *fields;

	signature_of(f, &signature);
	signature_id(&signature, id);
	if (count_same(c, id) > COLLECT_SAME_MAX)
		return;
	fields = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:I}", "visit", (int)c->visit,
			   "kind", klog_kind_name(f->kind), "title", f->title, "severity",
			   klog_severity_name(f->severity), "signature", id, "guilty", f->guilty,
			   "trace", trace_json(f), "begin", (json_int_t)f->begin, "end",
			   (json_int_t)f->end);
	keep(c, journal_event(c->job->journal, "finding", fields, &err), &err);
}

static void on_file(void *ctx, const char *name, const void *data, size_t size)
{
	put(ctx, name, data, size);
}

static void on_metric(void *ctx, const char *name, const char *value, const char *unit)
{
	struct collect *c = ctx;
	char *end;
	double number = strtod(value, &end);
	json_t *o;
	char *line;

	/* what is no number stays what it is, for a person to see */
	o = json_pack("{s:s, s:o, s:s}", "name", name, "value",
		      *value && !*end ? json_real(number) : json_string(value), "unit", unit);
	if (!o)
		return;
	line = json_dumps(o, JSON_COMPACT);
	buf_addf(&c->metrics, "%s\n", line);
	free(line);
	json_decref(o);
}

static void on_note(void *ctx, const char *text)
{
	struct collect *c = ctx;

	buf_addf(&c->notes, "%s\n", text);
}

const struct dut_hooks collect_hooks = {
	.finding = on_finding,
	.file = on_file,
	.metric = on_metric,
	.note = on_note,
};

void collect_begin(struct collect *c, const char *step_dir, unsigned int where)
{
	c->step_dir = step_dir;
	c->where = where;
	buf_reset(&c->metrics);
	buf_reset(&c->notes);
}

void collect_end(struct collect *c)
{
	c->where = COLLECT_STEP;
	if (c->metrics.size)
		put(c, "metrics.jsonl", c->metrics.data, c->metrics.size);
	if (c->notes.size)
		put(c, "notes", c->notes.data, c->notes.size);
	c->step_dir = NULL;
}
