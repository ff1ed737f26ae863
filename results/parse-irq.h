/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/interrupts, /proc/softirqs and /proc/stat, one sample or several -> named numbers.
 * Layer: results, pure.
 *
 *	I.total		count: all CPUs together; its label is the text of the row
 *			("GICv3 40 Level ff6e0000.dma-controller")
 *	I.cpuN		count, for a row that has one number a CPU
 * with I what stands before the colon: 23, LOC, IPI0, Err, TIMER. From /proc/stat:
 *	cpu.user cpu.system ..., cpu0.user ...			ns (printed in USER_HZ)
 *	intr.total softirq.total ctxt processes procs_running procs_blocked	count
 *	btime							s since the epoch
 */
#ifndef RESULTS_PARSE_IRQ_H
#define RESULTS_PARSE_IRQ_H

#include "results/parse.h"

/*
 * parse_fn. -1: "interrupts-none" (no line of CPUs in it), "interrupts-broken" (the text ends
 * in a row with more than one number, but fewer than CPUs: cut off).
 */
int interrupts_parse(const char *data, size_t size, struct values *out, struct err *err);

#endif
