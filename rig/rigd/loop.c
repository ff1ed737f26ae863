// SPDX-License-Identifier: GPL-2.0-or-later
/* One poll(2) over everything; see loop.h. Layer: rigd. */
#include "rigd/loop.h"
#include "base/buf.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct loop_source {
	struct loop *loop;
	int fd;
	short events;
	bool dead;
	void (*ready)(void *ctx, short revents);
	void *ctx;
};

struct loop_timer {
	struct loop *loop;
	struct deadline when;
	bool dead;
	void (*fire)(void *ctx);
	void *ctx;
};

struct loop {
	struct loop_source **sources;
	size_t n_sources, cap_sources;
	struct pollfd *polled; /* cap_sources of them */
	struct loop_timer **timers;
	size_t n_timers, cap_timers;
	bool stopped;
	int signal_fd;
	sigset_t old_mask;
	void (*got)(void *ctx, int sig);
	void *got_ctx;
};

struct loop *loop_new(void)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	l->signal_fd = -1;
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_sources; i++)
		free(l->sources[i]);
	for (size_t i = 0; i < l->n_timers; i++)
		free(l->timers[i]);
	if (l->signal_fd >= 0) {
		close(l->signal_fd);
		sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
	}
	free(l->sources);
	free(l->polled);
	free(l->timers);
	free(l);
}

/* Room for one more pointer. */
static void *grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 16;
	return xrealloc(v, *cap * size);
}

struct loop_source *loop_watch(struct loop *l, int fd, short events,
			       void (*ready)(void *ctx, short revents), void *ctx)
{
	struct loop_source *s = xcalloc(1, sizeof(*s));

	*s = (struct loop_source){ l, fd, events, false, ready, ctx };
	l->sources = grow(l->sources, l->n_sources, &l->cap_sources, sizeof(struct loop_source *));
	l->sources[l->n_sources++] = s;
	return s;
}

void loop_events(struct loop_source *s, short events)
{
	s->events = events;
}

void loop_unwatch(struct loop_source *s)
{
	if (s)
		s->dead = true;
}

struct loop_timer *loop_timer(struct loop *l, void (*fire)(void *ctx), void *ctx)
{
	struct loop_timer *t = xcalloc(1, sizeof(*t));

	*t = (struct loop_timer){ l, deadline_never(), false, fire, ctx };
	l->timers = grow(l->timers, l->n_timers, &l->cap_timers, sizeof(struct loop_timer *));
	l->timers[l->n_timers++] = t;
	return t;
}

void loop_arm(struct loop_timer *t, struct deadline when)
{
	t->when = when;
}

void loop_untimer(struct loop_timer *t)
{
	if (t)
		t->dead = true;
}

static void on_signal(void *ctx, short revents)
{
	struct loop *l = ctx;
	struct signalfd_siginfo info;

	(void)revents;
	if (read(l->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		l->got(l->got_ctx, (int)info.ssi_signo);
}

int loop_signals(struct loop *l, const sigset_t *set, void (*got)(void *ctx, int sig), void *ctx)
{
	int fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);

	assert(l->signal_fd < 0);
	if (fd < 0)
		return -errno;
	if (sigprocmask(SIG_BLOCK, set, &l->old_mask) < 0) {
		close(fd);
		return -errno;
	}
	l->signal_fd = fd;
	l->got = got;
	l->got_ctx = ctx;
	loop_watch(l, fd, POLLIN, on_signal, l);
	return 0;
}

/* Frees what was removed; the order of the rest stays. */
static void sweep(struct loop *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_sources; i++) {
		if (l->sources[i]->dead)
			free(l->sources[i]);
		else
			l->sources[n++] = l->sources[i];
	}
	l->n_sources = n;
	n = 0;
	for (size_t i = 0; i < l->n_timers; i++) {
		if (l->timers[i]->dead)
			free(l->timers[i]);
		else
			l->timers[n++] = l->timers[i];
	}
	l->n_timers = n;
}

static void fire_timers(struct loop *l)
{
	/* what callbacks add is looked at in the next turn */
	size_t n = l->n_timers;

	for (size_t i = 0; i < n; i++) {
		struct loop_timer *t = l->timers[i];

		if (t->dead || !deadline_passed(t->when))
			continue;
		t->when = deadline_never();
		t->fire(t->ctx);
	}
}

static void dispatch(struct loop *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (l->polled[i].revents && !l->sources[i]->dead)
			l->sources[i]->ready(l->sources[i]->ctx, l->polled[i].revents);
}

int loop_turn(struct loop *l, struct deadline limit)
{
	size_t n;
	int rc;

	sweep(l);
	for (size_t i = 0; i < l->n_timers; i++)
		limit = deadline_min(limit, l->timers[i]->when);
	n = l->n_sources;
	l->polled = xrealloc(l->polled, (n + 1) * sizeof(*l->polled));
	for (size_t i = 0; i < n; i++)
		l->polled[i] = (struct pollfd){ l->sources[i]->fd, l->sources[i]->events, 0 };
	rc = poll(l->polled, n, deadline_left_ms(limit));
	if (rc < 0)
		return errno == EINTR ? 0 : -errno;
	if (rc > 0)
		dispatch(l, n);
	fire_timers(l);
	return 0;
}

int loop_run(struct loop *l)
{
	int rc = 0;

	l->stopped = false;
	while (!rc && !l->stopped)
		rc = loop_turn(l, deadline_never());
	return rc;
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}
