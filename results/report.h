/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of a session: one model (report-model.h), many formats (report-format.h; what each holds
 * is in rig-report(5)). Layer: results.
 */
#ifndef RESULTS_REPORT_H
#define RESULTS_REPORT_H

#include <stdbool.h>

#include "base/err.h"

struct buf;
struct gate_set;
struct report_ops;
struct session;
struct store;

struct report_options {
	const char *origin; /* kcidb: the name of this CI system; NULL = REPORT_ORIGIN */
	bool all;	    /* csv: every stored metric, not only those that the suite names */
};

#define REPORT_ORIGIN "rig"

/* All formats; ends with NULL. The first is the default. */
extern const struct report_ops *const report_formats[];

/* The format of that name; NULL with *err (USER, usage) that lists them. */
const struct report_ops *report_find(const char *name, struct err *err);

/* The first format whose extension that file has, or NULL. */
const struct report_ops *report_find_by_file(const char *path);

/* 0, or -1 with *err (USER, usage): an origin is a word of a-z, 0-9 and _. */
int report_check_options(const struct report_options *options, struct err *err);

/*
 * Loads session and verdicts (judges when none are stored) and appends the report to out.
 * ops NULL: text; options NULL: defaults. 0 or -1.
 */
int report_session(struct store *st, const char *session, const struct report_ops *ops,
		   const struct report_options *options, struct buf *out, struct err *err);

/* Appends only the verdict lines, as text: what `rig gate` prints. */
void report_verdicts(const struct session *s, const struct gate_set *set, struct buf *out);

#endif
