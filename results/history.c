// SPDX-License-Identifier: GPL-2.0-or-later
/* The history of a metric as a model; see history.h. Layer: results, pure. */
#include "results/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "results/stats.h"

/* What is kept for the outlook: the level of the newest nights needs no more of the past. */
#define OUTLOOK_NIGHTS 200

/* ---- strings: few distinct ones, many nights ---- */

struct history_pool {
	char **strings;
	size_t n, cap;
	char *label;	   /* the caller's choice, NULL = none */
	char *counted;	   /* the session whose points are being added */
	int counted_index; /* the kernel of it that counts */
	size_t room;	   /* for nights */
};

static const char *keep(struct history *h, const char *text)
{
	struct history_pool *p = h->pool;

	/* the newest strings are the likely ones: a kernel is measured night after night */
	for (size_t i = p->n; i-- > 0 && i + 16 > p->n;)
		if (!strcmp(p->strings[i], text))
			return p->strings[i];
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->strings = xrealloc(p->strings, p->cap * sizeof(*p->strings));
	}
	return p->strings[p->n++] = xstrdup(text);
}

struct history *history_new(const struct history_series *series, const char *label)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->pool = xcalloc(1, sizeof(*h->pool));
	h->pool->label = label ? xstrdup(label) : NULL;
	h->board = keep(h, series->board);
	h->suite = keep(h, series->suite);
	h->profile = keep(h, series->profile);
	h->workload = keep(h, series->workload);
	h->metric = keep(h, series->metric);
	h->unit = keep(h, series->unit);
	h->direction = series->direction;
	h->primary = series->primary;
	h->outlook = (struct history_outlook){ .lo = NAN, .hi = NAN, .p = 1 };
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->pool->n; i++)
		free(h->pool->strings[i]);
	free(h->pool->strings);
	free(h->pool->label);
	free(h->pool->counted);
	free(h->pool);
	free(h->nights);
	free(h->segments);
	free(h->changes);
	free(h);
}

/* ---- points to nights ---- */

static bool counts(const struct history_point *p)
{
	if (!strcmp(p->verdict, "INVALID") || !*p->result || p->n < 1 || !isfinite(p->mean))
		return false;
	if (*p->verdict)
		return true;
	return strcmp(p->result, "fault") != 0 && strcmp(p->result, "cancelled") != 0;
}

static bool chosen(const struct history *h, const struct history_point *p)
{
	if (h->pool->label)
		return !strcmp(p->label, h->pool->label);
	return p->kernel_idx == p->tree;
}

/* Each session is looked at once, though it has a point for every kernel. */
static bool new_session(struct history *h, const struct history_point *p)
{
	if (h->pool->counted && !strcmp(h->pool->counted, p->session))
		return false;
	free(h->pool->counted);
	h->pool->counted = xstrdup(p->session);
	return true;
}

static void night_of(int64_t started_ms, char date[16])
{
	time_t t = (time_t)(started_ms / 1000) - 12 * 3600;
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(date, 16, "%Y-%m-%d", &tm);
}

static struct history_night *same_night(struct history *h, const char *date, const char *hash)
{
	for (size_t i = h->n_nights; i-- > 0 && !strcmp(h->nights[i].date, date);)
		if (!strcmp(h->nights[i].hash, hash))
			return &h->nights[i];
	return NULL;
}

static struct history_night *add_night(struct history *h)
{
	if (h->n_nights == h->pool->room) {
		h->pool->room = h->pool->room ? 2 * h->pool->room : 64;
		h->nights = xrealloc(h->nights, h->pool->room * sizeof(*h->nights));
	}
	return memset(&h->nights[h->n_nights++], 0, sizeof(*h->nights));
}

/* Mean and variance of two groups taken together. */
static void merge(struct history_night *night, const struct history_point *p)
{
	double na = night->n;
	double nb = p->n;
	double d = p->mean - night->mean;
	double squares = night->sd * night->sd * (na - 1) + p->sd * p->sd * (nb - 1) +
			 d * d * na * nb / (na + nb);

	night->mean += d * nb / (na + nb);
	night->n += p->n;
	night->sd = sqrt(squares / (na + nb - 1));
	night->sessions++;
}

void history_add(struct history *h, const struct history_point *p)
{
	struct history_night *night;
	char date[16];

	if (!counts(p)) {
		h->left_out += new_session(h, p);
		return;
	}
	new_session(h, p);
	if (!chosen(h, p))
		return;
	night_of(p->started_ms, date);
	night = same_night(h, date, p->hash);
	if (night) {
		merge(night, p);
		night->session = keep(h, p->session);
		return;
	}
	night = add_night(h);
	night->started_ms = p->started_ms;
	night->date = keep(h, date);
	night->session = keep(h, p->session);
	night->label = keep(h, p->label);
	night->hash = keep(h, p->hash);
	night->release = keep(h, p->release);
	night->series = keep(h, p->series);
	night->variant = keep(h, p->variant);
	night->sessions = 1;
	night->n = p->n;
	night->mean = p->mean;
	night->sd = p->sd;
}

/* ---- analysis ---- */

static enum history_kind kind_of(const struct history *h, double effect)
{
	if (h->direction == DIRECTION_NONE)
		return HISTORY_CHANGE;
	return (effect < 0) == (h->direction == DIRECTION_HIGHER) ? HISTORY_REGRESSION
								  : HISTORY_IMPROVEMENT;
}

