// SPDX-License-Identifier: GPL-2.0-or-later
/* The model behind every report; see report-model.h. Layer: results, pure. */
#include "results/report-model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/day.h"
#include "results/fingerprint.h"
#include "results/report-metric.h"

/* ---- numbers ---- */

bool report_counted(const struct session_visit *v)
{
	return v->pair >= 1 && !v->warmup && !v->control && v->result == VISIT_OK;
}

int report_value(const struct session *s, int visit, const struct session_metric *m, double *value)
{
	int step = visit < 0 ? -1 : session_find_step(s, visit, m->workload);

	return step < 0 ? -ENOENT : session_value(s, step, m->metric, value);
}

static void fill_mean(const struct session *s, int kernel, const struct session_metric *m,
		      struct report_cell *cell)
{
	double m2 = 0;

	for (size_t i = 0; i < s->n_visits; i++) {
		const struct session_visit *v = &s->visits[i];
		double value;
		double off;

		if (v->kernel != kernel || !report_counted(v) ||
		    report_value(s, (int)i, m, &value) < 0)
			continue;
		cell->n++;
		off = value - cell->mean;
		cell->mean += off / cell->n;
		m2 += off * (value - cell->mean);
	}
	cell->sd = cell->n > 1 ? sqrt(m2 / (cell->n - 1)) : 0;
}

/* The paired estimate of any metric, gated or not, as a change of the metric itself. */
static void fill_change(const struct session *s, int kernel, const struct session_metric *m,
			struct report_cell *cell)
{
	int pairs = session_complete_pairs(s, kernel);
	double *base = xcalloc(2 * (size_t)pairs + 1, sizeof(*base));
	struct gate_series series = { .base = base,
				      .cand = base + pairs,
				      .direction = DIRECTION_HIGHER,
				      .min_effect = 0.02,
				      .loss = 0.05 };
	struct gate_estimate est = { 0 };

	for (int pair = 1; pair <= pairs; pair++) {
		double a;
		double b;

		if (report_value(s, session_pair_visit(s, 0, pair), m, &a) < 0 ||
		    report_value(s, session_pair_visit(s, kernel, pair), m, &b) < 0 || a <= 0 ||
		    b <= 0)
			continue;
		base[series.n] = a;
		base[pairs + series.n++] = b;
	}
	if (series.n >= 2)
		gate_evaluate(&series, 1, series.n, 0.025, &est);
	else if (series.n == 1)
		est.mean = log(series.cand[0] / series.base[0]);
	cell->pairs = series.n;
	cell->change = expm1(est.mean);
	cell->lo = expm1(est.lo);
	cell->hi = expm1(est.hi);
	free(base);
}

/* ---- workloads ---- */

static void fill_row(const struct session *s, const struct session_metric *m,
		     struct report_row *row)
{
	const struct report_metric *style = report_metric_find(m->metric);

	row->metric = m;
	row->label = style ? style->label : m->metric;
	row->unit = style ? style->unit : m->unit;
	row->scale = style ? style->scale : 1;
	row->decimals = style ? style->decimals : 2;
	row->cells = xcalloc(s->n_kernels, sizeof(*row->cells));
	for (size_t k = 0; k < s->n_kernels; k++) {
		fill_mean(s, (int)k, m, &row->cells[k]);
		if (k)
			fill_change(s, (int)k, m, &row->cells[k]);
	}
}

/* Rows in the order of the style table, then those it does not know, in the order of the plan. */
static void fill_rows(const struct session *s, struct report_workload *w)
{
	const struct report_metric *style = report_metrics;

	w->rows = xcalloc(s->n_metrics, sizeof(*w->rows));
	for (bool more = true; more; style++) {
		more = style->name;
		for (size_t i = 0; i < s->n_metrics; i++) {
			const struct session_metric *m = &s->metrics[i];

			if (!strcmp(m->workload, w->name) &&
			    report_metric_find(m->metric) == (more ? style : NULL))
				fill_row(s, m, &w->rows[w->n_rows++]);
		}
	}
	for (size_t i = 0; i < w->n_rows; i++)
		if (w->rows[i].metric->primary)
			w->primary = &w->rows[i];
}

static void fill_command(const struct session *s, struct report_workload *w)
{
	w->command = "";
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct session_step *step = &s->steps[i];

		if (strcmp(step->workload, w->name) != 0 || !*step->command)
			continue;
		if (!*w->command)
			w->command = step->command;
		else
			w->other_commands += strcmp(step->command, w->command) != 0;
	}
}

static void fill_judged(const struct gate_set *set, size_t n_kernels, struct report_workload *w)
{
	w->judged = xcalloc(n_kernels, sizeof(*w->judged));
	for (size_t i = 0; i < set->n_verdicts; i++) {
		const struct gate_verdict *v = &set->verdicts[i];
		const struct gate_look *l = v->n_looks ? &v->looks[v->n_looks - 1] : NULL;
		size_t k = (size_t)v->candidate;

		for (size_t j = 0; l && k < n_kernels && j < l->n_workloads; j++)
			if (!strcmp(l->workloads[j].workload, w->name))
				w->judged[k] = (struct report_judged){ &l->workloads[j], l->pairs,
								       l->level };
	}
}

static bool seen_before(const struct session *s, size_t metric)
{
	for (size_t i = 0; i < metric; i++)
		if (!strcmp(s->metrics[i].workload, s->metrics[metric].workload))
			return true;
	return false;
}

