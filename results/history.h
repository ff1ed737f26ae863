/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of one metric of one workload on one board: a point a night, the levels between
 * which it changed, and whether the newest nights leave the last level. A model without I/O, for
 * `rig history` and for charts; history_load() fills it from a store.
 *
 * Which numbers count:
 *	- of each session the kernel that stands for the tree (history_point.tree): the last one
 *	  without patches on top. So a night that compares the tip with the last release adds the
 *	  tip, and a session that tries patches adds what they were tried on, not the patches. A
 *	  label chosen by the caller overrides that.
 *	- a night is from noon to noon of the host's time zone, named by the day it begins.
 *	  Sessions of one night and one build are merged, weighted by their boots; another build
 *	  in the same night is a point of its own, or the first bad kernel could not be named.
 *	- sessions that are INVALID, that ended in a fault or were cancelled without a verdict, or
 *	  still run are left out and counted.
 */
#ifndef RESULTS_HISTORY_H
#define RESULTS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "results/changepoint.h"
#include "results/session.h"
#include "results/store-history.h"

#define HISTORY_INSIDE	0.99   /* of the prediction interval that a night must leave */
#define HISTORY_ALARM_P 0.0001 /* of the nights of an alarm together */
#define HISTORY_RUN_MAX 5      /* nights in a row that are looked at; then the detector has it */

struct history_night {
	int64_t started_ms;				       /* of its first session */
	const char *date;				       /* "2026-11-30" */
	const char *session;				       /* its newest */
	const char *label, *hash, *release, *series, *variant; /* of the kernel */
	int sessions, n;				       /* merged; n: boots */
	double mean, sd; /* canonical unit; sd between boots, 0 for n = 1 */
	bool spike;	 /* alone far from its neighbours: not followed by the levels */
};

/* nights[first] .. nights[last] are on one level. */
struct history_segment {
	size_t first, last;
	double level;
	double sd; /* of the nights around it; 0 for one night */
};

enum history_kind {
	HISTORY_REGRESSION,
	HISTORY_IMPROVEMENT,
	HISTORY_CHANGE, /* of a metric for which neither direction is better */
};

/* nights[point.at] has the first bad kernel (or first good one), nights[point.at - 1] the last. */
struct history_change {
	struct changepoint point;
	enum history_kind kind;
	bool standing; /* the newest level has not come back to the one before this change */
};

enum history_state {
	HISTORY_EMPTY,	   /* no nights */
	HISTORY_SHORT,	   /* too few to tell */
	HISTORY_QUIET,	   /* the newest night is where it was expected */
	HISTORY_SUSPECTED, /* it is not: a lone spike, or the first night of a change */
	HISTORY_ALARM,	   /* nor was the night before, in the same direction */
};

/* The newest nights against the level before them. */
struct history_outlook {
	enum history_state state;
	size_t first;  /* suspected, alarm: the nights from this one on left the interval */
	double lo, hi; /* ... of this night; otherwise the interval of the next night. NAN: short */
	double effect; /* suspected, alarm: mean of those nights against the level; else 0 */
	double p;      /* of those nights on the old level, two-sided; else 1 */
	enum history_kind kind; /* suspected, alarm */
};

struct history {
	const char *board, *suite, *profile, *workload, *metric, *unit;
	enum direction direction;
	bool primary;

	struct history_night *nights; /* oldest first */
	size_t n_nights;
	int left_out; /* sessions that do not count, see above */

	/* by history_analyse() */
	struct history_segment *segments; /* n_changes + 1; none without nights */
	size_t n_segments;
	struct history_change *changes; /* oldest first */
	size_t n_changes;
	double rho; /* correlation from night to night */
	struct history_outlook outlook;

	/* nights[from] .. nights[end - 1] are asked for; all, unless history_window() says less */
	size_t from, end;

	struct history_pool *pool; /* the strings */
};

/* An empty history of that series; label: the kernel that counts, NULL = see above. */
struct history *history_new(const struct history_series *series, const char *label);
void history_free(struct history *h); /* NULL-safe */

/* Takes a point in, in order of time, as store_history() gives them. */
void history_add(struct history *h, const struct history_point *point);

/* Finds changes and outlook; to be called once, after the last point. */
void history_analyse(struct history *h);

/*
 * The series of the store that the key names, analysed. NULL with *err: besides the errors of
 * store_history(), "no-series" and "several-series" (USER) name what is known, or the nearest.
 */
struct history *history_load(struct store *st, const struct history_key *key, const char *label,
			     struct err *err);

/*
 * Narrows from and end: nights since then (ms; 0 = all) and kernels from A to B of the range
 * "A..B" (either may be missing; NULL = all), each a label, a release, SERIES:VARIANT, or the
 * beginning (4 digits or more) of a build's identity: from A's first night to B's last. The
 * detector has seen the other nights all the same. 0, or -1 with *err.
 */
int history_window(struct history *h, int64_t since_ms, const char *range, struct err *err);

/* The change is in the window. */
bool history_in_window(const struct history *h, const struct history_change *c);

/* A regression in the window still stands, or an alarm says that one has begun. */
bool history_regressed(const struct history *h);

/* "regression", "improvement", "change"; "empty", "short", "quiet", "suspected", "alarm". */
const char *history_kind_name(enum history_kind kind);
const char *history_state_name(enum history_state state);

#endif
