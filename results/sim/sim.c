// SPDX-License-Identifier: GPL-2.0-or-later
/* What the parts of rig-sim share; see sim.h. Layer: results. */
#include "results/sim/sim.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/buf.h"

/* ---- threads ---- */

struct work {
	atomic_int next;
	int n;
	void (*job)(void *ctx, int i);
	void *ctx;
};

static void *worker(void *arg)
{
	struct work *w = arg;

	for (int i = atomic_fetch_add(&w->next, 1); i < w->n; i = atomic_fetch_add(&w->next, 1))
		w->job(w->ctx, i);
	return NULL;
}

/* A thread that cannot be started is done without: the others take its share. */
void sim_each(const struct sim *s, int n, void (*job)(void *ctx, int i), void *ctx)
{
	struct work w = { .n = n, .job = job, .ctx = ctx };
	pthread_t threads[SIM_THREADS_MAX];
	int started = 0;

	while (started < s->threads - 1 && started < SIM_THREADS_MAX &&
	       pthread_create(&threads[started], NULL, worker, &w) == 0)
		started++;
	worker(&w);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}

/* ---- raw numbers ---- */

FILE *sim_csv(const struct sim *s, const char *name, const char *header)
{
	char *path;
	FILE *f;

	if (!s->dir)
		return NULL;
	path = xasprintf("%s/%s.csv", s->dir, name);
	f = fopen(path, "we");
	free(path);
	if (f)
		fprintf(f, "%s\n", header);
	return f;
}

double sim_percent(int hits, int n)
{
	return n ? 100.0 * hits / n : 0;
}

double sim_error(int hits, int n)
{
	double p = n ? (double)hits / n : 0;

	return n ? 100 * sqrt(p * (1 - p) / n) : 0;
}

/* ---- goals ---- */

static struct sim_goal *add_goal(struct sim *s, const char *name, double target, double figure,
				 double se)
{
	struct sim_goal *g = &s->goals[s->n_goals];

	assert(s->n_goals < SIM_GOALS_MAX);
	s->n_goals++;
	*g = (struct sim_goal){ .name = name, .target = target, .figure = figure, .se = se };
	return g;
}

void sim_at_most(struct sim *s, const char *goal, double target, double figure, double se,
		 const char *fmt, ...)
{
	struct sim_goal *g = add_goal(s, goal, target, figure, se);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(g->what, sizeof(g->what), fmt, ap);
	va_end(ap);
}

void sim_at_least(struct sim *s, const char *goal, double target, double figure, double se,
		  const char *fmt, ...)
{
	struct sim_goal *g = add_goal(s, goal, target, figure, se);
	va_list ap;

	g->at_least = true;
	va_start(ap, fmt);
	vsnprintf(g->what, sizeof(g->what), fmt, ap);
	va_end(ap);
}

bool sim_met(const struct sim_goal *g, double errors)
{
	double slack = errors * g->se;

	return g->at_least ? g->figure + slack >= g->target : g->figure - slack <= g->target;
}

static const char *goal_word(const struct sim_goal *g)
{
	if (sim_met(g, 0))
		return "ok";
	return sim_met(g, 2) ? "even" : "MISS";
}

int sim_verdict(const struct sim *s)
{
	int missed = 0;

	fprintf(s->out, "\n%-4s %-62s %9s %16s\n", "goal", "what", "target", "figure");
	for (int i = 0; i < s->n_goals; i++) {
		const struct sim_goal *g = &s->goals[i];

		fprintf(s->out, "%-4s %-62s %2s %6.4g %7.2f", g->name, g->what,
			g->at_least ? ">=" : "<=", g->target, g->figure);
		if (g->se > 0)
			fprintf(s->out, " +- %.2f", g->se);
		else
			fprintf(s->out, "%8s", "");
		fprintf(s->out, "  %s\n", goal_word(g));
		missed += !sim_met(g, 2);
	}
	fprintf(s->out, "%d goals, %d missed\n", s->n_goals, missed);
	return missed;
}
