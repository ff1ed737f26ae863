/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a suite and kernel names to a verdict: loads and checks everything first, builds the kernels
 * (or takes them from the cache), writes the plan, supervises the job, prints the outcome. What
 * `rig run` and `rig calibrate` have in common. Layer: cli.
 */
#ifndef RIG_CLI_LAUNCH_H
#define RIG_CLI_LAUNCH_H

#include <stdbool.h>

#include "base/err.h"
#include "base/opt.h"

struct plan;
struct store;
struct suite;

struct launch {
	const char *suite; /* name or file */
	const char *board;
	const char *baseline; /* VARIANT, SERIES:VARIANT, or a path (with a slash) to patches */
	struct opt_list candidates;
	const char *pairs; /* a number, or "auto"; NULL = "auto" */
	bool quick;
	const char *profile;	 /* NULL = the suite's default; not with quick */
	const char *base;	 /* what the patches go on top of; NULL = the series' own */
	const char *lab;	 /* another lab file; NULL = the usual one */
	struct opt_list reports; /* files to write it to, format by their ending */
	bool dry_run;		 /* print the plan; build and run nothing */
	bool brief;		 /* one line to the log instead of the report */
	/* instead of running it here: what the plan is given to, see cmd-submit.c */
	int (*submit)(const struct launch *l, const struct plan *plan, struct err *err);
	const char *type; /* with submit: any board of this type; NULL = the board */
};

/* The options of a command that fills the struct launch l. */
#define LAUNCH_OPTS(l)                                                                                  \
	{                                                                                               \
		OPT_STRING, 'b', "board", "BOARD", "the board to run on (`rig boards`)",                \
		&(l).board, 0,	 0                                                                      \
	},                                                                                              \
		{ OPT_STRING,                                                                           \
		  0,                                                                                    \
		  "baseline",                                                                           \
		  "KERNEL",                                                                             \
		  "VARIANT of the suite's series, SERIES:VARIANT, ./DIR|MBOX of patches, or id:PREFIX", \
		  &(l).baseline,                                                                        \
		  0,                                                                                    \
		  0 },                                                                                  \
		{ OPT_LIST,                                                                             \
		  'c',                                                                                  \
		  "candidate",                                                                          \
		  "KERNEL",                                                                             \
		  "the same; may be repeated",                                                          \
		  &(l).candidates,                                                                      \
		  0,                                                                                    \
		  0 },                                                                                  \
		{ OPT_STRING,                                                                           \
		  0,                                                                                    \
		  "pairs",                                                                              \
		  "N|auto",                                                                             \
		  "exactly N pairs, or until decided (default: auto)",                                  \
		  &(l).pairs,                                                                           \
		  0,                                                                                    \
		  0 },                                                                                  \
		{ OPT_FLAG, 'q', "quick", NULL, "the suite's profile `quick`", &(l).quick, 0, 0 },      \
		{ OPT_STRING,	'p', "profile", "NAME", "another profile of the suite",                 \
		  &(l).profile, 0,   0 },                                                               \
		{ OPT_STRING, 0, "base", "BASE", "what the patches go on top of (see `rig kernel`)",    \
		  &(l).base,  0, 0 },                                                                   \
		{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml",             \
		  &(l).lab,   0, 0 },                                                                   \
		{ OPT_LIST,                                                                             \
		  0,                                                                                    \
		  "report",                                                                             \
		  "FILE",                                                                               \
		  "write the report to FILE too, in the format of its ending; may be repeated",         \
		  &(l).reports,                                                                         \
		  0,                                                                                    \
		  0 },                                                                                  \
	{                                                                                               \
		OPT_FLAG, 'n', "dry-run", NULL, "print the plan, build and run nothing",                \
			&(l).dry_run, 0, 0                                                              \
	}

/* The profile that is meant, by name. */
const char *launch_profile(const struct launch *l, const struct suite *suite);

/* The report of a session that is stored; the exit code of its verdict, or -1 with *err. */
int launch_outcome(struct store *store, const char *session, struct err *err);

/* Writes l->reports of it; rc, or -1 with *err when one could not be written. */
int launch_reports(const struct launch *l, struct store *store, const char *session, int rc,
		   struct err *err);

/* Runs it to its end; the exit code of the verdict, or -1 with *err. */
int launch(const struct launch *l, struct err *err);

#endif
