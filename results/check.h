/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sanity rules: do these numbers agree with each other, whoever measured them? Tables of
 * published numbers (check-table.h) and sessions of our own. Layer: results, pure.
 *
 * Rules on tables, in this order (later ones build on what earlier ones found):
 *	text		a value that is no number, a mistyped sign
 *	locale		a decimal comma, separators of thousands
 *	unit-mix	bandwidth under the label of another unit; unlike units in one row
 *	min<=avg<=max	order of minimum, mean, maximum and percentiles
 *	column-swap	columns exchanged: the exchange that repairs at least two cells
 *	bw-vs-iops	bandwidth against IOPS times block size: WARN from 0.5 %, ERROR from 1.5 %
 *	granularity	a mean of n whole numbers ends in k/n
 *	percent		published changes, computed again
 *	stated-mean	means over several workloads, computed again; the cell that would explain it
 *	claim-vs-table	what the text says of the table
 *	duplicate	one number where there should be several
 *	cross-version	one cell, two documents, two numbers
 *	reused-values	several cells carried over from one document to the next
 *	suspicious-digits	numbers that differ in one digit, or by a factor of ten
 *	ceiling		above, or at, what the link can carry; shares above 100 %
 *	physical	numbers that cannot be: negative rates and times
 *	resolution	values at the resolution of their printing
 *	mixture		a mean of two modes
 *	single-run	fewer than three runs
 *	no-dispersion	no spread is given anywhere
 *	confounded	two changes at once between the variants compared
 *	variant-identity	one label, two codes
 *	decode		a raw register whose halves explain another number
 */
#ifndef RESULTS_CHECK_H
#define RESULTS_CHECK_H

#include <jansson.h>
#include <stddef.h>

#include "results/session.h"

struct check_table;

/* All texts may be NULL: "". */
struct check_item {
	const char *rule;
	enum severity severity;
	char *place;   /* "published.csv:173 (001:L1323)" */
	char *subject; /* "board workload metric variant" */
	char *printed, *expected, *message;
};

struct check_report {
	struct check_item *items;
	size_t n, cap;
};

#define CHECK_REPORT_INIT                                                                          \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

/* Appends; the caller fills in the texts (to be freed by the report). Valid until the next. */
struct check_item *check_add(struct check_report *r, const char *rule, enum severity severity);
void check_report_release(struct check_report *r);

/* Every rule over the table. It may correct units in it and marks cells: see check-table.h. */
void check_table(struct check_table *t, struct check_report *report);

/* The rules for sessions; appends to s->anomalies, replacing what was there. See check-session.c.
 */
void check_session(struct session *s);

/* The worst severity; SEVERITY_OK for an empty report. */
enum severity check_worst(const struct check_report *r);

/*
 * [{"rule", "severity", "where", "subject", "printed", "expected", "message"}], without those
 * below min. The caller owns it.
 */
json_t *check_json(const struct check_report *r, enum severity min);

#endif
