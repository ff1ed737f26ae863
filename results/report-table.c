// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The block of one workload: a row per metric, a column group per variant, the exact command line.
 * Layer: results, pure.
 *
 *	randread/1         original     threaded
 *	                n      mean  n      mean   delta  95 % interval
 *	  avg IOPS      4   5488.82  4   4226.93 -23.0 % [-25.1, -20.8]
 */
#include "results/report-table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/gate.h"
#include "results/session.h"

#define PER_TABLE 2 /* candidates beside the baseline */
#define CELL	  48

/* How a metric is called and printed: value times scale. By the end of its name. */
static const struct style {
	const char *name, *label;
	double scale;
	int decimals;
} styles[] = {
	{ "iops_min", "min IOPS", 1, 2 },	   { "iops_max", "max IOPS", 1, 2 },
	{ "iops_avg", "avg IOPS", 1, 2 },	   { "iops", "IOPS", 1, 2 },
	{ "iops_stddev", "IOPS stddev", 1, 2 },	   { "usr_cpu", "cpu % usr", 1, 2 },
	{ "sys_cpu", "cpu % sys", 1, 2 },	   { "bw_bytes", "bw MB/s", 1e-6, 2 },
	{ "lat_ns.mean", "lat us", 1e-3, 2 },	   { "clat_ns.mean", "clat us", 1e-3, 2 },
	{ "clat_ns.p50", "clat p50 us", 1e-3, 2 }, { "clat_ns.p99", "clat p99 us", 1e-3, 2 },
	{ "clat_ns.p999", "p99.9 us", 1e-3, 2 },   { "ctx", "ctx switches", 1, 0 },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct style *find_style(const char *metric)
{
	size_t n = strlen(metric);

	for (size_t i = 0; i < COUNT(styles); i++) {
		size_t m = strlen(styles[i].name);

		if (n >= m && !strcmp(metric + n - m, styles[i].name) &&
		    (n == m || metric[n - m - 1] == '.'))
			return &styles[i];
	}
	return NULL;
}

/* ---- text ---- */

static void put_char(struct buf *out, char c)
{
	bool control = (unsigned char)c < ' ' || c == 127;

	if (control)
		c = '?';
	buf_append(out, &c, 1);
}

/* Bytes up to where the line must be broken: at the last space that fits, else the next one. */
static size_t break_at(const char *text, size_t room)
{
	size_t fit = 0;

	for (size_t i = 0; text[i]; i++) {
		if (i > room && fit)
			return fit;
		if (text[i] == ' ')
			fit = i;
		if (i >= room && fit)
			return fit;
	}
	return strlen(text);
}

static void put_line(struct buf *out, const char *lead, size_t indent, const char *text,
		     const char *glue)
{
	size_t room = REPORT_WIDTH - indent - strlen(glue);

	for (;;) {
		size_t n = strlen(text) <= REPORT_WIDTH - indent ? strlen(text)
								 : break_at(text, room);

		buf_addf(out, "%-*s", (int)indent, lead);
		for (size_t i = 0; i < n; i++)
			put_char(out, text[i]);
		text += n + strspn(text + n, " ");
		buf_addf(out, "%s\n", *text ? glue : "");
		if (!*text)
			return;
		lead = "";
	}
}

void report_wrap(struct buf *out, const char *first, size_t indent, const char *text,
		 const char *glue)
{
	char *copy = xstrdup(text);
	char *line = copy;

	while (line) {
		char *eol = strchr(line, '\n');

		if (eol)
			*eol = '\0';
		put_line(out, first, indent, line, glue);
		first = "";
		line = eol ? eol + 1 : NULL;
	}
	free(copy);
}

/* ---- numbers ---- */

static int visit_value(const struct session *s, int visit, const struct session_metric *m,
		       double *value)
{
	int step = visit < 0 ? -1 : session_find_step(s, visit, m->workload);

	return step < 0 ? -1 : session_value(s, step, m->metric, value);
}

/* Over the counted visits that ended well. Returns n. */
static int kernel_mean(const struct session *s, int kernel, const struct session_metric *m,
		       double *mean)
{
	double sum = 0;
	int n = 0;

	for (size_t i = 0; i < s->n_visits; i++) {
		const struct session_visit *v = &s->visits[i];
		double value;

		if (v->kernel != kernel || v->pair < 1 || v->warmup || v->control ||
		    v->result != VISIT_OK || visit_value(s, (int)i, m, &value) < 0)
			continue;
		sum += value;
		n++;
	}
	*mean = n ? sum / n : 0;
	return n;
}

/* The paired estimate of any metric, gated or not. Returns n; with one pair it has a mean only. */
static int paired(const struct session *s, int kernel, const struct session_metric *m,
		  struct gate_estimate *est)
{
	int pairs = session_complete_pairs(s, kernel);
	double *base = xcalloc(2 * (size_t)pairs + 1, sizeof(*base));
	struct gate_series series = { .base = base,
				      .cand = base + pairs,
				      .direction = DIRECTION_HIGHER,
				      .min_effect = 0.02,
				      .loss = 0.05 };

	for (int pair = 1; pair <= pairs; pair++) {
		double a;
		double b;

		if (visit_value(s, session_pair_visit(s, 0, pair), m, &a) < 0 ||
		    visit_value(s, session_pair_visit(s, kernel, pair), m, &b) < 0 || a <= 0 ||
		    b <= 0)
			continue;
		base[series.n] = a;
		base[pairs + series.n++] = b;
	}
	memset(est, 0, sizeof(*est));
	if (series.n >= 2)
		gate_evaluate(&series, 1, series.n, 0.025, est);
	else if (series.n == 1)
		est->mean = log(series.cand[0] / series.base[0]);
	free(base);
	return series.n;
}

/* ---- cells ---- */

static void mean_cell(char cell[CELL], const struct session *s, int kernel,
		      const struct session_metric *m)
{
	const struct style *style = find_style(m->metric);
	double mean;
	int n = kernel_mean(s, kernel, m, &mean);

	mean *= style ? style->scale : 1;
	if (n)
		snprintf(cell, CELL, "%3d %9.*f", n,
			 mean >= 1e6 || (style && !style->decimals) ? 0 : 2, mean);
	else
		snprintf(cell, CELL, "%3d %9s", 0, "-");
}

/* "-12.3", "+1234", "+9999" and more: never wider than six characters. */
static void percent(char text[8], double ratio)
{
	double value = 100 * ratio;

	snprintf(text, 8, value < 99.95 ? "%+.1f" : "%+.0f", value < 9999 ? value : 9999);
}

static void delta_cell(char cell[CELL], const struct session *s, int kernel,
		       const struct session_metric *m)
{
	char interval[24] = "";
	char delta[8];
	char lo[8];
	char hi[8];
	struct gate_estimate e;
	int n = paired(s, kernel, m, &e);

	if (!n) {
		snprintf(cell, CELL, "%8s %14s", "-", "");
		return;
	}
	percent(delta, expm1(e.mean));
	percent(lo, expm1(e.lo));
	percent(hi, expm1(e.hi));
	if (n > 1)
		snprintf(interval, sizeof(interval), "[%s, %s]", lo, hi);
	snprintf(cell, CELL, "%6s %% %14s", delta, interval);
}

/* ---- a table: the baseline and candidates first..last-1 ---- */

struct table {
	const struct session *s;
	const struct gate_set *set;
	const char *workload;
	size_t first, last;
	struct buf *out;
};

static void end_line(struct buf *out)
{
	/* the buffer is terminated again by what is appended */
	while (out->size && out->data[out->size - 1] == ' ')
		out->size--;
	buf_adds(out, "\n");
}

static void put_head(const struct table *t)
{
	buf_addf(t->out, "%-14.14s%13.12s", t->workload, t->s->kernels[0].label);
	for (size_t k = t->first; k < t->last; k++)
		buf_addf(t->out, "%13.12s%23s", t->s->kernels[k].label, "");
	end_line(t->out);
	buf_addf(t->out, "%-14s%3s%10s", "", "n", "mean");
	for (size_t k = t->first; k < t->last; k++)
		buf_addf(t->out, "%3s%10s%8s%15s", "n", "mean", "delta", "95 % interval");
	end_line(t->out);
}

static void put_row(const struct table *t, const struct session_metric *m)
{
	const struct style *style = find_style(m->metric);
	char cell[CELL];

	mean_cell(cell, t->s, 0, m);
	buf_addf(t->out, "%c %-12.12s%s", m->primary ? '*' : ' ', style ? style->label : m->metric,
		 cell);
	for (size_t k = t->first; k < t->last; k++) {
		mean_cell(cell, t->s, (int)k, m);
		buf_adds(t->out, cell);
		delta_cell(cell, t->s, (int)k, m);
		buf_adds(t->out, cell);
	}
	end_line(t->out);
}

static const struct gate_workload *judged(const struct gate_set *set, int kernel,
					  const char *workload, int *pairs)
{
	for (size_t i = 0; i < set->n_verdicts; i++) {
		const struct gate_verdict *v = &set->verdicts[i];
		const struct gate_look *l = v->n_looks ? &v->looks[v->n_looks - 1] : NULL;

		for (size_t k = 0; l && v->candidate == kernel && k < l->n_workloads; k++) {
			*pairs = l->pairs;
			if (!strcmp(l->workloads[k].workload, workload))
				return &l->workloads[k];
		}
	}
	return NULL;
}

/* A workload that another one's failure left open has no verdict of its own. */
static const char *cell_verdict(enum verdict v)
{
	return v == VERDICT_PENDING ? "undecided" : verdict_name(v);
}

static void put_verdicts(const struct table *t)
{
	buf_addf(t->out, "  %-25s", "verdict");
	for (size_t k = t->first; k < t->last; k++) {
		int pairs = 0;
		const struct gate_workload *w = judged(t->set, (int)k, t->workload, &pairs);
		char text[40] = "not judged";

		if (w)
			snprintf(text, sizeof(text), "%s (p %.2g, %d pairs)",
				 cell_verdict(w->est.result), w->est.p_adj, pairs);
		buf_addf(t->out, "%36s", text);
	}
	buf_adds(t->out, "\n");
}

static bool has_primary(const struct session *s, const char *workload)
{
	for (size_t i = 0; i < s->n_metrics; i++)
		if (s->metrics[i].primary && !strcmp(s->metrics[i].workload, workload))
			return true;
	return false;
}

/* Rows in the order of the style table, then those it does not know, in the order of the plan. */
static void put_rows(const struct table *t)
{
	for (size_t k = 0; k <= COUNT(styles); k++) {
		for (size_t i = 0; i < t->s->n_metrics; i++) {
			const struct session_metric *m = &t->s->metrics[i];
			const struct style *want = k < COUNT(styles) ? &styles[k] : NULL;

			if (!strcmp(m->workload, t->workload) && find_style(m->metric) == want)
				put_row(t, m);
		}
	}
}

/* ---- the command line ---- */

static void put_command(const struct session *s, const char *workload, struct buf *out)
{
	const char *command = NULL;
	int others = 0;

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct session_step *step = &s->steps[i];

		if (strcmp(step->workload, workload) != 0 || !*step->command)
			continue;
		if (!command)
			command = step->command;
		else
			others += strcmp(step->command, command) != 0;
	}
	if (!command)
		return;
	report_wrap(out, "  $", 4, command, " \\");
	if (others)
		buf_addf(out,
			 "    (%d of the runs had another command line: see their `command`"
			 " files)\n",
			 others);
}

void report_workload(const struct session *s, const struct gate_set *set, const char *workload,
		     struct buf *out)
{
	struct table t = { .s = s, .set = set, .workload = workload, .first = 1, .out = out };

	do {
		t.last = t.first + PER_TABLE < s->n_kernels ? t.first + PER_TABLE : s->n_kernels;
		put_head(&t);
		put_rows(&t);
		if (s->n_kernels > 1 && has_primary(s, workload))
			put_verdicts(&t);
		t.first = t.last;
		if (t.first < s->n_kernels)
			buf_adds(out, "\n");
	} while (t.first < s->n_kernels);
	put_command(s, workload, out);
}
