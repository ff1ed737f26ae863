/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A deadline is a point on CLOCK_MONOTONIC, a type of its own so that it cannot be mixed up with
 * a duration. It is made once, by whoever decides how long something may take, and passed down;
 * no callee renews it.
 */
#ifndef RIG_BASE_DEADLINE_H
#define RIG_BASE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

struct deadline {
	uint64_t at_ms; /* CLOCK_MONOTONIC, ms; UINT64_MAX = never */
};

/* CLOCK_MONOTONIC in ms. */
uint64_t mono_ms(void);

/* CLOCK_MONOTONIC in ns. */
uint64_t mono_ns(void);

/* The point timeout_ms from now. */
struct deadline deadline_in(uint64_t timeout_ms);

struct deadline deadline_never(void);

/* The earlier of the two: a callee's own limit inside its caller's. */
struct deadline deadline_min(struct deadline a, struct deadline b);

bool deadline_passed(struct deadline d);

/* For poll(2): ms left, at least 0, at most INT_MAX; -1 for never. */
int deadline_left_ms(struct deadline d);

/*
 * Waits until fd has one of events (poll(2) bits) or the deadline passes. Returns the revents
 * (> 0), 0 at the deadline, -errno. Restarts after EINTR unless a stop was asked for (see
 * stop_requested() in signals.h): then -EINTR.
 */
int deadline_poll(int fd, short events, struct deadline d);

/* "2026-11-30T15:04:05.123Z" of the wall clock into buf; returns buf. 25 bytes are enough. */
char *wall_iso(char *buf, unsigned int size);

#endif
