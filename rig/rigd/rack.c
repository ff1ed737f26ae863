// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The boards of the daemon; see daemon.h. A board is BOARD_UNKNOWN until `rig-job --safe` has
 * driven it off: at every start, and after everybody who had it and did not leave it off himself.
 * Layer: rigd.
 */
#include "rigd/daemon.h"
#include "rigd/jobproc.h"
#include "rigd/strike.h"
#include "base/buf.h"
#include "base/leasefile.h"
#include "base/log.h"
#include "base/path.h"
#include "board/lab.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* rig-job keeps the board's own limit; this one is for a program that hangs. */
#define SAFE_TIMEOUT_MS 300000

/* A board that could not be made safe is tried again after so long, twice that, ... */
#define RETRY_MS     2000
#define RETRY_MAX_MS 60000

/* ---- one place ---- */

static struct place *place_new(struct daemon *d, const char *name, const char *type)
{
	struct place *p = xcalloc(1, sizeof(*p));

	p->daemon = d;
	p->name = xstrdup(name);
	p->type = xstrdup(type);
	p->reason = xstrdup("");
	p->state = BOARD_UNKNOWN;
	p->hold = BOARD_UNKNOWN;
	p->retry = deadline_never();
	p->canary_due = deadline_never();
	return p;
}

static void place_free(struct place *p)
{
	free(p->name);
	free(p->type);
	free(p->reason);
	free(p);
}

static const char *hold_word(enum board_state hold)
{
	return hold == BOARD_UNKNOWN ? "" : board_state_name(hold);
}

static void put(struct place *p, const struct store_actor *by)
{
	struct err err = ERR_INIT;
	struct store_board row = {
		.name = p->name,
		.type = p->type,
		.state = board_state_name(p->state),
		.hold = hold_word(p->hold),
		.reason = p->reason,
		.job = p->run ? p->run->job : 0,
	};

	p->unsaved = daemon_note(&err, store_board_put(p->daemon->memory, by, &row, &err)) < 0;
}

static void set_reason(struct place *p, const char *reason)
{
	char *old = p->reason;

	p->reason = xstrdup(reason);
	free(old);
}

static void move_by(struct place *p, const struct store_actor *by, enum board_state to,
		    const char *reason)
{
	const struct strike arrow = { "board", board_state_name(p->state), board_state_name(to),
				      p->name, p->run ? p->run->session : "" };

	assert(p->state == to || board_may_move(p->state, to));
	strike("before", &arrow);
	p->state = to;
	set_reason(p, reason);
	put(p, by);
	strike("after", &arrow);
	daemon_look_soon(p->daemon);
}

static void move(struct place *p, enum board_state to, const char *reason)
{
	struct store_actor self = daemon_self();

	move_by(p, &self, to, reason);
}

/* The reason of a hold stays with it. */
static void to_state(struct place *p, enum board_state to)
{
	char *reason = xstrdup(p->hold == BOARD_UNKNOWN ? "" : p->reason);

	move(p, to, reason);
	free(reason);
}

/* Off and free: where to. */
static void settle(struct place *p)
{
	to_state(p, p->hold == BOARD_UNKNOWN ? BOARD_SAFE : p->hold);
}

static char *safe_log(const struct place *p)
{
	return path_in_home("boards/%s.safe.log", p->name);
}

static void could_not(struct place *p, int code)
{
	uint64_t wait = (uint64_t)RETRY_MS << (p->failed < 5 ? p->failed : 5);
	char *log = safe_log(p);
	char words[400];

	jobproc_last_words(log, words, sizeof(words));
	free(log);
	p->failed++;
	p->retry = deadline_in(wait < RETRY_MAX_MS ? wait : RETRY_MAX_MS);
	if (p->failed == 1)
		log_warn("board %s could not be made safe (exit code %d): %s", p->name, code,
			 words);
	/* said once: the row of a board that stays so is not written anew */
	if (p->hold == BOARD_UNKNOWN && strcmp(p->reason, words) != 0)
		move(p, BOARD_UNKNOWN, words);
}

static void made_safe(void *ctx, int code)
{
	struct place *p = ctx;

	p->safing = false;
	/* somebody has taken it meanwhile, by a lease or as an adopted job */
	if (p->state != BOARD_UNKNOWN)
		return;
	if (code) {
		could_not(p, code);
		return;
	}
	p->failed = 0;
	p->retry = deadline_never();
	settle(p);
}

