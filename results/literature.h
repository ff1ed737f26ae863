/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers that others published, kept beside our own: imported from a CSV (check-table.h), printed
 * again as tables with every change computed anew. Layer: results.
 */
#ifndef RESULTS_LITERATURE_H
#define RESULTS_LITERATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct buf;
struct store;

/* A number as it was printed, and in the canonical unit of its kind. */
struct literature_row {
	const char *source; /* the document */
	const char *board, *workload, *variant, *metric;
	const char *printed, *printed_unit;
	double value;	  /* NAN: it is no number */
	const char *unit; /* canonical; what the numbers prove, where the label is wrong */
	const char *note;
	int line; /* of the imported file */
	int runs; /* 0 = not said */
};

struct literature_sum {
	size_t rows, sources;
	size_t errors, warnings; /* of the sanity rules */
};

/*
 * Stores the rows of a CSV, replacing what is there of the documents it names. Errors: code
 * "bad-csv" (USER, "file:line:column: what"; nothing was stored) and those of store.h.
 */
int literature_import(struct store *st, const char *file, const char *data, size_t size,
		      struct literature_sum *sum, struct err *err);

/*
 * Appends the tables of a document (its name, or the beginning of it) as text: of each board, or of
 * one; a block for each workload, a row for each metric, a column for each variant, with its change
 * against the baseline; and what the sanity rules say of them. An empty source: a list of the
 * documents. Errors: code "no-literature" (USER) and those of store.h.
 */
int literature_report(struct store *st, const char *source, const char *board, struct buf *out,
		      struct err *err);

/* ---- in the store: store-sqlite-literature.c ---- */

/* Replaces what is stored of the documents of these rows. */
int store_put_literature(struct store *st, const struct literature_row *rows, size_t n,
			 struct err *err);

/*
 * Calls row() for each number of the documents whose names begin with source, in the order of the
 * imported file, until it returns false. The texts are valid during the call only.
 */
int store_list_literature(struct store *st, const char *source,
			  bool (*row)(void *ctx, const struct literature_row *row), void *ctx,
			  struct err *err);

#endif
