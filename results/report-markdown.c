// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Markdown format: for issues and merge requests (GitHub flavour: pipe tables, fenced code).
 * Layer: results, pure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"
#include "results/findings.h"
#include "results/report-format.h"
#include "results/report-model.h"
#include "results/report.h"

#define TRACE_MAX 8

static void put_item(struct buf *out, const char *name, const char *text)
{
	if (!*text)
		return;
	buf_addf(out, "- %s: ", name);
	escape_markdown(out, text);
	buf_adds(out, "\n");
}

/* ---- verdict ---- */

/* The reasons of a verdict, one a line, as a nested list. */
static void put_reasons(struct buf *out, const char *reason)
{
	while (*reason) {
		size_t n = strcspn(reason, "\n");
		char *line = xasprintf("%.*s", (int)n, reason);

		buf_adds(out, "  - ");
		escape_markdown(out, line);
		buf_adds(out, "\n");
		free(line);
		reason += n + (reason[n] == '\n');
	}
}

static void put_verdicts(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->set->n_verdicts; i++) {
		const struct gate_verdict *v = &r->set->verdicts[i];

		buf_addf(out, "- **%s** ", verdict_name(v->result));
		escape_markdown(out, v->label);
		if (v->blame != BLAME_NONE)
			buf_addf(out, " (blame %s)", blame_name(v->blame));
		buf_adds(out, "\n");
		put_reasons(out, v->reason);
	}
	buf_adds(out, "\n");
}

/* ---- workloads ---- */

static void put_head(const struct session *s, struct buf *out)
{
	buf_adds(out, "| metric |");
	for (size_t k = 0; k < s->n_kernels; k++) {
		buf_adds(out, " ");
		escape_markdown(out, s->kernels[k].label);
		buf_adds(out, k ? " | change | 95 % interval |" : " |");
	}
	buf_adds(out, "\n|:--|");
	for (size_t k = 0; k < s->n_kernels; k++)
		buf_adds(out, k ? "--:|--:|--:|" : "--:|");
	buf_adds(out, "\n");
}

static void put_cell(const struct report_row *row, size_t kernel, struct buf *out)
{
	const struct report_cell *c = &row->cells[kernel];

	if (!c->n)
		buf_adds(out, " – |");
	else if (c->n > 1 && c->mean != 0)
		buf_addf(out, " %.*f ± %.1f %% |", row->decimals, c->mean * row->scale,
			 fmin(100 * c->sd / fabs(c->mean), 9999));
	else
		buf_addf(out, " %.*f |", row->decimals, c->mean * row->scale);
	if (!kernel)
		return;
	if (c->pairs)
		buf_addf(out, " %+.1f %% |", 100 * c->change);
	else
		buf_adds(out, " – |");
	if (c->pairs > 1)
		buf_addf(out, " %+.1f … %+.1f |", 100 * c->lo, 100 * c->hi);
	else
		buf_adds(out, " – |");
}

static void put_row(const struct report *r, const struct report_row *row, struct buf *out)
{
	buf_adds(out, row->metric->primary ? "| **" : "| ");
	escape_markdown(out, row->label);
	buf_adds(out, row->metric->primary ? "** |" : " |");
	for (size_t k = 0; k < r->s->n_kernels; k++)
		put_cell(row, k, out);
	buf_adds(out, "\n");
}

static void put_judged(const struct report *r, const struct report_workload *w, struct buf *out)
{
	for (size_t k = 1; w->primary && k < r->s->n_kernels; k++) {
		const struct report_judged *j = &w->judged[k];

		buf_adds(out, k > 1 ? ", " : "\n");
		escape_markdown(out, r->s->kernels[k].label);
		buf_addf(out, ": **%s**", report_judged_name(j));
		if (j->gate)
			buf_addf(out, " (p %.2g, %d pairs)", j->gate->est.p_adj, j->pairs);
	}
	if (w->primary && r->s->n_kernels > 1)
		buf_adds(out, "\n");
}

