// SPDX-License-Identifier: GPL-2.0-or-later
/* What reports say in words: the verdict as a sentence, and what a word means. Layer: results,
 * pure. */
#include "results/report-model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/calibrate.h"

char *report_headline(const struct gate_set *set)
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
	return text.size ? buf_detach(&text) : xstrdup("");
}

/* What is said of one candidate, or of several with the same verdict. */
static const struct phrase {
	enum verdict result;
	const char *code;			 /* NULL = any other */
	const char *before, *one, *many, *after; /* before LABELS one|many BASELINE after */
} phrases[] = {
	{ VERDICT_INVALID, NULL, "nothing can be said of ", " against ", " against ", "" },
	{ VERDICT_FAIL, "regression", "", " is slower than ", " are slower than ", "" },
	{ VERDICT_FAIL, "finding", "", " shows a kernel fault that ", " show kernel faults that ",
	  " does not show" },
	{ VERDICT_FAIL, NULL, "", " breaks where ", " break where ", " works" },
	{ VERDICT_INCONCLUSIVE, NULL, "it stays open whether ", " is slower than ",
	  " are slower than ", "" },
	{ VERDICT_PENDING, NULL, "", " is still being compared with ",
	  " are still being compared with ", "" },
	{ VERDICT_PASS, NULL, "", " is not slower than ", " are not slower than ", "" },
};

#define N_PHRASES (sizeof(phrases) / sizeof(phrases[0]))

static const struct phrase *find_phrase(const struct gate_verdict *v)
{
	for (size_t i = 0; v->candidate && i < N_PHRASES; i++)
		if (phrases[i].result == v->result &&
		    (!phrases[i].code || !strcmp(phrases[i].code, v->code)))
			return &phrases[i];
	return NULL;
}

/* "a, b and c are slower than d"; nothing when no candidate has that phrase. */
static void add_phrase(const struct report *r, const struct phrase *p, struct buf *out)
{
	size_t count = 0;
	size_t done = 0;

	for (size_t i = 0; i < r->set->n_verdicts; i++)
		count += find_phrase(&r->set->verdicts[i]) == p;
	if (!count)
		return;
	buf_addf(out, "%s%s", out->size ? "; " : "", p->before);
	for (size_t i = 0; i < r->set->n_verdicts; i++) {
		if (find_phrase(&r->set->verdicts[i]) != p)
			continue;
		buf_addf(out, "%s%s",
			 !done		    ? ""
			 : done + 1 < count ? ", "
					    : " and ",
			 r->set->verdicts[i].label);
		done++;
	}
	buf_addf(out, "%s%s%s", count > 1 ? p->many : p->one, r->s->kernels[0].label, p->after);
}

char *report_sentence(const struct report *r)
{
	struct buf out = BUF_INIT;
	char *sentence;

	for (size_t i = 0; i < N_PHRASES; i++)
		add_phrase(r, &phrases[i], &out);
	if (!out.size && r->set->result == VERDICT_INVALID)
		buf_addf(&out, "%s could not be measured", r->s->kernels[0].label);
	else if (!out.size && r->set->result == VERDICT_FAIL)
		buf_addf(&out, "%s shows a kernel fault", r->s->kernels[0].label);
	else if (!out.size)
		buf_addf(&out, "%s was measured, with nothing to compare it to",
			 r->s->kernels[0].label);
	sentence = xasprintf("On %s, %s.", r->s->board, buf_str(&out));
	buf_release(&out);
	return sentence;
}

/* SHA-256 of nothing: what kernel/build.sh says of no patches. */
#define NO_PATCHES "e3b0c44298fc"

const char *report_patches(const struct session_kernel *k, char text[REPORT_HASH_SIZE])
{
	snprintf(text, REPORT_HASH_SIZE, "%.12s", k->patches_hash);
	return strcmp(text, NO_PATCHES) ? text : "none";
}

const char *report_judged_name(const struct report_judged *j)
{
	enum verdict v = j->gate ? j->gate->est.result : VERDICT_NONE;

	if (!j->gate)
		return "not judged";
	return v == VERDICT_PENDING ? "undecided" : verdict_name(v);
}

bool report_is_virtual(const struct session *s)
{
	return !strncmp(s->board, "virt", 4);
}

static const char *const meanings[] = {
	[VERDICT_NONE] = "measured, nothing to compare",
	[VERDICT_PASS] = "PASS: a loss of the stated size is excluded",
	[VERDICT_PENDING] = "not decided yet",
	[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE: neither a loss nor its absence is shown",
	[VERDICT_FAIL] = "FAIL: slower, or a kernel fault that the baseline does not show",
	[VERDICT_INVALID] = "INVALID: a fault of rig, board or test; says nothing about the kernel",
};

const char *report_meaning(enum verdict v)
{
	return meanings[v];
}

char *report_prior(const struct session *s)
{
	struct buf out = BUF_INIT;

	if (s->n_priors)
		calibrate_say(s, &out);
	buf_adds(&out, "");
	return buf_detach(&out);
}

size_t report_about(const struct report *r, struct report_fact rows[REPORT_ABOUT])
{
	const struct session *s = r->s;
	const struct report_fact all[] = {
		{ "session", s->name },
		{ "when", r->date },
		{ "board", s->board },
		{ "model", s->model },
		{ "serial", s->serial },
		{ "suite", s->suite },
		{ "suite hash", s->suite_hash },
		{ "profile", s->profile },
		{ "profile notes", s->notes },
		{ "pairs", r->pairs },
		{ "order", r->order },
		{ "variance", r->prior },
		{ "tools", r->tools },
		{ "by", s->user },
		{ "host", s->host },
		{ "rig", s->rig_version },
	};

	_Static_assert(sizeof(all) == REPORT_ABOUT * sizeof(all[0]), "all rows and no more");
	memcpy(rows, all, sizeof(all));
	return REPORT_ABOUT;
}
