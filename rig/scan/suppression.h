/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a finding is passed over: a lab's row for a defect that is known, with a last day.
 * Layer: scan -> base. The rows come from a YAML file or from the rows of a session.
 */
#ifndef RIG_SCAN_SUPPRESSION_H
#define RIG_SCAN_SUPPRESSION_H

#include <stdbool.h>

/* A value; it owns nothing. NULL or "" = any. */
struct suppression {
	const char *title;  /* pattern: '*', '?' and [...] as in file names */
	const char *kind;   /* "warning" */
	const char *guilty; /* pattern */
	const char *until;  /* the last day, base/day.h */
};

/* Does the row mean this finding? It may be over. */
bool suppression_matches(const struct suppression *s, const char *kind, const char *title,
			 const char *guilty);

/* Was its last day before that one? */
bool suppression_expired(const struct suppression *s, const char *day);

#endif
