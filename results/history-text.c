// SPDX-License-Identifier: GPL-2.0-or-later
/* A history for a person at a terminal. Layer: results, pure. */
#include "results/history-text.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "results/history-print.h"
#include "results/history.h"
#include "results/report-metric.h"

struct unit {
	double scale;
	int decimals;
	const char *name;
};

static struct unit unit_of(const struct history *h)
{
	const struct report_metric *m = report_metric_find(h->metric);

	if (m)
		return (struct unit){ m->scale, m->decimals, m->unit };
	return (struct unit){ 1, 4, h->unit };
}

static void put_value(const struct history *h, double value, struct buf *out)
{
	struct unit u = unit_of(h);

	buf_addf(out, "%.*f", u.decimals, value * u.scale);
}

static const char *better(enum direction d)
{
	static const char *const words[] = {
		[DIRECTION_NONE] = "",
		[DIRECTION_HIGHER] = ", higher is better",
		[DIRECTION_LOWER] = ", lower is better",
	};

	return words[d];
}

static void put_head(const struct history *h, struct buf *out)
{
	struct unit u = unit_of(h);

	buf_addf(out, "%s  %s/%s  %s  %s", h->board, h->suite, h->profile, h->workload, h->metric);
	if (*u.name)
		buf_addf(out, " (%s%s)", u.name, better(h->direction));
	buf_addf(out, "\n%zu nights", h->end - h->from);
	if (h->end - h->from < h->n_nights)
		buf_addf(out, " of %zu", h->n_nights);
	if (h->left_out)
		buf_addf(out, "; %d session%s left out: INVALID or not ended well", h->left_out,
			 h->left_out > 1 ? "s" : "");
	buf_adds(out, "\n");
}

static void put_kernel(const struct history_night *n, const char *words, struct buf *out)
{
	buf_addf(out, "    %-12s %s", words, n->label);
	if (*n->release)
		buf_addf(out, " %s", n->release);
	buf_addf(out, "  (night %s, session %s)\n", n->date, n->session);
}

/* First and last kernel of a change, in the words of its kind. */
static const char *const words[][2] = {
	[HISTORY_REGRESSION] = { "first bad", "last good" },
	[HISTORY_IMPROVEMENT] = { "first better", "last before" },
	[HISTORY_CHANGE] = { "first", "last before" },
};

static void put_p(double p, struct buf *out)
{
	if (p < 1e-12)
		buf_adds(out, "p < 1e-12");
	else
		buf_addf(out, "p %.2g", p);
}

static void put_change(const struct history *h, const struct history_change *c, struct buf *out)
{
	const struct changepoint *p = &c->point;

	buf_addf(out, "%s  %s %+.1f %% (95 %%: %+.1f .. %+.1f), ", h->nights[p->at].date,
		 history_kind_name(c->kind), 100 * p->effect, 100 * p->lo, 100 * p->hi);
	put_value(h, p->before, out);
	buf_adds(out, " -> ");
	put_value(h, p->after, out);
	buf_adds(out, ", ");
	put_p(p->p, out);
	buf_adds(out, c->standing ? "\n" : "; gone since\n");
	put_kernel(&h->nights[p->at], words[c->kind][0], out);
	put_kernel(&h->nights[p->at - 1], words[c->kind][1], out);
	if (p->first < p->last)
		buf_addf(out, "    %-12s in the night of %s .. %s, 95 %%\n", "began",
			 h->nights[p->first].date, h->nights[p->last].date);
}

static void put_left(const struct history *h, struct buf *out)
{
	const struct history_outlook *o = &h->outlook;
	bool alarm = o->state == HISTORY_ALARM;
	size_t run = h->n_nights - o->first;

	buf_addf(out, "%s  %s of %+.1f %% since %s, ", alarm ? "ALARM" : "suspected",
		 history_kind_name(o->kind), 100 * o->effect, h->nights[o->first].date);
	put_p(o->p, out);
	buf_addf(out, "%s\n    %zu night%s outside ", alarm ? "" : "; the next night will tell",
		 run, run > 1 ? "s" : "");
	put_value(h, o->lo, out);
	buf_adds(out, " .. ");
	put_value(h, o->hi, out);
	buf_adds(out, " (99 %)\n");
	put_kernel(&h->nights[o->first], words[o->kind][0], out);
	put_kernel(&h->nights[o->first - 1], words[o->kind][1], out);
}

static void put_outlook(const struct history *h, struct buf *out)
{
	const struct history_outlook *o = &h->outlook;

	switch (o->state) {
	case HISTORY_EMPTY:
		break;
	case HISTORY_SHORT:
		buf_adds(out, "too few nights to tell a change from noise\n");
		break;
	case HISTORY_QUIET:
		buf_adds(out, "quiet; the next night is expected in ");
		put_value(h, o->lo, out);
		buf_adds(out, " .. ");
		put_value(h, o->hi, out);
		buf_adds(out, " (99 %)\n");
		break;
	case HISTORY_SUSPECTED:
	case HISTORY_ALARM:
		put_left(h, out);
		break;
	}
}

void history_text_whole(const struct history *h, struct buf *out)
{
	put_head(h, out);
	buf_adds(out, "\n");
	history_plot(h, out);
	buf_adds(out, "\n");
	for (size_t i = 0; i < h->n_changes; i++)
		if (history_in_window(h, &h->changes[i]))
			put_change(h, &h->changes[i], out);
	put_outlook(h, out);
}

void history_text_begin(struct buf *out)
{
	buf_addf(out, "%-12s %-20s %-14s %-16s %6s %12s  %s\n", "BOARD", "SUITE", "WORKLOAD",
		 "METRIC", "NIGHTS", "LATEST", "LAST CHANGE");
}

static void put_last_change(const struct history *h, struct buf *out)
{
	const struct history_outlook *o = &h->outlook;

	if (o->state == HISTORY_ALARM || o->state == HISTORY_SUSPECTED) {
		buf_addf(out, "%s: %s %+.1f %% since %s",
			 o->state == HISTORY_ALARM ? "ALARM" : "suspected",
			 history_kind_name(o->kind), 100 * o->effect, h->nights[o->first].date);
		return;
	}
	for (size_t i = h->n_changes; i-- > 0;) {
		const struct history_change *c = &h->changes[i];

		if (!history_in_window(h, c))
			continue;
		buf_addf(out, "%s %s %+.1f %%", h->nights[c->point.at].date,
			 history_kind_name(c->kind), 100 * c->point.effect);
		return;
	}
	buf_adds(out, o->state == HISTORY_SHORT ? "(too few nights)" : "none");
}

void history_text_row(const struct history *h, bool first, struct buf *out)
{
	struct buf latest = BUF_INIT;
	struct buf suite = BUF_INIT;

	(void)first;
	if (h->end > h->from)
		put_value(h, h->nights[h->end - 1].mean, &latest);
	buf_addf(&suite, "%s/%s", h->suite, h->profile);
	buf_addf(out, "%-12s %-20s %-14s %-16s %6zu %12s  ", h->board, buf_str(&suite), h->workload,
		 h->metric, h->end - h->from, buf_str(&latest));
	put_last_change(h, out);
	buf_adds(out, "\n");
	buf_release(&suite);
	buf_release(&latest);
}
