// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JSON format: the whole model, documented and versioned by formats/report-1.schema.json (a
 * test checks one against the other). A change that an old reader would misunderstand gets a new
 * number. Layer: results, pure.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"
#include "results/report-format.h"
#include "results/report-json.h"
#include "results/report-model.h"
#include "results/report.h"
#include "results/store.h"

#define FORMAT 1

static json_t *session_json(const struct report *r)
{
	const struct session *s = r->s;

	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "name", json_text(s->name),
			 "started", r->timestamp, "state",
			 s->state == SESSION_RUNNING ? "running" : "ended", "result",
			 json_text(s->result), "user", json_text(s->user), "host",
			 json_text(s->host), "rig_version", json_text(s->rig_version));
}

static json_t *suite_json(const struct session *s)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(s->suite), "hash",
			 json_text(s->suite_hash), "profile", json_text(s->profile), "notes",
			 json_lines(s->notes));
}

static json_t *board_json(const struct session *s)
{
	return json_pack("{s:o, s:o, s:o, s:b}", "name", json_text(s->board), "model",
			 json_text(s->model), "serial", json_text(s->serial), "virtual",
			 report_is_virtual(s));
}

static json_t *kernel_json(const struct session_kernel *k, bool baseline)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "label",
			 json_text(k->label), "role", baseline ? "baseline" : "candidate", "series",
			 json_text(k->series), "variant", json_text(k->variant), "build",
			 json_text(k->id), "release", json_text(k->release), "arch",
			 json_text(k->arch), "patches_hash", json_text(k->patches_hash),
			 "config_hash", json_text(k->config_hash), "compiler",
			 json_text(k->compiler), "cmdline", json_text(k->cmdline));
}

static json_t *pairs_json(const struct session *s)
{
	int looks[GATE_MAX_LOOKS];
	int n = gate_looks(s->pairs_fixed, s->pairs_min, s->pairs_max, looks);
	json_t *list = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_integer(looks[i]));
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "complete",
			 session_complete_pairs(s, 0), "fixed", s->pairs_fixed, "min", s->pairs_min,
			 "max", s->pairs_max, "warmup", s->warmup, "looks", list, "level",
			 n ? json_number(GATE_ALPHA) : json_null());
}

static json_t *visit_json(const struct session *s, const struct session_visit *v)
{
	return json_pack("{s:i, s:o, s:i, s:i, s:b, s:b, s:b, s:s, s:I, s:I, s:o, s:o}", "visit",
			 v->number, "kernel", json_text(s->kernels[v->kernel].label), "pair",
			 v->pair, "position", v->position, "warmup", v->warmup, "control",
			 v->control, "counted", report_counted(v), "result",
			 visit_result_name(v->result), "started_ms", (json_int_t)v->started_ms,
			 "boot_ms", (json_int_t)v->boot_ms, "release", json_text(v->release), "dir",
			 json_text(v->dir));
}

/* ---- workloads ---- */

static json_t *values_json(const struct session *s, int kernel, const struct session_metric *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->n_visits; i++) {
		double value;

		if (s->visits[i].kernel == kernel && !report_value(s, (int)i, m, &value))
			json_array_append_new(list,
					      json_pack("{s:i, s:o}", "visit", s->visits[i].number,
							"value", json_number(value)));
	}
	return list;
}

static json_t *cell_json(const struct session *s, int kernel, const struct report_row *row)
{
	const struct report_cell *c = &row->cells[kernel];
	bool interval = c->pairs > 1;

	return json_pack("{s:o, s:i, s:o, s:o, s:i, s:o, s:o, s:o, s:o}", "kernel",
			 json_text(s->kernels[kernel].label), "n", c->n, "mean",
			 c->n ? json_number(c->mean) : json_null(), "sd",
			 c->n > 1 ? json_number(c->sd) : json_null(), "pairs", c->pairs, "change",
			 c->pairs ? json_number(c->change) : json_null(), "change_lo",
			 interval ? json_number(c->lo) : json_null(), "change_hi",
			 interval ? json_number(c->hi) : json_null(), "values",
			 values_json(s, kernel, row->metric));
}

