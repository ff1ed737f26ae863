// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boards that are not to be trusted; see daemon.h and results/health.h. After each job the board's
 * health is looked at; a sick one is quarantined, the last rung of the ladder that board/retry.h
 * begins. A quarantine of ours ends by itself: a canary job tries the board after a while, after
 * twice that, and so on. One that a person ordered ends when a person says so. Layer: rigd.
 */
#include "rigd/daemon.h"
#include "base/buf.h"
#include "base/log.h"
#include "results/health.h"
#include "results/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Until the first canary, then twice that, ... */
#define CANARY_MS     (10u * 60 * 1000)
#define CANARY_MAX_MS (6u * 3600 * 1000)

/* What the reason of our own quarantines begins with: that is how they are known after a restart.
 */
#define OURS "health: "

static bool is_ours(const struct place *p)
{
	return p->hold == BOARD_QUARANTINED && !strncmp(p->reason, OURS, strlen(OURS));
}

/* ---- canaries ---- */

struct wanted {
	const char *board, *type;
	int64_t id;
	char *plan;
};

/* The newest work that this board, or else one of its type, got a verdict for. */
static bool find_good(void *ctx, const struct store_job *j)
{
	struct wanted *w = ctx;
	bool judged = *j->verdict && strcmp(j->verdict, "INVALID") != 0;

	if (!judged || strcmp(j->type, w->type) != 0)
		return true;
	if (!w->id || !strcmp(j->ran_on, w->board))
		w->id = j->id;
	return strcmp(j->ran_on, w->board) != 0;
}

static bool take_plan(void *ctx, const struct store_job *j)
{
	((struct wanted *)ctx)->plan = xstrdup(j->plan);
	return false;
}

/* Its baseline alone, a few boots; the caller frees. NULL: nothing ran here yet. */
static char *canary_plan(struct place *p)
{
	const struct store_job_filter f = { .newest_first = true };
	struct wanted w = { .board = p->name, .type = p->type };
	struct err err = ERR_INIT;
	json_t *plan, *kernels;
	char *text = NULL;

	if (store_job_list(p->daemon->memory, &f, find_good, &w, &err) < 0 || !w.id ||
	    store_job_get(p->daemon->memory, w.id, take_plan, &w, &err) < 0)
		return NULL;
	plan = json_loads(w.plan ? w.plan : "", 0, NULL);
	kernels = json_object_get(plan, "kernels");
	while (json_array_size(kernels) > 1)
		json_array_remove(kernels, json_array_size(kernels) - 1);
	json_object_set_new(json_object_get(plan, "suite"), "name",
			    json_string(HEALTH_CANARY_SUITE));
	json_object_set_new(plan, "warmup", json_integer(0));
	json_object_set_new(plan, "pairs",
			    json_pack("{s:i, s:i, s:i}", "fixed", HEALTH_CANARY_BOOTS, "min",
				      HEALTH_CANARY_BOOTS, "max", HEALTH_CANARY_BOOTS));
	if (json_array_size(kernels) == 1)
		text = json_dumps(plan, JSON_COMPACT);
	json_decref(plan);
	free(w.plan);
	return text;
}

static void canary_later(struct place *p)
{
	uint64_t ms = (uint64_t)CANARY_MS << (p->canaries < 6 ? p->canaries : 6);

	p->canary_due = deadline_in(ms < CANARY_MAX_MS ? ms : CANARY_MAX_MS);
}

static int start_canary(struct place *p, const struct store_actor *by, const char *plan,
			int64_t *job, struct err *err)
{
	char *title = xasprintf("canary of %s", p->name);
	struct store_job row = {
		.board = p->name, .type = p->type, .title = title, .identity = "", .plan = plan
	};
	int rc = store_job_add(p->daemon->memory, by, &row, job, err);

	free(title);
	if (rc < 0)
		return -1;
	p->canaries++;
	canary_later(p);
	log_info("board %s: canary job %" PRId64, p->name, *job);
	runs_start(p, *job);
	return 0;
}

int health_canary(struct place *p, const struct store_actor *by, int64_t *job, struct err *err)
{
	char *plan;
	int rc;

	if (p->state != BOARD_QUARANTINED || p->run || p->lease)
		return err_set(err, BLAME_USER, "bad-state",
			       "board %s is %s: a canary tries one that is quarantined", p->name,
			       board_state_name(p->state));
	if (!space_for_job(p->daemon))
		return err_set(err, BLAME_RIG, "disk-full", "%s", space_reason(p->daemon));
	plan = canary_plan(p);
	if (!plan)
		return err_set(err, BLAME_USER, "no-canary",
			       "board %s: no kernel is known to run on it: no job on a board of "
			       "type %s has had a verdict; `rig boards --resume` trusts it blindly",
			       p->name, p->type);
	rc = start_canary(p, by, plan, job, err);
	free(plan);
	return rc;
}

void health_tick(struct daemon *d)
{
	struct store_actor self = daemon_self();

	for (size_t i = 0; i < d->n_places && !d->stopping; i++) {
		struct place *p = d->places[i];
		struct err err = ERR_INIT;
		int64_t job;

		if (!is_ours(p) || p->state != BOARD_QUARANTINED || p->run || p->lease || p->gone)
			continue;
		/* quarantined by an earlier daemon */
		if (p->canary_due.at_ms == UINT64_MAX)
			canary_later(p);
		if (!deadline_passed(p->canary_due))
			continue;
		if (health_canary(p, &self, &job, &err)) {
			log_warn("%s", err.message);
			p->canaries++;
			canary_later(p);
		}
	}
}

/* ---- after a job ---- */

static void quarantine(struct place *p, const struct health *h)
{
	struct store_actor self = daemon_self();
	char *reason = xasprintf(OURS "%s", h->reason);
	struct err err = ERR_INIT;

	log_warn("board %s is quarantined: %s", p->name, h->reason);
	p->canaries = 0;
	canary_later(p);
	daemon_note(&err, rack_hold(p, &self, BOARD_QUARANTINED, reason, &err));
	free(reason);
}

static void come_back(struct place *p)
{
	struct store_actor self = daemon_self();
	struct err err = ERR_INIT;

	log_info("board %s: its canary did well; it is trusted again", p->name);
	p->canary_due = deadline_never();
	daemon_note(&err, rack_hold(p, &self, BOARD_UNKNOWN, "", &err));
}

void health_after(struct place *p)
{
	struct err err = ERR_INIT;
	struct health h;

	if (daemon_note(&err, health_of(p->daemon->results, p->name, &h, &err)))
		return;
	if (p->hold == BOARD_UNKNOWN && h.state == HEALTH_SICK)
		quarantine(p, &h);
	else if (p->hold == BOARD_QUARANTINED && h.canary_good)
		come_back(p);
}
