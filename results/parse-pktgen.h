/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/net/pktgen/IF of a kernel packet generator -> named numbers. Layer: results, pure.
 *
 *	duration_ns	ns (printed in usec)	packets_per_s	1/s (printed in pps)
 *	packets		count			bw_bytes	bytes/s (printed in bps)
 *	packet_bytes	bytes			errors		count, of packets
 *	packets_sofar	count
 *	ok		1: the last command was accepted (what the file of a thread has)
 */
#ifndef RESULTS_PARSE_PKTGEN_H
#define RESULTS_PARSE_PKTGEN_H

#include "results/parse.h"

/* parse_fn. -1: "pktgen-error" (Result: says so), "pktgen-none" (no result: not run yet). */
int pktgen_parse(const char *data, size_t size, struct values *out, struct err *err);

#endif
