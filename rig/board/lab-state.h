/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state file of a real board: how it is wired, as its lab row said when it was switched on.
 * With it somebody else can switch the board off after its owner died, even if the lab file was
 * changed since. JSON, written and read by the tables of the lab file. Layer: board, inside.
 */
#ifndef RIG_BOARD_LAB_STATE_H
#define RIG_BOARD_LAB_STATE_H

#include "board/lab.h"

/* Replaces the file as a whole. Errors: RIG, state-file. */
int lab_state_write(const char *path, const struct lab_board *b, struct err *err);

struct lab_state {
	struct conf *conf; /* NULL: there was no file */
	struct lab_type type;
	struct lab_board board; /* name, type, own, more; the rest is empty */
};

#define LAB_STATE_INIT                                                                             \
	{                                                                                          \
		.conf = NULL                                                                       \
	}

/* 0, also without a file; -1 (RIG, unsafe) when it is there and cannot be read. */
int lab_state_read(struct lab_state *s, const char *path, const struct lab_keys *own,
		   const struct lab_keys *more, struct err *err);
void lab_state_release(struct lab_state *s);

#endif
