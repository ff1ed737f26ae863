// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which queued job comes next on which board; see daemon.h. One look at the queue for each board
 * that is free, after each change. Layer: rigd.
 */
#include "rigd/daemon.h"
#include "base/log.h"

#include <inttypes.h>

static void cancel_overdue(struct daemon *d)
{
	struct store_actor self = daemon_self();
	struct err err = ERR_INIT;
	int64_t id;

	while (store_job_overdue(d->memory, now_ms(), &id, &err) == 0 && id) {
		log_info("job %" PRId64 ": its deadline has passed", id);
		if (daemon_note(&err,
				runs_cancel_queued(d, &self, id, "its deadline had passed", &err)))
			return;
	}
}

/* A daemon that died, or a disk that was full, between the wish and what it was for. */
static void cancel_withdrawn(struct daemon *d)
{
	struct store_actor self = daemon_self();
	struct err err = ERR_INIT;
	int64_t id;

	while (store_job_withdrawn(d->memory, &id, &err) == 0 && id)
		if (daemon_note(&err, runs_cancel_queued(d, &self, id, "cancelled", &err)))
			return;
}

/* The next job for the board; 0 = none. */
static int64_t next_job(struct place *p)
{
	struct err err = ERR_INIT;
	int64_t id = 0;

	if (daemon_note(&err, store_job_next(p->daemon->memory, p->name, p->type, &id, &err)))
		return 0;
	return id;
}

void dispatch(struct daemon *d)
{
	cancel_withdrawn(d);
	cancel_overdue(d);
	for (size_t i = 0; i < d->n_places && !d->stopping; i++) {
		struct place *p = d->places[i];
		int64_t job;

		if (p->state != BOARD_SAFE || p->run || p->gone)
			continue;
		job = next_job(p);
		if (!job)
			continue;
		if (!space_for_job(d))
			return;
		runs_start(p, job);
	}
}
