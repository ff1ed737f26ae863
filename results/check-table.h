/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sanity rules look at: printed numbers as cells of tables. Read from a CSV that has a
 * cell a line; columns in any order, others are passed over:
 *	seed_file	the document they come from	(also: source, file)
 *	board		what was measured
 *	workload	with what
 *	kernel_variant	which code			(also: variant, kernel)
 *	metric		"iops_avg"; "bw_pct" with a variant "A vs B" is a published change
 *	unit		as printed
 *	value		as printed
 *	n_runs		how many runs it is the mean of; 0 or empty = not said, "8x5" = 8 times 5
 *			(also: n, runs)	[optional]
 *	note		free text; "prose" or "claim" marks what a text says of the table [optional]
 *
 *	source and board	-> a sheet
 *	and workload		-> a block of it
 *	and metric		-> a row of it: a cell for each variant
 *
 * Everything is in the order of the file. Equal strings are equal pointers. Layer: results, pure.
 */
#ifndef RESULTS_CHECK_TABLE_H
#define RESULTS_CHECK_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "results/number.h"
#include "results/units.h"

enum cell_kind {
	CELL_MEASURED,
	CELL_EMPTY, /* no number in it */
	CELL_DELTA, /* a change between two variants, in per cent or absolute */
	CELL_MEAN,  /* a mean over several blocks */
};

struct cell {
	const char *source, *board, *workload, *variant, *metric, *unit, *printed, *note;
	size_t line, column; /* of the value */
	enum cell_kind kind;
	bool claim; /* prose about the table, not the table */
	struct number number;
	const struct unit *known; /* NULL: a unit we do not know */
	double factor;	 /* canonical = factor * number.value; the unit-mix rule may correct it */
	bool unit_wrong; /* it did */
	int runs;	 /* of each part of a mean; 0 = not said */
	int parts;	 /* of "8x5"; 1 otherwise */
	struct row *row;
	/* The rules leave word for those after them. */
	bool explained;		    /* what is wrong with it was said */
	const struct cell *belongs; /* whose number should stand here, after a swap is undone */
};

struct row {
	struct block *block;
	const char *metric;
	struct cell **cells;
	size_t n;
};

struct block {
	struct sheet *sheet;
	const char *workload;
	const char *repeated; /* the workload without the number of its repetition, or NULL */
	struct row **rows;
	size_t n;
	double block_size; /* bytes of an I/O; 0 = not known */
};

struct sheet {
	const char *source, *board;
	struct block **blocks;
	size_t n;
};

struct check_table {
	const char *file;
	struct cell *cells;
	size_t n;
	struct sheet **sheets;
	size_t n_sheets;
	struct names *names; /* owns the strings */
};

/* A block of more rows, a row of more columns is no table; comparisons in it are passed over. */
#define CHECK_ROWS_MAX	  256
#define CHECK_COLUMNS_MAX 64

#define CHECK_CELLS_MAX 5000

/*
 * Reads a CSV. file: its name for messages and places (copied). NULL with *err (USER, "bad-csv",
 * "file:line:column: what").
 */
struct check_table *check_table_read(const char *file, const char *data, size_t size,
				     struct err *err);
void check_table_free(struct check_table *t); /* NULL-safe */

/* Are these bytes such a file, by their first line? */
bool check_table_is(const char *data, size_t size);

/* The row of that metric, or NULL. The metric need not be interned. */
const struct row *block_row(const struct block *b, const char *metric);

/* The measured number of a variant in the row, or NULL. */
struct cell *row_cell(const struct row *r, const char *variant);

/* The cell is a number of a table: measured, no prose. */
bool cell_counts(const struct cell *c);

/* In the canonical unit. */
double cell_value(const struct cell *c);

/* Half a unit of the last digit, in the canonical unit. */
double cell_slack(const struct cell *c);

#endif