static void fill_segments(struct history *h, const double *x, const struct changepoint_fit *fit)
{
	h->n_segments = fit->n_changes + 1;
	h->segments = xcalloc(h->n_segments, sizeof(*h->segments));
	for (size_t i = 0; i < h->n_segments; i++) {
		struct history_segment *s = &h->segments[i];
		size_t end = i < fit->n_changes ? fit->changes[i].at : h->n_nights;

		s->first = i ? fit->changes[i - 1].at : 0;
		s->last = end - 1;
		s->level = i ? fit->changes[i - 1].after : fit->level;
		if (i == 0 && fit->n_changes)
			s->level = fit->changes[0].before;
		if (!isfinite(s->level)) /* too short to be fitted */
			s->level = stats_mean(x, h->n_nights);
		s->sd = sqrt(stats_variance(x + s->first, end - s->first));
	}
}

static void fill_changes(struct history *h, const struct changepoint_fit *fit)
{
	double newest = fit->level;

	h->n_changes = fit->n_changes;
	h->changes = xcalloc(fit->n_changes + 1, sizeof(*h->changes));
	for (size_t i = 0; i < fit->n_changes; i++) {
		struct history_change *c = &h->changes[i];
		double since = (newest - fit->changes[i].before) / fabs(fit->changes[i].before);

		c->point = fit->changes[i];
		c->kind = kind_of(h, c->point.effect);
		c->standing = fabs(since) >= changepoint_rules.min_effect &&
			      (since < 0) == (c->point.effect < 0);
	}
}

/* ---- outlook ---- */

static bool two_nights(const struct history *h, size_t first)
{
	return strcmp(h->nights[first].date, h->nights[h->n_nights - 1].date) != 0;
}

/* All of next[0..m-1] are outside on one side of what was expected of each; lo, hi: of the first */
static bool left(const struct changepoint_fit *fit, const double *next, size_t m, double *lo,
		 double *hi)
{
	int side = 0;

	for (size_t i = m; i-- > 0;) {
		int now;

		if (!changepoint_expect(fit, (int)i + 1, HISTORY_INSIDE, lo, hi))
			return false;
		now = next[i] < *lo ? -1 : next[i] > *hi;
		if (!now || (side && now != side))
			return false;
		side = now;
	}
	return true;
}

/* Do the last m nights leave the level before them? Then it is in *o, if that tells more. */
static void consider(const struct history *h, const double *x, size_t m, struct history_outlook *o)
{
	size_t first = h->n_nights - m;
	size_t from = first > OUTLOOK_NIGHTS ? first - OUTLOOK_NIGHTS : 0;
	struct changepoint_fit fit;
	double lo = NAN;
	double hi = NAN;

	changepoint_find(x + from, first - from, NULL, &fit);
	if (left(&fit, x + first, m, &lo, &hi)) {
		double p = changepoint_departs(&fit, x + first, m);
		double effect = (stats_mean(x + first, m) - fit.level) / fabs(fit.level);
		bool alarm = m > 1 && p < HISTORY_ALARM_P && two_nights(h, first);

		if (o->state != HISTORY_ALARM || p < o->p)
			*o = (struct history_outlook){
				.state = alarm ? HISTORY_ALARM : HISTORY_SUSPECTED,
				.first = first,
				.lo = lo,
				.hi = hi,
				.effect = effect,
				.p = p,
				.kind = kind_of(h, effect),
			};
	}
	changepoint_release(&fit);
}

static void look_out(struct history *h, const double *x, const struct changepoint_fit *fit)
{
	struct history_outlook *o = &h->outlook;
	size_t newest = h->segments[h->n_segments - 1].first;

	o->state = changepoint_expect(fit, 1, HISTORY_INSIDE, &o->lo, &o->hi) ? HISTORY_QUIET
									      : HISTORY_SHORT;
	for (size_t m = 1; m <= HISTORY_RUN_MAX && m < h->n_nights; m++) {
		/* a change that the detector has found is no news */
		if (h->n_nights - m < newest + changepoint_rules.min_segment && h->n_changes)
			break;
		consider(h, x, m, o);
	}
}

void history_analyse(struct history *h)
{
	double *x = xcalloc(h->n_nights + 1, sizeof(*x));
	struct changepoint_fit fit;

	h->from = 0;
	h->end = h->n_nights;
	for (size_t i = 0; i < h->n_nights; i++)
		x[i] = h->nights[i].mean;
	changepoint_find(x, h->n_nights, NULL, &fit);
	for (size_t i = 0; i < h->n_nights; i++)
		h->nights[i].spike = fit.spike[i];
	h->rho = fit.rho;
	if (h->n_nights) {
		fill_segments(h, x, &fit);
		fill_changes(h, &fit);
		look_out(h, x, &fit);
	}
	changepoint_release(&fit);
	free(x);
}

/* ---- questions ---- */

bool history_in_window(const struct history *h, const struct history_change *c)
{
	return c->point.at >= h->from && c->point.at < h->end;
}

bool history_regressed(const struct history *h)
{
	const struct history_outlook *o = &h->outlook;

	for (size_t i = 0; i < h->n_changes; i++)
		if (history_in_window(h, &h->changes[i]) && h->changes[i].standing &&
		    h->changes[i].kind == HISTORY_REGRESSION)
			return true;
	return o->state == HISTORY_ALARM && o->kind == HISTORY_REGRESSION &&
	       h->end == h->n_nights && o->first >= h->from;
}

const char *history_kind_name(enum history_kind kind)
{
	static const char *const names[] = {
		[HISTORY_REGRESSION] = "regression",
		[HISTORY_IMPROVEMENT] = "improvement",
		[HISTORY_CHANGE] = "change",
	};

	return names[kind];
}

const char *history_state_name(enum history_state state)
{
	static const char *const names[] = {
		[HISTORY_EMPTY] = "empty", [HISTORY_SHORT] = "short",
		[HISTORY_QUIET] = "quiet", [HISTORY_SUSPECTED] = "suspected",
		[HISTORY_ALARM] = "alarm",
	};

	return names[state];
}
