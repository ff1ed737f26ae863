// SPDX-License-Identifier: GPL-2.0-or-later
/* The formats of histories, JSON and CSV among them; see history-print.h. Layer: results, pure. */
#include "results/history-print.h"

#include <string.h>

#include "base/buf.h"
#include "base/day.h"
#include "base/guess.h"
#include "results/escape.h"
#include "results/history-text.h"
#include "results/history.h"
#include "results/report-json.h"
#include "results/values.h"

static double level_at(const struct history *h, size_t night)
{
	size_t s = 0;

	while (h->segments[s].last < night)
		s++;
	return h->segments[s].level;
}

/* ---- JSON ---- */

static json_t *json_kernel(const struct history_night *n)
{
	json_t *o = json_object();

	json_object_set_new(o, "night", json_text(n->date));
	json_object_set_new(o, "session", json_text(n->session));
	json_object_set_new(o, "label", json_text(n->label));
	json_object_set_new(o, "release", json_text(n->release));
	json_object_set_new(o, "series", json_text(n->series));
	json_object_set_new(o, "variant", json_text(n->variant));
	json_object_set_new(o, "build", json_text(n->hash));
	return o;
}

static json_t *json_night(const struct history *h, size_t i)
{
	const struct history_night *n = &h->nights[i];
	json_t *o = json_kernel(n);
	char started[DAY_TIME_SIZE];

	day_time(n->started_ms, started);
	json_object_set_new(o, "started", json_string(started));
	json_object_set_new(o, "sessions", json_integer(n->sessions));
	json_object_set_new(o, "boots", json_integer(n->n));
	json_object_set_new(o, "mean", json_number(n->mean));
	json_object_set_new(o, "sd", json_number(n->sd));
	json_object_set_new(o, "level", json_number(level_at(h, i)));
	json_object_set_new(o, "spike", json_boolean(n->spike));
	return o;
}

static json_t *json_change(const struct history *h, const struct history_change *c)
{
	const struct changepoint *p = &c->point;
	json_t *o = json_object();

	json_object_set_new(o, "kind", json_string(history_kind_name(c->kind)));
	json_object_set_new(o, "standing", json_boolean(c->standing));
	json_object_set_new(o, "first_after", json_kernel(&h->nights[p->at]));
	json_object_set_new(o, "last_before", json_kernel(&h->nights[p->at - 1]));
	json_object_set_new(o, "earliest", json_text(h->nights[p->first].date));
	json_object_set_new(o, "latest", json_text(h->nights[p->last].date));
	json_object_set_new(o, "before", json_number(p->before));
	json_object_set_new(o, "after", json_number(p->after));
	json_object_set_new(o, "effect", json_number(p->effect));
	json_object_set_new(o, "effect_lo", json_number(p->lo));
	json_object_set_new(o, "effect_hi", json_number(p->hi));
	json_object_set_new(o, "p", json_number(p->p));
	json_object_set_new(o, "confidence", json_number(1 - p->p));
	return o;
}

static json_t *json_outlook(const struct history *h)
{
	const struct history_outlook *out = &h->outlook;
	bool left = out->state == HISTORY_SUSPECTED || out->state == HISTORY_ALARM;
	json_t *o = json_object();

	json_object_set_new(o, "state", json_string(history_state_name(out->state)));
	json_object_set_new(o, "lo", json_number(out->lo));
	json_object_set_new(o, "hi", json_number(out->hi));
	if (!left)
		return o;
	json_object_set_new(o, "kind", json_string(history_kind_name(out->kind)));
	json_object_set_new(o, "nights", json_integer((json_int_t)(h->n_nights - out->first)));
	json_object_set_new(o, "effect", json_number(out->effect));
	json_object_set_new(o, "p", json_number(out->p));
	json_object_set_new(o, "first_after", json_kernel(&h->nights[out->first]));
	json_object_set_new(o, "last_before", json_kernel(&h->nights[out->first - 1]));
	return o;
}

