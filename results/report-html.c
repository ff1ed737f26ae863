// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The HTML format: one file that needs no other, for light and dark, narrow, wide and paper. The
 * verdict as a sentence, then why, then all that it rests on. It is also well-formed XML. Layer:
 * results, pure.
 */
#include "results/report-html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"
#include "results/findings.h"
#include "results/plot.h"
#include "results/report-format.h"
#include "results/report-model.h"
#include "results/report.h"

#define TRACE_MAX 12

/* ---- parts ---- */

/* Class and sign of a verdict: no state is told by colour alone. */
static const struct {
	const char *class, *sign;
} pills[] = {
	[VERDICT_NONE] = { "none", "\u00b7" }, [VERDICT_PASS] = { "pass", "\u2713" },
	[VERDICT_PENDING] = { "open", "?" },   [VERDICT_INCONCLUSIVE] = { "open", "?" },
	[VERDICT_FAIL] = { "fail", "\u2715" }, [VERDICT_INVALID] = { "void", "!" },
};

void report_html_pill(struct buf *out, enum verdict v, const char *word)
{
	buf_addf(out, "<span class=\"pill %s\">%s %s</span>", pills[v].class, pills[v].sign, word);
}

void report_html_kernel(struct buf *out, const struct report *r, size_t kernel)
{
	buf_adds(out, "<span class=\"kernel\">");
	plot_put_mark(out, (int)kernel);
	escape_xml(out, r->s->kernels[kernel].label);
	buf_adds(out, "</span>");
}

/* Lines of plain text as a list. */
static void put_lines(struct buf *out, const char *text)
{
	if (!*text)
		return;
	buf_adds(out, "<ul>");
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = xasprintf("%.*s", (int)n, text);

		buf_adds(out, "<li>");
		escape_xml(out, line);
		buf_adds(out, "</li>");
		free(line);
		text += n + (text[n] == '\n');
	}
	buf_adds(out, "</ul>\n");
}

static void put_term(struct buf *out, const char *name, const char *text)
{
	if (!*text)
		return;
	buf_addf(out, "<dt>%s</dt><dd>", name);
	escape_xml(out, text);
	buf_adds(out, "</dd>\n");
}

/* ---- top ---- */

static void put_head(const struct report *r, struct buf *out)
{
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
	escape_xml(out, verdict_name(r->set->result));
	buf_adds(out, ": ");
	escape_xml(out, r->s->name);
	buf_addf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", report_css);
	plot_put_shapes(out);
	buf_adds(out, "<main>\n");
}

static void put_title(const struct report *r, struct buf *out)
{
	const struct session *s = r->s;

	buf_adds(out, "<p class=\"over\">");
	escape_xml(out, s->suite);
	if (*s->profile) {
		buf_adds(out, ", ");
		escape_xml(out, s->profile);
	}
	buf_addf(out, " \u00b7 %s \u00b7 ", r->date);
	escape_xml(out, s->name);
	buf_adds(out, "</p>\n<h1>");
	escape_xml(out, r->sentence);
	buf_adds(out, "</h1>\n");
	if (s->state == SESSION_RUNNING)
		buf_adds(out, "<p class=\"note\">Still running: all below is so far.</p>\n");
	if (report_is_virtual(s))
		buf_adds(out, "<p class=\"note\">Note: " REPORT_VIRTUAL_NOTE ".</p>\n");
}

static void put_verdict(const struct report *r, const struct gate_verdict *v, struct buf *out)
{
	buf_adds(out, "<article class=\"verdict\"><header><h3>");
	report_html_kernel(out, r, (size_t)v->candidate);
	buf_adds(out, "</h3>");
	report_html_pill(out, v->result,
			 v->result == VERDICT_NONE ? "measured" : verdict_name(v->result));
	buf_adds(out, "</header>");
	if (v->blame != BLAME_NONE)
		buf_addf(out, "<p class=\"blame\">blame: %s, after %d %s</p>", blame_name(v->blame),
			 v->pairs, v->pairs == 1 ? "pair" : "pairs");
	put_lines(out, v->reason);
	buf_adds(out, "</article>\n");
}

static void put_verdicts(const struct report *r, struct buf *out)
{
	buf_adds(out, "<section class=\"verdicts\" aria-label=\"Verdicts\">\n");
	for (size_t i = 0; i < r->set->n_verdicts; i++)
		put_verdict(r, &r->set->verdicts[i], out);
	buf_adds(out, "</section>\n");
}

/* ---- kernel log ---- */

static void put_finding(const struct report *r, const struct report_finding *f, struct buf *out)
{
	const struct session_visit *v = &r->s->visits[f->first->visit];
	bool bad = !strcmp(f->state, "new");
	struct buf more = BUF_INIT;

	buf_addf(out, "<div class=\"finding%s\"><p><span class=\"pill %s\">%s</span> <b>",
		 bad ? " bad" : "", bad ? "fail" : "none", f->state);
	escape_xml(out, f->first->title);
	buf_adds(out, "</b> (");
	escape_xml(out, f->first->kind);
	buf_adds(out, ", ");
	escape_xml(out, f->first->severity);
	buf_adds(out, ")</p><p>");
	for (size_t k = 0; k < r->s->n_kernels; k++) {
		buf_addf(out, "%s%d of %d boots of ", k ? ", " : "", f->boots[k], r->boots[k]);
		escape_xml(out, r->s->kernels[k].label);
	}
	findings_where(f->first, TRACE_MAX, &more);
	findings_why(f->item, &more);
	escape_xml(out, buf_str(&more));
	buf_adds(out, "</p><p class=\"trace\">first seen in <code>");
	escape_xml(out, v->dir);
	buf_addf(out, "/console.log</code>, byte %lld</p></div>\n", (long long)f->first->begin);
	buf_release(&more);
}