static json_t *row_json(const struct session *s, const struct report_row *row)
{
	const struct session_metric *m = row->metric;
	json_t *kernels = json_array();

	for (size_t k = 0; k < s->n_kernels; k++)
		json_array_append_new(kernels, cell_json(s, (int)k, row));
	return json_pack("{s:o, s:o, s:s, s:b, s:o, s:o, s:o}", "metric", json_text(m->metric),
			 "unit", json_text(m->unit), "direction", direction_name(m->direction),
			 "primary", m->primary, "min_effect", json_number(m->min_effect), "loss",
			 json_number(m->loss), "kernels", kernels);
}

static json_t *judged_json(const struct session *s, size_t kernel, const struct report_judged *j)
{
	const struct gate_workload *w = j->gate;
	const struct gate_estimate *e = &w->est;

	return json_pack("{s:o, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i,"
			 " s:o}",
			 "kernel", json_text(s->kernels[kernel].label), "result",
			 report_judged_name(j), "metric", json_text(w->metric), "pairs", j->pairs,
			 "level", json_number(j->level), "change",
			 json_number(gate_change(w->direction, e->mean)), "change_lo",
			 json_number(fmin(gate_change(w->direction, e->lo),
					  gate_change(w->direction, e->hi))),
			 "change_hi",
			 json_number(fmax(gate_change(w->direction, e->lo),
					  gate_change(w->direction, e->hi))),
			 "df", json_number(e->df), "p", json_number(e->p), "p_adjusted",
			 json_number(e->p_adj), "signflip_p", json_number(w->signflip_p),
			 "detectable_loss", e->mde > 0 ? json_number(e->mde) : json_null(),
			 "pairs_needed", e->pairs_needed, "sd_log_ratio", json_number(e->sd));
}

static json_t *workload_json(const struct report *r, const struct report_workload *w)
{
	json_t *metrics = json_array();
	json_t *judged = json_array();

	for (size_t i = 0; i < w->n_rows; i++)
		json_array_append_new(metrics, row_json(r->s, &w->rows[i]));
	for (size_t k = 1; k < r->s->n_kernels; k++)
		if (w->judged[k].gate)
			json_array_append_new(judged, judged_json(r->s, k, &w->judged[k]));
	return json_pack("{s:o, s:o, s:i, s:o, s:o}", "name", json_text(w->name), "command",
			 json_text(w->command), "other_commands", w->other_commands, "metrics",
			 metrics, "judged", judged);
}

/* ---- kernel log, faults, verdicts ---- */

static json_t *finding_json(const struct report *r, const struct report_finding *finding)
{
	const struct session_finding *f = finding->first;
	const struct session_visit *v = &r->s->visits[f->visit];
	json_t *boots = json_array();

	for (size_t k = 0; k < r->s->n_kernels; k++)
		json_array_append_new(boots, json_pack("{s:o, s:i, s:i}", "kernel",
						       json_text(r->s->kernels[k].label), "seen",
						       finding->boots[k], "of", r->boots[k]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:i, s:o, s:I, s:I}, s:o}",
			 "state", finding->state, "kind", json_text(f->kind), "title",
			 json_text(f->title), "severity", json_text(f->severity), "signature",
			 json_text(f->signature), "guilty", json_text(f->guilty), "trace",
			 json_lines(f->trace), "first", "visit", v->number, "dir",
			 json_text(v->dir), "begin", (json_int_t)f->begin, "end",
			 (json_int_t)f->end, "boots", boots);
}

static json_t *fault_json(const struct session *s, const struct session_fault *f)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:I}", "visit",
			 f->visit < 0 ? json_null() : json_integer(s->visits[f->visit].number),
			 "blame", blame_name(f->blame), "code", json_text(f->code), "message",
			 json_text(f->message), "at_ms", (json_int_t)f->at_ms);
}

static json_t *anomaly_json(const struct session_anomaly *a)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "rule", json_text(a->rule),
			 "severity", severity_name(a->severity), "where", json_text(a->place),
			 "subject", json_text(a->subject), "printed", json_text(a->printed),
			 "expected", json_text(a->expected), "message", json_text(a->message));
}

static json_t *verdict_json(const struct gate_verdict *v)
{
	return json_pack("{s:o, s:s, s:s, s:o, s:i, s:o}", "kernel", json_text(v->label), "result",
			 verdict_name(v->result), "blame", blame_name(v->blame), "code",
			 json_text(v->code), "pairs", v->pairs, "reasons", json_lines(v->reason));
}

/* ---- the whole ---- */

