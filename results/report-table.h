/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The block of one workload in the text report. Inside report. */
#ifndef RESULTS_REPORT_TABLE_H
#define RESULTS_REPORT_TABLE_H

#include <stddef.h>

struct buf;
struct gate_set;
struct session;

#define REPORT_WIDTH 100

/* Appends the table(s) of the workload, two candidates beside the baseline in each. */
void report_workload(const struct session *s, const struct gate_set *set, const char *workload,
		     struct buf *out);

/*
 * Appends text with every line begun by indent spaces and broken at spaces before REPORT_WIDTH;
 * the first line by first instead. glue is put at the end of broken lines (" \\" for commands).
 * Control characters become '?'.
 */
void report_wrap(struct buf *out, const char *first, size_t indent, const char *text,
		 const char *glue);

#endif