static void put_findings(const struct report *r, struct buf *out)
{
	buf_adds(out, "<h2>Kernel log</h2>\n");
	for (size_t i = 0; i < r->n_findings; i++)
		put_finding(r, &r->findings[i], out);
	if (!r->n_findings)
		buf_addf(out, "<p>Nothing found in %zu boots.</p>\n", r->s->n_visits);
}

/* ---- faults and numbers that cannot be ---- */

static void put_faults(const struct session *s, struct buf *out)
{
	if (s->n_faults)
		buf_adds(out, "<h2>Faults</h2>\n");
	for (size_t i = 0; i < s->n_faults; i++) {
		const struct session_fault *f = &s->faults[i];

		buf_addf(out,
			 "<div class=\"finding bad\"><p><span class=\"pill void\">%s</span> <b>",
			 blame_name(f->blame));
		escape_xml(out, f->code);
		buf_adds(out, "</b></p><p>");
		if (f->visit >= 0)
			buf_addf(out, "visit %d: ", s->visits[f->visit].number);
		escape_xml(out, f->message);
		buf_adds(out, "</p></div>\n");
	}
}

static void put_anomalies(const struct session *s, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < s->n_anomalies; i++) {
		const struct session_anomaly *a = &s->anomalies[i];

		if (a->severity < SEVERITY_WARN)
			continue;
		if (!any)
			buf_adds(out, "<h2>Numbers that need a look</h2>\n");
		any = true;
		buf_addf(out, "<div class=\"finding\"><p><span class=\"pill %s\">%s</span> <b>",
			 a->severity == SEVERITY_ERROR ? "void" : "open",
			 severity_name(a->severity));
		escape_xml(out, a->rule);
		buf_adds(out, "</b> ");
		escape_xml(out, a->subject);
		buf_adds(out, "</p><p>");
		escape_xml(out, a->message);
		buf_adds(out, "</p><p class=\"trace\">");
		escape_xml(out, a->place);
		buf_adds(out, "</p></div>\n");
	}
}

/* ---- environment ---- */

static void put_kernels(const struct session *s, struct buf *out)
{
	buf_adds(out, "<div class=\"scroll\"><table><thead><tr><th>kernel</th><th>variant</th>"
		      "<th>release</th><th>build</th><th>patches</th><th>config</th>"
		      "<th>parameters</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < s->n_kernels; i++) {
		const struct session_kernel *k = &s->kernels[i];
		char *variant = xasprintf("%s:%s", k->series, k->variant);
		char patches[REPORT_HASH_SIZE];
		char *config = xasprintf("%.12s", k->config_hash);
		const char *const cells[] = {
			k->label, variant,   k->release, k->id, report_patches(k, patches),
			config,	  k->cmdline
		};

		buf_adds(out, "<tr>");
		for (size_t c = 0; c < sizeof(cells) / sizeof(cells[0]); c++) {
			buf_adds(out, c ? "<td><code>" : "<td>");
			escape_xml(out, cells[c]);
			buf_adds(out, c ? "</code></td>" : "</td>");
		}
		buf_adds(out, "</tr>\n");
		free(variant);
		free(config);
	}
	buf_adds(out, "</tbody></table></div>\n");
}

static void put_environment(const struct report *r, struct buf *out)
{
	struct report_fact rows[REPORT_ABOUT];
	size_t n = report_about(r, rows);

	buf_adds(out, "<h2>Environment</h2>\n<dl>\n");
	for (size_t i = 0; i < n; i++)
		put_term(out, rows[i].key, rows[i].value);
	buf_adds(out, "</dl>\n");
	put_kernels(r->s, out);
}

/* The state of the machine, as the gate compares it between boots. */
static void put_machine(const struct report *r, struct buf *out)
{
	if (!r->n_facts)
		return;
	buf_addf(out,
		 "<details><summary>Machine state, %zu facts</summary>\n<dl class=\"facts\">\n",
		 r->n_facts);
	for (size_t i = 0; i < r->n_facts; i++) {
		buf_adds(out, "<dt>");
		escape_xml(out, r->facts[i].key);
		buf_adds(out, "</dt><dd>");
		escape_xml(out, r->facts[i].value);
		buf_adds(out, "</dd>\n");
	}
	buf_adds(out, "</dl></details>\n");
}

static void html_session(const struct report *r, const struct report_options *options,
			 struct buf *out)
{
	(void)options;
	put_head(r, out);
	put_title(r, out);
	put_verdicts(r, out);
	report_html_changes(r, out);
	report_html_workloads(r, out);
	put_findings(r, out);
	put_faults(r->s, out);
	put_anomalies(r->s, out);
	put_environment(r, out);
	put_machine(r, out);
	buf_addf(
		out,
		"<footer><p>Exit code %d. %s. Intervals and p-values: paired by neighbouring"
		" boots, Holm over the workloads, weighted by their noise in the calibration if"
		" there is one; no average over unlike workloads is ever taken.</p></footer>\n</main>\n</body>\n</html>\n",
		gate_exit_code(r->set), report_meaning(r->set->result));
}

const struct report_ops report_html = {
	.name = "html",
	.extension = "html",
	.mime = "text/html; charset=utf-8",
	.history = true,
	.session = html_session,
};
