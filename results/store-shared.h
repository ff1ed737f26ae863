/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which stored sessions ran which kernels; errors as in store.h.
 *
 * A kernel is named by SERIES:VARIANT, VARIANT, the label it had in the session, the release that
 * `uname -r` prints, or the first 6 or more digits of its build's hash.
 */
#ifndef RESULTS_STORE_SHARED_H
#define RESULTS_STORE_SHARED_H

#include <stdbool.h>

#include "base/err.h"

struct store;

struct store_shared_filter {
	const char *baseline, *candidate;
	const char *board, *suite, *profile; /* NULL = any */
};

struct store_shared_row {
	const char *session, *board, *suite, *profile;
	int base, cand; /* kernels of the session; never the same one */
};

/* Calls row() for each session that ran both kernels, newest first, until it returns false. */
int store_list_shared(struct store *st, const struct store_shared_filter *f,
		      bool (*row)(void *ctx, const struct store_shared_row *row), void *ctx,
		      struct err *err);

/*
 * The newest session on that board (NULL = any) of that suite (NULL = any) that ran the kernel; the
 * caller frees. NULL with *err clear when there is none.
 */
char *store_kernel_seen(struct store *st, const char *kernel, const char *board, const char *suite,
			struct err *err);

#endif
