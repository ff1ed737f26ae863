/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session as text, in the layout that kernel people paste into mails: at most 100 columns, no
 * colour, no tabs. One block per workload (a row per metric, a column group per variant, the exact
 * command line below), then kernel log findings, faults, and the verdict of each candidate.
 */
#ifndef RESULTS_REPORT_H
#define RESULTS_REPORT_H

#include "base/err.h"

struct buf;
struct gate_set;
struct session;
struct store;

/* Appends the report to out. The set is gate_judge()'s or the stored one of this session. */
void report_text(const struct session *s, const struct gate_set *set, struct buf *out);

/* Appends only the verdict lines: what `rig gate` prints. */
void report_verdicts(const struct session *s, const struct gate_set *set, struct buf *out);

/* Loads session and verdicts (judges when none are stored) and appends the report. 0 or -1. */
int report_session(struct store *st, const char *session, struct buf *out, struct err *err);

#endif
