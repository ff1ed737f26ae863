/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only event loop of the rig: descriptors, timers and signals over one poll(2). rigd runs it
 * for ever, `rig run` for one session; what is supervised (supervise.h) does not know which.
 * Layer: rigd -> base.
 *
 * Sources and timers may be added and removed by any callback, their own included: a removed one
 * is not called any more, also not for what the same poll(2) had already found.
 */
#ifndef RIG_RIGD_LOOP_H
#define RIG_RIGD_LOOP_H

#include <signal.h>
#include <stdbool.h>

#include "base/deadline.h"

struct loop;
struct loop_source;
struct loop_timer;

struct loop *loop_new(void);

/* Frees what is still registered as well; descriptors stay their owners'. NULL is fine. */
void loop_free(struct loop *loop);

/* events: poll(2) bits. ready() gets revents, which may hold POLLHUP and POLLERR unasked. */
struct loop_source *loop_watch(struct loop *loop, int fd, short events,
			       void (*ready)(void *ctx, short revents), void *ctx);
void loop_events(struct loop_source *source, short events);
void loop_unwatch(struct loop_source *source); /* NULL is fine */

/* A timer is made unarmed; it fires once for each time it is armed. */
struct loop_timer *loop_timer(struct loop *loop, void (*fire)(void *ctx), void *ctx);
void loop_arm(struct loop_timer *timer, struct deadline when); /* deadline_never(): disarms */
void loop_untimer(struct loop_timer *timer);		       /* NULL is fine */

/*
 * Blocks these signals for the process and has them delivered here, one at a time; loop_free()
 * gives the old mask back. At most once a loop. 0 or -errno.
 */
int loop_signals(struct loop *loop, const sigset_t *set, void (*got)(void *ctx, int sig),
		 void *ctx);

/* Waits for the first thing to do, or for the limit, and does all that is due. 0 or -errno. */
int loop_turn(struct loop *loop, struct deadline limit);

/* Turns until loop_stop() is called from a callback. 0 or -errno. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

#endif
