/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Supervision of one job, on an event loop: starts rig-job, imports each visit as it ends, asks
 * the gate whether another pair is needed and tells the job, and leaves the board safe and the run
 * directory importable whatever happens to the job. rigd has one for each job that it runs; `rig
 * run` has one and a loop of its own.
 *
 *	start, adopt --> running --> [making the board safe] --> stored, ended() is called
 *	         bury ---------------^
 *
 * The journal on disk is the truth, so a supervisor may take over at any time: the control channel
 * only says that there is something new in it, and carries the question "another pair?". A job that
 * ended well has left its board off; after any other end the board is made safe from here, by
 * `rig-job --safe`, and the journal of a job that died is closed. Layer: rigd -> base, results.
 */
#ifndef RIG_RIGD_SUPERVISE_H
#define RIG_RIGD_SUPERVISE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

struct loop;
struct store;
struct supervise;

/* After SIGTERM a job switches its board off and closes its journal; so long on a quick board. */
#define SUPERVISE_GRACE_MS 15000

struct supervise_result {
	bool cancelled; /* supervise_cancel() was called while it ran */
	bool begun;	/* there is a run directory with a session in it */
	bool job_lost;	/* the job died and its journal was ended by us */
	bool safe;	/* the board is known to be off */
	bool imported;	/* the session is in the store as far as it got */
	struct err err; /* set unless all is well: could not begin, not safe, not stored */
};

struct supervise_spec {
	const char *plan_path; /* the plan for rig-job */
	const char *run_dir;   /* to be created by the job, or its own already */
	const char *session;   /* last component of run_dir */
	const char *board;     /* NULL = the plan says it */
	const char *lab_path;  /* NULL = the default lab file */
	const char *log_path;  /* what rig-job prints; NULL = where we print */
	struct store *store;
	bool outlive;		 /* the job goes on when we die, and waits to be adopted */
	unsigned int grace_ms;	 /* from SIGTERM to SIGKILL; 0 = SUPERVISE_GRACE_MS */
	unsigned int stall_ms;	 /* a job whose journal rests for longer hangs; 0 = never */
	unsigned long memory_mb; /* of each process of the job; 0 = no limit */
	int nice;		 /* of the job */
	/* Each event of the journal, from its first; an adopted job's are told again. */
	void (*event)(void *ctx, const json_t *event);
	/* The store has no room left: true = some was made, and it is worth trying again. */
	bool (*disk_full)(void *ctx);
	/* The job is gone; what is left is made safe and stored. NULL = not wanted. */
	void (*gone)(void *ctx);
	/* Once, from the loop, when all is over; supervise_free() may be called in it. */
	void (*ended)(void *ctx, const struct supervise_result *result);
	void *ctx;
};

/* Strings are copied, store and loop must outlive it. NULL with *err when it cannot be started. */
struct supervise *supervise_start(struct loop *loop, const struct supervise_spec *spec,
				  struct err *err);

/*
 * Takes over a job that lives: it holds the lock of the run directory, was started with outlive,
 * and its supervisor is gone. NULL with *err: there is no such job, or nobody can tell its pid.
 */
struct supervise *supervise_adopt(struct loop *loop, const struct supervise_spec *spec,
				  struct err *err);

/* Ends the run of a job that died unsupervised. The caller knows that no job holds the directory.
 */
struct supervise *supervise_bury(struct loop *loop, const struct supervise_spec *spec);

/* Asks the job to end, and kills it after its grace. Not reversible; may be repeated. */
void supervise_cancel(struct supervise *s);

/* The job is left as it is. NULL is fine. */
void supervise_free(struct supervise *s);

/*
 * One session on a loop of its own, to its end; SIGINT, SIGTERM and SIGHUP cancel it. spec->ended
 * and spec->gone are not called; minute(minute_ctx) is, every minute (NULL = nothing). 0, or -1
 * with *err (that of the result).
 */
int supervise_session(const struct supervise_spec *spec, void (*minute)(void *ctx),
		      void *minute_ctx, struct supervise_result *result, struct err *err);

#endif
