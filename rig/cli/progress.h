/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a person sees while a session runs: one line per finished visit, a status line that is
 * overwritten on a terminal in between. Layer: cli.
 */
#ifndef RIG_CLI_PROGRESS_H
#define RIG_CLI_PROGRESS_H

#include <jansson.h>
#include <stdint.h>

#include "suite/plan.h"

struct progress {
	const struct plan *plan;
	uint64_t visit_began_ms;
	long pair;
	long visit;
	char label[64];
	double boot_s;
	unsigned int steps_ok;
	unsigned int steps_failed;
	unsigned int findings;
};

/* For supervise.event; ctx is the struct progress, zeroed but for plan. */
void progress_event(void *ctx, const json_t *event);

#endif
