/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's settings for measuring, and the way back. Every value is recorded before it is
 * first overwritten, and restored in reverse order exactly as it was.
 *
 *	item      what
 *	cpuidle   cpuN/cpuidle/state1..: disable 1
 *	cpufreq   scaling_max_freq, then scaling_min_freq = cpuinfo_max_freq; governor performance
 *	irq       one ufshcd interrupt: to the fastest core; several (MCQ): one core each
 *	devfreq   min_freq = highest available frequency, but for the GPU
 *	clkgate   clkgate_enable of every UFS host: 0
 *	logging   Android's persistent log: stopped
 *	queue     sd*, dm-*: scheduler if asked for, iostats 1, nomerges 2, rq_affinity 2
 *	debugfs   mounted
 *
 * Keys of the tune step: scheduler=NAME, irq_cpu=N (instead of the fastest), skip=ITEM (repeated).
 */
#ifndef AGENTS_TUNE_H
#define AGENTS_TUNE_H

#include <stddef.h>

#include "agents/kv.h"

/* The NOTEs: one line each, absent items and settings that did not take. */
typedef void tune_note_fn(void *ctx, const char *text);

struct tune_record {
	char *path; /* without root */
	char *value;
};

struct tune {
	struct tune_record *record;
	size_t count;
};

struct tune_result {
	unsigned int
		set; /* settings that read back as wanted (or as they were, for the way back) */
	unsigned int refused; /* settings that do not */
};

/* 0 or -ENOMEM. What was recorded before stays so: calling it twice restores to the first state. */
int tune_apply(struct tune *t, const char *root, const struct kv_list *spec, tune_note_fn *note,
	       void *ctx, struct tune_result *result);
/* Restores, newest first, and forgets. Safe when nothing was tuned; note may be NULL. */
void tune_restore(struct tune *t, const char *root, tune_note_fn *note, void *ctx,
		  struct tune_result *result);

#endif
