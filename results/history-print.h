/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histories in the formats of `rig history`: one const row of operations each. Values are in the
 * canonical unit, except in text, which prints them as reports do. JSON and CSV: see rig(1).
 * Layer: results, pure.
 */
#ifndef RESULTS_HISTORY_PRINT_H
#define RESULTS_HISTORY_PRINT_H

#include <stdbool.h>

#include "base/err.h"

struct buf;
struct history;

struct history_format {
	const char *name;
	/* one history: its window */
	void (*whole)(const struct history *h, struct buf *out);
	/* a list of them, a line each */
	void (*list_begin)(struct buf *out);
	void (*list_row)(const struct history *h, bool first, struct buf *out);
	void (*list_end)(struct buf *out);
};

/* NULL with *err (USER, "usage"): no format of that name. */
const struct history_format *history_format_find(const char *name, struct err *err);

/* The nights of the window as a plot of printed characters; one line each, "" without nights. */
void history_plot(const struct history *h, struct buf *out);

#endif
