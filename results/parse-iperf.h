/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any output of iperf (iperf3: JSON, --json-stream, text; iperf2: text) -> named numbers.
 * Layer: results, pure. iperf3 exits with 0 after most failures: what counts is its "error".
 *
 * JSON, S being sum, sum_sent, sum_received, or one of them with _bidir_reverse:
 *	S.bw_bytes						bytes/s (printed in bits/s)
 *	S.bytes							bytes
 *	S.seconds						s
 *	S.retransmits S.packets S.lost_packets			count
 *	S.lost_percent						%
 *	S.jitter_ns						ns (printed in ms)
 *	cpu.host cpu.remote					%
 *	streams reverse intervals				count
 *	interval.bw_bytes interval_bidir_reverse.bw_bytes	bytes/s, one an interval
 *
 * Text, L being sum (the [SUM] line, or the only stream there is), stream1, stream2... in the
 * order of their appearance, with ".TX-C" or so behind it when a role was printed:
 *	L.sender.* L.receiver.*		iperf3: the two lines at the end
 *	L.*				iperf2: the last line, over the whole time
 *	L.server.*			iperf2: the report of the other side
 *	L.interval.bw_bytes		one an interval
 * where * is bw_bytes, bytes, seconds, retransmits, jitter_ns, lost_packets, packets. KBytes are
 * 1024 bytes, Kbits 1000 bits.
 */
#ifndef RESULTS_PARSE_IPERF_H
#define RESULTS_PARSE_IPERF_H

#include "results/parse.h"

/*
 * parse_fn. -1: "iperf-error" (the tool tells of one: the message quotes it), "iperf-broken"
 * (JSON cut off), "iperf-range" (a number that cannot be), "iperf-none" (no result in it).
 */
int iperf_parse(const char *data, size_t size, struct values *out, struct err *err);

/* The same for text alone. */
int iperf_parse_text(const char *data, size_t size, struct values *out, struct err *err);

#endif
