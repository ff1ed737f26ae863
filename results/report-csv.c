// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CSV format: raw numbers in long form, one line a number, for R, pandas and spreadsheets. No
 * average is in it. Columns: see rig-report(5). Layer: results, pure.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "results/escape.h"
#include "results/report-format.h"
#include "results/report-model.h"
#include "results/report.h"
#include "results/store.h"
#include "results/values.h"

static const char columns[] = "session,started,suite,profile,board,serial,workload,metric,unit,"
			      "direction,primary,kernel,role,build,release,visit,pair,position,"
			      "counted,value\n";

static void put_texts(struct buf *out, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		escape_csv(out, texts[i]);
		buf_adds(out, ",");
	}
}

#define PUT_TEXTS(out, ...)                                                                        \
	put_texts(out, (const char *const[]){ __VA_ARGS__ },                                       \
		  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* One number; m has its name and, if the suite knows it, unit and direction. */
static void put_line(const struct report *r, int visit, const struct session_metric *m,
		     double value, struct buf *out)
{
	const struct session *s = r->s;
	const struct session_visit *v = &s->visits[visit];
	const struct session_kernel *k = &s->kernels[v->kernel];

	PUT_TEXTS(out, s->name, r->timestamp, s->suite, s->profile, s->board, s->serial,
		  m->workload, m->metric, m->unit, direction_name(m->direction),
		  m->primary ? "yes" : "no", k->label, v->kernel ? "candidate" : "baseline", k->id,
		  *v->release ? v->release : k->release);
	buf_addf(out, "%d,%d,%d,%s,%.*g\n", v->number, v->pair, v->position,
		 report_counted(v) ? "yes" : "no", (int)value_digits(value), value);
}

static void put_named(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->s->n_metrics; i++) {
		for (size_t k = 0; k < r->s->n_visits; k++) {
			double value;

			if (!report_value(r->s, (int)k, &r->s->metrics[i], &value))
				put_line(r, (int)k, &r->s->metrics[i], value, out);
		}
	}
}

static const struct session_metric *find_metric(const struct session *s, const char *workload,
						const char *metric)
{
	for (size_t i = 0; i < s->n_metrics; i++)
		if (!strcmp(s->metrics[i].workload, workload) &&
		    !strcmp(s->metrics[i].metric, metric))
			return &s->metrics[i];
	return NULL;
}

static void put_all(const struct report *r, struct buf *out)
{
	const struct session *s = r->s;

	for (size_t i = 0; i < s->n_samples; i++) {
		const struct session_sample *sample = &s->samples[i];
		const struct session_step *step = &s->steps[sample->step];
		const struct session_metric *known = find_metric(s, step->workload, sample->metric);
		struct session_metric unknown = { .workload = step->workload,
						  .metric = sample->metric,
						  .unit = "" };

		put_line(r, step->visit, known ? known : &unknown, sample->value, out);
	}
}

static void csv_session(const struct report *r, const struct report_options *options,
			struct buf *out)
{
	buf_adds(out, columns);
	if (options->all)
		put_all(r, out);
	else
		put_named(r, out);
}

static void list_begin(struct buf *out)
{
	buf_adds(out, "session,suite,profile,board,state,result,verdict,kernels,visits\n");
}

static void list_row(const struct store_row *row, bool first, struct buf *out)
{
	(void)first;
	PUT_TEXTS(out, row->session, row->suite, row->profile, row->board, row->state, row->result,
		  row->verdict, row->kernels);
	buf_addf(out, "%d\n", row->visits);
}

const struct report_ops report_csv = {
	.name = "csv",
	.extension = "csv",
	.mime = "text/csv; charset=utf-8",
	.session = csv_session,
	.list_begin = list_begin,
	.list_row = list_row,
};
