/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings to be passed over: the rows of a file of their own, for `rig scan`, and those of the
 * lab file, for the plan of a session. conf/suppress.h has the rows. Layer: cli -> board, scan.
 */
#ifndef RIG_CLI_SUPPRESS_H
#define RIG_CLI_SUPPRESS_H

#include <stdbool.h>

#include "base/err.h"
#include "scan/klog.h"

struct lab;
struct plan;
struct suppress;

/*
 * Reads a list; `today` is "2026-11-30". NULL with *err for a wrong file. Rows whose last day is
 * over stay in it: suppress_expired() tells them.
 */
struct suppress *suppress_load(const char *path, const char *today, struct err *err);
void suppress_free(struct suppress *s);

/* A row of the list matches, and is not over. */
bool suppress_matches(const struct suppress *s, const struct klog_finding *f);

/*
 * "line 3: 'WARNING in x' is over since 2026-01-31 (reason)" for row i, valid until the next call;
 * NULL = it is not over.
 */
const char *suppress_expired(struct suppress *s, size_t i);
size_t suppress_count(const struct suppress *s);

/*
 * Puts the lab's rows into the plan, those that are over as well: a session tells that, too. 0, or
 * -1 with *err for a wrong row.
 */
int suppress_plan(const struct lab *lab, struct plan *plan, struct err *err);

#endif
