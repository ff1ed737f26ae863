// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JUnit format, in the dialect that Jenkins' xunit plug-in checks ("junit-10.xsd"), which
 * others read too. A suite a candidate; a case a workload, one for the kernel log, one for the
 * sanity of the numbers and one for the verdict as a whole. FAIL is a failure, INVALID an error,
 * INCONCLUSIVE skipped with its reason. That dialect has no properties of a case: measurements are
 * properties of the suite. Layer: results, pure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"
#include "results/findings.h"
#include "results/report-format.h"
#include "results/report-model.h"
#include "results/report.h"
#include "results/values.h"

#define TRACE_MAX 20

/* What became of a case. */
enum outcome {
	PASSED,
	SKIPPED,
	ERRORED,
	FAILED,
	N_OUTCOMES,
};

/* The element of each; NULL: none is written. */
static const char *const elements[N_OUTCOMES] = {
	[SKIPPED] = "skipped",
	[ERRORED] = "error",
	[FAILED] = "failure",
};

/* One suite being written: the cases first, because the head counts them. */
struct suite {
	const struct report *r;
	const struct gate_verdict *v;
	struct buf cases;
	int count[N_OUTCOMES];
	double seconds;
};

static void put_attribute(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, " %s=\"", name);
	escape_xml_attribute(out, value);
	buf_adds(out, "\"");
}

static enum outcome outcome_of(enum verdict v)
{
	switch (v) {
	case VERDICT_FAIL:
		return FAILED;
	case VERDICT_INVALID:
		return ERRORED;
	case VERDICT_INCONCLUSIVE:
	case VERDICT_PENDING:
		return SKIPPED;
	default:
		return PASSED;
	}
}

/* ---- properties ---- */

static void put_property(struct buf *out, const char *name, const char *value)
{
	buf_adds(out, "   <property");
	put_attribute(out, "name", name);
	put_attribute(out, "value", value);
	buf_adds(out, "/>\n");
}

static void put_number(struct buf *out, const struct report_row *row, const char *what,
		       double value)
{
	const struct session_metric *m = row->metric;
	char *name = xasprintf("%s %s %s", m->workload, m->metric, what);
	char text[40];

	snprintf(text, sizeof(text), "%.*g", (int)value_digits(value), value);
	put_property(out, name, text);
	free(name);
}

static void put_kernel(struct buf *out, const char *role, const struct session_kernel *k)
{
	const struct {
		const char *name, *value;
	} rows[] = {
		{ "label", k->label },
		{ "build", k->id },
		{ "release", k->release },
		{ "patches_hash", k->patches_hash },
		{ "config_hash", k->config_hash },
		{ "cmdline", k->cmdline },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *name = xasprintf("%s.%s", role, rows[i].name);

		put_property(out, name, rows[i].value);
		free(name);
	}
}

static void put_measurements(const struct suite *suite, const struct report_row *row,
			     struct buf *out)
{
	const struct report_cell *base = &row->cells[0];
	const struct report_cell *cand = &row->cells[suite->v->candidate];

	if (base->n)
		put_number(out, row, "baseline.mean", base->mean);
	if (cand == base || !cand->n)
		return;
	put_number(out, row, "candidate.mean", cand->mean);
	if (cand->pairs)
		put_number(out, row, "change", cand->change);
	if (cand->pairs > 1) {
		put_number(out, row, "change.lo", cand->lo);
		put_number(out, row, "change.hi", cand->hi);
	}
}

