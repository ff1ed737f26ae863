/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the SQLite store: what store-sqlite*.c share. SQL is written in full at its one place of
 * use; statements are prepared once and kept, found again by the address of their text.
 */
#ifndef RESULTS_STORE_SQLITE_H
#define RESULTS_STORE_SQLITE_H

#include <sqlite3.h>

#include "results/store.h"

struct store_actor;

#define STORE_MAX_STATEMENTS 200

/* Names and their row numbers; see store-sqlite-names.c. */
struct names {
	struct names_entry *v;
	size_t n, cap;
};

void names_release(struct names *names);

struct store {
	sqlite3 *db;
	char *path;
	struct names workloads, metrics;
	struct {
		const char *sql; /* a string literal: compared by address */
		sqlite3_stmt *stmt;
	} cache[STORE_MAX_STATEMENTS];
	size_t n_cache;
};

/* Fills *err from the database's last error; returns -1. action: "storing session X". */
int sql_fail(struct store *st, struct err *err, const char *action);

/*
 * A bound statement, ready for sqlite3_step(); NULL with *err. types: one letter an argument,
 * i = int64_t, d = double (NAN is stored as NULL), s = const char * (NULL is stored as NULL).
 */
sqlite3_stmt *sql_query(struct store *st, struct err *err, const char *sql, const char *types, ...);

/* Runs a statement that gives no rows. 0 or -1. */
int sql_run(struct store *st, struct err *err, const char *sql, const char *types, ...);

/* The first column of the first row; fallback when there is none. 0 or -1. */
int sql_int(struct store *st, struct err *err, int64_t *value, int64_t fallback, const char *sql,
	    const char *types, ...);

/* 1 = a row, 0 = no more (statement reset), -1 with *err. */
int sql_next(struct store *st, sqlite3_stmt *stmt, struct err *err);

/* The first column of all rows, for work that cannot be done while a query is open. */
struct sql_ids {
	int64_t *v; /* the caller frees */
	size_t n;
};

#define SQL_IDS_INIT                                                                               \
	{                                                                                          \
		NULL, 0                                                                            \
	}

int sql_ids(struct store *st, struct err *err, struct sql_ids *ids, const char *sql,
	    const char *types, ...);

/* Text column, never NULL. */
const char *sql_text(sqlite3_stmt *stmt, int column);

/* All or nothing: commit() when rc is 0 and it succeeds, else rolls back. Returns 0 or -1. */
int sql_begin(struct store *st, struct err *err);
int sql_end(struct store *st, int rc, struct err *err);

/* The row number of a name in workload or metric, made if need be; -1 with *err. */
int64_t sql_workload(struct store *st, const char *name, struct err *err);
int64_t sql_metric(struct store *st, const char *name, struct err *err);

/* The row number of the session; -1 with *err (no-session). */
int64_t sql_session(struct store *st, const char *name, struct err *err);

/* A line of the audit trail about "kind name"; see store-queue.h. */
int sql_audit(struct store *st, const struct store_actor *by, const char *verb, const char *kind,
	      const char *name, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));

/* "PASS FAIL" -> "FAIL": the worst of the words; "" of none. Static storage. */
const char *sql_worst_verdict(const char *words);

/* Makes the points of a session, or of all, from its samples, replacing those that are there. */
int points_put(struct store *st, int64_t session, struct err *err);
int points_put_all(struct store *st, struct err *err);

/* How many points of the session are missing, too many or other than its samples give; or -1. */
int points_differ(struct store *st, int64_t session, struct err *err);

#endif
