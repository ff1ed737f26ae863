/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An output format: one const row of operations over the model, one file each (report-text.c,
 * report-json.c, ...). Inside report; a new format is a file and a row in report.c. Layer: results.
 */
#ifndef RESULTS_REPORT_FORMAT_H
#define RESULTS_REPORT_FORMAT_H

#include <stdbool.h>

struct buf;
struct report;
struct report_options;
struct store_row;

struct report_ops {
	const char *name;      /* for --format */
	const char *extension; /* of a file, without the dot; also tells the format of -o FILE */
	const char *mime;
	bool history; /* its reports show the histories of the gated metrics */
	/* Appends the whole report. */
	void (*session)(const struct report *r, const struct report_options *options,
			struct buf *out);
	/* A list of sessions; list_row NULL = not supported, the others may be NULL. */
	void (*list_begin)(struct buf *out);
	void (*list_row)(const struct store_row *row, bool first, struct buf *out);
	void (*list_end)(struct buf *out);
};

extern const struct report_ops report_text, report_markdown, report_html, report_json, report_csv,
	report_junit, report_kcidb;

#endif