static json_t *json_history(const struct history *h, bool with_nights)
{
	json_t *o = json_object();
	json_t *nights = json_array();
	json_t *changes = json_array();

	json_object_set_new(o, "format", json_integer(1));
	json_object_set_new(o, "board", json_text(h->board));
	json_object_set_new(o, "suite", json_text(h->suite));
	json_object_set_new(o, "profile", json_text(h->profile));
	json_object_set_new(o, "workload", json_text(h->workload));
	json_object_set_new(o, "metric", json_text(h->metric));
	json_object_set_new(o, "unit", json_text(h->unit));
	json_object_set_new(o, "direction", json_string(direction_name(h->direction)));
	json_object_set_new(o, "primary", json_boolean(h->primary));
	json_object_set_new(o, "left_out", json_integer(h->left_out));
	json_object_set_new(o, "autocorrelation", json_number(h->rho));
	json_object_set_new(o, "regressed", json_boolean(history_regressed(h)));
	for (size_t i = h->from; i < h->end; i++)
		if (with_nights || i + 1 == h->end)
			json_array_append_new(nights, json_night(h, i));
	for (size_t i = 0; i < h->n_changes; i++)
		if (history_in_window(h, &h->changes[i]))
			json_array_append_new(changes, json_change(h, &h->changes[i]));
	json_object_set_new(o, "nights", nights);
	json_object_set_new(o, "changes", changes);
	json_object_set_new(o, "outlook", json_outlook(h));
	return o;
}

static void json_whole(const struct history *h, struct buf *out)
{
	json_dump_into(out, json_history(h, true), JSON_INDENT(2));
	buf_adds(out, "\n");
}

static void json_begin(struct buf *out)
{
	buf_adds(out, "[\n");
}

static void json_row(const struct history *h, bool first, struct buf *out)
{
	buf_adds(out, first ? "" : ",\n");
	json_dump_into(out, json_history(h, false), JSON_COMPACT);
}

static void json_end(struct buf *out)
{
	buf_adds(out, "\n]\n");
}

/* ---- CSV: a night a line ---- */

static void csv_begin(struct buf *out)
{
	buf_adds(out, "board,suite,profile,workload,metric,unit,night,started,session,sessions,"
		      "kernel,build,release,boots,mean,sd,level,spike,change\n");
}

/* The kind of a change that begins in that night; "" for none. */
static const char *change_at(const struct history *h, size_t night)
{
	for (size_t i = 0; i < h->n_changes; i++)
		if (h->changes[i].point.at == night)
			return history_kind_name(h->changes[i].kind);
	return "";
}

static void csv_night(const struct history *h, size_t i, struct buf *out)
{
	const struct history_night *n = &h->nights[i];
	char started[DAY_TIME_SIZE];
	const char *const texts[] = { h->board, h->suite, h->profile, h->workload, h->metric,
				      h->unit,	n->date,  started,    n->session };
	const char *const kernel[] = { n->label, n->hash, n->release };
	double level = level_at(h, i);

	day_time(n->started_ms, started);
	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
		escape_csv(out, texts[k]);
		buf_adds(out, ",");
	}
	buf_addf(out, "%d,", n->sessions);
	for (size_t k = 0; k < sizeof(kernel) / sizeof(kernel[0]); k++) {
		escape_csv(out, kernel[k]);
		buf_adds(out, ",");
	}
	buf_addf(out, "%d,%.*g,%.*g,%.*g,%s,%s\n", n->n, (int)value_digits(n->mean), n->mean,
		 (int)value_digits(n->sd), n->sd, (int)value_digits(level), level,
		 n->spike ? "yes" : "no", change_at(h, i));
}

static void csv_whole(const struct history *h, struct buf *out)
{
	csv_begin(out);
	for (size_t i = h->from; i < h->end; i++)
		csv_night(h, i, out);
}

static void csv_row(const struct history *h, bool first, struct buf *out)
{
	(void)first;
	if (h->end > h->from)
		csv_night(h, h->end - 1, out);
}

static void nothing(struct buf *out)
{
	(void)out;
}

static const struct history_format formats[] = {
	{ "text", history_text_whole, history_text_begin, history_text_row, nothing },
	{ "json", json_whole, json_begin, json_row, json_end },
	{ "csv", csv_whole, csv_begin, csv_row, nothing },
};

const struct history_format *history_format_find(const char *name, struct err *err)
{
	struct guess guess = GUESS_INIT;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
		guess_offer(&guess, name, formats[i].name);
	}
	err_set(err, BLAME_USER, "usage", "--format %s: not a format; %s%s%stext, json or csv",
		name, guess.best ? "did you mean '" : "", guess.best ? guess.best : "",
		guess.best ? "'? " : "");
	return NULL;
}
