/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a board's sessions say of the board, out of the store; errors as in store.h. */
#ifndef RESULTS_STORE_HEALTH_H
#define RESULTS_STORE_HEALTH_H

#include <stdbool.h>

#include "results/health.h"

/* Newest first, until row() returns false. The texts are valid during the call only. */
int store_board_sessions(struct store *st, const char *board,
			 bool (*row)(void *ctx, const struct health_session *s), void *ctx,
			 struct err *err);

/*
 * The kernel that last was good on that board: the newest build of SERIES:VARIANT that a session of
 * that suite and profile has passed as a candidate, or has measured alone. NULL when there is none
 * (err->blame is BLAME_NONE then), or with *err; the caller frees.
 */
struct good_key {
	const char *board, *suite, *profile, *series, *variant;
};
char *store_last_good(struct store *st, const struct good_key *key, struct err *err);

#endif
