// SPDX-License-Identifier: GPL-2.0-or-later
/* Trying again; see retry.h. Layer: board, inside. */
#include "board/retry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/signals.h"
#include "board/driver.h"

#define REMEDY_NONE SIZE_MAX

/* The rungs, from the gentlest; each is followed by one attempt. */
static const struct rung {
	const char *name;
	size_t remedy; /* in struct retry */
} rungs[] = {
	{ "as it was", REMEDY_NONE },
	{ "after a cycle of its USB power", offsetof(struct retry, vbus_cycle) },
	{ "after a power cycle", offsetof(struct retry, power_cycle) },
	{ "after recovery mode", offsetof(struct retry, recovery) },
};

/* How many rungs a fault of that blame is worth. */
static size_t rungs_for(enum blame blame)
{
	if (blame == BLAME_BOARD)
		return sizeof(rungs) / sizeof(rungs[0]);
	return blame == BLAME_RIG ? 1 : 0;
}

static retry_fn *remedy_of(const struct retry *r, const struct rung *rung)
{
	retry_fn *remedy;

	if (rung->remedy == REMEDY_NONE)
		return NULL;
	memcpy(&remedy, (const char *)r + rung->remedy, sizeof(remedy));
	return remedy;
}

static struct deadline limit(unsigned int attempt_ms, struct deadline d)
{
	return attempt_ms ? deadline_min(d, deadline_in(attempt_ms)) : d;
}

/* The first failure, and what became of it. */
static void sum_up(struct err *first, const struct err *last, unsigned int attempts)
{
	bool same = !strcmp(first->message, last->message);
	struct err all = *first;

	if (attempts < 2)
		return;
	snprintf(all.message, sizeof(all.message), "%.450s (tried %u times%s%.450s)",
		 first->message, attempts, same ? "" : ", the last: ", same ? "" : last->message);
	*first = all;
}

int retry_run(const struct retry *r, const char *what, retry_fn *step, unsigned int attempt_ms,
	      struct deadline d, struct err *err)
{
	struct err first = ERR_INIT, last = ERR_INIT, failed = ERR_INIT;
	unsigned int attempts = 1;

	if (!step(r->ctx, limit(attempt_ms, d), &first))
		return 0;
	last = first;
	for (size_t i = 0; i < rungs_for(last.blame); i++) {
		retry_fn *remedy = remedy_of(r, &rungs[i]);

		if (rungs[i].remedy != REMEDY_NONE && !remedy)
			continue;
		if (deadline_passed(d) || stop_requested())
			break;
		board_note(r->board, "%s: %s; trying again %s", what, last.message, rungs[i].name);
		if (remedy && remedy(r->ctx, d, &failed)) {
			board_note(r->board, "%s: nothing to be had %s: %s", what, rungs[i].name,
				   failed.message);
			continue;
		}
		attempts++;
		if (!step(r->ctx, limit(attempt_ms, d), &last))
			return 0;
	}
	sum_up(&first, &last, attempts);
	if (err)
		*err = first;
	return err_prefix(err, "%s", what);
}
