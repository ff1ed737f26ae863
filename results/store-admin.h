/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking after the store: checking it, copying it while it is in use, dropping old raw samples,
 * telling what is in it. Error codes are those of store.h.
 */
#ifndef RESULTS_STORE_ADMIN_H
#define RESULTS_STORE_ADMIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/*
 * SQLite's own check of the file and of the references between rows, then ours: every session has
 * a baseline, every visit's kernel is one of its session's, samples are finite, points are what
 * the samples give (not of pruned sessions, whose samples are gone). Calls problem() for each
 * fault. Returns how many, or -1 with *err when the check itself cannot go on.
 */
int store_verify(struct store *st, void (*problem)(void *ctx, const char *text), void *ctx,
		 struct err *err);

/*
 * A consistent copy of the store as it is now, while others read and write it. The copy is whole
 * or not there: it is made beside path and renamed. An existing file is not overwritten (code
 * "exists", USER). 0 or -1.
 */
int store_backup(struct store *st, const char *path, struct err *err);

/* Which sessions lose their raw samples: ended, begun before that time. NULL = any. */
struct store_prune {
	const char *suite, *board;
	int64_t before_ms;
	int64_t now_ms; /* for the mark in the session */
	bool dry_run;	/* only count */
};

struct store_pruned {
	int64_t sessions, samples;
};

/*
 * Drops the raw samples; points, verdicts, boots, runs, findings and faults stay. A session is
 * marked, so that its verdict is never computed again from nothing; importing its run directory
 * again brings the samples back. One transaction a session. 0, or -1 with *err: sessions that
 * were done before stay done.
 */
int store_prune(struct store *st, const struct store_prune *what, struct store_pruned *done,
		struct err *err);

/* Gives the room of what was dropped back to the file system; needs as much again meanwhile. */
int store_compact(struct store *st, struct err *err);

/* Calls row() for each table: its rows, and the bytes of it and its indexes. 0 or -1. */
int store_tables(struct store *st,
		 void (*row)(void *ctx, const char *table, int64_t rows, int64_t bytes), void *ctx,
		 struct err *err);

struct store_stats {
	int64_t sessions, pruned;
	int64_t oldest_ms, newest_ms; /* start of a session; 0 = there is none */
	int64_t bytes, free_bytes;    /* of the file; of them unused */
	int version;		      /* of the schema */
};

int store_stats(struct store *st, struct store_stats *stats, struct err *err);

#endif
