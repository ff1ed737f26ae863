// SPDX-License-Identifier: GPL-2.0-or-later
/* A session as text for a mail; see report.h. Layer: results. */
#include "results/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "results/fingerprint.h"
#include "results/gate.h"
#include "results/report-table.h"
#include "results/session.h"
#include "results/store.h"

#define INDENT 10

static void put_field(struct buf *out, const char *name, const char *text)
{
	if (*text)
		report_wrap(out, name, INDENT, text, "");
}

/* ---- header ---- */

static void put_when(const struct session *s, struct buf *out)
{
	time_t seconds = (time_t)(s->started_ms / 1000);
	struct tm tm;
	char date[32] = "";
	char *text;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm);
	text = xasprintf("%s, by %s on %s, rig %s", date, s->user, s->host, s->rig_version);
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
	if (!strncmp(s->board, "virt", 4))
		buf_adds(&text,
			 "\na virtual board stands in for hardware: its numbers compare kernels"
			 " with each other, and say nothing about a real device");
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
		char *text = xasprintf("%-14s %s  %s:%s  build %s%s%s%s", k->label,
				       *k->release ? k->release : "(release unknown)", k->series,
				       k->variant, k->id, i ? "" : "  = baseline",
				       *k->cmdline ? "\n  with " : "", k->cmdline);

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
		buf_addf(&text, " (one-sided level %.4g each)", gate_level(n));
	put_field(out, "pairs", buf_str(&text));
	buf_release(&text);
}

static void put_tools(const struct session *s, struct buf *out)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < s->n_visits && !text.size; i++)
		fingerprint_tools(s->visits[i].fingerprint, &text);
	put_field(out, "tools", buf_str(&text));
	buf_release(&text);
}

/* The whole in one line, for those who read no further. */
static void put_result(const struct gate_set *set, struct buf *out)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < set->n_verdicts; i++) {
		const struct gate_verdict *v = &set->verdicts[i];

		if (v->result == VERDICT_NONE)
			continue;
		buf_addf(&text, "%s%s %s", text.size ? ", " : "", v->label,
			 verdict_name(v->result));
		if (*v->code)
			buf_addf(&text, " (%s)", v->code);
	}
	put_field(out, "verdict", buf_str(&text));
	buf_release(&text);
}

static void put_header(const struct session *s, const struct gate_set *set, struct buf *out)
{
	put_field(out, "session", s->name);
	put_board(s, out);
	put_suite(s, out);
	put_when(s, out);
	put_kernels(s, out);
	put_pairs(s, out);
	put_tools(s, out);
	if (s->state == SESSION_RUNNING)
		put_field(out, "state", "still running: all below is so far");
	put_result(set, out);
}

/* ---- workloads ---- */

static bool seen_before(const struct session *s, size_t metric)
{
	for (size_t i = 0; i < metric; i++)
		if (!strcmp(s->metrics[i].workload, s->metrics[metric].workload))
			return true;
	return false;
}

static void put_workloads(const struct session *s, const struct gate_set *set, struct buf *out)
{
	for (size_t i = 0; i < s->n_metrics; i++) {
		if (seen_before(s, i))
			continue;
		buf_adds(out, "\n");
		report_workload(s, set, s->metrics[i].workload, out);
	}
	if (s->n_kernels > 1 && s->n_metrics)
		buf_adds(out, "\n");
	if (s->n_kernels > 1 && s->n_metrics)
		report_wrap(out, "*", 2,
			    "the gated metric. mean: of the n boots. delta: mean of the paired log"
			    " ratios, as per cent, with its 95 % interval. p: one-sided for a loss,"
			    " Holm over the workloads. MB/s = 10^6 bytes/s.",
			    "");
}

/* ---- kernel log ---- */

static bool same_finding(const struct session_finding *a, const struct session_finding *b)
{
	return !strcmp(a->kind, b->kind) && !strcmp(a->title, b->title);
}

static int kernel_of(const struct session *s, const struct session_finding *f)
{
	return s->visits[f->visit].kernel;
}

