/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts of all sessions since some time, with what they are about. Errors as in store.h. */
#ifndef RESULTS_STORE_VERDICTS_H
#define RESULTS_STORE_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct store;

struct store_verdict {
	const char *session, *board, *suite, *profile;
	const char *label, *series, *variant; /* of the candidate */
	const char *baseline;		      /* its label; "" = the session has one kernel */
	const char *result, *blame, *code, *reason;
	int64_t started_ms;
	int pairs;
};

/* Oldest first; the texts are valid during the call only. False ends it. */
int store_verdicts(struct store *st, int64_t since_ms,
		   bool (*row)(void *ctx, const struct store_verdict *v), void *ctx,
		   struct err *err);

#endif
