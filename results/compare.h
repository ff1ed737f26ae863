/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two kernels across boards: what `rig compare` prints. Each board (and suite) is judged for itself
 * by what is stored of the two kernels there (shared.h); the verdict is the board's, and no number
 * is ever an average over boards or workloads.
 */
#ifndef RESULTS_COMPARE_H
#define RESULTS_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "results/gate.h"
#include "results/shared.h"

struct compare_query {
	const char *baseline, *candidate; /* named as in store-shared.h */
	const char *const *boards;	  /* NULL = every board that ran both */
	size_t n_boards;
	const char *suite, *profile; /* NULL = every suite; the newest session's profile */
};

/* One board and suite. */
struct compare_row {
	char *board, *suite;
	struct shared shared;
};

struct compare {
	char *baseline, *candidate; /* as asked for */
	struct compare_row *rows;
	size_t n;
};

/*
 * NULL with *err: code "no-kernel" (USER) when no session of those asked for ran both kernels and
 * one of them was never seen; those of store.h.
 */
struct compare *compare_new(struct store *st, const struct compare_query *q, int64_t now_ms,
			    struct err *err);
void compare_free(struct compare *c); /* NULL-safe */

/* The worst verdict of all boards. */
enum verdict compare_worst(const struct compare *c);

/* "is slower on randread/1; is faster on randwrite/8": on one board, by its gated workloads. */
void compare_say(const struct compare_row *row, struct buf *out);

/* Formats by name; NULL-terminated by name. */
struct compare_format {
	const char *name;
	void (*print)(const struct compare *c, struct buf *out);
};

extern const struct compare_format compare_formats[];

#endif
