/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a metric is called and printed in every report: one const row each. Layer: results, pure.
 *
 * Values are stored in canonical units (bytes/s, ns); printed = value * scale.
 */
#ifndef RESULTS_REPORT_METRIC_H
#define RESULTS_REPORT_METRIC_H

struct session_metric;

struct report_metric {
	const char *name;  /* the metric, or what its name ends in after a dot */
	const char *label; /* for a column of 12 characters, with the unit */
	const char *unit;  /* of the printed number; "" = none */
	double scale;
	int decimals;
};

/* The rows, in the order in which reports show them; ends with a row whose name is NULL. */
extern const struct report_metric report_metrics[];

/* The row of a metric, or NULL: it is printed under its own name and unit, scale 1. */
const struct report_metric *report_metric_find(const char *metric);

#endif
