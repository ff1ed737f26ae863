// SPDX-License-Identifier: GPL-2.0-or-later
/* Comparisons across boards as text, CSV and JSON; see compare.h. Layer: results. */
#include "results/compare.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "results/calibrate.h"
#include "results/escape.h"
#include "results/session.h"

static const struct gate_verdict *verdict(const struct compare_row *row)
{
	return &row->shared.set->verdicts[0];
}

/* The look that decided, or the latest; NULL = none. */
static const struct gate_look *look(const struct compare_row *row)
{
	const struct gate_verdict *v = verdict(row);

	return v->n_looks ? &v->looks[v->n_looks - 1] : NULL;
}

static const char *profile(const struct compare_row *row)
{
	return row->shared.s ? row->shared.s->profile : "";
}

/* The change of the metric and its interval, as fractions, the lower end first. */
struct change {
	double mean, lo, hi;
};

static struct change change_of(const struct gate_workload *w)
{
	double a = gate_change(w->direction, w->est.lo);
	double b = gate_change(w->direction, w->est.hi);

	return (struct change){ gate_change(w->direction, w->est.mean), a < b ? a : b,
				a < b ? b : a };
}

/* ---- text ---- */

static void put_lines(struct buf *out, const char *lines)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");

		buf_addf(out, "    %.*s\n", (int)n, lines);
		lines += n + (lines[n] == '\n');
	}
}

static void text_kernel(const struct compare *c, const char *name, int kernel, struct buf *out)
{
	const char *id = NULL;

	for (size_t i = 0; i < c->n; i++) {
		const struct session *s = c->rows[i].shared.s;

		if (!s)
			continue;
		if (!id)
			buf_addf(out, "%s (build %.12s, %s)", name, s->kernels[kernel].id,
				 s->kernels[kernel].release);
		else if (strcmp(id, s->kernels[kernel].id) != 0)
			buf_addf(out, " and %.12s", s->kernels[kernel].id);
		id = s->kernels[kernel].id;
	}
	if (!id)
		buf_adds(out, name);
}

static void text_workloads(const struct compare_row *row, struct buf *out)
{
	const struct gate_look *l = look(row);

	for (size_t i = 0; l && i < l->n_workloads; i++) {
		const struct gate_workload *w = &l->workloads[i];
		struct change x = change_of(w);

		buf_addf(out, "  %-14s %-18s %-12s %+7.1f %%  %+7.1f .. %+.1f %%  %5d  %s\n",
			 row->board, w->workload, w->metric, 100 * x.mean, 100 * x.lo, 100 * x.hi,
			 l->pairs, verdict_name(w->est.result));
	}
}

static void text_details(const struct compare_row *row, struct buf *out)
{
	struct buf prior = BUF_INIT;

	buf_addf(out, "\n  %s%s%s%s%s: %s\n", *row->board ? row->board : "(any board)",
		 *row->suite ? ", suite " : "", row->suite, *profile(row) ? ", profile " : "",
		 profile(row), verdict_name(verdict(row)->result));
	put_lines(out, verdict(row)->reason);
	if (row->shared.s) {
		buf_adds(&prior, "variance: ");
		calibrate_say(row->shared.s, &prior);
		put_lines(out, buf_str(&prior));
	}
	put_lines(out, buf_str(&row->shared.notes));
	buf_release(&prior);
}

static void print_text(const struct compare *c, struct buf *out)
{
	text_kernel(c, c->candidate, 1, out);
	buf_adds(out, "\nagainst ");
	text_kernel(c, c->baseline, 0, out);
	buf_adds(out, "\n\n");
	for (size_t i = 0; i < c->n; i++) {
		buf_addf(out, "  %s: %s ", *c->rows[i].board ? c->rows[i].board : "(any board)",
			 c->candidate);
		compare_say(&c->rows[i], out);
		buf_adds(out, "\n");
	}
	buf_addf(out, "\n  %-14s %-18s %-12s %9s  %18s  %5s  %s\n", "BOARD", "WORKLOAD", "METRIC",
		 "CHANGE", "95 % INTERVAL", "PAIRS", "VERDICT");
	for (size_t i = 0; i < c->n; i++)
		text_workloads(&c->rows[i], out);
	for (size_t i = 0; i < c->n; i++)
		text_details(&c->rows[i], out);
}

