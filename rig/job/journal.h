/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of a session, events.jsonl, and its mirror to the supervisor. Layer: job.
 *
 * One event is one line, one write(2) and one fsync(2), so a job that is killed leaves at most one
 * torn line, at the end. Room for the events that end a session is reserved on disk before
 * anything else (fallocate beyond the end of the file), so that a full disk is still reported
 * in the journal itself.
 *
 * The control channel is a socket. Every line of the journal goes to it; the question "another
 * round?" and its answer go over it alone.
 */
#ifndef RIG_JOB_JOURNAL_H
#define RIG_JOB_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>

struct err;
struct journal;

/* control_fd: -1 without a supervisor; stays the caller's. Errors: RIG ("disk-full", "journal"). */
int journal_open(struct journal **out, const char *path, int control_fd, struct err *err);

/*
 * The job may be adopted: while it has no supervisor, one who connects to this socket (the
 * caller's, listening, non-blocking) becomes it at the next event; an ask waits for one.
 */
void journal_listen(struct journal *j, int listen_fd);

/* Gives the reserve back to the disk. NULL is fine. */
void journal_close(struct journal *j);

/*
 * Appends {"t":..., "mono_ms":..., "ev": event, ...fields}. The reference to fields is taken over;
 * NULL = none. After the error "disk-full" the event is in the journal nevertheless, as long as
 * the reserve lasts: the caller ends the session, and goes on to write how it ended. A
 * supervisor that is gone is no error here.
 */
int journal_event(struct journal *j, const char *event, json_t *fields, struct err *err);

/*
 * Asks the supervisor whether another round is wanted after this one. Returns 1 or 0; -1 with err:
 * RIG "supervisor-gone" when it hung up or did not answer, USER "cancelled" on a stop.
 */
int journal_ask(struct journal *j, unsigned int pair, struct err *err);

#endif
