/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is the comparison one at all? The checks of a session that come before its numbers. Inside the
 * gate; pure.
 */
#ifndef RESULTS_GATE_SANITY_H
#define RESULTS_GATE_SANITY_H

#include "results/session.h"

struct sanity {
	enum blame blame;
	const char *code;
	char message[1024];
};

/*
 * The comparison of baseline and candidate over the first `pairs` pairs. 0, or -1 with *why:
 *	wrong-kernel	a visit booted another release than was meant (RIG)
 *	shared-boot	two visits in one boot (RIG)
 *	confounded	A and B not interleaved across boots (TEST)
 *	fingerprint	boots differ in what matters, named (BOARD)
 *	no-number	a visit that ended well lacks the number of a primary metric (blame of the
 *			step), or it is not above 0
 *	sanity		the session's numbers contradict each other: an anomaly of severity ERROR
 *			(TEST; only when there are pairs)
 */
int sanity_check(const struct session *s, int candidate, int pairs, struct sanity *why);

/* True when the workload was unsupported wherever the two kernels tried it, at least once. */
bool sanity_unsupported(const struct session *s, int candidate, const char *workload);

/* The number of a primary metric in a pair. 0, or -ENOENT (then 1 is stored, to be harmless). */
int sanity_primary(const struct session *s, int kernel, int pair, const struct session_metric *m,
		   double *value);

/* FNV-1a of every row that a verdict rests on. */
uint64_t sanity_rows_hash(const struct session *s);

#endif
