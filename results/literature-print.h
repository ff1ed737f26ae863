/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Published numbers as text; see literature.h. Layer: results, pure. */
#ifndef RESULTS_LITERATURE_PRINT_H
#define RESULTS_LITERATURE_PRINT_H

#include <stdbool.h>

struct buf;
struct check_report;
struct check_table;

/*
 * The tables of the board (NULL: of all), after check_table(), each with what the report says of
 * it. False: there is no such board.
 */
bool literature_print(const struct check_table *t, const struct check_report *report,
		      const char *board, struct buf *out);

/* A line for each document and board: how many numbers, how many errors and warnings. */
void literature_print_list(const struct check_table *t, const struct check_report *report,
			   struct buf *out);

#endif
