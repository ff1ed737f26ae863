/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside gate_judge() (gate.h): one candidate of a session on its way to a verdict. What breaks it
 * whatever the numbers say is in gate-broken.c, the numbers are in gate-numbers.c, their words in
 * gate-words.c; gate-judge.c calls them in turn. Pure. Layer: results.
 */
#ifndef RESULTS_GATE_JUDGE_H
#define RESULTS_GATE_JUDGE_H

#include "base/buf.h"
#include "results/gate.h"

/* One candidate being judged. */
struct judge {
	const struct session *s;
	struct gate_verdict *v;
	struct buf reason;
	int looks[GATE_MAX_LOOKS];
	int n_looks;
	int max_pairs;
	bool futile; /* the looks that are left will hardly settle it */
	bool more;
};

/* Adds a line to the reasons. */
void judge_reason(struct judge *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A verdict never becomes better: the first reason names code and blame, later ones add lines. */
void judge_conclude(struct judge *j, enum verdict result, enum blame blame, const char *code);

/* Faults of this kernel, of the baseline, of anything. */
void judge_faults(struct judge *j);

/* What only the candidate's kernel logs show. */
void judge_findings(struct judge *j);

/* Metrics that must be 0 and are not. */
void judge_zeros(struct judge *j);

/* Takes the looks that there are pairs for and keeps them in the verdict. */
void judge_numbers(struct judge *j);

/* The reason that workload gives at that look: it is slower, or undecided. */
void judge_say_workload(struct judge *j, const struct gate_look *l, const struct gate_workload *w);

/* The reason of a look at which all have passed. */
void judge_say_pass(struct judge *j, const struct gate_look *l);

/* Good news is told, though nothing depends on it. */
void judge_say_faster(struct judge *j, const struct gate_look *l);

#endif
