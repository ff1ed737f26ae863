/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a start of the daemon finds: runs whose job died with their supervisor (a killed `rig run`,
 * a host that lost power). Layer: rigd.
 */
#ifndef RIG_RIGD_RECOVER_H
#define RIG_RIGD_RECOVER_H

#include "base/err.h"

struct store;

enum recover_found {
	RECOVER_NOTHING, /* ended, or never begun */
	RECOVER_LIVE,	 /* a job holds it */
	RECOVER_DEAD,	 /* begun, not ended, nobody holds it */
	RECOVER_UNKNOWN, /* its lock cannot be had */
};

/* What has become of the run; of a dead one *lock_fd is its lock, which the caller closes. */
enum recover_found recover_look(const char *dir, int *lock_fd);

/* The board that session.json names; the caller frees. NULL when it cannot be read. */
char *recover_board(const char *dir);

/* Calls run() for each directory of $RIG_HOME/runs. 0, or -1 with *err. */
int recover_each(void (*run)(void *ctx, const char *dir), void *ctx, struct err *err);

struct recover_counts {
	unsigned int live;   /* a job holds them: left alone */
	unsigned int ended;  /* found dead, ended as INVALID (RIG), board made safe */
	unsigned int failed; /* could not be ended or stored; said on stderr */
};

/*
 * Looks at every directory of $RIG_HOME/runs: those without a session-end that no job holds get
 * one, their board is driven to "off", and they are imported. Idempotent. 0, or -1 with *err when
 * the directory cannot be read at all.
 */
int recover_runs(struct store *store, struct recover_counts *counts, struct err *err);

#endif