void rack_make_safe(struct place *p)
{
	char *log;
	struct jobproc_safe safe = {
		.board = p->name,
		.lab_path = p->daemon->lab_path,
		.timeout_ms = SAFE_TIMEOUT_MS,
		.done = made_safe,
		.ctx = p,
	};

	if (p->safing || p->run || p->lease || p->state != BOARD_UNKNOWN || p->gone)
		return;
	p->safing = true;
	p->retry = deadline_never();
	log = safe_log(p);
	unlink(log);
	safe.log_path = log;
	jobproc_make_safe(p->daemon->loop, &safe);
	free(log);
}

/* ---- jobs ---- */

void rack_take(struct place *p, struct run *run)
{
	p->run = run;
	move(p, BOARD_BUSY, p->hold == BOARD_UNKNOWN ? "" : p->reason);
}

void rack_give_back(struct place *p, bool safe, const char *reason)
{
	p->run = NULL;
	/* whoever has the lease has the board */
	if (p->lease)
		return;
	if (safe) {
		settle(p);
		return;
	}
	if (p->state == BOARD_BUSY)
		move(p, BOARD_UNKNOWN, p->hold == BOARD_UNKNOWN ? reason : p->reason);
	rack_make_safe(p);
}

/* ---- leases ---- */

/* For the keeper of the board's console, who cannot ask us who may type. */
static void tell_keeper(const struct place *p, int64_t uid, const char *who)
{
	struct leasefile lease = { .uid = (uid_t)uid, .until_s = p->lease_expires_ms / 1000 };
	char *path = leasefile_path(p->name);
	int rc = 0;

	snprintf(lease.who, sizeof(lease.who), "%s", who);
	if (p->lease)
		rc = leasefile_write(path, &lease);
	else
		unlink(path);
	if (rc)
		log_warn("%s: %s; the lease does not let its owner type", path, strerror(-rc));
	free(path);
}

void rack_renewed(struct place *p, int64_t uid, const char *who, int64_t expires_ms)
{
	p->lease_expires_ms = expires_ms;
	tell_keeper(p, uid, who);
}

int rack_lease(struct place *p, const struct store_actor *by, const char *reason, int64_t ttl_ms,
	       int64_t *id, struct err *err)
{
	if (p->run)
		return err_set(err, BLAME_USER, "board-busy",
			       "board %s: job %" PRId64 " runs on it", p->name, p->run->job);
	if (p->gone)
		return err_set(err, BLAME_USER, "unknown-board", "board %s is not in the lab file",
			       p->name);
	if (p->state == BOARD_UNKNOWN)
		return err_set(err, BLAME_BOARD, "board-unknown",
			       "board %s is not known to be off%s%s", p->name,
			       *p->reason ? ": " : " yet; try again", p->reason);
	if (store_lease_take(p->daemon->memory, by, p->name, reason, ttl_ms, id, err) < 0)
		return -1;
	p->lease = *id;
	rack_renewed(p, by->uid, by->who, by->at_ms + ttl_ms);
	move(p, BOARD_BUSY, p->hold == BOARD_UNKNOWN ? reason : p->reason);
	return 0;
}

int rack_release(struct place *p, const struct store_actor *by, const char *verb, struct err *err)
{
	if (store_lease_drop(p->daemon->memory, by, p->lease, verb, err) < 0)
		return -1;
	p->lease = 0;
	tell_keeper(p, -1, "");
	move(p, BOARD_UNKNOWN, p->hold == BOARD_UNKNOWN ? "" : p->reason);
	rack_make_safe(p);
	return 0;
}

/* ---- holds ---- */

int rack_hold(struct place *p, const struct store_actor *by, enum board_state hold,
	      const char *reason, struct err *err)
{
	bool free_now = p->state != BOARD_BUSY && p->state != BOARD_UNKNOWN;

	if (hold == p->hold)
		return err_set(err, BLAME_USER, "bad-state", "board %s is %s already", p->name,
			       hold == BOARD_UNKNOWN ? "in service" : hold_word(hold));
	p->hold = hold;
	/* one that is not free becomes it later */
	move_by(p, by, free_now ? hold : p->state, reason);
	/* given back: nobody knows what was done to it */
	if (free_now && hold == BOARD_UNKNOWN)
		rack_make_safe(p);
	return 0;
}

/* ---- all of them ---- */

