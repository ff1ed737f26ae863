/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One boot of one kernel on a board outside of a session, for a person who wants to see it.
 * Layer: cli.
 */
#ifndef RIG_CLI_BOOT_H
#define RIG_CLI_BOOT_H

#include "base/err.h"
#include "board/board.h"

struct boot;

/*
 * Builds the kernel (SERIES:VARIANT) or finds it (also id:PREFIX), takes the board and opens its
 * console: *fd is the caller's. The board is off then.
 */
int boot_open(struct boot **out, const struct lab_board *b, const char *kernel, int *fd,
	      struct err *err);

/* Deploys and starts it. What the board says to its driver meanwhile goes to the hooks. */
int boot_start(struct boot *b, const struct board_hooks *hooks, void *ctx, struct err *err);

/* Off, and let go. NULL is fine. */
void boot_close(struct boot *b);

#endif
