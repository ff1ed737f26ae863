/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon: what its parts share.
 *
 *	daemon.c     start, stop, reload, the tick
 *	rack.c       the boards: known off before anything starts on them, held, leased
 *	runs.c       the jobs that run: started, adopted, ended
 *	health.c     boards that are not trusted, and how they come back
 *	schedule.c   what is queued by itself, and when
 *	dispatch.c   which queued job comes next on which board
 *	submit.c     what may be queued: a plan is checked before it is believed
 *	server.c     the control socket and its clients
 *	ops.c        what a client may ask for, one row each
 *	space.c      is there room on the disk for another job
 *
 * One thread, one loop; every change of state goes to the store before anything rests on it.
 * Layer: rigd -> base conf suite board results.
 */
#ifndef RIG_RIGD_DAEMON_H
#define RIG_RIGD_DAEMON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "results/store-queue.h"
#include "rigd/states.h"

struct lab;
struct loop;
struct loop_timer;
struct run;
struct schedule;
struct server;
struct space;
struct store;
struct supervise;

/* A board of the lab file, or one that has left it and still has a job. */
struct place {
	struct daemon *daemon;
	char *name, *type;
	enum board_state state;
	enum board_state hold; /* BOARD_DRAINED, BOARD_QUARANTINED; BOARD_UNKNOWN = none */
	char *reason;
	struct run *run; /* the job on it; NULL = none */
	int64_t lease;	 /* 0 = none */
	int64_t lease_expires_ms;
	bool safing;	      /* `rig-job --safe` is at work */
	bool gone;	      /* not in the lab file any more */
	bool unsaved;	      /* the store could not take its row */
	unsigned int failed;  /* times in a row that it could not be made safe */
	unsigned int refused; /* times in a row that rig-job could not begin on it */
	struct deadline retry;
	struct deadline canary_due; /* of one that is quarantined for its health */
	unsigned int canaries;	    /* tried in this quarantine */
};

struct daemon {
	struct loop *loop;
	struct store *results; /* sessions: imported, judged */
	struct store *memory;  /* jobs, leases, boards, audit: durable */
	struct lab *lab;
	const char *lab_path; /* NULL = the usual one */
	struct place **places;
	size_t n_places;
	struct run **runs;
	size_t n_runs;
	struct server *server;
	struct space *space;
	struct schedule *schedule;
	struct loop_timer *tick, *soon, *tidy;
	bool stopping; /* nothing starts any more */
	uint64_t started_ms;
	uint64_t jobs_started, jobs_ended;
	int lock_fd;
};

/* Wall clock, ms since 1970. */
int64_t now_ms(void);

/* The daemon itself as an actor, now. */
struct store_actor daemon_self(void);

/* A failure of the store is said, and the next change tries again. Returns rc. */
int daemon_note(const struct err *err, int rc);

/* Something has changed: look for work, once, when the callbacks are through. */
void daemon_look_soon(struct daemon *d);

/* ---- rack.c ---- */

/* The boards of the lab, as the store remembers them; all are unknown until made safe. */
int rack_open(struct daemon *d, struct err *err);
void rack_close(struct daemon *d);

/* After a reload: new boards come, those that left go as soon as they are free. */
void rack_follow_lab(struct daemon *d);

struct place *rack_find(struct daemon *d, const char *name); /* NULL = no such board */

/* Leases that are over, boards that could not be made safe: called every second. */
void rack_tick(struct daemon *d);

/* Drives it to "off" and then to where it belongs; nothing happens while it is busy. */
void rack_make_safe(struct place *p);

void rack_take(struct place *p, struct run *run);

/* Its job is over: safe = it left the board off. */
void rack_give_back(struct place *p, bool safe, const char *reason);

int rack_lease(struct place *p, const struct store_actor *by, const char *reason, int64_t ttl_ms,
	       int64_t *id, struct err *err);
void rack_renewed(struct place *p, int64_t uid, const char *who, int64_t expires_ms);
int rack_release(struct place *p, const struct store_actor *by, const char *verb, struct err *err);

/* hold: BOARD_DRAINED, BOARD_QUARANTINED, or BOARD_UNKNOWN to give it back. */
int rack_hold(struct place *p, const struct store_actor *by, enum board_state hold,
	      const char *reason, struct err *err);

