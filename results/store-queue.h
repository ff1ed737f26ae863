/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's memory in the store: jobs, leases, states of boards, and the audit trail. Only rigd
 * writes it; everybody may read. Which state may follow which is rigd's business (rigd/states.h):
 * here a state is a word.
 *
 * Each change is one transaction with its line of the audit trail, on disk when the call returns
 * if the store was made durable. Errors are those of store.h, and:
 *	no-job, no-lease	USER	there is none of that number
 *	bad-state		RIG	it is in another state than it was to be moved from
 *	lease-held		USER	the board has one already; the message says whose
 */
#ifndef RESULTS_STORE_QUEUE_H
#define RESULTS_STORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/* Every later commit is synced to disk before it counts: what was promised survives a power cut. */
int store_make_durable(struct store *st, struct err *err);

/* Who does it. */
struct store_actor {
	const char *who; /* a user's name, or "rigd" */
	int64_t uid;	 /* -1 = the daemon itself */
	int64_t at_ms;
};

struct store_job {
	int64_t id;
	const char *state; /* "queued", "starting", "running", "ending", "done", "cancelled" */
	int64_t priority;  /* higher comes first */
	const char *board; /* "" = any of the type */
	const char *type;
	int64_t submitted_ms;
	int64_t deadline_ms; /* not to be started after it; 0 = none */
	const char *requester;
	int64_t uid;
	const char *title;	      /* for people: "ufs-irq quick: original, threaded" */
	const char *identity;	      /* of the work; "" = is never the same */
	const char *plan;	      /* JSON; not filled by store_job_list() */
	const char *session, *ran_on; /* "" until it starts */
	int64_t started_ms, ended_ms; /* 0 = not yet */
	const char *cancelled_by;     /* "" = nobody */
	const char *verdict;	      /* "" = none yet */
	const char *reason;
};

/* Adds a queued job; the actor is its requester. *id is its number. */
int store_job_add(struct store *st, const struct store_actor *by, const struct store_job *job,
		  int64_t *id, struct err *err);

/* What changes with a state; a NULL or 0 member stays as it is. */
struct store_job_change {
	const char *session, *ran_on, *verdict, *reason;
	int64_t started_ms, ended_ms;
};

/* From one state to another, and only from that. */
int store_job_move(struct store *st, const struct store_actor *by, int64_t id, const char *from,
		   const char *to, const struct store_job_change *change, struct err *err);

/* Notes that somebody wants it to end; its state is moved by whoever ends it. */
int store_job_cancel(struct store *st, const struct store_actor *by, int64_t id, struct err *err);

/* The texts are valid during the call only. False ends the list. */
typedef bool store_job_row(void *ctx, const struct store_job *job);

struct store_job_filter {
	int64_t id;	       /* 0 = any */
	int64_t after;	       /* only higher numbers */
	bool open;	       /* neither done nor cancelled */
	const char *state;     /* NULL = any */
	const char *requester; /* NULL = any */
	int limit;	       /* 0 = all */
	bool newest_first;     /* else in the order in which they would be started */
};

int store_job_list(struct store *st, const struct store_job_filter *f, store_job_row *row,
		   void *ctx, struct err *err);

/* The one job with its plan; "no-job" when there is none. */
int store_job_get(struct store *st, int64_t id, store_job_row *row, void *ctx, struct err *err);

/*
 * The next job for that board: queued, for it or for any of its type, of highest priority, then
 * earliest deadline, then lowest number. *id = 0: none.
 */
int store_job_next(struct store *st, const char *board, const char *type, int64_t *id,
		   struct err *err);

/* A queued job whose deadline is past; *id = 0: none. */
int store_job_overdue(struct store *st, int64_t now_ms, int64_t *id, struct err *err);

/* A queued job that somebody has cancelled, and that was not moved since; *id = 0: none. */
int store_job_withdrawn(struct store *st, int64_t *id, struct err *err);

/*
 * The newest job of that identity that is open or has a verdict other than INVALID; 0 = none.
 */
int store_job_same(struct store *st, const char *identity, int64_t *id, struct err *err);

/* How many there are of each state: the number of queued ones and of open ones. */
int store_job_count(struct store *st, int64_t *queued, int64_t *open, struct err *err);

struct store_lease {
	int64_t id;
	const char *board, *owner;
	int64_t uid;
	const char *reason;
	int64_t taken_ms, expires_ms, ttl_ms;
};

/* owner and uid are the actor's, the times are of now. */
int store_lease_take(struct store *st, const struct store_actor *by, const char *board,
		     const char *reason, int64_t ttl_ms, int64_t *id, struct err *err);
int store_lease_renew(struct store *st, const struct store_actor *by, int64_t id, struct err *err);

/* verb: "release", "expire" or why else it ends. */
int store_lease_drop(struct store *st, const struct store_actor *by, int64_t id, const char *verb,
		     struct err *err);
int store_lease_list(struct store *st, bool (*row)(void *ctx, const struct store_lease *lease),
		     void *ctx, struct err *err);

struct store_board {
	const char *name, *type;
	const char *state; /* "unknown", "safe", "busy", "drained", "quarantined" */
	const char *hold;  /* "", "drained", "quarantined": wanted as soon as it is free */
	int64_t since_ms;
	const char *reason;
	int64_t job; /* 0 = none */
};

/* Replaces the row of that name. */
int store_board_put(struct store *st, const struct store_actor *by, const struct store_board *board,
		    struct err *err);

/* Forgets boards that the lab file has no more. */
int store_board_drop(struct store *st, const struct store_actor *by, const char *name,
		     struct err *err);
int store_board_list(struct store *st, bool (*row)(void *ctx, const struct store_board *board),
		     void *ctx, struct err *err);

struct store_audit {
	int64_t id, at_ms, uid;
	const char *who, *verb, *object, *detail;
};

/* For changes that are no row of the tables above: "reload", "start". */
int store_audit_add(struct store *st, const struct store_actor *by, const char *verb,
		    const char *object, const char *detail, struct err *err);

struct store_audit_filter {
	const char *object; /* NULL = any */
	const char *who;    /* NULL = any */
	int limit;	    /* the newest so many, told oldest first; 0 = all */
};

int store_audit_list(struct store *st, const struct store_audit_filter *f,
		     bool (*row)(void *ctx, const struct store_audit *audit), void *ctx,
		     struct err *err);

#endif
