// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of one step -> its command line and samples. Layer: results. */
#include "results/import-step.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/parse-fio.h"
#include "results/parse-dd.h"
#include "results/parse.h"
#include "results/session.h"

#define COMMAND_MAX (64 * 1024)
#define RESULT_MAX  (16 * 1024 * 1024)
#define METRIC_MAX  1e19
#define METRICS_MAX 10000
#define VALUES_KEPT 20000 /* /proc/interrupts of 128 CPUs has 13,000 */

struct step_files {
	const struct reading *r;
	int step; /* index */
};

static void put_sample(const struct step_files *f, const char *name, double value)
{
	struct session *s = f->r->s;
	struct session_sample *sample = session_add_sample(s);

	sample->step = f->step;
	sample->metric = session_str(s, name);
	sample->value = value;
}

/* ---- fio.json ---- */

static int read_fio(const struct step_files *f, const struct buf *text, struct err *err)
{
	struct fio_metric metrics[FIO_METRICS_MAX];
	struct fio_result result;
	int n;

	if (fio_parse(buf_str(text), text->size, &result, err) < 0)
		return -1;
	n = fio_metrics(&result, metrics, err);
	for (int i = 0; i < n; i++)
		put_sample(f, metrics[i].name, metrics[i].value);
	fio_release(&result);
	return n < 0 ? -1 : 0;
}

/* ---- metrics.jsonl: {"name": "...", "value": 1.5, "unit": "..."} a line, from the agent ---- */

static bool is_metric_name(const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._:%/-";
	size_t n = name ? strlen(name) : 0;

	return n > 0 && n <= 64 && strspn(name, good) == n;
}

static bool has_metric(const struct step_files *f, const char *name)
{
	const struct session *s = f->r->s;

	for (size_t i = s->n_samples; i-- > 0 && s->samples[i].step == f->step;)
		if (!strcmp(s->samples[i].metric, name))
			return true;
	return false;
}

static int read_metric(const struct step_files *f, const char *line, size_t size, size_t number,
		       struct err *err)
{
	json_error_t error;
	json_t *json =
		json_loadb(line, size, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);
	const char *name = json_string_value(json_object_get(json, "name"));
	const json_t *value = json_object_get(json, "value");
	int rc = 0;

	if (!json)
		rc = err_set(err, BLAME_RIG, "bad-metric", "line %zu: %s", number, error.text);
	else if (!is_metric_name(name) || has_metric(f, name))
		rc = err_set(err, BLAME_TEST, "bad-metric", "line %zu: no name, or one twice",
			     number);
	else if (!json_is_number(value) || fabs(json_number_value(value)) > METRIC_MAX)
		rc = err_set(err, BLAME_TEST, "bad-metric", "line %zu: '%.64s' has no usable value",
			     number, name);
	else
		put_sample(f, name, json_number_value(value));
	json_decref(json);
	return rc;
}

static int read_metrics(const struct step_files *f, const struct buf *text, struct err *err)
{
	const char *p = buf_str(text);
	const char *end = p + text->size;

	for (size_t number = 1; p < end; number++) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t size = (size_t)((eol ? eol : end) - p);

		if (number > METRICS_MAX)
			return err_set(err, BLAME_TEST, "bad-metric", "more than %d lines",
				       METRICS_MAX);
		if (size && read_metric(f, p, size, number, err) < 0)
			return -1;
		p += size + 1;
	}
	return 0;
}

/* ---- the output of a tool: parse.h ---- */

static int read_values(const struct step_files *f, const char *kind, const struct buf *text,
		       struct err *err)
{
	const struct parser *parser = parser_find(kind);
	struct values values = VALUES_INIT;
	int rc = parse_output(parser, buf_str(text), text->size, &values, err);

	if (!rc && values.n > VALUES_KEPT)
		rc = err_set(err, BLAME_TEST, "parse-size", "%zu numbers; %d are kept at most",
			     values.n, VALUES_KEPT);
	for (size_t i = 0; !rc && i < values.n; i++)
		put_sample(f, values.v[i].name, values.v[i].value);
	values_release(&values);
	return rc;
}

