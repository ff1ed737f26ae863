// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The KCIDB format: what KernelCI's database takes, I/O schema 5.0. A checkout and a build for each
 * kernel; a test for each workload under each kernel (the number: its mean), the kernel log and the
 * verdict of each candidate. Layer: results, pure.
 *
 *	verdict			status
 *	PASS, FAIL		the same
 *	undecided, measured	DONE: completed, and says nothing of the code
 *	INVALID			ERROR for a fault of the test, MISS for one of rig or board
 */
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/findings.h"
#include "results/report-format.h"
#include "results/report-json.h"
#include "results/report-model.h"
#include "results/report.h"

#define TRACE_MAX   20
#define EXCERPT_MAX 16000 /* the schema allows 16,384 characters */

struct kcidb {
	const struct report *r;
	const char *origin;
	json_t *checkouts, *builds, *tests;
};

/* "origin:a" or "origin:a-b-c" */
static json_t *make_id(const struct kcidb *k, const char *a, const char *b, const char *c)
{
	char *id = xasprintf("%s:%s%s%s%s%s", k->origin, a, *b ? "-" : "", b, *c ? "-" : "", c);
	json_t *json = json_text(id);

	free(id);
	return json;
}

/* A path of the schema: words of letters, digits, _ and -, joined by dots. */
static json_t *make_path(const char *suite, const char *test)
{
	char *path = xasprintf("rig.%s.%s", suite, test);
	json_t *json;

	for (char *p = path + strlen("rig."); *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-", *p) &&
		    p != path + 4 + strlen(suite))
			*p = '_';
	json = json_text(path);
	free(path);
	return json;
}

/* ---- kernels ---- */

static json_t *checkout_json(const struct kcidb *k, const struct session_kernel *kernel)
{
	char *comment = xasprintf("%s:%s", kernel->series, kernel->variant);
	json_t *json = json_pack("{s:o, s:s, s:o, s:b, s:{s:o}}", "id",
				 make_id(k, kernel->id, "", ""), "origin", k->origin, "comment",
				 json_text(comment), "valid", 1, "misc", "patches_hash",
				 json_text(kernel->patches_hash));

	free(comment);
	return json;
}