static void fill_workloads(struct report *r)
{
	const struct session *s = r->s;

	r->workloads = xcalloc(s->n_metrics + 1, sizeof(*r->workloads));
	for (size_t i = 0; i < s->n_metrics; i++) {
		struct report_workload *w = &r->workloads[r->n_workloads];

		if (seen_before(s, i))
			continue;
		w->name = s->metrics[i].workload;
		fill_rows(s, w);
		fill_command(s, w);
		fill_judged(r->set, s->n_kernels, w);
		r->n_workloads++;
	}
}

/* ---- kernel log ---- */

static void fill_findings(struct report *r)
{
	size_t kernels = r->s->n_kernels;

	r->classes = findings_new(r->s);
	r->n_findings = r->classes->n;
	r->findings = xcalloc(r->n_findings + 1, sizeof(*r->findings));
	for (size_t i = 0; i < r->n_findings; i++) {
		struct report_finding *f = &r->findings[i];

		f->item = &r->classes->items[i];
		f->first = f->item->finding;
		f->state = findings_state_name(findings_overall(r->classes, i));
		f->boots = xcalloc(kernels, sizeof(*f->boots));
		for (size_t k = 0; k < kernels; k++)
			f->boots[k] = f->item->seen[k].boots;
	}
}

/* ---- the whole ---- */

static char *iso_time(int64_t ms)
{
	char text[DAY_TIME_SIZE];

	day_time(ms, text);
	return xstrdup(*text ? text : "1970-01-01T00:00:00Z");
}

static char *find_tools(const struct session *s)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < s->n_visits && !text.size; i++)
		fingerprint_tools(s->visits[i].fingerprint, &text);
	return text.size ? buf_detach(&text) : xstrdup("");
}

/* "A* ABC CBA": a word a pair; what belongs to none stands alone, a warm-up with *, a control with
 * +. */
static char *find_order(const struct session *s)
{
	struct buf text = BUF_INIT;
	bool starred = false;
	int last = -1;

	for (size_t i = 0; i < s->n_visits; i++) {
		const struct session_visit *v = &s->visits[i];
		int pair = v->warmup || v->control ? 0 : v->pair;

		starred |= v->warmup;
		buf_addf(&text, "%s%c%s", i && (!pair || pair != last) ? " " : "",
			 'A' + v->kernel % 26,
			 v->warmup    ? "*"
			 : v->control ? "+"
				      : "");
		last = pair;
	}
	for (size_t k = 0; text.size && k < s->n_kernels; k++)
		buf_addf(&text, "%s%c %s", k ? ", " : " (", 'A' + (int)k % 26, s->kernels[k].label);
	buf_adds(&text, !text.size ? "" : starred ? "; * warm-up)" : ")");
	return buf_detach(&text);
}

/* What the gate compares of the fingerprints; the tools are told elsewhere. */
static void find_facts(struct report *r)
{
	const struct session *s = r->s;
	struct fingerprint *print = NULL;
	char *text = NULL;
	const char *key;
	json_t *value;

	for (size_t i = 0; i < s->n_visits && !print; i++)
		if (s->visits[i].kernel == 0)
			print = fingerprint_new(s->visits[i].fingerprint, s->kernels[0].cmdline);
	if (print)
		text = fingerprint_dump(print);
	r->fact_pool = text ? json_loads(text, 0, NULL) : NULL;
	r->facts = xcalloc(json_object_size(r->fact_pool) + 1, sizeof(*r->facts));
	json_object_foreach (r->fact_pool, key, value) {
		if (!strncmp(key, "tool", 4))
			continue;
		r->facts[r->n_facts++] =
			(struct report_fact){ .key = key, .value = json_string_value(value) };
	}
	free(text);
	fingerprint_free(print);
}

struct report *report_new(const struct session *s, const struct gate_set *set)
{
	struct report *r = xcalloc(1, sizeof(*r));

	r->s = s;
	r->set = set;
	r->boots = xcalloc(s->n_kernels + 1, sizeof(*r->boots));
	for (size_t i = 0; i < s->n_visits; i++)
		r->boots[s->visits[i].kernel]++;
	r->timestamp = iso_time(s->started_ms);
	r->date = xasprintf("%.10s %.5s UTC", r->timestamp, r->timestamp + 11);
	r->tools = find_tools(s);
	r->order = find_order(s);
	r->pairs = xasprintf("%d complete; %zu boots", session_complete_pairs(s, 0), s->n_visits);
	r->prior = report_prior(s);
	find_facts(r);
	r->headline = report_headline(set);
	fill_workloads(r);
	fill_findings(r);
	r->sentence = report_sentence(r);
	return r;
}

static void free_workload(struct report_workload *w)
{
	for (size_t i = 0; i < w->n_rows; i++)
		free(w->rows[i].cells);
	history_free(w->history);
	free(w->rows);
	free(w->judged);
}

void report_free(struct report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_workloads; i++)
		free_workload(&r->workloads[i]);
	for (size_t i = 0; i < r->n_findings; i++)
		free(r->findings[i].boots);
	free(r->workloads);
	free(r->findings);
	findings_free(r->classes);
	free(r->boots);
	free(r->date);
	free(r->timestamp);
	free(r->tools);
	free(r->order);
	free(r->pairs);
	free(r->prior);
	free(r->facts);
	json_decref(r->fact_pool);
	free(r->headline);
	free(r->sentence);
	free(r);
}