/* In how many boots of that kernel was it seen? */
static int boots_with(const struct session *s, int kernel, const struct session_finding *f)
{
	int last = -1;
	int n = 0;

	for (size_t i = 0; i < s->n_findings; i++) {
		const struct session_finding *other = &s->findings[i];

		if (kernel_of(s, other) != kernel || !same_finding(other, f))
			continue;
		n += other->visit != last;
		last = other->visit;
	}
	return n;
}

static int boots_of(const struct session *s, int kernel)
{
	int n = 0;

	for (size_t i = 0; i < s->n_visits; i++)
		n += s->visits[i].kernel == kernel;
	return n;
}

/* New, known or gone: seen from the baseline. */
static const char *finding_class(const struct session *s, const struct session_finding *f)
{
	bool elsewhere = false;

	if (s->n_kernels == 1)
		return "seen";
	for (size_t k = 1; k < s->n_kernels; k++)
		elsewhere |= boots_with(s, (int)k, f) > 0;
	if (!boots_with(s, 0, f))
		return "new";
	return elsewhere ? "known" : "gone";
}

static bool first_of_its_kind(const struct session *s, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_finding(&s->findings[k], &s->findings[i]))
			return false;
	return true;
}

static void put_finding(const struct session *s, const struct session_finding *f, struct buf *out)
{
	const struct session_visit *v = &s->visits[f->visit];
	struct buf text = BUF_INIT;
	char lead[16];

	buf_addf(&text, "%s (%s%s%s)", f->title, f->kind, *f->severity ? ", " : "", f->severity);
	for (size_t k = 0; k < s->n_kernels; k++)
		buf_addf(&text, "%s %d of %d boots of %s", k ? "," : ":", boots_with(s, (int)k, f),
			 boots_of(s, (int)k), s->kernels[k].label);
	buf_addf(&text, "; first: %s/console.log, byte %lld", v->dir, (long long)f->begin);
	snprintf(lead, sizeof(lead), "  %s", finding_class(s, f));
	report_wrap(out, lead, INDENT, buf_str(&text), "");
	buf_release(&text);
}

static void put_findings(const struct session *s, struct buf *out)
{
	buf_adds(out, "\nKernel log\n");
	for (size_t i = 0; i < s->n_findings; i++)
		if (first_of_its_kind(s, i))
			put_finding(s, &s->findings[i], out);
	if (!s->n_findings)
		buf_addf(out, "  nothing found in %zu boots\n", s->n_visits);
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

/* ---- verdicts ---- */

static const char *const meanings[] = {
	[VERDICT_NONE] = "measured, nothing to compare",
	[VERDICT_PASS] = "PASS: a loss of the stated size is excluded",
	[VERDICT_PENDING] = "not decided yet",
	[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE: neither a loss nor its absence is shown",
	[VERDICT_FAIL] = "FAIL: slower, or a kernel fault that the baseline does not show",
	[VERDICT_INVALID] = "INVALID: a fault of rig, board or test; says nothing about the kernel",
};

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
}

void report_verdicts(const struct session *s, const struct gate_set *set, struct buf *out)
{
	buf_adds(out, "Verdict\n");
	for (size_t i = 0; i < set->n_verdicts; i++)
		put_verdict(s, &set->verdicts[i], out);
	buf_addf(out, "  exit code %d, %s\n", gate_exit_code(set), meanings[set->result]);
}

void report_text(const struct session *s, const struct gate_set *set, struct buf *out)
{
	put_header(s, set, out);
	put_workloads(s, set, out);
	put_findings(s, out);
	put_faults(s, out);
	buf_adds(out, "\n");
	report_verdicts(s, set, out);
}

int report_session(struct store *st, const char *session, struct buf *out, struct err *err)
{
	struct session *s = store_get_session(st, session, err);
	struct gate_set *set = s ? store_get_verdicts(st, session, err) : NULL;

	if (set && !set->n_verdicts) {
		gate_set_free(set);
		set = gate_judge(s);
	}
	if (set)
		report_text(s, set, out);
	gate_set_free(set);
	session_free(s);
	return set ? 0 : -1;
}
