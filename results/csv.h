/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads CSV as people and spreadsheets write it (RFC 4180): quoted fields with "" and line breaks
 * inside, CRLF or LF, a byte order mark, commas or, as the first line shows, semicolons or tabs.
 * Layer: results, pure.
 *
 *	struct csv csv;
 *
 *	csv_init(&csv, "x.csv", data, size);
 *	while ((rc = csv_next(&csv, &err)) == 1)
 *		... csv.fields[0 .. csv.n - 1].text
 *	csv_release(&csv);
 */
#ifndef RESULTS_CSV_H
#define RESULTS_CSV_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define CSV_FIELDS_MAX 256

struct csv_field {
	const char *text;    /* UTF-8: other bytes became '?' */
	size_t line, column; /* from 1; column in bytes */
};

struct csv {
	const char *file; /* for messages; not owned */
	const char *p, *end;
	const char *line_start;
	size_t line;
	char separator; /* 0 until the first row */
	struct csv_field fields[CSV_FIELDS_MAX];
	size_t n;
	size_t offsets[CSV_FIELDS_MAX];
	struct buf text; /* of the row's fields, each with its NUL */
};

void csv_init(struct csv *c, const char *file, const char *data, size_t size);
void csv_release(struct csv *c);

/*
 * The next row that is not blank, valid until the next call. 1, 0 at the end, -1 with *err (USER,
 * code "bad-csv", "file:line:column: what"): a quote that is never closed, text after a closing
 * quote, a NUL byte, too many fields.
 */
int csv_next(struct csv *c, struct err *err);

#endif
