/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text format of histories. Inside history-print. Layer: results, pure. */
#ifndef RESULTS_HISTORY_TEXT_H
#define RESULTS_HISTORY_TEXT_H

#include <stdbool.h>

struct buf;
struct history;

void history_text_whole(const struct history *h, struct buf *out);
void history_text_begin(struct buf *out);
void history_text_row(const struct history *h, bool first, struct buf *out);

#endif
