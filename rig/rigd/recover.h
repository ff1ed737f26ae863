/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a start of the daemon finds: runs whose job died with their supervisor (a killed `rig run`,
 * a host that lost power). Layer: rigd.
 */
#ifndef RIG_RIGD_RECOVER_H
#define RIG_RIGD_RECOVER_H

#include "base/err.h"

struct store;

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
