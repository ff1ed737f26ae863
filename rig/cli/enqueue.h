/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan into the daemon's queue: what `rig submit` and `rig nightly` have in common. Layer: cli.
 */
#ifndef RIG_CLI_ENQUEUE_H
#define RIG_CLI_ENQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct launch;
struct plan;

struct enqueue {
	long priority, deadline_h; /* 0 = none */
	bool again;		   /* even if the same work is stored */
	/* what came of it */
	int64_t job;
	bool same; /* the job is an older one of the same work */
};

/* For launch.submit. 0 with e->job, or -1 with *err. */
int enqueue(const struct launch *l, const struct plan *plan, struct enqueue *e, struct err *err);

#endif
