/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/interrupts, looked at again and again -> interrupts per second. Layer: results, pure.
 *
 *	# irqrate match=TEXT
 *	# t_ns=81230012331		CLOCK_MONOTONIC of the look
 *	           CPU0       CPU1
 *	  7:       1234       1170      MIPS   7  timer
 *	# t_ns=91230033114
 *	...
 *
 *	I.rate			1/s: row I, all CPUs together
 *	total.rate		1/s: all rows that count by CPU
 *	total.cpuN.rate		1/s: the same on one CPU
 *	match.rate match.cpuN.rate	1/s: of the rows that have TEXT in their name or label
 *	seconds			s: from first to last look
 *
 * A counter has 32 bits in the kernel: one that became less has wrapped if the step forward is the
 * shorter one; else it was counted anew, and that row's interval is left out for that CPU. A CPU
 * counts for the intervals at both ends of which it was online; one that never was is not there.
 */
#ifndef RESULTS_PARSE_IRQRATE_H
#define RESULTS_PARSE_IRQRATE_H

#include "results/parse.h"

/*
 * parse_fn. -1: "irqrate-none" (fewer than two looks), "irqrate-broken" (a look without time or
 * CPUs, time that does not go on, a row that is cut off).
 */
int irqrate_parse(const char *data, size_t size, struct values *out, struct err *err);

#endif
