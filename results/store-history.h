/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of a metric out of the store: one point for each kernel of each session, with the
 * mean over its counted boots (no warm-up, no control, ended well; steps that ended well). The
 * points are made by store_put_session() and stay when `rig db prune` drops old raw samples.
 *
 * A series is board, suite, profile, workload and metric, by names. A board that was exchanged
 * under its name goes on in the same series: the point tells the serial number.
 */
#ifndef RESULTS_STORE_HISTORY_H
#define RESULTS_STORE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "results/session.h"

struct store;

/*
 * NULL = any. metric: the full name ("read.iops") or what follows a point in it ("iops"), as in
 * a suite; a full name is preferred where both exist.
 */
struct history_key {
	const char *board, *suite, *profile, *workload, *metric;
};

struct history_series {
	const char *board, *suite, *profile, *workload, *metric;
	const char *unit; /* "" = the metric was never in a plan */
	enum direction direction;
	bool primary;
};

struct history_point {
	int64_t started_ms; /* of the session */
	const char *session;
	int kernel_idx; /* 0 = the session's baseline */
	int tree; /* which of the session's kernels stands for the tree: the last without patches,
		     that is the only one, or the newer of two trees, or what patches were tried
		     on; else the baseline */
	const char *label, *hash, *release, *series, *variant; /* of the kernel */
	const char *serial;				       /* of the board */
	const char *result;  /* of the session: "complete", "fault", ...; "" = running */
	const char *verdict; /* worst of the session's; "" = not judged */
	int n;		     /* boots */
	double mean, sd;     /* canonical unit; sd = 0 for n = 1 */
};

/*
 * Calls series() for each series that fits, in order of board, suite, profile, workload, metric,
 * until it returns false. The texts are valid during the call only. 0, or -1 with *err.
 */
int store_series(struct store *st, const struct history_key *key,
		 bool (*series)(void *ctx, const struct history_series *series), void *ctx,
		 struct err *err);

/*
 * Calls point() for each point since then, oldest first, until it returns false. The key must fit
 * one series: code "no-series" (USER) or "several-series" (USER; the message names two of them).
 * Every session is there, whatever its verdict: whether to look at a point is the reader's
 * business. 0, or -1 with *err.
 */
int store_history(struct store *st, const struct history_key *key, int64_t since_ms,
		  bool (*point)(void *ctx, const struct history_point *point), void *ctx,
		  struct err *err);

#endif