/* Longest run of backticks: the fence must be longer. */
static size_t longest_run(const char *text, char c)
{
	size_t longest = 0;
	size_t run = 0;

	for (; *text; text++) {
		run = *text == c ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void put_code(struct buf *out, const char *text)
{
	size_t n = longest_run(text, '`') + 1;
	struct buf fence = BUF_INIT;
	struct buf clean = BUF_INIT;

	for (size_t i = 0; i < (n < 3 ? 3 : n); i++)
		buf_adds(&fence, "`");
	escape_utf8(&clean, text);
	for (size_t i = 0; i < clean.size; i++)
		if ((unsigned char)clean.data[i] < ' ' && clean.data[i] != '\n')
			clean.data[i] = '?';
	buf_addf(out, "\n%s\n%s\n%s\n", buf_str(&fence), buf_str(&clean), buf_str(&fence));
	buf_release(&fence);
	buf_release(&clean);
}

static void put_workload(const struct report *r, const struct report_workload *w, struct buf *out)
{
	buf_adds(out, "### ");
	escape_markdown(out, w->name);
	buf_adds(out, "\n\n");
	put_head(r->s, out);
	for (size_t i = 0; i < w->n_rows; i++)
		put_row(r, &w->rows[i], out);
	put_judged(r, w, out);
	if (*w->command)
		put_code(out, w->command);
	if (w->other_commands)
		buf_addf(out, "\n%d of the runs had another command line.\n", w->other_commands);
	buf_adds(out, "\n");
}

/* ---- kernel log, faults, environment ---- */

static void put_findings(const struct report *r, struct buf *out)
{
	struct buf more = BUF_INIT;

	buf_adds(out, "### Kernel log\n\n");
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct report_finding *f = &r->findings[i];

		buf_addf(out, "- **%s** ", f->state);
		escape_markdown(out, f->first->title);
		buf_adds(out, " (");
		escape_markdown(out, f->first->kind);
		buf_adds(out, ")");
		for (size_t k = 0; k < r->s->n_kernels; k++) {
			buf_addf(out, "%s %d of %d boots of ", k ? "," : ":", f->boots[k],
				 r->boots[k]);
			escape_markdown(out, r->s->kernels[k].label);
		}
		findings_where(f->first, TRACE_MAX, &more);
		findings_why(f->item, &more);
		escape_markdown(out, buf_str(&more));
		buf_reset(&more);
		buf_adds(out, "\n");
	}
	buf_release(&more);
	if (!r->n_findings)
		buf_addf(out, "Nothing found in %zu boots.\n", r->s->n_visits);
	buf_adds(out, "\n");
}

static void put_faults(const struct session *s, struct buf *out)
{
	if (!s->n_faults)
		return;
	buf_adds(out, "### Faults\n\n");
	for (size_t i = 0; i < s->n_faults; i++) {
		const struct session_fault *f = &s->faults[i];

		buf_addf(out, "- **%s** ", blame_name(f->blame));
		if (f->visit >= 0)
			buf_addf(out, "visit %d: ", s->visits[f->visit].number);
		escape_markdown(out, f->code);
		buf_adds(out, ": ");
		escape_markdown(out, f->message);
		buf_adds(out, "\n");
	}
	buf_adds(out, "\n");
}

static void put_anomalies(const struct session *s, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < s->n_anomalies; i++) {
		const struct session_anomaly *a = &s->anomalies[i];

		if (a->severity < SEVERITY_WARN)
			continue;
		buf_addf(out, "%s- **%s** ", any ? "" : "### Numbers that need a look\n\n",
			 severity_name(a->severity));
		any = true;
		escape_markdown(out, a->rule);
		buf_adds(out, ", ");
		escape_markdown(out, a->subject);
		buf_adds(out, ": ");
		escape_markdown(out, a->message);
		buf_adds(out, "\n");
	}
	if (any)
		buf_adds(out, "\n");
}

static void put_environment(const struct report *r, struct buf *out)
{
	const struct session *s = r->s;
	struct report_fact rows[REPORT_ABOUT];
	size_t n = report_about(r, rows);

	buf_adds(out, "### Environment\n\n");
	for (size_t i = 0; i < n; i++)
		put_item(out, rows[i].key, rows[i].value);
	if (report_is_virtual(s))
		put_item(out, "note", REPORT_VIRTUAL_NOTE);
	buf_adds(out, "\n| kernel | variant | release | build | patches | config |\n"
		      "|:--|:--|:--|:--|:--|:--|\n");
	for (size_t i = 0; i < s->n_kernels; i++) {
		const struct session_kernel *k = &s->kernels[i];
		const char *const cells[] = { k->label, k->variant,	 k->release,
					      k->id,	k->patches_hash, k->config_hash };

		for (size_t c = 0; c < 6; c++) {
			char *cell = xasprintf("%.*s", c < 4 ? 1000 : 12, cells[c]);

			buf_adds(out, c ? " | " : "| ");
			escape_markdown(out, cell);
			free(cell);
		}
		buf_adds(out, " |\n");
	}
}

static void put_machine(const struct report *r, struct buf *out)
{
	if (!r->n_facts)
		return;
	buf_addf(out, "\n<details><summary>Machine state (%zu)</summary>\n\n", r->n_facts);
	for (size_t i = 0; i < r->n_facts; i++) {
		buf_adds(out, "- ");
		escape_markdown(out, r->facts[i].key);
		buf_adds(out, ": ");
		escape_markdown(out, r->facts[i].value);
		buf_adds(out, "\n");
	}
	buf_adds(out, "\n</details>\n");
}

static void markdown_session(const struct report *r, const struct report_options *options,
			     struct buf *out)
{
	(void)options;
	buf_addf(out, "## %s: ", verdict_name(r->set->result));
	escape_markdown(out, r->sentence);
	buf_adds(out, "\n\n");
	put_verdicts(r, out);
	for (size_t i = 0; i < r->n_workloads; i++)
		put_workload(r, &r->workloads[i], out);
	if (r->n_workloads)
		buf_adds(out,
			 "**Bold**: the gated metric. Means of boots ± their standard deviation;"
			 " change: mean of the paired log ratios. MB/s = 10^6 bytes/s.\n\n");
	put_findings(r, out);
	put_faults(r->s, out);
	put_anomalies(r->s, out);
	put_environment(r, out);
	put_machine(r, out);
}

const struct report_ops report_markdown = {
	.name = "markdown",
	.extension = "md",
	.mime = "text/markdown; charset=utf-8",
	.session = markdown_session,
};
