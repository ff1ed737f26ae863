/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board for a command that drives it itself, on a host where a daemon may want it too: a lease
 * for as long as the command lives. Without a daemon, or with one that does not have the board,
 * the board's lock is all there is to it. Layer: cli.
 */
#ifndef RIG_CLI_BORROW_H
#define RIG_CLI_BORROW_H

#include <stdint.h>

#include "base/err.h"

struct borrow {
	int64_t lease; /* 0 = none was needed */
};

/* reason: for whoever wonders. 0, or -1 with *err: a job or somebody else has the board. */
int borrow_board(struct borrow *b, const char *board, const char *reason, struct err *err);

/* To be called at least once a minute. ctx: the struct borrow. */
void borrow_renew(void *ctx);

void borrow_return(struct borrow *b);

#endif
