/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way in which a board tries again. A step that failed is repeated once as it is; then
 * after a cycle of the 5 V on the board's USB plug, then after a power cycle, then after recovery
 * mode: each only where the board has it, and each once. Layer: board, inside.
 *
 * What is worth trying again is decided by blame:
 *	BOARD	all of the above
 *	RIG	once more: a busy host, a bus that was just enumerated
 *	others	not at all: a locked bootloader or a wrong key in the lab file does not mend itself
 *
 * Every failed attempt is a note of the board (board_note()), so it is in the journal. The error
 * that is returned keeps blame and code of the first failure, as those of the later ones are often
 * consequences; its text says how many attempts there were and how the last one ended.
 */
#ifndef RIG_BOARD_RETRY_H
#define RIG_BOARD_RETRY_H

#include "base/deadline.h"

struct board;
struct err;

/* 0, or -1 with err. */
typedef int retry_fn(void *ctx, struct deadline d, struct err *err);

/* What the board has. A remedy that fails is noted, and the next one is taken. */
struct retry {
	struct board *board;
	retry_fn *vbus_cycle, *power_cycle, *recovery; /* NULL = it has none */
	void *ctx;				       /* of all functions */
};

/*
 * Runs the step until it succeeds or nothing is left to try. attempt_ms limits each attempt (0: the
 * deadline does); d is for all of it, remedies included, and is not renewed. After it has passed,
 * or when a stop is asked for, nothing more is tried.
 */
int retry_run(const struct retry *r, const char *what, retry_fn *step, unsigned int attempt_ms,
	      struct deadline d, struct err *err);

#endif
