/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two kernels judged by what is stored of them on one board: the newest session in which both ran
 * and can be judged, joined (join.h) with the older ones of the same builds and set-up. Kernels
 * that never shared a session are not compared: between two sessions lie days, and whatever else
 * changed in them.
 */
#ifndef RESULTS_SHARED_H
#define RESULTS_SHARED_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "results/join.h"

#define SHARED_MAX 16 /* sessions that are joined at most */

struct gate_set;
struct store;

struct shared_query {
	const char *baseline, *candidate; /* kernels, named as in store-shared.h */
	const char *board, *suite;
	const char *profile; /* NULL = that of the newest session */
};

struct shared {
	struct session *s;    /* the two kernels; NULL when nothing can be compared */
	struct gate_set *set; /* one verdict; INVALID, code "not-shared", without s */
	struct buf notes;     /* what was joined, what was left out and why; a line each */
	/* what it is made of, the oldest first */
	struct session *sessions[SHARED_MAX];
	struct join_part parts[SHARED_MAX];
	size_t n;
};

#define SHARED_INIT                                                                                \
	{                                                                                          \
		.notes = BUF_INIT                                                                  \
	}

/*
 * Judges with the priors of the newest calibration that holds now. 0, or -1 with *err: code
 * "no-kernel" (USER) when no stored session ran one of the two; those of store.h.
 */
int shared_judge(struct store *st, const struct shared_query *q, int64_t now_ms, struct shared *out,
		 struct err *err);

void shared_release(struct shared *x);

#endif
