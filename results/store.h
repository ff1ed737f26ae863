/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where results are kept. An interface: no SQL outside store-*.c, one implementation is linked.
 * store-sqlite.c keeps everything in one file, $RIG_HOME/results.db.
 *
 * All functions that can fail return 0 or -1 with *err filled:
 *	code		blame	meaning
 *	no-store	USER	read-only opening of a store that does not exist
 *	store-newer	USER	written by a newer rig
 *	store-foreign	USER	some other program's database
 *	no-session	USER	no session of that name
 *	store-unwritable RIG	directory or file cannot be written
 *	disk-full	RIG	nothing of the failed call was stored
 *	store-corrupt	RIG	the file is damaged; the run directories can be imported again
 *	store-busy	RIG	somebody else has been writing for longer than the busy timeout
 *	store		RIG	anything else
 * A call that fails has changed nothing: every writing call is one transaction. A store belongs to
 * one thread; another thread opens its own.
 */
#ifndef RESULTS_STORE_H
#define RESULTS_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct session;
struct gate_set;
struct store;

/* Opens for reading and writing; creates the file (its directory must exist) and migrates it. */
struct store *store_open(const char *path, struct err *err);

/* Opens what exists for queries only; nothing on disk changes. */
struct store *store_open_readonly(const char *path, struct err *err);

/*
 * $RIG_HOME/results.db by one of the two above; for writing the directory is made. Besides their
 * errors: code "home", USER: the directory cannot be made.
 */
struct store *store_open_home(bool writable, struct err *err);

void store_close(struct store *st); /* NULL-safe */

/*
 * Stores the session, replacing every row that was derived from an earlier import of the same
 * name. Verdicts stay (see store_put_verdicts()). Storing the same session twice changes nothing.
 */
int store_put_session(struct store *st, const struct session *s, struct err *err);

/* The session as stored; the caller frees it with session_free(). NULL on error. */
struct session *store_get_session(struct store *st, const char *name, struct err *err);

/*
 * Stores the verdicts of a session's candidates with every look they took, replacing looks at the
 * same number of pairs and dropping later ones.
 */
int store_put_verdicts(struct store *st, const char *session, const struct gate_set *set,
		       struct err *err);

/* The verdicts as stored, for gate_set_free(); an empty set when there are none. NULL on error. */
struct gate_set *store_get_verdicts(struct store *st, const char *session, struct err *err);

/* One line of a list of sessions. The texts are valid during the call only. */
struct store_row {
	const char *session;
	int64_t started_ms;
	const char *suite, *profile, *board;
	const char *kernels; /* labels, joined by " vs ": baseline first */
	const char *state;   /* "running" or "ended" */
	const char *result;  /* of the session: "complete", "fault", ... */
	const char *verdict; /* "PASS" ...; "" = not judged */
	const char *dir;
	int visits;
};

struct store_filter {
	const char *suite, *board; /* NULL = any */
	const char *prefix;	   /* of the session's name; NULL = any */
	int limit;		   /* 0 = all */
};

/* Calls row() for each session, newest first, until it returns false. f may be NULL. */
int store_list(struct store *st, const struct store_filter *f,
	       bool (*row)(void *ctx, const struct store_row *row), void *ctx, struct err *err);

/*
 * The full name of the one session that name is, or of which it is the beginning, or of the
 * newest for "last". NULL with *err: none, or several. The caller frees it.
 */
char *store_resolve(struct store *st, const char *name, struct err *err);

/* Full integrity check of the file. 0 = sound. */
int store_check(struct store *st, struct err *err);

/* Schema version that this program writes. */
int store_schema_version(void);

#endif
