/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ad-hoc questions to the store: one statement of SQL that can read and nothing else, within a
 * time limit. The tables are in results/schema/; the views v_session, v_sample, v_point and
 * v_verdict have names in place of numbers.
 */
#ifndef RESULTS_STORE_QUERY_H
#define RESULTS_STORE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct store;

enum query_type {
	QUERY_NULL,
	QUERY_INT,
	QUERY_REAL,
	QUERY_TEXT, /* blobs too */
};

struct query_value {
	enum query_type type;
	int64_t integer;
	double real;
	const char *text; /* of every type, "" of NULL; may hold any byte but NUL */
};

struct query_sink {
	void (*columns)(void *ctx, size_t n, const char *const *names);	    /* once, first */
	bool (*row)(void *ctx, size_t n, const struct query_value *values); /* false: enough */
};

/*
 * Runs the statement. 0, or -1 with *err (USER):
 *	query		wrong SQL; the message shows the place
 *	query-write	it would change something, or look outside the store
 *	query-timeout	it took longer than timeout_ms; rows may have been given before
 *	cancelled	a signal came
 */
int store_query(struct store *st, const char *sql, const struct query_sink *sink, void *ctx,
		uint64_t timeout_ms, struct err *err);

/* Calls text() with the definition of each table and view, comments included. 0 or -1. */
int store_schema(struct store *st, void (*text)(void *ctx, const char *sql), void *ctx,
		 struct err *err);

#endif
