/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics that must be 0: counts of faults (a missed isochronous interval). One is one too many, so
 * they are judged without statistics. Layer: results, pure.
 */
#ifndef RESULTS_GATE_ZERO_H
#define RESULTS_GATE_ZERO_H

#include "results/session.h"

/* Is it one? A loss of nothing is what a PASS excludes then. */
bool metric_must_be_zero(const struct session_metric *m);

/* The first visit of a kernel, counted or not, where such a metric is not 0. */
struct zero_hit {
	const struct session_metric *metric;
	int visit; /* index */
	double value;
	int visits; /* how many there are */
};

/* Fills *hit for metric m; false when it was 0 wherever it was measured. */
bool zero_find(const struct session *s, int kernel, const struct session_metric *m,
	       struct zero_hit *hit);

#endif
