// SPDX-License-Identifier: GPL-2.0-or-later
/* What all plots share, and the interval plot; see plot.h. Layer: results, pure. */
#include "results/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"

#define ROW_HEIGHT  30
#define MAX_PERCENT 999

/* ---- axes ---- */

/* 1, 2 or 5 times a power of ten, at least `rough`. */
static double round_step(double rough)
{
	double power = pow(10, floor(log10(rough)));
	double digit = rough / power;

	return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

struct plot_axis plot_axis_fit(double lo, double hi, int ticks)
{
	struct plot_axis a = { .lo = fmin(lo, hi), .hi = fmax(lo, hi) };
	double least = fmax(fabs(a.lo), fabs(a.hi)) * 1e-6 + 1e-12;

	if (a.hi - a.lo < least) {
		a.lo -= least;
		a.hi += least;
	}
	a.step = round_step((a.hi - a.lo) / ticks);
	a.decimals = (int)fmin(fmax(0, -floor(log10(a.step) + 1e-9)), 9);
	return a;
}

double plot_at(const struct plot_axis *axis, double value)
{
	double at = 100 * (value - axis->lo) / (axis->hi - axis->lo);

	return fmin(fmax(at, 0), 100);
}

int plot_axis_ticks(const struct plot_axis *axis, double ticks[PLOT_TICKS])
{
	double first = ceil(axis->lo / axis->step - 1e-9);
	int n = 0;

	while (n < PLOT_TICKS && (first + n) * axis->step <= axis->hi + axis->step * 1e-9) {
		ticks[n] = (first + n) * axis->step;
		n++;
	}
	return n;
}

/* ---- marks ---- */

/* One shape a series, about 9 px wide, centred on 0,0: #m0, #m1, ...; and half as wide, #d0, ... */
static const char *const shapes[PLOT_SERIES] = {
	"<circle r=\"4.2\"/>",
	"<path d=\"M-4-4H4V4H-4Z\"/>",
	"<path d=\"M0-5.2 4.9 3.6H-4.9Z\"/>",
	"<path d=\"M0-5.6 5.6 0 0 5.6-5.6 0Z\"/>",
	"<path d=\"M0 5.2-4.9-3.6H4.9Z\"/>",
	"<path d=\"M-1.6-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z\"/>",
};

void plot_put_shapes(struct buf *out)
{
	buf_adds(out,
		 "<svg class=\"shapes\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n");
	for (int i = 0; i < PLOT_SERIES; i++)
		buf_addf(out,
			 "<symbol id=\"m%d\" overflow=\"visible\">%s</symbol>"
			 "<symbol id=\"d%d\" overflow=\"visible\"><g transform=\"scale(.5)\">%s</g>"
			 "</symbol>\n",
			 i, shapes[i], i, shapes[i]);
	buf_adds(out, "</defs></svg>\n");
}

void plot_put_mark(struct buf *out, int series)
{
	buf_addf(out,
		 "<svg class=\"key s%d\" width=\"14\" height=\"14\" aria-hidden=\"true\">"
		 "<use href=\"#m%d\" x=\"7\" y=\"7\"/></svg>",
		 series % PLOT_SERIES, series % PLOT_SERIES);
}

static void put_signed(struct buf *out, double fraction, int decimals)
{
	double percents = fmin(fmax(100 * fraction, -MAX_PERCENT), MAX_PERCENT);
	char text[40];

	snprintf(text, sizeof(text), "%.*f", decimals, fabs(percents));
	/* what rounds to 0 has no sign */
	if (strspn(text, "0.") < strlen(text))
		buf_adds(out, percents < 0 ? "\u2212" : "+");
	buf_adds(out, text);
}

void plot_put_percent(struct buf *out, double fraction, int decimals)
{
	put_signed(out, fraction, decimals);
	buf_adds(out, "\u00a0%");
}

void plot_put_range(struct buf *out, double lo, double hi)
{
	buf_adds(out, " <span class=\"range\">[");
	put_signed(out, lo, 1);
	buf_adds(out, ", ");
	put_signed(out, hi, 1);
	buf_adds(out, "]</span>");
}

/* ---- intervals ---- */

static void put_line(struct buf *out, const char *class, double x)
{
	buf_addf(out, "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"100%%\"/>",
		 class, x, x);
}

static void put_grid(struct buf *out, const struct plot_interval *p)
{
	double ticks[PLOT_TICKS];
	int n = plot_axis_ticks(p->axis, ticks);
	double left = plot_at(p->axis, -100 * p->band);

	buf_addf(out,
		 "<rect class=\"band\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"0\" height=\"100%%\"/>",
		 left, plot_at(p->axis, 100 * p->band) - left);
	for (int i = 0; i < n; i++)
		put_line(out, fabs(ticks[i]) < p->axis->step / 2 ? "zero" : "grid",
			 plot_at(p->axis, ticks[i]));
	put_line(out, "loss", plot_at(p->axis, -100 * p->loss));
}

static bool within(const struct plot_axis *axis, double value)
{
	return value >= axis->lo && value <= axis->hi;
}

/* The whisker, with an end where the interval ends within the axis. */
static void put_whisker(struct buf *out, const struct plot_interval *p)
{
	const double ends[] = { 100 * p->lo, 100 * p->hi };

	buf_addf(out, "<line class=\"whisker\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>",
		 plot_at(p->axis, ends[0]), plot_at(p->axis, ends[1]), ROW_HEIGHT / 2,
		 ROW_HEIGHT / 2);
	for (int i = 0; i < 2; i++) {
		double x = plot_at(p->axis, ends[i]);

		if (within(p->axis, ends[i]))
			buf_addf(out,
				 "<line class=\"whisker\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\""
				 " y2=\"%d\"/>",
				 x, x, ROW_HEIGHT / 2 - 4, ROW_HEIGHT / 2 + 4);
	}
}

void plot_interval(struct buf *out, const struct plot_interval *p)
{
	int series = p->series % PLOT_SERIES;

	buf_addf(out, "<svg class=\"interval s%d\" height=\"%d\" role=\"img\"><title>", series,
		 ROW_HEIGHT);
	escape_xml(out, p->title);
	buf_adds(out, "</title>");
	put_grid(out, p);
	if (!p->bare)
		put_whisker(out, p);
	/* hollow: it is farther out than the axis goes */
	buf_addf(out, "<g%s><use href=\"#m%d\" x=\"%.2f%%\" y=\"%d\"/></g></svg>",
		 within(p->axis, 100 * p->value) ? "" : " class=\"faint\"", series,
		 plot_at(p->axis, 100 * p->value), ROW_HEIGHT / 2);
}

static void put_tick(struct buf *out, const struct plot_axis *axis, double value)
{
	double at = plot_at(axis, value);
	const char *anchor = at < 6 ? "start" : at > 94 ? "end" : "middle";

	buf_addf(out, "<text x=\"%.2f%%\" y=\"30\" text-anchor=\"%s\">", at, anchor);
	plot_put_percent(out, value / 100, axis->decimals);
	buf_adds(out, "</text>");
}

void plot_interval_axis(struct buf *out, const struct plot_axis *axis, double loss)
{
	double ticks[PLOT_TICKS];
	int n = plot_axis_ticks(axis, ticks);
	double at = plot_at(axis, -100 * loss);

	buf_addf(out,
		 "<svg class=\"axis\" height=\"36\" aria-hidden=\"true\"><text class=\"loss\""
		 " x=\"%.2f%%\" y=\"13\" text-anchor=\"%s\">loss of %.3g\u00a0%%</text>"
		 "<line class=\"loss\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"17\" y2=\"36\"/>",
		 at, at < 15 ? "start" : "middle", 100 * loss, at, at);
	for (int i = 0; i < n; i++)
		if (fabs(ticks[i] + 100 * loss) > axis->step / 4)
			put_tick(out, axis, ticks[i]);
	buf_adds(out, "</svg>");
}