static bool is_architecture(const char *arch)
{
	return *arch && strspn(arch, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(arch);
}

static json_t *build_json(const struct kcidb *k, const struct session_kernel *kernel)
{
	json_t *json = json_pack("{s:o, s:o, s:s, s:s, s:o, s:{s:o, s:o, s:o}}", "id",
				 make_id(k, kernel->id, "", ""), "checkout_id",
				 make_id(k, kernel->id, "", ""), "origin", k->origin, "status",
				 "PASS", "compiler", json_text(kernel->compiler), "misc", "release",
				 json_text(kernel->release), "config_hash",
				 json_text(kernel->config_hash), "cmdline",
				 json_text(kernel->cmdline));

	if (is_architecture(kernel->arch))
		json_object_set_new(json, "architecture", json_text(kernel->arch));
	return json;
}

static void add_kernels(struct kcidb *k)
{
	const struct session *s = k->r->s;

	for (size_t i = 0; i < s->n_kernels; i++) {
		bool again = false;

		for (size_t j = 0; j < i; j++)
			again |= !strcmp(s->kernels[j].id, s->kernels[i].id);
		if (again)
			continue;
		json_array_append_new(k->checkouts, checkout_json(k, &s->kernels[i]));
		json_array_append_new(k->builds, build_json(k, &s->kernels[i]));
	}
}

/* ---- tests ---- */

static const char *status_of(enum verdict v, enum blame blame)
{
	switch (v) {
	case VERDICT_PASS:
		return "PASS";
	case VERDICT_FAIL:
		return "FAIL";
	case VERDICT_INVALID:
		return blame == BLAME_TEST ? "ERROR" : "MISS";
	default:
		return "DONE";
	}
}

static json_t *environment_json(const struct session *s)
{
	return json_pack("{s:o, s:{s:o, s:o, s:o, s:o}}", "comment", json_text(s->model), "misc",
			 "board", json_text(s->board), "serial", json_text(s->serial), "suite_hash",
			 json_text(s->suite_hash), "profile", json_text(s->profile));
}

/* A test of that kernel; the caller adds what it knows. */
static json_t *test_json(const struct kcidb *k, size_t kernel, const char *name, const char *status)
{
	const struct session *s = k->r->s;

	return json_pack("{s:o, s:o, s:s, s:o, s:s, s:s, s:o}", "id",
			 make_id(k, s->name, s->kernels[kernel].label, name), "build_id",
			 make_id(k, s->kernels[kernel].id, "", ""), "origin", k->origin, "path",
			 make_path(s->suite, name), "status", status, "start_time", k->r->timestamp,
			 "environment", environment_json(s));
}

static void set_excerpt(json_t *test, const char *text)
{
	char *cut = xasprintf("%.*s", EXCERPT_MAX, text);

	if (*cut)
		json_object_set_new(test, "log_excerpt", json_text(cut));
	free(cut);
}

static const struct gate_verdict *verdict_of(const struct report *r, size_t kernel)
{
	for (size_t i = 0; i < r->set->n_verdicts; i++)
		if ((size_t)r->set->verdicts[i].candidate == kernel)
			return &r->set->verdicts[i];
	return NULL;
}

static json_t *misc_json(const struct report_workload *w, size_t kernel)
{
	const struct report_cell *c = &w->primary->cells[kernel];
	json_t *misc = json_pack("{s:o, s:o, s:i, s:o}", "metric",
				 json_text(w->primary->metric->metric), "direction",
				 json_text(direction_name(w->primary->metric->direction)), "boots",
				 c->n, "command", json_text(w->command));

	if (c->n > 1)
		json_object_set_new(misc, "sd", json_number(c->sd));
	if (c->pairs)
		json_object_set_new(misc, "change", json_number(c->change));
	if (c->pairs > 1)
		json_object_set_new(misc, "change_interval",
				    json_pack("[o, o]", json_number(c->lo), json_number(c->hi)));
	if (w->judged[kernel].gate)
		json_object_set_new(misc, "p_adjusted",
				    json_number(w->judged[kernel].gate->est.p_adj));
	return misc;
}

static void add_workload(struct kcidb *k, const struct report_workload *w, size_t kernel)
{
	const struct gate_verdict *v = verdict_of(k->r, kernel);
	const struct gate_workload *gate = w->judged[kernel].gate;
	enum verdict result = gate ? gate->est.result : VERDICT_NONE;
	const struct report_cell *c;
	json_t *test;

	/* a workload without a number did not run: no test at all */
	if (!w->primary || !w->primary->cells[kernel].n)
		return;
	c = &w->primary->cells[kernel];
	if (v && v->result == VERDICT_INVALID)
		result = VERDICT_INVALID;
	test = test_json(k, kernel, w->name, status_of(result, v ? v->blame : BLAME_NONE));
	json_object_set_new(test, "number",
			    json_pack("{s:o, s:o}", "value", json_number(c->mean), "unit",
				      json_text(w->primary->metric->unit)));
	json_object_set_new(test, "misc", misc_json(w, kernel));
	json_array_append_new(k->tests, test);
}

static void add_kernel_log(struct kcidb *k, size_t kernel)
{
	struct buf text = BUF_INIT;
	const char *status = "PASS";
	json_t *test;

	for (size_t i = 0; i < k->r->n_findings; i++) {
		const struct report_finding *f = &k->r->findings[i];

		if (!f->boots[kernel])
			continue;
		buf_addf(&text, "%s: %s (%s), %d of %d boots", f->state, f->first->title,
			 f->first->kind, f->boots[kernel], k->r->boots[kernel]);
		findings_where(f->first, TRACE_MAX, &text);
		findings_why(f->item, &text);
		buf_adds(&text, "\n");
		if (findings_fails(k->r->classes, i, (int)kernel))
			status = "FAIL";
	}
	test = test_json(k, kernel, "kernel_log", status);
	set_excerpt(test, buf_str(&text));
	json_array_append_new(k->tests, test);
	buf_release(&text);
}

static void add_verdict(struct kcidb *k, const struct gate_verdict *v)
{
	json_t *test =
		test_json(k, (size_t)v->candidate, "verdict", status_of(v->result, v->blame));
	char *comment = xasprintf("%s against %s: %s", v->label, k->r->s->kernels[0].label,
				  verdict_name(v->result));

	json_object_set_new(test, "comment", json_text(comment));
	set_excerpt(test, v->reason);
	json_object_set_new(test, "misc",
			    json_pack("{s:s, s:o, s:o, s:i}", "blame", blame_name(v->blame), "code",
				      json_text(v->code), "baseline_build",
				      json_text(k->r->s->kernels[0].id), "pairs", v->pairs));
	json_array_append_new(k->tests, test);
	free(comment);
}

static void kcidb_session(const struct report *r, const struct report_options *options,
			  struct buf *out)
{
	struct kcidb k = { .r = r,
			   .origin = options->origin ? options->origin : REPORT_ORIGIN,
			   .checkouts = json_array(),
			   .builds = json_array(),
			   .tests = json_array() };

	add_kernels(&k);
	for (size_t i = 0; i < r->s->n_kernels; i++) {
		for (size_t w = 0; w < r->n_workloads; w++)
			add_workload(&k, &r->workloads[w], i);
		if (r->boots[i])
			add_kernel_log(&k, i);
	}
	for (size_t i = 0; i < r->set->n_verdicts; i++)
		add_verdict(&k, &r->set->verdicts[i]);
	json_dump_into(out,
		       json_pack("{s:{s:i, s:i}, s:o, s:o, s:o}", "version", "major", 5, "minor", 0,
				 "checkouts", k.checkouts, "builds", k.builds, "tests", k.tests),
		       JSON_INDENT(1));
	buf_adds(out, "\n");
}

const struct report_ops report_kcidb = {
	.name = "kcidb",
	.extension = "kcidb.json",
	.mime = "application/json",
	.session = kcidb_session,
};
