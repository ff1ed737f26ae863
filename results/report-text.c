// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text format: what kernel people paste into mails. At most 100 columns, no colour, no tabs.
 * One block a workload, then kernel log, faults, and the verdict of each candidate. Layer: results,
 * pure.
 */
#include "results/report-text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/calibrate.h"
#include "results/crosscheck.h"
#include "results/report-format.h"
#include "results/report-model.h"
#include "results/report.h"
#include "results/store.h"

#define INDENT	       10
#define FINDING_INDENT 13 /* "  suppressed " */
#define FINDING_FRAMES 6  /* of the call trace of a new one */

static void put_field(struct buf *out, const char *name, const char *text)
{
	if (*text)
		report_wrap(out, name, INDENT, text, "");
}

/* ---- header ---- */

static void put_when(const struct report *r, struct buf *out)
{
	char *text = xasprintf("%s, by %s on %s, rig %s", r->date, r->s->user, r->s->host,
			       r->s->rig_version);

	put_field(out, "when", text);
	free(text);
}

static void put_board(const struct session *s, struct buf *out)
{
	struct buf text = BUF_INIT;

	buf_adds(&text, s->board);
	if (*s->model && strcmp(s->model, s->board) != 0)
		buf_addf(&text, ", %s", s->model);
	if (*s->serial && strcmp(s->serial, s->board) != 0)
		buf_addf(&text, ", serial %s", s->serial);
	if (report_is_virtual(s))
		buf_adds(&text, "\n" REPORT_VIRTUAL_NOTE);
	put_field(out, "board", buf_str(&text));
	buf_release(&text);
}

static void put_suite(const struct session *s, struct buf *out)
{
	char *text = xasprintf("%s, profile %s (%.12s)%s%s", s->suite,
			       *s->profile ? s->profile : "default",
			       *s->suite_hash ? s->suite_hash : "no hash", *s->notes ? "\n" : "",
			       s->notes);

	put_field(out, "suite", text);
	free(text);
}

static void put_kernels(const struct session *s, struct buf *out)
{
	for (size_t i = 0; i < s->n_kernels; i++) {
		const struct session_kernel *k = &s->kernels[i];
		char hash[REPORT_HASH_SIZE];
		char *text = xasprintf(
			"%-14s %s  %s:%s  build %s%s\n  patches %s, config %.12s%s%s", k->label,
			*k->release ? k->release : "(release unknown)", k->series, k->variant,
			k->id, i ? "" : "  = baseline", report_patches(k, hash), k->config_hash,
			*k->cmdline ? "; with " : "", k->cmdline);

		put_field(out, i ? "" : "kernels", text);
		free(text);
	}
}

static int count_visits(const struct session *s, bool warmup, bool control)
{
	int n = 0;

	for (size_t i = 0; i < s->n_visits; i++)
		n += (warmup && s->visits[i].warmup) || (control && s->visits[i].control);
	return n;
}

static void put_pairs(const struct session *s, struct buf *out)
{
	int looks[GATE_MAX_LOOKS];
	int n = gate_looks(s->pairs_fixed, s->pairs_min, s->pairs_max, looks);
	int control = count_visits(s, false, true);
	struct buf text = BUF_INIT;

	buf_addf(&text, "%d complete; %zu boots, %d of them warm-up", session_complete_pairs(s, 0),
		 s->n_visits, count_visits(s, true, false));
	if (control)
		buf_addf(&text, ", %d control", control);
	for (int i = 0; s->n_kernels > 1 && i < n; i++)
		buf_addf(&text, "%s %d", i ? "," : "; looks at", looks[i]);
	if (s->n_kernels > 1 && n)
		buf_addf(&text, " (one-sided level %.3g in all)", GATE_ALPHA);
	put_field(out, "pairs", buf_str(&text));
	buf_release(&text);
}

static void put_header(const struct report *r, struct buf *out)
{
	const struct session *s = r->s;

	put_field(out, "session", s->name);
	put_board(s, out);
	put_suite(s, out);
	put_when(r, out);
	put_kernels(s, out);
	put_pairs(s, out);
	put_field(out, "order", r->order);
	put_field(out, "tools", r->tools);
	if (s->state == SESSION_RUNNING)
		put_field(out, "state", "still running: all below is so far");
	put_field(out, "verdict", r->headline);
}

/* ---- workloads ---- */

static void put_workloads(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->n_workloads; i++) {
		buf_adds(out, "\n");
		report_text_workload(r, &r->workloads[i], out);
	}
	if (r->s->n_kernels < 2 || !r->n_workloads)
		return;
	buf_adds(out, "\n");
	report_wrap(
		out, "*", 2,
		"the gated metric. mean: of the n boots. delta: mean of the paired log ratios,"
		" as per cent, with its 95 % interval. boot spread: standard deviation between"
		" boots of one kernel. p: one-sided for a loss, Holm over the workloads, weighted by"
		" their noise in the calibration if there is one. MB/s = 10^6 bytes/s.",
		"");
}

/* ---- kernel log ---- */

static void put_finding(const struct report *r, const struct report_finding *finding,
			struct buf *out)
{
	const struct session_finding *f = finding->first;
	const struct session_visit *v = &r->s->visits[f->visit];
	struct buf text = BUF_INIT;
	bool counts = !strcmp(finding->state, "new") || !strcmp(finding->state, "seen");
	char lead[16];