/* ---- CSV ---- */

static void csv_fields(struct buf *out, const char *const *fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_adds(out, i ? "," : "");
		escape_csv(out, fields[i]);
	}
}

static void csv_workload(const struct compare *c, const struct compare_row *row,
			 const struct gate_workload *w, struct buf *out)
{
	const char *const texts[] = { row->board,	  row->suite,	   profile(row),
				      c->baseline,	  c->candidate,	   w ? w->workload : "",
				      w ? w->metric : "", w ? w->unit : "" };
	struct change x;

	csv_fields(out, texts, sizeof(texts) / sizeof(texts[0]));
	if (w) {
		x = change_of(w);
		buf_addf(out, ",%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%d,%s,",
			 direction_name(w->direction), w->base_mean, w->cand_mean, x.mean, x.lo,
			 x.hi, w->est.p_adj, w->est.n, verdict_name(w->est.result));
	} else {
		buf_adds(out, ",,,,,,,,,,");
	}
	buf_addf(out, "%s,%s\r\n", verdict_name(verdict(row)->result), verdict(row)->code);
}

static void print_csv(const struct compare *c, struct buf *out)
{
	buf_adds(out, "board,suite,profile,baseline,candidate,workload,metric,unit,direction,"
		      "baseline_mean,candidate_mean,change,change_lo,change_hi,p,pairs,"
		      "workload_verdict,board_verdict,board_code\r\n");
	for (size_t i = 0; i < c->n; i++) {
		const struct gate_look *l = look(&c->rows[i]);

		if (!l)
			csv_workload(c, &c->rows[i], NULL, out);
		for (size_t k = 0; l && k < l->n_workloads; k++)
			csv_workload(c, &c->rows[i], &l->workloads[k], out);
	}
}

/* ---- JSON ---- */

static json_t *json_workloads(const struct compare_row *row)
{
	const struct gate_look *l = look(row);
	json_t *list = json_array();

	for (size_t i = 0; l && i < l->n_workloads; i++) {
		const struct gate_workload *w = &l->workloads[i];
		struct change x = change_of(w);

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:s}",
				  "workload", w->workload, "metric", w->metric, "unit", w->unit,
				  "direction", direction_name(w->direction), "baseline_mean",
				  w->base_mean, "candidate_mean", w->cand_mean, "change", x.mean,
				  "change_lo", x.lo, "change_hi", x.hi, "p", w->est.p_adj, "pairs",
				  w->est.n, "verdict", verdict_name(w->est.result)));
	}
	return list;
}

static json_t *json_sessions(const struct compare_row *row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < row->shared.n; i++)
		json_array_append_new(list, json_string(row->shared.sessions[i]->name));
	return list;
}

static json_t *json_board(const struct compare_row *row)
{
	const struct gate_verdict *v = verdict(row);
	struct buf said = BUF_INIT;
	json_t *json;

	compare_say(row, &said);
	json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:o, s:o}", "board",
			 row->board, "suite", row->suite, "profile", profile(row), "verdict",
			 verdict_name(v->result), "code", v->code, "candidate", buf_str(&said),
			 "reason", v->reason, "pairs", v->pairs, "notes",
			 buf_str(&row->shared.notes), "sessions", json_sessions(row), "workloads",
			 json_workloads(row));
	buf_release(&said);
	return json;
}

static void print_json(const struct compare *c, struct buf *out)
{
	json_t *boards = json_array();
	json_t *root;
	char *text;

	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(boards, json_board(&c->rows[i]));
	root = json_pack("{s:s, s:s, s:o}", "baseline", c->baseline, "candidate", c->candidate,
			 "boards", boards);
	text = json_dumps(root, JSON_INDENT(1));
	buf_addf(out, "%s\n", text);
	free(text);
	json_decref(root);
}

const struct compare_format compare_formats[] = {
	{ "text", print_text },
	{ "csv", print_csv },
	{ "json", print_json },
	{ NULL, NULL },
};
