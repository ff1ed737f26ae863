/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the text report; inside report. Layer: results, pure. */
#ifndef RESULTS_REPORT_TEXT_H
#define RESULTS_REPORT_TEXT_H

#include <stddef.h>

struct buf;
struct report;
struct report_workload;

#define REPORT_WIDTH 100

/* Appends the table(s) of the workload, two candidates beside the baseline in each. */
void report_text_workload(const struct report *r, const struct report_workload *w, struct buf *out);

/*
 * Appends text with every line begun by indent spaces and broken at spaces before REPORT_WIDTH;
 * the first line by first instead. glue is put at the end of broken lines (" \\" for commands).
 * Control characters become '?'.
 */
void report_wrap(struct buf *out, const char *first, size_t indent, const char *text,
		 const char *glue);

#endif