	buf_addf(&text, "%s (%s%s%s)", f->title, f->kind, *f->severity ? ", " : "", f->severity);
	for (size_t k = 0; k < r->s->n_kernels; k++)
		buf_addf(&text, "%s %d of %d boots of %s", k ? "," : ":", finding->boots[k],
			 r->boots[k], r->s->kernels[k].label);
	buf_addf(&text, "; see %s/console.log, byte %lld", v->dir, (long long)f->begin);
	findings_where(f, counts ? FINDING_FRAMES : 0, &text);
	findings_why(finding->item, &text);
	snprintf(lead, sizeof(lead), "  %s", finding->state);
	report_wrap(out, lead, FINDING_INDENT, buf_str(&text), "");
	buf_release(&text);
}

static void put_findings(const struct report *r, struct buf *out)
{
	buf_adds(out, "\nKernel log\n");
	for (size_t i = 0; i < r->n_findings; i++)
		put_finding(r, &r->findings[i], out);
	if (!r->n_findings)
		buf_addf(out, "  nothing found in %zu boots\n", r->s->n_visits);
}

/* ---- faults ---- */

static void put_faults(const struct session *s, struct buf *out)
{
	if (!s->n_faults)
		return;
	buf_adds(out, "\nFaults\n");
	for (size_t i = 0; i < s->n_faults; i++) {
		const struct session_fault *f = &s->faults[i];
		char lead[16];
		char *text;

		if (f->visit < 0)
			text = xasprintf("%s: %s", f->code, f->message);
		else
			text = xasprintf("visit %d (%s): %s: %s", s->visits[f->visit].number,
					 s->kernels[s->visits[f->visit].kernel].label, f->code,
					 f->message);
		snprintf(lead, sizeof(lead), "  %s", blame_name(f->blame));
		report_wrap(out, lead, INDENT, text, "");
		free(text);
	}
}

/* ---- what the sanity rules say ---- */

static void put_anomalies(const struct session *s, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < s->n_anomalies; i++) {
		const struct session_anomaly *a = &s->anomalies[i];
		char lead[16];
		char *text;

		if (a->severity < SEVERITY_WARN)
			continue;
		if (!any)
			buf_adds(out, "\nNumbers that need a look\n");
		any = true;
		text = xasprintf("%s, %s: %s (%s)", a->rule, a->subject, a->message, a->place);
		snprintf(lead, sizeof(lead), "  %s", severity_name(a->severity));
		report_wrap(out, lead, INDENT, text, "");
		free(text);
	}
}

/* ---- verdicts ---- */

/* What makes one look again, beside the verdict. */
static void put_crosscheck(const struct session *s, const struct gate_verdict *v, struct buf *out)
{
	struct buf text = BUF_INIT;

	if (v->n_looks)
		crosscheck_say(s, v->candidate, &text);
	if (text.size)
		report_wrap(out, "", 6, buf_str(&text), "");
	buf_release(&text);
}

/* Whose noise was reckoned with; where there are no numbers nobody asks. */
static void put_prior(const struct session *s, const struct gate_set *set, struct buf *out)
{
	struct buf text = BUF_INIT;
	bool looked = false;

	for (size_t i = 0; i < set->n_verdicts; i++)
		looked |= set->verdicts[i].n_looks > 0;
	if (looked) {
		buf_adds(&text, "variance: ");
		calibrate_say(s, &text);
		report_wrap(out, "", 2, buf_str(&text), "");
	}
	buf_release(&text);
}

static void put_verdict(const struct session *s, const struct gate_verdict *v, struct buf *out)
{
	if (v->candidate)
		buf_addf(out, "  %s against %s: %s", v->label, s->kernels[0].label,
			 verdict_name(v->result));
	else
		buf_addf(out, "  %s: %s", v->label,
			 v->result == VERDICT_NONE ? "measured" : verdict_name(v->result));
	if (v->blame != BLAME_NONE)
		buf_addf(out, " (blame %s)", blame_name(v->blame));
	buf_adds(out, "\n");
	if (*v->reason)
		report_wrap(out, "", 6, v->reason, "");
	put_crosscheck(s, v, out);
}

void report_verdicts(const struct session *s, const struct gate_set *set, struct buf *out)
{
	buf_adds(out, "Verdict\n");
	for (size_t i = 0; i < set->n_verdicts; i++)
		put_verdict(s, &set->verdicts[i], out);
	put_prior(s, set, out);
	buf_addf(out, "  exit code %d, %s\n", gate_exit_code(set), report_meaning(set->result));
}

static void text_session(const struct report *r, const struct report_options *options,
			 struct buf *out)
{
	(void)options;
	put_header(r, out);
	put_workloads(r, out);
	put_findings(r, out);
	put_faults(r->s, out);
	put_anomalies(r->s, out);
	buf_adds(out, "\n");
	report_verdicts(r->s, r->set, out);
}

/* ---- the list of sessions ---- */

static void list_begin(struct buf *out)
{
	buf_addf(out, "%-40s %-10s %-6s %-12s %-12s %3s  %s\n", "SESSION", "BOARD", "PROF",
		 "RESULT", "VERDICT", "N", "KERNELS");
}

static void list_row(const struct store_row *row, bool first, struct buf *out)
{
	(void)first;
	buf_addf(out, "%-40s %-10s %-6s %-12s %-12s %3d  %s\n", row->session, row->board,
		 row->profile, *row->result ? row->result : row->state, row->verdict, row->visits,
		 row->kernels);
}

const struct report_ops report_text = {
	.name = "text",
	.extension = "txt",
	.mime = "text/plain; charset=utf-8",
	.session = text_session,
	.list_begin = list_begin,
	.list_row = list_row,
};
