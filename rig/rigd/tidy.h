/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of old run directories: their console logs are compressed after compress_days, the
 * directories removed after keep_days of the lab file (board/lab-daemon.h). Only of sessions that
 * have ended and are stored. Layer: rigd.
 */
#ifndef RIG_RIGD_TIDY_H
#define RIG_RIGD_TIDY_H

#include <stdint.h>

#include "base/err.h"

struct lab_daemon;
struct store;

struct tidy_counts {
	unsigned int compressed; /* logs */
	unsigned int removed;	 /* run directories */
	unsigned int failed;	 /* said on stderr */
};

/* 0, or -1 with *err when $RIG_HOME/runs cannot be read at all. */
int tidy_runs(struct store *store, const struct lab_daemon *limits, int64_t now_ms,
	      struct tidy_counts *counts, struct err *err);

#endif
