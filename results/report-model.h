/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every report says, computed once from a session and its verdicts; the formats only print
 * it. Layer: results, pure.
 *
 * Nothing here averages over workloads: a cell is one metric of one workload under one kernel.
 * The session and the gate_set are borrowed and must outlive the report; strings and arrays that
 * are not theirs belong to the report.
 */
#ifndef RESULTS_REPORT_MODEL_H
#define RESULTS_REPORT_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "results/findings.h"
#include "results/gate.h"
#include "results/history.h"
#include "results/session.h"

/* One metric of one workload under one kernel, in the metric's canonical unit. */
struct report_cell {
	int n;		 /* counted boots that have the number */
	double mean, sd; /* sd: between boots; 0 for n < 2 */
	/* against the baseline, over the pairs in which both have it; kernel 0: pairs = 0 */
	int pairs;
	double change; /* fraction of the baseline: -0.12 = 12 % less; meaningful if pairs > 0 */
	double lo, hi; /* its 95 % interval; meaningful if pairs > 1 */
};

struct report_row {
	const struct session_metric *metric;
	const char *label, *unit; /* as printed: value * scale, in unit */
	double scale;
	int decimals;
	struct report_cell *cells; /* one a kernel */
};

/* What the last look of a candidate said of a workload. */
struct report_judged {
	const struct gate_workload *gate; /* NULL: not judged */
	int pairs;
	double level; /* one-sided */
};

struct report_workload {
	const char *name;
	struct report_row *rows; /* known metrics in the order of the table, then the plan's */
	size_t n_rows;
	const struct report_row *primary; /* the gated one, or NULL */
	struct report_judged *judged;	  /* one a kernel; [0] is never judged */
	const char *command;		  /* the exact line that was run; "" = none known */
	int other_commands;		  /* runs that had another one */
	struct history *history; /* of the gated metric, for formats that ask; NULL = none */
};

/* A distinct kernel log finding. */
struct report_finding {
	const struct session_finding *first; /* the fullest account of it */
	const struct findings_item *item;
	const char *state; /* findings_overall() in words */
	int *boots;	   /* one a kernel: in how many boots it was seen */
};

/* One thing about the machine that numbers depend on: "cpufreq.[policy0].scaling_governor". */
struct report_fact {
	const char *key, *value;
};

struct report {
	const struct session *s;
	const struct gate_set *set;
	struct report_workload *workloads;
	size_t n_workloads;
	struct report_finding *findings;
	size_t n_findings;
	struct findings *classes;  /* what the findings are items of */
	int *boots;		   /* one a kernel: all visits */
	char *date;		   /* "2026-11-30 15:00 UTC" */
	char *timestamp;	   /* "2026-11-30T15:00:00Z" */
	char *tools;		   /* "busybox 1.35.0, fio-3.33"; "" = not told */
	char *order;		   /* "A* AB BA (A original, B threaded; * warm-up)" */
	char *pairs;		   /* "4 complete; 9 boots" */
	char *prior;		   /* report_prior() */
	struct report_fact *facts; /* of the baseline's first boot, without the tools */
	size_t n_facts;
	json_t *fact_pool; /* their strings */
	char *headline;	   /* "threaded FAIL (regression), timelimit PASS"; "" = nothing compared */
	char *sentence;	   /* the same as a sentence for a person */
};

/* The first 12 digits of a kernel's patches hash for a person; "none" for a kernel as released. */
#define REPORT_HASH_SIZE 13
const char *report_patches(const struct session_kernel *k, char text[REPORT_HASH_SIZE]);

struct report *report_new(const struct session *s, const struct gate_set *set);
void report_free(struct report *r); /* NULL-safe */

/* "threaded FAIL (regression), timelimit PASS", and the same as a sentence; the caller frees. */
char *report_headline(const struct gate_set *set);
char *report_sentence(const struct report *r);

/*
 * Where the variance of the gated metrics comes from besides this session: "the board's A/A
 * calibration of 2026-11-28, worth 12 degrees of freedom or more"; "" = from nowhere. The caller
 * frees.
 */
char *report_prior(const struct session *s);

/* A visit that counts: of a pair, neither warm-up nor control, ended well. */
bool report_counted(const struct session_visit *v);

/* The number of that metric in a visit (index; -1 = none). 0 or -ENOENT. */
int report_value(const struct session *s, int visit, const struct session_metric *m, double *value);

/* The verdict of a workload in words: one that another's failure left open has none of its own. */
const char *report_judged_name(const struct report_judged *j);

/* True for boards that QEMU stands in for, and the sentence that every report says of them. */
bool report_is_virtual(const struct session *s);
#define REPORT_VIRTUAL_NOTE                                                                        \
	"a virtual board stands in for hardware: its numbers compare kernels with each other, and" \
	" say nothing about a real device"

/*
 * Where, with what and by whom it was measured, as names and texts, some of them "". Fills rows
 * and returns how many.
 */
#define REPORT_ABOUT 16
size_t report_about(const struct report *r, struct report_fact rows[REPORT_ABOUT]);

/* What a verdict means, in one clause. */
const char *report_meaning(enum verdict v);

#endif