struct place *rack_find(struct daemon *d, const char *name)
{
	for (size_t i = 0; i < d->n_places; i++)
		if (!strcmp(d->places[i]->name, name))
			return d->places[i];
	return NULL;
}

static struct place *add(struct daemon *d, const char *name, const char *type)
{
	d->places = xrealloc(d->places, (d->n_places + 1) * sizeof(struct place *));
	d->places[d->n_places] = place_new(d, name, type);
	return d->places[d->n_places++];
}

/* What the store remembers of a board: what people wanted of it; its state is found out anew. */
static bool remember(void *ctx, const struct store_board *b)
{
	struct daemon *d = ctx;
	struct place *p = rack_find(d, b->name);
	int hold = *b->hold ? board_state_parse(b->hold) : BOARD_UNKNOWN;
	int was = board_state_parse(b->state);

	if (!p)
		return true;
	p->state = was < 0 ? BOARD_UNKNOWN : (enum board_state)was;
	p->hold = hold < 0 ? BOARD_UNKNOWN : (enum board_state)hold;
	if (p->hold != BOARD_UNKNOWN)
		set_reason(p, b->reason);
	return true;
}

static bool remember_lease(void *ctx, const struct store_lease *l)
{
	struct daemon *d = ctx;
	struct place *p = rack_find(d, l->board);

	/* of a board that has left the lab: it ends with its time */
	if (!p) {
		p = add(d, l->board, "");
		p->gone = true;
	}
	p->lease = l->id;
	p->lease_expires_ms = l->expires_ms;
	return true;
}

int rack_open(struct daemon *d, struct err *err)
{
	struct store_actor self = daemon_self();
	const struct lab_board *b;

	for (size_t i = 0; (b = lab_board(d->lab, i)); i++)
		add(d, b->name, b->type);
	if (store_board_list(d->memory, remember, d, err) < 0 ||
	    store_lease_list(d->memory, remember_lease, d, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n_places; i++) {
		struct place *p = d->places[i];

		if (p->state == BOARD_UNKNOWN)
			put(p, &self);
		else
			to_state(p, BOARD_UNKNOWN);
		/* whoever has a lease may be using the board now */
		if (p->lease)
			to_state(p, BOARD_BUSY);
	}
	return 0;
}

void rack_close(struct daemon *d)
{
	for (size_t i = 0; i < d->n_places; i++)
		place_free(d->places[i]);
	free(d->places);
	d->places = NULL;
	d->n_places = 0;
}

static bool in_lab(const struct lab *lab, const struct place *p)
{
	const struct lab_board *b;

	for (size_t i = 0; (b = lab_board(lab, i)); i++)
		if (!strcmp(b->name, p->name))
			return true;
	return false;
}

void rack_follow_lab(struct daemon *d)
{
	struct store_actor self = daemon_self();
	const struct lab_board *b;

	for (size_t i = 0; i < d->n_places; i++)
		d->places[i]->gone = !in_lab(d->lab, d->places[i]);
	for (size_t i = 0; (b = lab_board(d->lab, i)); i++) {
		struct place *p = rack_find(d, b->name);

		if (!p) {
			p = add(d, b->name, b->type);
			put(p, &self);
			rack_make_safe(p);
		} else if (strcmp(p->type, b->type) != 0 && !p->run) {
			free(p->type);
			p->type = xstrdup(b->type);
			put(p, &self);
		}
	}
	daemon_look_soon(d);
}

static void forget(struct daemon *d, size_t i)
{
	struct store_actor self = daemon_self();
	struct err err = ERR_INIT;

	daemon_note(&err, store_board_drop(d->memory, &self, d->places[i]->name, &err));
	place_free(d->places[i]);
	d->places[i] = d->places[--d->n_places];
}

static void expire(struct place *p)
{
	struct store_actor self = daemon_self();
	struct err err = ERR_INIT;

	log_info("board %s: its lease has expired", p->name);
	daemon_note(&err, rack_release(p, &self, "expire", &err));
}

void rack_tick(struct daemon *d)
{
	struct store_actor self = daemon_self();
	int64_t now = now_ms();

	for (size_t i = d->n_places; i-- > 0;) {
		struct place *p = d->places[i];

		if (p->unsaved)
			put(p, &self);
		if (p->lease && p->lease_expires_ms <= now)
			expire(p);
		if (deadline_passed(p->retry))
			rack_make_safe(p);
		if (p->gone && !p->run && !p->lease && !p->safing)
			forget(d, i);
	}
}
