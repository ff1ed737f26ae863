// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A history as a plot in a terminal:
 *
 *	   5600 |      o
 *	        |oo-o-o-oooo
 *	        |           ^
 *	   5200 |           -oo-ooo!
 *	         09-02      09-13
 *
 * o a night (or the mean of several, when there are more than columns), x a spike, ! a night that
 * has left its level, - the level, ^ a change. Layer: results, pure.
 */
#include "results/history-print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/history.h"
#include "results/report-metric.h"

#define COLUMNS 72
#define ROWS	10

struct plot {
	const struct history *h;
	size_t per_column, columns;
	double top, bottom; /* values of the first and the last row */
	char cell[ROWS][COLUMNS + 1];
};

static int row_of(const struct plot *p, double value)
{
	double range = p->top - p->bottom;
	double at = range > 0 ? (p->top - value) / range * (ROWS - 1) : ROWS / 2.0;

	return (int)lround(fmin(fmax(at, 0), ROWS - 1));
}

static size_t column_of(const struct plot *p, size_t night)
{
	return (night - p->h->from) / p->per_column;
}

static void find_range(struct plot *p)
{
	p->top = -INFINITY;
	p->bottom = INFINITY;
	for (size_t i = p->h->from; i < p->h->end; i++) {
		p->top = fmax(p->top, p->h->nights[i].mean);
		p->bottom = fmin(p->bottom, p->h->nights[i].mean);
	}
}

static void draw_levels(struct plot *p)
{
	const struct history *h = p->h;

	for (size_t s = 0; s < h->n_segments; s++) {
		size_t first = h->segments[s].first < h->from ? h->from : h->segments[s].first;

		for (size_t i = first; i <= h->segments[s].last && i < h->end; i++)
			p->cell[row_of(p, h->segments[s].level)][column_of(p, i)] = '-';
	}
}

static char mark(const struct history *h, size_t night)
{
	const struct history_outlook *o = &h->outlook;

	if ((o->state == HISTORY_ALARM || o->state == HISTORY_SUSPECTED) && night >= o->first)
		return '!';
	return h->nights[night].spike ? 'x' : 'o';
}

static void draw_nights(struct plot *p)
{
	const struct history *h = p->h;

	for (size_t c = 0; c < p->columns; c++) {
		size_t first = h->from + c * p->per_column;
		double sum = 0;
		size_t n = 0;

		for (size_t i = first; i < first + p->per_column && i < h->end; i++, n++)
			sum += h->nights[i].mean;
		p->cell[row_of(p, sum / (double)n)][c] = mark(h, first + n - 1);
	}
}

/* ^ one row below (or above, at the bottom) the first night of the new level. */
static void draw_changes(struct plot *p)
{
	const struct history *h = p->h;

	for (size_t i = 0; i < h->n_changes; i++) {
		int row = row_of(p, h->changes[i].point.after);
		size_t column;

		if (!history_in_window(h, &h->changes[i]))
			continue;
		column = column_of(p, h->changes[i].point.at);
		row += row + 1 < ROWS ? 1 : -1;
		if (p->cell[row][column] == ' ' || p->cell[row][column] == '-')
			p->cell[row][column] = '^';
	}
}

static void print(const struct plot *p, struct buf *out)
{
	const struct report_metric *m = report_metric_find(p->h->metric);
	double scale = m ? m->scale : 1;
	const char *first = p->h->nights[p->h->from].date;
	const char *last = p->h->nights[p->h->end - 1].date;

	for (int r = 0; r < ROWS; r++) {
		size_t len = p->columns;

		while (len > 0 && p->cell[r][len - 1] == ' ')
			len--;
		if (r == 0 || r == ROWS - 1)
			buf_addf(out, "%12.*f |", m ? m->decimals : 4,
				 scale * (r ? p->bottom : p->top));
		else
			buf_addf(out, "%12s |", "");
		buf_addf(out, "%.*s\n", (int)len, p->cell[r]);
	}
	if (p->columns >= 24)
		buf_addf(out, "%14s%s%*s\n", "", first, (int)p->columns - 10, last);
	else
		buf_addf(out, "%14s%s .. %s\n", "", first, last);
}

void history_plot(const struct history *h, struct buf *out)
{
	struct plot p = { .h = h };
	size_t nights = h->end - h->from;

	if (!nights)
		return;
	p.per_column = (nights + COLUMNS - 1) / COLUMNS;
	p.columns = (nights + p.per_column - 1) / p.per_column;
	memset(p.cell, ' ', sizeof(p.cell));
	find_range(&p);
	draw_levels(&p);
	draw_nights(&p);
	draw_changes(&p);
	print(&p, out);
}
