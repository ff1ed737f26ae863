/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vnstat (JSON of versions 1 and 2: the database, -tr, -l; text: summary, -tr, --oneline) ->
 * named numbers. Layer: results, pure. I is the interface:
 *
 *	I.total.rx_bytes .tx_bytes	bytes since the database began (KiB in JSON version 1)
 *	I.day.rx_bytes I.month.rx_bytes	bytes, --oneline only
 *	I.rx.bw_bytes I.tx.bw_bytes	bytes/s, measured now: -tr, -l (JSON: all; text: the last)
 *	I.rx.packets_per_s		1/s
 *	I.rx.bytes I.rx.packets		bytes, count of the sample (JSON)
 *	I.rx.run_bytes .run_packets	bytes, count of the whole run of -l (JSON)
 */
#ifndef RESULTS_PARSE_VNSTAT_H
#define RESULTS_PARSE_VNSTAT_H

#include "results/parse.h"

/*
 * parse_fn. -1: "vnstat-error" ("Error: ..."), "vnstat-broken" (JSON cut off), "vnstat-range",
 * "vnstat-none".
 */
int vnstat_parse(const char *data, size_t size, struct values *out, struct err *err);

#endif
