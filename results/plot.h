/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plots as inline SVG for HTML pages. Layer: results, pure.
 *
 * They have no viewBox: places are per cent of the width, text and marks keep their size, so that
 * one drawing serves a telephone and a wide screen. What does not scale (axis, labels) stands in
 * columns of its own; html/report.css lays them out and has the colours, light and dark. Series
 * differ in shape as well as in colour; every mark has a <title>, every plot a description.
 */
#ifndef RESULTS_PLOT_H
#define RESULTS_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

#define PLOT_SERIES 6 /* shapes and colours; more series begin again */

struct plot_axis {
	double lo, hi; /* lo < hi */
	double step;   /* of the ticks */
	int decimals;  /* that tick labels need */
};

/* An axis over lo..hi (in any order, may be equal) with about `ticks` round ticks. */
struct plot_axis plot_axis_fit(double lo, double hi, int ticks);

/* The ticks of the axis, in order; how many. */
#define PLOT_TICKS 40
int plot_axis_ticks(const struct plot_axis *axis, double ticks[PLOT_TICKS]);

/* Where a value stands, in per cent of the axis; beyond its ends: at them. */
double plot_at(const struct plot_axis *axis, double value);

/* The shapes, once a page, before any plot. */
void plot_put_shapes(struct buf *out);

/* The mark of a series in running text. */
void plot_put_mark(struct buf *out, int series);

/* "−12.3 %" with a real minus sign; fraction -0.123. */
void plot_put_percent(struct buf *out, double fraction, int decimals);

/* " [−12.3, +4.5]" in per cent: an interval beside its estimate. */
void plot_put_range(struct buf *out, double lo, double hi);

/* ---- intervals: one row of a table each, on a common axis of fractions ---- */

struct plot_interval {
	const struct plot_axis *axis; /* of 100 * fraction */
	double value, lo, hi;	      /* fractions; lo..hi: the 95 % interval */
	bool bare;		      /* no interval known */
	double band;		      /* changes within +-band never count */
	double loss;		      /* what a PASS excludes: a line at -loss */
	int series;
	const char *title; /* plain text: what it says, for screen readers and hovering */
};

void plot_interval(struct buf *out, const struct plot_interval *p);

/* The head of that column: tick labels, and above them the line at -loss. */
void plot_interval_axis(struct buf *out, const struct plot_axis *axis, double loss);

/* ---- values in order of time ---- */

struct plot_point {
	double x; /* 0..1 */
	double y;
	int series;
	bool faint;	   /* not counted: a warm-up, a spike */
	bool ring;	   /* pointed at */
	const char *title; /* plain text */
};

/* A span of x with a label below: a pair of visits, a month. */
struct plot_span {
	double from, to; /* 0..1 */
	const char *label;
	bool shaded;
};

/* A level that held over a span of x: the mean of a kernel, a segment of a history. */
struct plot_level {
	double from, to, y;
	int series;
	const char *label; /* in the right margin, beside it; "" = none */
};

/* A point in time that matters: a change, for the worse unless good. */
struct plot_event {
	double x;
	bool good;
	const char *label;
};

struct plot_time {
	const char *title, *description; /* plain text */
	const char *unit;
	double scale; /* printed = y * scale */
	bool joined;  /* lines between the points of a series */
	const struct plot_point *points;
	size_t n_points;
	const struct plot_span *spans;
	size_t n_spans;
	const struct plot_level *levels;
	size_t n_levels;
	const struct plot_event *events;
	size_t n_events;
};

void plot_time(struct buf *out, const struct plot_time *p);

#endif
