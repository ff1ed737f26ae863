/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calibrations in the store; errors as in store.h. See calibrate.h for what they are.
 */
#ifndef RESULTS_STORE_CALIBRATE_H
#define RESULTS_STORE_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct calibration;
struct session;
struct store;

/* Stores it and fills in its id. */
int store_put_calibration(struct store *st, struct calibration *c, struct err *err);

struct store_calibration_filter {
	const char *board, *serial, *suite, *profile; /* NULL = any */
	int64_t before_ms;			      /* made no later; 0 = any */
};

/*
 * Calls row() for each calibration, newest first, until it returns false. What it is given is freed
 * after the call.
 */
int store_list_calibrations(struct store *st, const struct store_calibration_filter *f,
			    bool (*row)(void *ctx, const struct calibration *c), void *ctx,
			    struct err *err);

/* Withdraws all of a board (NULL = of every board) that are not yet; returns how many, or -1. */
int store_withdraw_calibrations(struct store *st, const char *board, const char *reason,
				struct err *err);

/*
 * Calls row() with the name of each session that has the baseline once more among its candidates,
 * newest first, until it returns false.
 */
int store_list_aa(struct store *st, const char *board, const char *suite, const char *profile,
		  bool (*row)(void *ctx, const char *session), void *ctx, struct err *err);

/* Replaces the stored priors of the session by those it has. */
int store_put_priors(struct store *st, const struct session *s, struct err *err);

#endif
