// SPDX-License-Identifier: GPL-2.0-or-later
/* States and arrows; see states.h. Layer: rigd. */
#include "rigd/states.h"

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const char *const job_names[] = {
	"queued", "starting", "running", "ending", "done", "cancelled",
};

static const char *const board_names[] = {
	"unknown", "safe", "busy", "drained", "quarantined",
};

const struct arrow job_arrows[] = {
	{ JOB_QUEUED, JOB_STARTING, "a board is free" },
	{ JOB_QUEUED, JOB_CANCELLED, "asked for, or its deadline is past" },
	{ JOB_STARTING, JOB_RUNNING, "rig-job holds its run directory" },
	{ JOB_STARTING, JOB_QUEUED, "it had not begun" },
	{ JOB_STARTING, JOB_ENDING, "rig-job could not begin" },
	{ JOB_RUNNING, JOB_ENDING, "rig-job is gone, by itself or not" },
	{ JOB_ENDING, JOB_DONE, "board safe, run stored and judged" },
	{ JOB_ENDING, JOB_CANCELLED, "the same, and it was asked for" },
};
const size_t job_arrows_n = LEN(job_arrows);

const struct arrow board_arrows[] = {
	{ BOARD_UNKNOWN, BOARD_SAFE, "made safe" },
	{ BOARD_UNKNOWN, BOARD_BUSY, "after a restart: its job lives, or its lease holds" },
	{ BOARD_UNKNOWN, BOARD_DRAINED, "made safe, and held" },
	{ BOARD_UNKNOWN, BOARD_QUARANTINED, "made safe, and held" },
	{ BOARD_SAFE, BOARD_BUSY, "a job starts or a lease is taken" },
	{ BOARD_SAFE, BOARD_DRAINED, "asked for" },
	{ BOARD_SAFE, BOARD_QUARANTINED, "not trusted any more" },
	{ BOARD_SAFE, BOARD_UNKNOWN, "the daemon has started" },
	{ BOARD_BUSY, BOARD_SAFE, "its job ended, and left it off" },
	{ BOARD_BUSY, BOARD_DRAINED, "the same, and drained meanwhile" },
	{ BOARD_BUSY, BOARD_QUARANTINED, "the same, and not trusted any more" },
	{ BOARD_BUSY, BOARD_UNKNOWN, "its job could not make it safe, or a lease ended" },
	{ BOARD_DRAINED, BOARD_UNKNOWN, "given back: it is made safe anew" },
	{ BOARD_DRAINED, BOARD_BUSY, "a lease is taken" },
	{ BOARD_DRAINED, BOARD_QUARANTINED, "not trusted any more" },
	{ BOARD_QUARANTINED, BOARD_UNKNOWN, "given back: it is made safe anew" },
	{ BOARD_QUARANTINED, BOARD_BUSY, "a canary session or a lease, to look at it" },
	{ BOARD_QUARANTINED, BOARD_DRAINED, "asked for" },
};
const size_t board_arrows_n = LEN(board_arrows);

static bool may_move(const struct arrow *arrows, size_t n, int from, int to)
{
	for (size_t i = 0; i < n; i++)
		if (arrows[i].from == from && arrows[i].to == to)
			return true;
	return false;
}

bool job_may_move(enum job_state from, enum job_state to)
{
	return may_move(job_arrows, job_arrows_n, (int)from, (int)to);
}

bool board_may_move(enum board_state from, enum board_state to)
{
	return may_move(board_arrows, board_arrows_n, (int)from, (int)to);
}

static int parse(const char *const *names, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], word))
			return (int)i;
	return -1;
}

const char *job_state_name(enum job_state state)
{
	return job_names[state];
}

int job_state_parse(const char *word)
{
	return parse(job_names, LEN(job_names), word);
}

const char *board_state_name(enum board_state state)
{
	return board_names[state];
}

int board_state_parse(const char *word)
{
	return parse(board_names, LEN(board_names), word);
}
