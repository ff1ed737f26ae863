/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lab's list of findings that are known and to be passed over, each with a reason and a last
 * day. Layer: cli -> conf, scan.
 *
 *	suppressions:
 *	  - title: "WARNING in dwc3_*"	# '*', '?' and [...] as in file names
 *	    kind: warning		# optional, as is `guilty`: a source file
 *	    until: 2027-03-31
 *	    reason: "fix is queued for 6.19, mail <...>"
 */
#ifndef RIG_CLI_SUPPRESS_H
#define RIG_CLI_SUPPRESS_H

#include <stdbool.h>

#include "base/err.h"
#include "scan/klog.h"

struct suppress;

/*
 * Reads a list; `today` is "2026-11-30". NULL with *err for a wrong file. Rows whose last day is
 * over stay in it: suppress_expired() tells them.
 */
struct suppress *suppress_load(const char *path, const char *today, struct err *err);
void suppress_free(struct suppress *s);

/* A row of the list matches, and is not over. */
bool suppress_matches(const struct suppress *s, const struct klog_finding *f);

/* "line 3: 'WARNING in x' is over since 2026-01-31 (reason)" for row i; NULL = it is not over. */
const char *suppress_expired(const struct suppress *s, size_t i);
size_t suppress_count(const struct suppress *s);

#endif
