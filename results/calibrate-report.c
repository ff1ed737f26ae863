// SPDX-License-Identifier: GPL-2.0-or-later
/* A calibration for people and for programs; see calibrate.h. Layer: results, pure. */
#include "results/calibrate.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/day.h"
#include "results/session.h"
#include "results/stats-tests.h"

/* What the gate's levels allow of A/A sessions to be failed; a KS p below ODD is worth a word. */
#define FALSE_ALARMS 0.025
#define ODD	     0.01

/* "2026-11-30 18:43 UTC" */
static void put_date(struct buf *out, int64_t ms)
{
	char text[DAY_TIME_SIZE];

	day_minute(ms, text);
	buf_addf(out, "%s%s", text, *text ? " UTC" : "");
}

void calibrate_say(const struct session *s, struct buf *out)
{
	double lo = INFINITY;
	double hi = 0;

	if (!s->n_priors) {
		buf_adds(out, "of these pairs alone; when they were judged there was no A/A "
			      "calibration of this set-up (`rig calibrate` makes one)");
		return;
	}
	for (size_t i = 0; i < s->n_priors; i++) {
		lo = fmin(lo, s->priors[i].d0);
		hi = fmax(hi, s->priors[i].d0);
	}
	buf_addf(out, "borrowed, d0 = %.3g", lo);
	if (hi > lo)
		buf_addf(out, " to %.3g", hi);
	buf_adds(out, " degrees of freedom from the A/A calibration of ");
	put_date(out, s->priors[0].made_ms);
}

static void put_series(struct buf *out, const struct calibration_series *x)
{
	char need[16] = "> 1000";

	if (x->pairs_needed >= 0)
		snprintf(need, sizeof(need), "%d", x->pairs_needed);
	buf_addf(out, "  %-18s %-12s %5d %8.2f %% %6.1f %8.2g (%d) %9.1f %% %8s\n", x->workload,
		 x->metric, x->pairs, 100 * sqrt(x->s0sq), x->d0, x->ks_p, x->n_p, 100 * x->mde,
		 need);
}

static void put_checks(struct buf *out, const struct calibration *c)
{
	double odd = stats_binomial_tail(c->failed, c->gated, FALSE_ALARMS);

	buf_addf(out, "  p-values of equal kernels: Kolmogorov-Smirnov p = %.2g, %s\n", c->ks_p,
		 c->ks_p < ODD ? "NOT uniform: do not trust the gate here before it is known why"
			       : "no sign that they are not uniform");
	buf_addf(out,
		 "  false alarms: %d of %d judged A/A sessions failed; so many or more by "
		 "chance: p = %.2g%s\n",
		 c->failed, c->gated, odd, odd < ODD ? ": TOO MANY" : "");
}

void calibrate_text(const struct calibration *c, struct buf *out)
{
	int at = c->n_series ? c->series[0].mde_pairs : 0;

	buf_addf(out, "A/A calibration of %s (serial %s), suite %s, profile %s, made ", c->board,
		 c->serial, c->suite, c->profile);
	put_date(out, c->made_ms);
	buf_addf(out, "\n  from %d session%s, the newest %s\n\n", c->sessions,
		 c->sessions == 1 ? "" : "s", c->newest);
	buf_addf(out, "  %-18s %-12s %5s %10s %6s %12s %11s %8s\n", "WORKLOAD", "METRIC", "PAIRS",
		 "SD", "D0", "KS P (N)", "LOSS FOUND", "PAIRS");
	buf_addf(out, "  %-18s %-12s %5s %10s %6s %12s %5s %2d pairs %8s\n", "", "", "", "a pair",
		 "", "", "in", at, "needed");
	for (size_t i = 0; i < c->n_series; i++)
		put_series(out, &c->series[i]);
	buf_adds(out, "\n");
	put_checks(out, c);
	if (*c->withdrawn)
		buf_addf(out, "  withdrawn: %s\n", c->withdrawn);
}

static json_t *series_json(const struct calibration *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->n_series; i++) {
		const struct calibration_series *x = &c->series[i];

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:i, s:f, s:i, s:i}", "workload",
				  x->workload, "metric", x->metric, "pairs", x->pairs, "d0", x->d0,
				  "s0sq", x->s0sq, "ks_p", x->ks_p, "ks_n", x->n_p, "mde", x->mde,
				  "mde_pairs", x->mde_pairs, "pairs_needed", x->pairs_needed));
	}
	return list;
}

char *calibrate_json(const struct calibration *c, const char *state)
{
	struct buf made = BUF_INIT;
	json_t *root;
	char *text;

	put_date(&made, c->made_ms);
	root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:f,"
			 " s:s, s:o}",
			 "board", c->board, "serial", c->serial, "model", c->model, "suite",
			 c->suite, "profile", c->profile, "suite_hash", c->suite_hash, "host",
			 c->host, "setup", c->setup, "made", buf_str(&made), "newest", c->newest,
			 "sessions", c->sessions, "gated", c->gated, "failed", c->failed, "ks_p",
			 c->ks_p, "state", state, "series", series_json(c));
	text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	buf_release(&made);
	return text;
}
