// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values in order of time: three columns (value axis, the plot, labels of levels) and a row below
 * for the spans. See plot.h. Layer: results, pure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"
#include "results/plot.h"

#define HEIGHT	  190
#define TOP	  10
#define EVENT_TOP 32 /* room for the labels of events */
#define BOTTOM	  8
#define LABEL	  16 /* least distance of labels */
#define MAX_SIDE  32
#define DENSE	  150 /* points that get small marks, under the levels */

struct frame {
	const struct plot_time *p;
	struct plot_axis axis;
	struct buf *out;
};

static double y_of(const struct frame *f, double value)
{
	double top = f->p->n_events ? EVENT_TOP : TOP;

	return top + (HEIGHT - top - BOTTOM) * (1 - plot_at(&f->axis, value) / 100);
}

/* "5,489" or "0.123": digits in groups, as many decimals as the axis needs. */
static void put_value(struct buf *out, double value, int decimals)
{
	char text[64];
	size_t whole;

	snprintf(text, sizeof(text), "%.*f", decimals, fabs(value));
	whole = strcspn(text, ".");
	if (value < 0)
		buf_adds(out, "\u2212");
	for (size_t i = 0; i < whole; i++) {
		if (i && (whole - i) % 3 == 0)
			buf_adds(out, ",");
		buf_append(out, text + i, 1);
	}
	buf_adds(out, text + whole);
}

static struct plot_axis fit(const struct plot_time *p)
{
	double lo = INFINITY;
	double hi = -INFINITY;
	double room;

	for (size_t i = 0; i < p->n_points; i++) {
		lo = fmin(lo, p->points[i].y * p->scale);
		hi = fmax(hi, p->points[i].y * p->scale);
	}
	for (size_t i = 0; i < p->n_levels; i++) {
		lo = fmin(lo, p->levels[i].y * p->scale);
		hi = fmax(hi, p->levels[i].y * p->scale);
	}
	/* no noise is blown up to fill the plot: at least 2 % of the value */
	room = fmax(0.08 * (hi - lo), 0.01 * fabs(hi) - 0.5 * (hi - lo));
	return plot_axis_fit(lo - room, hi + room, 5);
}

/* ---- the value axis ---- */

static void put_axis(const struct frame *f)
{
	double ticks[PLOT_TICKS];
	int n = plot_axis_ticks(&f->axis, ticks);

	buf_addf(f->out, "<svg class=\"yaxis\" height=\"%d\" aria-hidden=\"true\">", HEIGHT);
	for (int i = 0; i < n; i++) {
		buf_addf(f->out, "<text x=\"100%%\" y=\"%.1f\" text-anchor=\"end\">",
			 y_of(f, ticks[i]) + 4);
		put_value(f->out, ticks[i], f->axis.decimals);
		buf_adds(f->out, "</text>");
	}
	buf_adds(f->out, "</svg>\n");
}

/* ---- the plot ---- */

static void put_background(const struct frame *f)
{
	double ticks[PLOT_TICKS];
	int n = plot_axis_ticks(&f->axis, ticks);

	for (size_t i = 0; i < f->p->n_spans; i++) {
		const struct plot_span *s = &f->p->spans[i];

		if (s->shaded)
			buf_addf(f->out,
				 "<rect class=\"span\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"0\""
				 " height=\"%d\"/>",
				 100 * s->from, 100 * (s->to - s->from), HEIGHT - 1);
	}
	for (int i = 0; i < n; i++)
		buf_addf(f->out,
			 "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
			 y_of(f, ticks[i]), y_of(f, ticks[i]));
	buf_adds(f->out, "\n");
}

static const struct plot_point *next_of(const struct plot_time *p, size_t i)
{
	for (size_t k = i + 1; k < p->n_points; k++)
		if (p->points[k].series == p->points[i].series && !p->points[k].faint)
			return &p->points[k];
	return NULL;
}

static void put_joins(const struct frame *f)
{
	const struct plot_time *p = f->p;

	for (size_t i = 0; p->joined && i < p->n_points; i++) {
		const struct plot_point *a = &p->points[i];
		const struct plot_point *b = next_of(p, i);

		if (b && !a->faint)
			buf_addf(f->out,
				 "<line class=\"join s%d\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\""
				 " y2=\"%.1f\"/>\n",
				 a->series % PLOT_SERIES, 100 * a->x, y_of(f, a->y * p->scale),
				 100 * b->x, y_of(f, b->y * p->scale));
	}
}

static void put_levels(const struct frame *f)
{
	for (size_t i = 0; i < f->p->n_levels; i++) {
		const struct plot_level *l = &f->p->levels[i];
		double y = y_of(f, l->y * f->p->scale);

		buf_addf(f->out,
			 "<line class=\"level s%d\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\""
			 " y2=\"%.1f\"/>\n",
			 l->series % PLOT_SERIES, 100 * l->from, 100 * l->to, y, y);
	}
}

static bool is_dense(const struct frame *f)
{
	return f->p->n_points > DENSE;
}

