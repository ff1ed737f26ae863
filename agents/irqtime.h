/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Beginnings and ends of hard interrupts and softirqs -> how long each source takes. A hard
 * interrupt may come while a softirq runs: its time is taken off the softirq's. Pure.
 */
#ifndef AGENTS_IRQTIME_H
#define AGENTS_IRQTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "agents/numbers.h"

#define IRQTIME_DEPTH	8
#define IRQTIME_CPUS	64
#define IRQTIME_SOURCES 128

struct irqtime_source {
	char name[48]; /* "irq.xhci_hcd", "softirq.TASKLET" */
	struct numbers times_ns;
};

struct irqtime_frame {
	int source;
	uint64_t start_ns, inside_ns; /* of interrupts in it */
};

struct irqtime {
	struct irqtime_source sources[IRQTIME_SOURCES];
	int n_sources;
	struct irqtime_cpu {
		struct irqtime_frame frames[IRQTIME_DEPTH];
		int depth;
	} cpus[IRQTIME_CPUS];
	uint64_t first_ns, last_ns;
	uint64_t odd; /* beginnings without an end and the like: the edges of what was watched */
};

/* kind: "irq" or "softirq". Letters that a metric's name cannot have become '_'. */
void irqtime_enter(struct irqtime *t, unsigned int cpu, uint64_t time_ns, const char *kind,
		   const char *name);
/* The end of what began last on that CPU, if that is of this kind. */
void irqtime_exit(struct irqtime *t, unsigned int cpu, uint64_t time_ns, const char *kind);
void irqtime_release(struct irqtime *t);

#endif
