/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the HTML report; inside report. Layer: results, pure. */
#ifndef RESULTS_REPORT_HTML_H
#define RESULTS_REPORT_HTML_H

#include "results/gate.h"

struct buf;
struct history;
struct report;

/* html/report.css, embedded by html/embed.sh. */
extern const char report_css[];

/* A verdict as a coloured word with a sign of its own; word as it is to be read. */
void report_html_pill(struct buf *out, enum verdict v, const char *word);

/* The mark and the label of a kernel. */
void report_html_kernel(struct buf *out, const struct report *r, size_t kernel);

/* All gated changes on one axis, as a table with a plot in it; nothing without candidates. */
void report_html_changes(const struct report *r, struct buf *out);

/* A section for each workload: values in order of time, table, command line. */
void report_html_workloads(const struct report *r, struct buf *out);

/*
 * The chart of an analysed history and its changes in words; now: a session to point at, or "".
 * Nothing for too few nights to tell a change.
 */
void report_html_history(const struct history *h, const char *now, struct buf *out);

#endif