static void put_points(const struct frame *f)
{
	for (size_t i = 0; i < f->p->n_points; i++) {
		const struct plot_point *p = &f->p->points[i];

		buf_addf(f->out, "<g class=\"mark s%d%s%s\"><title>", p->series % PLOT_SERIES,
			 p->faint ? " faint" : "", p->ring ? " ring" : "");
		escape_xml(f->out, p->title);
		buf_addf(f->out, "</title><use href=\"#%c%d\" x=\"%.2f%%\" y=\"%.1f\"/></g>\n",
			 is_dense(f) && !p->ring ? 'd' : 'm', p->series % PLOT_SERIES, 100 * p->x,
			 y_of(f, p->y * f->p->scale));
	}
}

/* Labels alternate between two lines, so that neighbours do not cover each other. */
static void put_events(const struct frame *f)
{
	for (size_t i = 0; i < f->p->n_events; i++) {
		const struct plot_event *e = &f->p->events[i];
		const char *class = e->good ? "event good" : "event";

		buf_addf(f->out,
			 "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"2\" y2=\"%d\"/>"
			 "<text class=\"%s\" x=\"%.2f%%\" y=\"%d\" dx=\"%d\" text-anchor=\"%s\">",
			 class, 100 * e->x, 100 * e->x, HEIGHT, class, 100 * e->x, i % 2 ? 25 : 11,
			 e->x > 0.5 ? -5 : 5, e->x > 0.5 ? "end" : "start");
		escape_xml(f->out, e->label);
		buf_adds(f->out, "</text>\n");
	}
}

static void put_plot(const struct frame *f)
{
	buf_addf(f->out, "<svg class=\"area%s\" height=\"%d\" role=\"img\"><title>",
		 is_dense(f) ? " dense" : "", HEIGHT);
	escape_xml(f->out, f->p->title);
	buf_adds(f->out, "</title><desc>");
	escape_xml(f->out, f->p->description);
	buf_adds(f->out, "</desc>\n");
	put_background(f);
	put_joins(f);
	if (!is_dense(f))
		put_levels(f);
	put_points(f);
	if (is_dense(f))
		put_levels(f);
	put_events(f);
	buf_adds(f->out, "</svg>\n");
}

/* ---- labels in the right margin ---- */

struct side {
	double y;
	const struct plot_level *level;
};

static int by_height(const void *a, const void *b)
{
	double x = ((const struct side *)a)->y;
	double y = ((const struct side *)b)->y;

	return (x > y) - (x < y);
}

/* Pushes labels apart: down first, then up from the bottom. */
static void spread(struct side *sides, size_t n)
{
	for (size_t i = 1; i < n; i++)
		sides[i].y = fmax(sides[i].y, sides[i - 1].y + LABEL);
	for (size_t i = n; i-- > 0;) {
		double limit = i + 1 < n ? sides[i + 1].y - LABEL : HEIGHT - 6;

		sides[i].y = fmin(sides[i].y, limit);
	}
}

static void put_sides(const struct frame *f)
{
	struct side sides[MAX_SIDE] = { { 0 } };
	size_t n = 0;

	for (size_t i = 0; i < f->p->n_levels && n < MAX_SIDE; i++)
		if (*f->p->levels[i].label)
			sides[n++] = (struct side){ y_of(f, f->p->levels[i].y * f->p->scale),
						    &f->p->levels[i] };
	qsort(sides, n, sizeof(sides[0]), by_height);
	spread(sides, n);
	buf_addf(f->out, "<svg class=\"side\" height=\"%d\" aria-hidden=\"true\">", HEIGHT);
	for (size_t i = 0; i < n; i++) {
		int series = sides[i].level->series % PLOT_SERIES;

		buf_addf(f->out,
			 "<g class=\"s%d\"><use href=\"#m%d\" x=\"8\" y=\"%.1f\"/><text x=\"18\""
			 " y=\"%.1f\">",
			 series, series, sides[i].y, sides[i].y + 4);
		escape_xml(f->out, sides[i].level->label);
		buf_adds(f->out, "</text></g>");
	}
	buf_adds(f->out, "</svg>\n");
}

/* ---- below ---- */

static void put_spans(const struct frame *f)
{
	buf_adds(f->out, "<svg class=\"xaxis\" height=\"18\" aria-hidden=\"true\">");
	for (size_t i = 0; i < f->p->n_spans; i++) {
		const struct plot_span *s = &f->p->spans[i];

		double x = (s->from + s->to) / 2;
		const char *anchor = "middle";

		/* a label at a point, not below a span, stays within the plot */
		if (s->from == s->to)
			anchor = x < 0.15 ? "start" : x > 0.85 ? "end" : "middle";
		buf_addf(f->out, "<text x=\"%.2f%%\" y=\"13\" text-anchor=\"%s\">", 100 * x,
			 anchor);
		escape_xml(f->out, s->label);
		buf_adds(f->out, "</text>");
	}
	buf_adds(f->out, "</svg>\n");
}

void plot_time(struct buf *out, const struct plot_time *p)
{
	struct frame f = { .p = p, .out = out };

	if (!p->n_points)
		return;
	f.axis = fit(p);
	buf_adds(out, "<div class=\"time\">\n");
	put_axis(&f);
	put_plot(&f);
	put_sides(&f);
	put_spans(&f);
	buf_adds(out, "</div>\n");
}
