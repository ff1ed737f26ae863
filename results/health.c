// SPDX-License-Identifier: GPL-2.0-or-later
/* How far a board can be trusted; see health.h. Layer: results. */
#include "results/health.h"
#include "results/store-health.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Faults of blame RIG that any board would have met on that host at that time. */
static const char *const host_codes[] = {
	"cancelled", "disk-full",	"home",	     "image",	   "initramfs",
	"job-lost",  "job-start",	"journal",   "keeper",	   "keeper-lost",
	"lab",	     "no-initramfs",	"plan",	     "qemu-start", "record",
	"run-dir",   "supervisor-gone", "supervise", "wire",
};

static const char *const names[] = { "unknown", "good", "watch", "sick" };

const char *health_state_name(enum health_state state)
{
	return names[state];
}

bool health_counts(enum blame blame, const char *code)
{
	if (blame == BLAME_BOARD)
		return true;
	if (blame != BLAME_RIG)
		return false;
	for (size_t i = 0; i < sizeof(host_codes) / sizeof(host_codes[0]); i++)
		if (!strcmp(host_codes[i], code))
			return false;
	return true;
}

void health_begin(struct health *h)
{
	memset(h, 0, sizeof(*h));
	h->score = -1;
}

static void count_code(struct health *h, const char *code)
{
	size_t i = 0;

	while (i < h->n_codes && strcmp(h->codes[i].code, code) != 0)
		i++;
	if (i == HEALTH_CODES)
		return;
	if (i == h->n_codes)
		snprintf(h->codes[h->n_codes++].code, sizeof(h->codes[0].code), "%s", code);
	h->codes[i].n++;
}

static void count_fault(struct health *h, const struct health_session *s)
{
	if (!h->n_codes) {
		h->last_ms = s->started_ms;
		snprintf(h->reason, sizeof(h->reason), "%.30s: %.300s", s->code, s->message);
	}
	if (h->streak == h->sessions)
		h->streak++;
	if (h->sessions < HEALTH_LAST)
		h->faulty++;
	count_code(h, s->code);
}

bool health_add(struct health *h, const struct health_session *s)
{
	bool fault = health_counts(s->blame, s->code);
	bool canary = !strcmp(s->suite, HEALTH_CANARY_SUITE) && !strcmp(s->result, "complete") &&
		      s->blame == BLAME_NONE;

	if (!*s->result)
		return true; /* it runs */
	if (fault)
		count_fault(h, s);
	if (canary && !h->sessions)
		h->canary_good = true;
	h->sessions++;
	/* a boot that a kernel or a user spoilt was not the board's */
	h->boots += fault || s->blame == BLAME_NONE ? s->boots : s->came_up;
	h->came_up += s->came_up;
	h->disturbed += s->disturbed;
	return !canary && h->sessions < HEALTH_SESSIONS;
}

static double share(int part, int all)
{
	return all ? (double)part / all : 1;
}

/* A boot that a kernel spoilt is not among the boots, but its line counts. */
static double sound(const struct health *h)
{
	return h->disturbed < h->boots ? 1 - share(h->disturbed, h->boots) : !h->disturbed;
}

static void explain(struct health *h)
{
	char last[sizeof(h->reason)];

	snprintf(last, sizeof(last), "%s", h->reason);
	if (h->streak >= HEALTH_STREAK)
		snprintf(
			h->reason, sizeof(h->reason),
			"%d sessions in a row ended by faults of board or wiring; the last: %.320s",
			h->streak, last);
	else if (h->faulty)
		snprintf(h->reason, sizeof(h->reason),
			 "%d of its last %d sessions ended by faults of board or wiring; the last: "
			 "%.310s",
			 h->faulty, h->sessions < HEALTH_LAST ? h->sessions : HEALTH_LAST, last);
	else if (h->state != HEALTH_GOOD && h->disturbed > h->boots - h->came_up)
		snprintf(h->reason, sizeof(h->reason),
			 "in %d of %d boots the console's line had errors or was gone",
			 h->disturbed, h->boots);
	else if (h->state != HEALTH_GOOD && h->sessions)
		snprintf(h->reason, sizeof(h->reason), "%d of %d boots did not come up",
			 h->boots - h->came_up, h->boots);
}

void health_end(struct health *h)
{
	int faults = 0;

	if (!h->sessions)
		return;
	for (size_t i = 0; i < h->n_codes; i++)
		faults += h->codes[i].n;
	h->score = (int)lround(100 * share(h->came_up, h->boots) *
			       (1 - share(faults, h->sessions)) * sound(h));
	if (h->streak >= HEALTH_STREAK || h->faulty >= HEALTH_MANY)
		h->state = HEALTH_SICK;
	else
		h->state = h->score < HEALTH_WATCH_SCORE ? HEALTH_WATCH : HEALTH_GOOD;
	explain(h);
}

static bool add(void *ctx, const struct health_session *s)
{
	return health_add(ctx, s);
}

int health_of(struct store *st, const char *board, struct health *h, struct err *err)
{
	health_begin(h);
	if (store_board_sessions(st, board, add, h, err) < 0)
		return -1;
	health_end(h);
	return 0;
}