static int read_dd(const struct step_files *f, const struct buf *text, struct err *err)
{
	struct values values = VALUES_INIT;
	struct dd_total total = { 0 };
	int rc = parse_output(parser_find("dd"), buf_str(text), text->size, &values, err);

	if (!rc)
		rc = dd_total(&values, &total, err);
	if (!rc) {
		put_sample(f, "bw_bytes", total.bytes / total.seconds);
		put_sample(f, "bw_bytes_min", total.slowest);
		put_sample(f, "bw_bytes_max", total.fastest);
		put_sample(f, "bytes", total.bytes);
		put_sample(f, "seconds", total.seconds);
		put_sample(f, "runs", (double)total.runs);
	}
	values_release(&values);
	return rc;
}

/* ---- a step ---- */

/*
 * Where the numbers of a kind of step are, and how to read them: by a row of parse.h, or by a
 * function of ours. kind NULL: of any kind, if the file is there.
 */
static const struct source {
	const char *kind, *file;
	const char *parser;
	int (*read)(const struct step_files *f, const struct buf *text, struct err *err);
} sources[] = {
	{ "fio", "fio.json", NULL, read_fio }, /* summed over the jobs, as the gate wants it */
	{ "dd", "stderr", NULL, read_dd },     /* of all runs together */
	{ "iperf", "stdout", "iperf", NULL },
	{ "iperf3", "stdout", "iperf", NULL },
	{ "interrupts", "interrupts", "interrupts", NULL },
	{ "irqrate", "irqrate", "irqrate", NULL },
	{ "funcgraph", "trace_stat", "funcgraph", NULL },
	{ "ethtool", "stdout", "ethtool", NULL },
	{ "vnstat", "stdout", "vnstat", NULL },
	{ "pktgen", "pktgen", "pktgen", NULL },
	{ NULL, "metrics.jsonl", NULL, read_metrics },
};

static void fail_step(const struct step_files *f, const char *file, const struct err *err)
{
	struct session *s = f->r->s;
	struct session_step *step = &s->steps[f->step];
	char *message = xasprintf("%s: %s", file, err->message);

	step->status = STEP_FAILED;
	step->blame = err->blame;
	step->message = session_str(s, message);
	while (s->n_samples && s->samples[s->n_samples - 1].step == f->step)
		s->n_samples--;
	free(message);
}

static int read_source(const struct step_files *f, const struct source *source, struct err *err)
{
	const struct session_step *step = &f->r->s->steps[f->step];
	struct buf text = BUF_INIT;
	int rc = read_inside(f->r->run_dir, step->dir, source->file, &text, RESULT_MAX);

	if (!rc && source->parser)
		rc = read_values(f, source->parser, &text, err);
	else if (!rc)
		rc = source->read(f, &text, err);
	else if (rc == -ENOENT && !source->kind)
		rc = 0;
	else if (rc == -ENOENT)
		rc = err_set(err, BLAME_RIG, "no-result", "missing, though the step ended well");
	else
		rc = err_sys(err, BLAME_RIG, "no-result", rc, "cannot be read");
	buf_release(&text);
	return rc;
}

static void read_command(const struct reading *r, struct session_step *step)
{
	struct buf text = BUF_INIT;

	if (*step->dir && !read_inside(r->run_dir, step->dir, "command", &text, COMMAND_MAX)) {
		while (text.size && strchr("\r\n ", text.data[text.size - 1]))
			text.data[--text.size] = '\0';
		step->command = session_str(r->s, buf_str(&text));
	}
	buf_release(&text);
}

void import_step_files(const struct reading *r)
{
	struct step_files f = { r, (int)r->s->n_steps - 1 };
	struct session_step *step = &r->s->steps[f.step];
	struct err err = ERR_INIT;

	read_command(r, step);
	if (!*step->dir)
		return;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (step->status != STEP_OK)
			return;
		if (sources[i].kind && strcmp(sources[i].kind, step->kind) != 0)
			continue;
		if (read_source(&f, &sources[i], &err) < 0)
			fail_step(&f, sources[i].file, &err);
	}
}
