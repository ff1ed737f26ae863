// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All gated changes of a session on one axis of per cent: a dot with its 95 % interval for each
 * workload and candidate, the band that never counts, the loss that a PASS excludes. A table, so
 * that the numbers are there without the plot. Layer: results, pure.
 *
 * The axis is performance: where lower is better it is turned, left is always worse.
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

#define WIDEST 100 /* per cent either way; beyond that an interval leaves the plot */

/* A change of performance as fractions; that of the metric itself beside it, as in the tables. */
struct change {
	bool known, bare;
	double value, lo, hi;
	double own, own_lo, own_hi;
};

static void set_own(struct change *c, enum direction direction, double mean, double lo, double hi)
{
	double a = gate_change(direction, lo);
	double b = gate_change(direction, hi);

	c->own = gate_change(direction, mean);
	c->own_lo = fmin(a, b);
	c->own_hi = fmax(a, b);
}

/* As the gate judged it, else from all pairs. */
static struct change change_of(const struct report_workload *w, size_t kernel)
{
	const struct report_judged *j = &w->judged[kernel];
	const struct report_cell *cell = &w->primary->cells[kernel];
	enum direction direction = w->primary->metric->direction;
	double sign = direction == DIRECTION_LOWER ? -1 : 1;
	double mean = sign * log1p(cell->change);
	double lo = sign * log1p(sign > 0 ? cell->lo : cell->hi);
	double hi = sign * log1p(sign > 0 ? cell->hi : cell->lo);
	struct change c = { .known = cell->pairs > 0 || j->gate, .bare = cell->pairs < 2 };

	if (j->gate) {
		mean = j->gate->est.mean;
		lo = j->gate->est.lo;
		hi = j->gate->est.hi;
		c.bare = false;
	}
	c.value = expm1(mean);
	c.lo = c.bare ? c.value : expm1(lo);
	c.hi = c.bare ? c.value : expm1(hi);
	set_own(&c, direction, mean, c.bare ? mean : lo, c.bare ? mean : hi);
	return c;
}

static struct plot_axis common_axis(const struct report *r)
{
	double lo = 0;
	double hi = 0;
	double room;

	for (size_t i = 0; i < r->n_workloads; i++) {
		const struct report_workload *w = &r->workloads[i];

		for (size_t k = 1; w->primary && k < r->s->n_kernels; k++) {
			struct change c = change_of(w, k);

			if (!c.known)
				continue;
			lo = fmin(lo, fmin(100 * c.lo, -100 * w->primary->metric->loss));
			hi = fmax(hi, fmax(100 * c.hi, 150 * w->primary->metric->min_effect));
		}
	}
	lo = fmax(lo, -WIDEST);
	hi = fmin(hi, WIDEST);
	room = fmax(0.05 * (hi - lo), 0.2);
	return plot_axis_fit(lo - room, hi + room, 5);
}

static void put_plot(const struct report *r, const struct report_workload *w, size_t kernel,
		     const struct change *c, const struct plot_axis *axis, struct buf *out)
{
	char *title = xasprintf("%s, %s against %s: %+.1f %%, 95 %% interval %+.1f to %+.1f %%",
				w->name, r->s->kernels[kernel].label, r->s->kernels[0].label,
				100 * c->own, 100 * c->own_lo, 100 * c->own_hi);
	struct plot_interval p = { .axis = axis,
				   .value = c->value,
				   .lo = c->lo,
				   .hi = c->hi,
				   .bare = c->bare,
				   .band = w->primary->metric->min_effect,
				   .loss = w->primary->metric->loss,
				   .series = (int)kernel,
				   .title = title };

	plot_interval(out, &p);
	free(title);
}

static void put_numbers(const struct change *c, struct buf *out)
{
	buf_adds(out, "<td class=\"r\">");
	if (c->known)
		plot_put_percent(out, c->own, 1);
	else
		buf_adds(out, "\u2013");
	if (c->known && !c->bare)
		plot_put_range(out, c->own_lo, c->own_hi);
	buf_adds(out, "</td>");
}

static void put_say(const struct report_judged *j, struct buf *out)
{
	const struct gate_estimate *e = j->gate ? &j->gate->est : NULL;

	buf_adds(out, "<td class=\"say\">");
	report_html_pill(out, e ? e->result : VERDICT_NONE, report_judged_name(j));
	if (e && e->result != VERDICT_PASS && e->result != VERDICT_FAIL && e->mde > 0) {
		buf_addf(out, "<span class=\"detect\">detects losses from %.1f\u00a0%%",
			 100 * e->mde);
		if (e->pairs_needed > 0)
			buf_addf(out, "; needs about %d pairs", e->pairs_needed);
		buf_adds(out, "</span>");
	}
	buf_adds(out, "</td>");
}

static void put_workload(const struct report *r, const struct report_workload *w,
			 const struct plot_axis *axis, struct buf *out)
{
	buf_adds(out, "<tbody>\n");
	for (size_t k = 1; k < r->s->n_kernels; k++) {
		struct change c = change_of(w, k);

		buf_adds(out, "<tr>");
		if (k == 1) {
			buf_addf(out, "<th scope=\"rowgroup\" rowspan=\"%zu\">",
				 r->s->n_kernels - 1);
			escape_xml(out, w->name);
			buf_adds(out, "</th>");
		}
		buf_adds(out, "<td>");
		report_html_kernel(out, r, k);
		buf_adds(out, "</td><td class=\"plot\">");
		if (c.known)
			put_plot(r, w, k, &c, axis, out);
		buf_adds(out, "</td>");
		put_numbers(&c, out);
		put_say(&w->judged[k], out);
		buf_adds(out, "</tr>\n");
	}
	buf_adds(out, "</tbody>\n");
}

static const struct session_metric *first_gated(const struct report *r)
{
	for (size_t i = 0; i < r->n_workloads; i++)
		if (r->workloads[i].primary)
			return r->workloads[i].primary->metric;
	return NULL;
}

static bool any_lower(const struct report *r)
{
	for (size_t i = 0; i < r->n_workloads; i++)
		if (r->workloads[i].primary &&
		    r->workloads[i].primary->metric->direction == DIRECTION_LOWER)
			return true;
	return false;
}

static void put_lead(const struct report *r, const struct session_metric *m, struct buf *out)
{
	buf_adds(out, "<h2>Change against ");
	escape_xml(out, r->s->kernels[0].label);
	buf_addf(
		out,
		"</h2>\n<p class=\"note\">Left is worse. Mark: the estimate; bar: its 95\u00a0%% interval."
		" A change within the grey band (\u00b1%.3g\u00a0%%) never fails; a PASS excludes the"
		" loss at the dashed line (\u2212%.3g\u00a0%%).%s</p>\n",
		100 * m->min_effect, 100 * m->loss,
		any_lower(r) ? " Where lower is better the axis is turned." : "");
}

void report_html_changes(const struct report *r, struct buf *out)
{
	const struct session_metric *m = first_gated(r);
	struct plot_axis axis;

	if (r->s->n_kernels < 2 || !m)
		return;
	axis = common_axis(r);
	put_lead(r, m, out);
	buf_adds(out, "<table class=\"changes\">\n<thead><tr><th>workload</th><th>kernel</th>"
		      "<th class=\"plot\">");
	plot_interval_axis(out, &axis, m->loss);
	buf_adds(out, "</th><th class=\"r\">change</th><th>verdict</th></tr></thead>\n");
	for (size_t i = 0; i < r->n_workloads; i++)
		if (r->workloads[i].primary)
			put_workload(r, &r->workloads[i], &axis, out);
	buf_adds(out, "</table>\n");
}
