/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of jobs and boards, and every arrow between two of them. One const table is used by
 * the daemon (a move that is not in it is a fault of ours), by the test of rigd(8), whose diagram
 * shows the same arrows, and by the tests that strike at each of them. Layer: rigd -> base.
 */
#ifndef RIG_RIGD_STATES_H
#define RIG_RIGD_STATES_H

#include <stdbool.h>
#include <stddef.h>

enum job_state {
	JOB_QUEUED,
	JOB_STARTING, /* has a board and a session; rig-job may not have its lock yet */
	JOB_RUNNING,  /* rig-job holds the lock of its run directory */
	JOB_ENDING,   /* rig-job is gone; the board is made safe, the run is stored */
	JOB_DONE,     /* has a verdict */
	JOB_CANCELLED,
};

enum board_state {
	BOARD_UNKNOWN,	   /* being made safe, or that has failed: nothing starts on it */
	BOARD_SAFE,	   /* off, and free */
	BOARD_BUSY,	   /* a job or a lease has it */
	BOARD_DRAINED,	   /* off, and kept free by a person */
	BOARD_QUARANTINED, /* off, and not trusted */
};

struct arrow {
	int from, to;
	const char *when;
};

extern const struct arrow job_arrows[];
extern const size_t job_arrows_n;
extern const struct arrow board_arrows[];
extern const size_t board_arrows_n;

bool job_may_move(enum job_state from, enum job_state to);
bool board_may_move(enum board_state from, enum board_state to);

/* The words of the store and of people. Parsing an unknown one gives -1. */
const char *job_state_name(enum job_state state);
int job_state_parse(const char *word);
const char *board_state_name(enum board_state state);
int board_state_parse(const char *word);

#endif