static void put_properties(const struct suite *suite, struct buf *out)
{
	const struct report *r = suite->r;
	const struct session *s = r->s;
	const struct {
		const char *name, *value;
	} rows[] = {
		{ "session", s->name },
		{ "suite", s->suite },
		{ "suite.hash", s->suite_hash },
		{ "suite.profile", s->profile },
		{ "board", s->board },
		{ "board.model", s->model },
		{ "board.serial", s->serial },
		{ "tools", r->tools },
		{ "rig_version", s->rig_version },
	};

	buf_adds(out, "  <properties>\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		put_property(out, rows[i].name, rows[i].value);
	put_kernel(out, "baseline", &s->kernels[0]);
	if (suite->v->candidate)
		put_kernel(out, "candidate", &s->kernels[suite->v->candidate]);
	for (size_t i = 0; i < r->n_workloads; i++)
		for (size_t k = 0; k < r->workloads[i].n_rows; k++)
			put_measurements(suite, &r->workloads[i].rows[k], out);
	buf_adds(out, "  </properties>\n");
}

/* ---- cases ---- */

static void put_case(struct suite *suite, const char *name, double seconds, enum outcome outcome,
		     const char *type, const char *message, const char *text)
{
	const struct session *s = suite->r->s;
	char *class_name = xasprintf("rig.%s.%s.%s", s->suite, s->board, suite->v->label);
	struct buf *out = &suite->cases;

	suite->count[outcome]++;
	suite->seconds += seconds;
	buf_adds(out, "  <testcase");
	put_attribute(out, "classname", class_name);
	put_attribute(out, "name", name);
	buf_addf(out, " time=\"%.3f\">\n", seconds);
	if (elements[outcome]) {
		buf_addf(out, "   <%s", elements[outcome]);
		put_attribute(out, "type", type);
		put_attribute(out, "message", message);
		buf_adds(out, "/>\n");
	}
	if (*text) {
		buf_adds(out, "   <system-out>");
		escape_xml(out, text);
		buf_adds(out, "</system-out>\n");
	}
	buf_adds(out, "  </testcase>\n");
	free(class_name);
}

/* How long the workload ran under that kernel, in all its boots. */
static double seconds_of(const struct session *s, int kernel, const char *workload)
{
	double sum = 0;

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct session_step *step = &s->steps[i];

		if (s->visits[step->visit].kernel == kernel && step->duration_ns > 0 &&
		    !strcmp(step->workload, workload))
			sum += (double)step->duration_ns / 1e9;
	}
	return sum;
}

/* "candidate 4226.93 IOPS against 5488.82, -23.0 % (95 % interval ...)" */
static void describe(const struct report_row *row, int candidate, struct buf *out)
{
	const struct report_cell *base = &row->cells[0];
	const struct report_cell *cand = &row->cells[candidate];
	int digits = row->decimals;

	buf_addf(out, "%s: %.*f", row->label, digits, cand->mean * row->scale);
	if (candidate && base->n)
		buf_addf(out, " against %.*f", digits, base->mean * row->scale);
	if (cand->pairs)
		buf_addf(out, ", %+.1f %%", 100 * cand->change);
	if (cand->pairs > 1)
		buf_addf(out, " (95 %% interval %+.1f to %+.1f %%), %d pairs", 100 * cand->lo,
			 100 * cand->hi, cand->pairs);
	buf_adds(out, "\n");
}

static void put_workload(struct suite *suite, const struct report_workload *w)
{
	const struct gate_verdict *v = suite->v;
	const struct report_judged *j = &w->judged[v->candidate];
	const char *type = verdict_name(v->result);
	enum outcome outcome = PASSED;
	struct buf message = BUF_INIT;
	struct buf text = BUF_INIT;

	if (v->result == VERDICT_INVALID) {
		outcome = ERRORED;
		buf_addf(&message, "INVALID: %s", v->reason);
	} else if (v->candidate && w->primary) {
		outcome = j->gate ? outcome_of(j->gate->est.result) : SKIPPED;
		type = report_judged_name(j);
		buf_adds(&message, type);
	}
	for (size_t i = 0; i < w->n_rows; i++)
		if (w->rows[i].cells[v->candidate].n)
			describe(&w->rows[i], v->candidate, &text);
	if (j->gate) {
		buf_addf(&message, " at %d pairs, p %.2g", j->pairs, j->gate->est.p_adj);
		if (outcome == SKIPPED && j->gate->est.mde > 0)
			buf_addf(&message, "; losses from %.1f %% on would be found",
				 100 * j->gate->est.mde);
		buf_addf(&text, "%s\n", buf_str(&message));
	}
	if (*w->command)
		buf_addf(&text, "$ %s\n", w->command);
	put_case(suite, w->name, seconds_of(suite->r->s, v->candidate, w->name), outcome, type,
		 buf_str(&message), buf_str(&text));
	buf_release(&message);
	buf_release(&text);
}

