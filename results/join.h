/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two kernels out of sessions that ran both: one session of these two kernels alone, which the gate
 * can judge. Pairs of several sessions follow each other as blocks, each pair inside its session.
 * Pure.
 */
#ifndef RESULTS_JOIN_H
#define RESULTS_JOIN_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct session;

struct join_part {
	const struct session *s;
	int base, cand; /* kernels of s */
};

/*
 * One part: the session seen from these two kernels, its pairs and plan as they are. Several, which
 * must be join_same() as the first and pass the gate's sanity checks alone: their complete pairs,
 * numbered on; to be judged by one look at the level of one of many, because each session may
 * have stopped when it did for what it showed. Visits of the i-th part get 10000 i added to their
 * number. parts: the oldest first. The texts stay those of the parts' sessions, which must outlive
 * the result.
 */
struct session *join_sessions(const struct join_part *parts, size_t n);

/* Same kernels, same set-up (setup.h)? Else false and why, "then / now" of a and b. */
bool join_same(const struct join_part *a, const struct join_part *b, struct buf *why);

#endif
