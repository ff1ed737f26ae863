/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a board can be trusted, from the sessions that it ran: pure arithmetic over rows.
 * Layer: results.
 *
 * What counts against a board is a session that ended by a fault of blame BOARD, or of blame RIG
 * where it is about its wiring. What does not: kernels, tests, users, and faults of the host that
 * any board would have met (a full disk, a job that was killed).
 *
 *	score = 100 x boots that came up / boots tried x sessions without such a fault / sessions
 *		x boots with a sound line / boots tried
 *
 * A line is sound unless the console was gone in that boot, or counted more than HEALTH_LINE_ERRORS
 * errors: a few come with every power-on.
 *
 * A board is sick, and to be quarantined, when HEALTH_STREAK sessions in a row ended that way, or
 * HEALTH_MANY of its last HEALTH_LAST. It comes back by a canary session: HEALTH_CANARY_BOOTS boots
 * of a kernel that is known to run on it. What was before a canary that went well, or before a
 * person gave the board back into service, is forgotten.
 */
#ifndef RESULTS_HEALTH_H
#define RESULTS_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct store;

#define HEALTH_SESSIONS	    20 /* the newest that are looked at */
#define HEALTH_STREAK	    3
#define HEALTH_LAST	    8
#define HEALTH_MANY	    4
#define HEALTH_WATCH_SCORE  90 /* below it a person should look */
#define HEALTH_LINE_ERRORS  8
#define HEALTH_CODES	    6
#define HEALTH_CANARY_SUITE "canary"
#define HEALTH_CANARY_BOOTS 3

/* One session of the board. */
struct health_session {
	const char *session, *suite;
	const char *result; /* of session-end; "" = runs */
	int64_t started_ms;
	int boots, came_up;	    /* visits, and those whose agent said hello */
	int disturbed;		    /* visits whose console had errors or was gone */
	enum blame blame;	    /* of its first fault; BLAME_NONE = it had none */
	const char *code, *message; /* of that fault */
};

enum health_state {
	HEALTH_UNKNOWN, /* it has run nothing */
	HEALTH_GOOD,
	HEALTH_WATCH,
	HEALTH_SICK,
};

struct health {
	enum health_state state;
	int score; /* 0..100; -1 = unknown */
	int sessions, faulty, streak;
	int boots, came_up, disturbed;
	bool canary_good; /* the newest session is a canary that went well */
	struct {
		char code[32];
		int n;
	} codes[HEALTH_CODES]; /* of the faults that count, in the order in which they came up */
	size_t n_codes;
	int64_t last_ms;  /* the newest fault that counts; 0 = none */
	char reason[400]; /* what is held against it, one line; "" = nothing */
};

/* Does that fault say something about the board? */
bool health_counts(enum blame blame, const char *code);

/* For rows, newest first, as they come; then health_end(). */
void health_begin(struct health *h);

/* False: older ones are of no interest. */
bool health_add(struct health *h, const struct health_session *s);
void health_end(struct health *h);

/* Of the board of that name, out of the store. 0, or -1 with *err. */
int health_of(struct store *st, const char *board, struct health *h, struct err *err);

const char *health_state_name(enum health_state state);

#endif