static void put_finding(const struct report *r, const struct report_finding *f, struct buf *text)
{
	const struct session_visit *visit = &r->s->visits[f->first->visit];

	buf_addf(text, "%s: %s (%s, %s)", f->state, f->first->title, f->first->kind,
		 f->first->severity);
	for (size_t k = 0; k < r->s->n_kernels; k++)
		buf_addf(text, ", %d of %d boots of %s", f->boots[k], r->boots[k],
			 r->s->kernels[k].label);
	buf_addf(text, "; %s/console.log, byte %lld", visit->dir, (long long)f->first->begin);
	findings_where(f->first, TRACE_MAX, text);
	findings_why(f->item, text);
	buf_adds(text, "\n");
}

static void put_kernel_log(struct suite *suite)
{
	const struct report *r = suite->r;
	const char *worst = "";
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < r->n_findings; i++) {
		const struct report_finding *f = &r->findings[i];

		if (!f->boots[suite->v->candidate] && !f->boots[0])
			continue;
		put_finding(r, f, &text);
		if (!*worst && findings_fails(r->classes, i, suite->v->candidate))
			worst = f->first->title;
	}
	put_case(suite, "kernel log", 0, *worst ? FAILED : PASSED, "finding", worst,
		 buf_str(&text));
	buf_release(&text);
}

/* The sanity rules: an ERROR keeps the numbers from being judged. */
static void put_sanity(struct suite *suite)
{
	const struct session *s = suite->r->s;
	const char *worst = "";
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < s->n_anomalies; i++) {
		const struct session_anomaly *a = &s->anomalies[i];

		if (a->severity < SEVERITY_WARN)
			continue;
		buf_addf(&text, "%s %s: %s: %s\n", severity_name(a->severity), a->rule, a->subject,
			 a->message);
		if (!*worst && a->severity == SEVERITY_ERROR)
			worst = a->message;
	}
	put_case(suite, "sanity", 0, *worst ? ERRORED : PASSED, "sanity", worst, buf_str(&text));
	buf_release(&text);
}

static void put_verdict(struct suite *suite)
{
	const struct gate_verdict *v = suite->v;
	struct buf text = BUF_INIT;

	buf_addf(&text, "%s", verdict_name(v->result));
	if (v->blame != BLAME_NONE)
		buf_addf(&text, " (blame %s)", blame_name(v->blame));
	buf_addf(&text, "\n%s\n", v->reason);
	put_case(suite, "verdict", 0, outcome_of(v->result), v->code, v->reason, buf_str(&text));
	buf_release(&text);
}

static void fill_suite(struct suite *suite)
{
	for (size_t i = 0; i < suite->r->n_workloads; i++)
		put_workload(suite, &suite->r->workloads[i]);
	put_kernel_log(suite);
	put_sanity(suite);
	put_verdict(suite);
}

static void put_suite(const struct suite *suite, struct buf *out)
{
	const struct session *s = suite->r->s;
	char *name = xasprintf("%s on %s: %s", s->suite, s->board, suite->v->label);
	int tests = 0;

	for (int i = 0; i < N_OUTCOMES; i++)
		tests += suite->count[i];
	buf_adds(out, " <testsuite");
	put_attribute(out, "name", name);
	/* the zone may not be said: it is UTC */
	buf_addf(out,
		 " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\""
		 " timestamp=\"%.19s\"",
		 tests, suite->count[FAILED], suite->count[ERRORED], suite->count[SKIPPED],
		 suite->seconds, suite->r->timestamp);
	put_attribute(out, "hostname", s->host);
	buf_adds(out, ">\n");
	put_properties(suite, out);
	buf_append(out, buf_str(&suite->cases), suite->cases.size);
	buf_adds(out, " </testsuite>\n");
	free(name);
}

static void junit_session(const struct report *r, const struct report_options *options,
			  struct buf *out)
{
	(void)options;
	buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	put_attribute(out, "name", r->s->name);
	buf_adds(out, ">\n");
	for (size_t i = 0; i < r->set->n_verdicts; i++) {
		struct suite suite = { .r = r, .v = &r->set->verdicts[i] };

		fill_suite(&suite);
		put_suite(&suite, out);
		buf_release(&suite.cases);
	}
	buf_adds(out, "</testsuites>\n");
}

const struct report_ops report_junit = {
	.name = "junit",
	.extension = "xml",
	.mime = "application/xml",
	.session = junit_session,
};
