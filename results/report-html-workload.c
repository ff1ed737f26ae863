// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A workload in the HTML report: the gated metric of every boot in order of time, the table of all
 * metrics, the command line. Layer: results, pure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"
#include "results/plot.h"
#include "results/report-html.h"
#include "results/report-model.h"

#define LABEL_MAX 16 /* characters beside a plot */
#define FEW_PAIRS 6  /* up to so many are called "pair N" */

/* ---- values in order of time ---- */

/* What plot_time() needs, with the strings that it borrows. */
struct strip {
	const struct report *r;
	const struct report_row *row;
	struct plot_point *points;
	struct plot_span *spans;
	struct plot_level *levels;
	size_t n_points, n_spans, n_levels;
	char **texts;
	size_t n_texts;
};

static const char *keep(struct strip *s, char *text)
{
	s->texts = xrealloc(s->texts, (s->n_texts + 1) * sizeof(*s->texts));
	s->texts[s->n_texts++] = text;
	return text;
}

/* At most max bytes, not within a character, with an ellipsis where something is cut. */
static char *shorten(const char *text, size_t max)
{
	size_t n = strlen(text);

	if (n <= max)
		return xstrdup(text);
	for (n = max - 1; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
		;
	return xasprintf("%.*s\u2026", (int)n, text);
}

static double x_of(const struct strip *s, size_t visit)
{
	return ((double)visit + 0.5) / (double)s->r->s->n_visits;
}

static void add_point(struct strip *s, size_t visit)
{
	const struct session *session = s->r->s;
	const struct session_visit *v = &session->visits[visit];
	double value;
	char *title;

	if (report_value(session, (int)visit, s->row->metric, &value) < 0)
		return;
	title = xasprintf("visit %d, %s, %s %d: %.*f %s", v->number,
			  session->kernels[v->kernel].label,
			  v->warmup    ? "warm-up"
			  : v->control ? "control boot"
				       : "pair",
			  v->pair, s->row->decimals, value * s->row->scale, s->row->unit);
	s->points[s->n_points++] = (struct plot_point){ .x = x_of(s, visit),
							.y = value,
							.series = v->kernel,
							.faint = !report_counted(v),
							.title = keep(s, title) };
}

/* Neighbouring visits of one pair are one span. */
static void add_spans(struct strip *s)
{
	const struct session *session = s->r->s;
	int pairs = session_complete_pairs(session, 0);
	size_t from = 0;

	for (size_t i = 1; i <= session->n_visits; i++) {
		int pair = session->visits[from].pair;

		if (i < session->n_visits && session->visits[i].pair == pair)
			continue;
		s->spans[s->n_spans++] = (struct plot_span){
			.from = (double)from / (double)session->n_visits,
			.to = (double)i / (double)session->n_visits,
			.label = pair < 1 ? ""
					  : keep(s, xasprintf(pairs <= FEW_PAIRS ? "pair %d" : "%d",
							      pair)),
			.shaded = pair % 2,
		};
		from = i;
	}
}

static void add_levels(struct strip *s)
{
	const struct session *session = s->r->s;

	for (size_t k = 0; k < session->n_kernels; k++) {
		if (!s->row->cells[k].n)
			continue;
		s->levels[s->n_levels++] = (struct plot_level){
			.from = 0,
			.to = 1,
			.y = s->row->cells[k].mean,
			.series = (int)k,
			.label = keep(s, shorten(session->kernels[k].label, LABEL_MAX)),
		};
	}
}

static void put_strip(const struct report *r, const struct report_workload *w, struct buf *out)
{
	struct strip s = { .r = r, .row = w->primary ? w->primary : &w->rows[0] };
	char *title = xasprintf("%s: %s of every boot, in order of time", w->name, s.row->label);
	struct plot_time p = { .title = title,
			       .description = "One mark a boot; hollow: not counted. Lines: the"
					      " mean of each kernel. The table below has the"
					      " numbers.",
			       .unit = s.row->unit,
			       .scale = s.row->scale };

	s.points = xcalloc(r->s->n_visits + 1, sizeof(*s.points));
	s.spans = xcalloc(r->s->n_visits + 1, sizeof(*s.spans));
	s.levels = xcalloc(r->s->n_kernels, sizeof(*s.levels));
	for (size_t i = 0; i < r->s->n_visits; i++)
		add_point(&s, i);
	if (s.n_points)
		add_spans(&s);
	add_levels(&s);
	p.points = s.points;
	p.n_points = s.n_points;
	p.spans = s.spans;
	p.n_spans = s.n_spans;
	p.levels = s.levels;
	p.n_levels = s.n_levels;
	plot_time(out, &p);
	for (size_t i = 0; i < s.n_texts; i++)
		free(s.texts[i]);
	free(s.texts);
	free(s.points);
	free(s.spans);
	free(s.levels);
	free(title);
}

static void put_legend(const struct report *r, const struct report_row *row, struct buf *out)
{
	buf_adds(out, "<p class=\"axisname\">");
	escape_xml(out, row->label);
	buf_adds(out, " of every boot</p>\n<ul class=\"legend\">");
	for (size_t k = 0; k < r->s->n_kernels; k++) {
		buf_adds(out, "<li>");
		report_html_kernel(out, r, k);
		buf_adds(out, "</li>");
	}
	buf_adds(out, "</ul>\n");
}

/* ---- the table ---- */

static void put_head(const struct report *r, struct buf *out)
{
	buf_adds(out, "<thead><tr><th>metric</th>");
	for (size_t k = 0; k < r->s->n_kernels; k++) {
		buf_adds(out, "<th class=\"r\">");
		report_html_kernel(out, r, k);
		buf_adds(out, k ? "</th><th class=\"r\">change</th>" : "</th>");
	}
	buf_adds(out, "</tr></thead>\n");
}

static void put_mean(const struct report_row *row, const struct report_cell *c, struct buf *out)
{
	buf_adds(out, "<td class=\"r\">");
	if (!c->n)
		buf_adds(out, "\u2013");
	else
		buf_addf(out, "%.*f", row->decimals, c->mean * row->scale);
	if (c->n > 1 && c->mean != 0)
		buf_addf(out, " <span class=\"spread\">\u00b1%.1f\u00a0%%</span>",
			 fmin(100 * c->sd / fabs(c->mean), 9999));
	buf_adds(out, "</td>");
}

static void put_change(const struct report_cell *c, struct buf *out)
{
	buf_adds(out, "<td class=\"r\">");
	if (c->pairs)
		plot_put_percent(out, c->change, 1);
	else
		buf_adds(out, "\u2013");
	if (c->pairs > 1)
		plot_put_range(out, c->lo, c->hi);
	buf_adds(out, "</td>");
}

static void put_table(const struct report *r, const struct report_workload *w, struct buf *out)
{
	buf_adds(out, "<div class=\"scroll\"><table>\n");
	put_head(r, out);
	buf_adds(out, "<tbody>\n");
	for (size_t i = 0; i < w->n_rows; i++) {
		const struct report_row *row = &w->rows[i];

		buf_addf(out, "<tr%s><th scope=\"row\">",
			 row->metric->primary ? " class=\"gated\"" : "");
		escape_xml(out, row->label);
		buf_adds(out, "</th>");
		for (size_t k = 0; k < r->s->n_kernels; k++) {
			put_mean(row, &row->cells[k], out);
			if (k)
				put_change(&row->cells[k], out);
		}
		buf_adds(out, "</tr>\n");
	}
	buf_adds(out, "</tbody></table></div>\n");
}

/* ---- the whole ---- */

static void put_states(const struct report *r, const struct report_workload *w, struct buf *out)
{
	for (size_t k = 1; w->primary && k < r->s->n_kernels; k++) {
		const struct report_judged *j = &w->judged[k];

		buf_adds(out, "<span class=\"state\">");
		report_html_kernel(out, r, k);
		report_html_pill(out, j->gate ? j->gate->est.result : VERDICT_NONE,
				 report_judged_name(j));
		buf_adds(out, "</span>");
	}
}

static void put_workload(const struct report *r, const struct report_workload *w, struct buf *out)
{
	buf_adds(out, "<section class=\"workload\"><header><h3>");
	escape_xml(out, w->name);
	buf_adds(out, "</h3>");
	put_states(r, w, out);
	buf_adds(out, "</header>\n");
	put_legend(r, w->primary ? w->primary : &w->rows[0], out);
	put_strip(r, w, out);
	put_table(r, w, out);
	if (*w->command) {
		buf_adds(out, "<pre>");
		escape_xml(out, w->command);
		buf_adds(out, "</pre>\n");
	}
	if (w->other_commands)
		buf_addf(out, "<p class=\"note\">%d of the runs had another command line.</p>\n",
			 w->other_commands);
	if (w->history)
		report_html_history(w->history, r->s->name, out);
	buf_adds(out, "</section>\n");
}

void report_html_workloads(const struct report *r, struct buf *out)
{
	if (!r->n_workloads)
		return;
	buf_adds(out,
		 "<h2>Workloads</h2>\n<p class=\"note\">Every boot in order of time: drift shows as"
		 " a slope that all kernels share, a bad boot as a single mark. The axis does not"
		 " begin at 0; a hollow mark is not counted (warm-up).</p>\n");
	for (size_t i = 0; i < r->n_workloads; i++)
		put_workload(r, &r->workloads[i], out);
	buf_adds(
		out,
		"<p class=\"note\">Bold: the gated metric. Means of boots \u00b1 standard deviation"
		" between boots; change: mean of the paired log ratios with its 95\u00a0%"
		" interval. MB/s = 10<sup>6</sup> bytes/s.</p>\n");
}
