/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of /proc/interrupts and /proc/softirqs: a header that names the CPUs that are online,
 * then rows of one number a CPU. Layer: results, pure.
 *
 *	           CPU0       CPU2
 *	 23:       2345          7     GICv3  30 Level     arch_timer
 *	Err:          0
 */
#ifndef RESULTS_PROC_TABLE_H
#define RESULTS_PROC_TABLE_H

#include "results/text.h"

#define PROC_TABLE_CPUS_MAX 16384

struct proc_table {
	uint64_t *cpus;	  /* their numbers: some may be offline */
	uint64_t *counts; /* of the row read last, n_counts of them */
	size_t n_cpus;	  /* 0 = no header yet */
	size_t n_counts;
	struct text name;  /* of that row: what stands before the colon */
	struct text label; /* and what follows the numbers */
};

void proc_table_init(struct proc_table *t);
void proc_table_release(struct proc_table *t);

/* The line begins a table: "CPU0 CPU2". */
bool proc_table_header(struct proc_table *t, struct text line);

/* The line is a row with a name and at least one number. */
bool proc_table_row(struct proc_table *t, struct text line);

#endif