static void add_lists(const struct report *r, json_t *root)
{
	const struct session *s = r->s;
	json_t *kernels = json_array();
	json_t *visits = json_array();
	json_t *workloads = json_array();
	json_t *findings = json_array();
	json_t *faults = json_array();
	json_t *anomalies = json_array();
	json_t *verdicts = json_array();

	for (size_t i = 0; i < s->n_kernels; i++)
		json_array_append_new(kernels, kernel_json(&s->kernels[i], !i));
	for (size_t i = 0; i < s->n_visits; i++)
		json_array_append_new(visits, visit_json(s, &s->visits[i]));
	for (size_t i = 0; i < r->n_workloads; i++)
		json_array_append_new(workloads, workload_json(r, &r->workloads[i]));
	for (size_t i = 0; i < r->n_findings; i++)
		json_array_append_new(findings, finding_json(r, &r->findings[i]));
	for (size_t i = 0; i < s->n_faults; i++)
		json_array_append_new(faults, fault_json(s, &s->faults[i]));
	for (size_t i = 0; i < s->n_anomalies; i++)
		json_array_append_new(anomalies, anomaly_json(&s->anomalies[i]));
	for (size_t i = 0; i < r->set->n_verdicts; i++)
		json_array_append_new(verdicts, verdict_json(&r->set->verdicts[i]));
	json_object_set_new(root, "kernels", kernels);
	json_object_set_new(root, "visits", visits);
	json_object_set_new(root, "workloads", workloads);
	json_object_set_new(root, "findings", findings);
	json_object_set_new(root, "faults", faults);
	json_object_set_new(root, "anomalies", anomalies);
	json_object_set_new(root, "verdicts", verdicts);
}

/* The state of the machine in the baseline's first boot, as the gate compares it. */
static json_t *machine_json(const struct report *r)
{
	json_t *json = json_object();

	for (size_t i = 0; i < r->n_facts; i++)
		json_object_set_new(json, r->facts[i].key, json_text(r->facts[i].value));
	return json;
}

static void json_session(const struct report *r, const struct report_options *options,
			 struct buf *out)
{
	json_t *root;

	(void)options;
	root = json_pack("{s:i, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format",
			 FORMAT, "verdict", verdict_name(r->set->result), "exit_code",
			 gate_exit_code(r->set), "sentence", json_text(r->sentence), "session",
			 session_json(r), "suite", suite_json(r->s), "board", board_json(r->s),
			 "pairs", pairs_json(r->s), "order", json_text(r->order), "variance",
			 json_text(r->prior), "tools", json_text(r->tools), "machine",
			 machine_json(r));
	add_lists(r, root);
	json_dump_into(out, root, JSON_INDENT(1));
	buf_adds(out, "\n");
}

/* ---- the list of sessions ---- */

static void list_begin(struct buf *out)
{
	buf_adds(out, "[");
}

static void list_row(const struct store_row *row, bool first, struct buf *out)
{
	buf_adds(out, first ? "\n" : ",\n");
	json_dump_into(out,
		       json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:i}", "session",
				 json_text(row->session), "suite", json_text(row->suite), "profile",
				 json_text(row->profile), "board", json_text(row->board), "state",
				 row->state, "result", json_text(row->result), "verdict",
				 json_text(row->verdict), "kernels", json_text(row->kernels),
				 "visits", row->visits),
		       JSON_COMPACT);
}

static void list_end(struct buf *out)
{
	buf_adds(out, "\n]\n");
}

const struct report_ops report_json = {
	.name = "json",
	.extension = "json",
	.mime = "application/json",
	.session = json_session,
	.list_begin = list_begin,
	.list_row = list_row,
	.list_end = list_end,
};

/* ---- for the other formats ---- */

json_t *json_text(const char *text)
{
	struct buf clean = BUF_INIT;
	json_t *value;

	escape_utf8(&clean, text);
	value = json_string(buf_str(&clean));
	buf_release(&clean);
	return value;
}

json_t *json_lines(const char *text)
{
	json_t *list = json_array();

	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = xasprintf("%.*s", (int)n, text);

		if (n)
			json_array_append_new(list, json_text(line));
		free(line);
		text += n + (text[n] == '\n');
	}
	return list;
}

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

void json_dump_into(struct buf *out, json_t *json, size_t flags)
{
	char *text = json_dumps(json, flags | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));

	buf_adds(out, text);
	free(text);
	json_decref(json);
}