/* ---- runs.c ---- */

struct run {
	struct daemon *daemon;
	struct place *place; /* NULL: of a board that is not ours */
	int64_t job;	     /* 0: of a `rig run` that died; it has no row in the queue */
	enum job_state state;
	enum job_state saved;		/* as the store has it: behind while the disk is full */
	struct store_job_change change; /* of the last move; its strings are the run's */
	char *session, *dir, *board;
	struct supervise *supervise;
	int lock_fd; /* of a dead run that is being ended; -1 = none */
	bool over;   /* all that is left to do is to save it */
	bool cancelled;
	uint64_t began_ms;
	struct deadline give_up; /* of one that lives and cannot be adopted yet */
	/* what it is at, for `rig top` */
	long visit, pair;
	char what[80];
};

/* A new job on a free board. */
void runs_start(struct place *p, int64_t job);

/* After a start of the daemon: adopts, ends or queues again what an earlier one left. */
void runs_recover(struct daemon *d);
void runs_tick(struct daemon *d);

/* 0, or -1 with *err. Of a queued job, too. */
int runs_cancel(struct daemon *d, const struct store_actor *by, int64_t job, struct err *err);

int runs_cancel_queued(struct daemon *d, const struct store_actor *by, int64_t job,
		       const char *reason, struct err *err);

/* Leaves the jobs as they are. */
void runs_close(struct daemon *d);

/* ---- health.c ---- */

/* After a job on it was stored: is it to be trusted, still or again? */
void health_after(struct place *p);
void health_tick(struct daemon *d);

/* Tries a quarantined board now. 0 and its job, or -1 with *err. */
int health_canary(struct place *p, const struct store_actor *by, int64_t *job, struct err *err);

/* ---- dispatch.c ---- */

void dispatch(struct daemon *d);

/* ---- submit.c ---- */

/* Checks a request and fills job; the strings are the caller's (submit_release()). 0 or -1. */
struct submission {
	struct store_job job;
	char *plan, *title, *identity, *board, *type;
};
int submit_check(struct daemon *d, const json_t *request, struct submission *s, struct err *err);
void submit_release(struct submission *s);

/* Text for people, as others will see it on their terminals: UTF-8 without control characters. */
bool submit_is_printable(const char *text);

/*
 * A stored plan for that board: kernels are looked for in this host's cache alone, whatever the
 * plan says of their place. Written to dir/plan.json. 0 or -1.
 */
int submit_write_plan(const char *plan, const char *board, const char *dir, struct err *err);

/* YYYYMMDD-HHMMSS-<suite>-<6 hex> for a stored plan; the caller frees. */
char *submit_new_session(const char *plan);

/* ---- server.c ---- */

int server_open(struct daemon *d, const char *group, struct err *err);
void server_close(struct daemon *d);

/* Tells those who watch the job. The reference is taken over. */
void server_tell(struct daemon *d, int64_t job, json_t *object);

/* The last word to those who watch it. */
void server_tell_end(struct daemon *d, int64_t job);

size_t server_clients(const struct daemon *d);

/* ---- ops.c ---- */

struct client_id {
	int64_t uid;
	const char *user;
	bool admin; /* root, or the daemon's own user */
};

/* Answers one request: a new object. *watch is set to a job that the client follows from now. */
json_t *ops_answer(struct daemon *d, const struct client_id *who, const json_t *request,
		   int64_t *watch);

/* A job's row as an object; NULL when there is none. */
json_t *ops_job(struct daemon *d, int64_t job);

/* ---- space.c ---- */

void space_open(struct daemon *d);
void space_close(struct daemon *d);

/* May another job start? Says so once when that changes. */
bool space_for_job(struct daemon *d);

/* Gives the reserve back to the disk, so that a result gets its row: true = there was one. */
bool space_use_reserve(struct daemon *d);

/* Why nothing starts: "" = there is room. */
const char *space_reason(const struct daemon *d);

/* ---- daemon.c ---- */

struct daemon_options {
	const char *lab_path;
	const char *group; /* of the socket; NULL = that of the process */
};

/* Runs until SIGTERM. 0, or -1 with *err: it could not start. */
int daemon_run(const struct daemon_options *options, struct err *err);

#endif
