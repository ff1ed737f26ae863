// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The history of a metric as a chart: a mark a night, the levels between its changes, each change
 * with its night and size, and the same in words. Layer: results, pure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"
#include "results/history.h"
#include "results/plot.h"
#include "results/report-html.h"
#include "results/report-metric.h"

#define MARGIN 0.02 /* of the width, left and right of the nights */
#define DATES  3    /* below the chart */

/* What plot_time() needs, with the strings that it borrows. */
struct chart {
	const struct history *h;
	double scale;
	int decimals;
	const char *unit;
	const char *now; /* the session to point at */
	struct plot_point *points;
	struct plot_level *levels;
	struct plot_event *events;
	struct plot_span dates[DATES];
	char **texts;
	size_t n_texts;
};

static const char *keep(struct chart *c, char *text)
{
	c->texts = xrealloc(c->texts, (c->n_texts + 1) * sizeof(*c->texts));
	c->texts[c->n_texts++] = text;
	return text;
}

/* By time, so that a week without nights is a gap. */
static double x_of(const struct chart *c, size_t night)
{
	const struct history_night *nights = c->h->nights;
	double first = (double)nights[0].started_ms;
	double span = (double)nights[c->h->n_nights - 1].started_ms - first;
	double at = span > 0 ? ((double)nights[night].started_ms - first) / span : 0.5;

	return MARGIN + (1 - 2 * MARGIN) * at;
}

static void set_point(struct chart *c, size_t i)
{
	const struct history_night *n = &c->h->nights[i];
	char *title = xasprintf("%s, %s: %.*f %s, %d boots%s", n->date, n->release, c->decimals,
				n->mean * c->scale, c->unit, n->n,
				n->spike ? ", alone: not followed" : "");

	c->points[i] = (struct plot_point){ .x = x_of(c, i),
					    .y = n->mean,
					    .faint = n->spike,
					    .ring = !strcmp(n->session, c->now),
					    .title = keep(c, title) };
}

/* From halfway to the night before to halfway to the night after: levels meet. */
static double edge(const struct chart *c, size_t before)
{
	return (x_of(c, before) + x_of(c, before + 1)) / 2;
}

static void set_level(struct chart *c, size_t i)
{
	const struct history_segment *s = &c->h->segments[i];
	bool newest = i + 1 == c->h->n_segments;

	c->levels[i] = (struct plot_level){
		.from = s->first ? edge(c, s->first - 1) : 0,
		.to = newest ? 1 : edge(c, s->last),
		.y = s->level,
		.series = 1,
		.label = newest ? keep(c, xasprintf("now %.*f", c->decimals, s->level * c->scale))
				: "",
	};
}

static const char *effect_text(struct chart *c, const struct history_change *change)
{
	struct buf text = BUF_INIT;

	plot_put_percent(&text, change->point.effect, 1);
	buf_addf(&text, ", %s", c->h->nights[change->point.at].date);
	return keep(c, buf_detach(&text));
}

static void set_event(struct chart *c, size_t i)
{
	const struct history_change *change = &c->h->changes[i];

	c->events[i] = (struct plot_event){ .x = edge(c, change->point.at - 1),
					    .good = change->kind == HISTORY_IMPROVEMENT,
					    .label = effect_text(c, change) };
}

static void set_dates(struct chart *c)
{
	for (size_t i = 0; i < DATES; i++) {
		size_t night = i * (c->h->n_nights - 1) / (DATES - 1);
		double x = x_of(c, night);

		c->dates[i] =
			(struct plot_span){ .from = x, .to = x, .label = c->h->nights[night].date };
	}
}

static void chart_init(struct chart *c, const struct history *h, const char *now)
{
	const struct report_metric *style = report_metric_find(h->metric);

	*c = (struct chart){ .h = h,
			     .scale = style ? style->scale : 1,
			     .decimals = style ? style->decimals : 2,
			     .unit = style ? style->unit : h->unit,
			     .now = now };
	c->points = xcalloc(h->n_nights, sizeof(*c->points));
	c->levels = xcalloc(h->n_segments + 1, sizeof(*c->levels));
	c->events = xcalloc(h->n_changes + 1, sizeof(*c->events));
	for (size_t i = 0; i < h->n_nights; i++)
		set_point(c, i);
	for (size_t i = 0; i < h->n_segments; i++)
		set_level(c, i);
	for (size_t i = 0; i < h->n_changes; i++)
		set_event(c, i);
	set_dates(c);
}

static void chart_release(struct chart *c)
{
	for (size_t i = 0; i < c->n_texts; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->points);
	free(c->levels);
	free(c->events);
}

static void put_chart(const struct chart *c, struct buf *out)
{
	const struct history *h = c->h;
	char *title = xasprintf("%s, %s: %zu nights from %s to %s, %zu changes of level",
				h->workload, h->metric, h->n_nights, h->nights[0].date,
				h->nights[h->n_nights - 1].date, h->n_changes);
	struct plot_time p = { .title = title,
			       .description =
				       "One mark a night; lines: levels; hollow: a lone spike."
				       " The changes are listed below.",
			       .unit = c->unit,
			       .scale = c->scale,
			       .points = c->points,
			       .n_points = h->n_nights,
			       .spans = c->dates,
			       .n_spans = DATES,
			       .levels = c->levels,
			       .n_levels = h->n_segments,
			       .events = c->events,
			       .n_events = h->n_changes };

	plot_time(out, &p);
	free(title);
}

/* ---- in words ---- */

static void put_change(const struct history *h, const struct history_change *change,
		       struct buf *out)
{
	const struct history_night *bad = &h->nights[change->point.at];
	const struct history_night *last = &h->nights[change->point.at - 1];

	buf_addf(out, "<li>%s: %s of ", bad->date, history_kind_name(change->kind));
	plot_put_percent(out, change->point.effect, 1);
	plot_put_range(out, change->point.lo, change->point.hi);
	buf_adds(out, ", first in <code>");
	escape_xml(out, bad->release);
	buf_adds(out, "</code>, after <code>");
	escape_xml(out, last->release);
	buf_addf(out, "</code> on %s%s</li>\n", last->date,
		 change->standing ? "" : "; it has come back since");
}

static const char *const states[] = {
	[HISTORY_EMPTY] = "",
	[HISTORY_SHORT] = "",
	[HISTORY_QUIET] = "the newest night is where it was expected",
	[HISTORY_SUSPECTED] = "the newest night is off its level: a spike, or a change begins",
	[HISTORY_ALARM] = "the newest nights agree that the level has changed",
};

void report_html_history(const struct history *h, const char *now, struct buf *out)
{
	struct chart c;

	if (h->outlook.state <= HISTORY_SHORT)
		return;
	chart_init(&c, h, now);
	buf_adds(out, "<p class=\"axisname\">History: ");
	escape_xml(out, h->metric);
	buf_addf(out, " of %zu nights%s%s%s</p>\n", h->n_nights, *c.unit ? ", " : "", c.unit,
		 *now ? "; the large mark is this session" : "");
	put_chart(&c, out);
	buf_adds(out, "<ul class=\"changes-list\">\n");
	for (size_t i = 0; i < h->n_changes; i++)
		put_change(h, &h->changes[i], out);
	buf_addf(out, "<li>%s</li>\n</ul>\n", states[h->outlook.state]);
	chart_release(&c);
}
