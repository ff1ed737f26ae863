// SPDX-License-Identifier: GPL-2.0-or-later
/* Levels that jump in autocorrelated noise; see changepoint-model.h. Layer: results. */
#include "results/changepoint-model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define GOLDEN	     0.6180339887498949
#define GOLDEN_STEPS 14 /* rho to 1e-3 */

void step_series_init(struct step_series *s, const double *x, size_t n, double rss_min)
{
	s->n = n;
	s->x = x;
	s->rss_min = rss_min;
	s->sum = xcalloc(3 * (n + 1), sizeof(double));
	s->square = s->sum + n + 1;
	s->cross = s->square + n + 1;
	for (size_t t = 0; t < n; t++) {
		s->sum[t + 1] = s->sum[t] + x[t];
		s->square[t + 1] = s->square[t] + x[t] * x[t];
		s->cross[t + 1] = s->cross[t] + (t ? x[t] * x[t - 1] : 0);
	}
}

void step_series_release(struct step_series *s)
{
	free(s->sum);
	s->sum = s->square = s->cross = NULL;
}

/* work: the normal equations and their forward and backward elimination. */
enum { DIAG, OFF, RHS, FORWARD, FORWARD_RHS, BACKWARD, WORK_ROWS };

static double *row(const struct step_model *m, int which)
{
	return m->work + (size_t)which * m->room;
}

void step_model_init(struct step_model *m, size_t room)
{
	memset(m, 0, sizeof(*m));
	m->room = room;
	m->bound = xcalloc(room + 1, sizeof(*m->bound));
	m->level = xcalloc(room, sizeof(*m->level));
	m->var = xcalloc(room, sizeof(*m->var));
	m->work = xcalloc(room * WORK_ROWS, sizeof(*m->work));
}

void step_model_release(struct step_model *m)
{
	free(m->bound);
	free(m->level);
	free(m->var);
	free(m->work);
	memset(m, 0, sizeof(*m));
}

/* The innovation at t, with levels taken as 0. */
static double innovation(const struct step_series *s, size_t t, double rho)
{
	return s->x[t] - rho * s->x[t - 1];
}

static void equations(struct step_model *m, const struct step_series *s, double rho)
{
	const double q = 1 - rho;
	double *diag = row(m, DIAG);
	double *off = row(m, OFF);
	double *rhs = row(m, RHS);

	for (size_t j = 0; j < m->segments; j++) {
		size_t u = m->bound[j];
		size_t v = m->bound[j + 1];
		double first = j ? 1 : 1 - rho * rho;
		double inner = s->sum[v] - s->sum[u + 1] - rho * (s->sum[v - 1] - s->sum[u]);

		diag[j] = q * q * (double)(v - u - 1) + first;
		rhs[j] = q * inner + first * (j ? innovation(s, u, rho) : s->x[0]);
		off[j] = 0;
		if (j + 1 < m->segments) {
			diag[j] += rho * rho;
			rhs[j] -= rho * innovation(s, v, rho);
			off[j] = -rho;
		}
	}
}

static void solve(struct step_model *m)
{
	const double *diag = row(m, DIAG);
	const double *off = row(m, OFF);
	const double *rhs = row(m, RHS);
	double *f = row(m, FORWARD);
	double *fr = row(m, FORWARD_RHS);
	size_t k = m->segments;

	f[0] = diag[0];
	fr[0] = rhs[0];
	for (size_t j = 1; j < k; j++) {
		double w = off[j - 1] / f[j - 1];

		f[j] = diag[j] - w * off[j - 1];
		fr[j] = rhs[j] - w * fr[j - 1];
	}
	m->level[k - 1] = fr[k - 1] / f[k - 1];
	for (size_t j = k - 1; j-- > 0;)
		m->level[j] = (fr[j] - off[j] * m->level[j + 1]) / f[j];
}

/* From the 2 x 2 block that remains when all other levels are eliminated from both ends. */
static void variances(struct step_model *m)
{
	const double *diag = row(m, DIAG);
	const double *off = row(m, OFF);
	const double *f = row(m, FORWARD);
	double *b = row(m, BACKWARD);
	size_t k = m->segments;

	b[k - 1] = diag[k - 1];
	for (size_t j = k - 1; j-- > 0;)
		b[j] = diag[j] - off[j] * off[j] / b[j + 1];
	for (size_t j = 0; j + 1 < k; j++)
		m->var[j] = (f[j] + b[j + 1] + 2 * off[j]) / (f[j] * b[j + 1] - off[j] * off[j]);
}

double step_model_rss(struct step_model *m, const struct step_series *s, double rho, int with_var)
{
	const double *rhs = row(m, RHS);
	size_t n = s->n;
	double rss = (1 - rho * rho) * s->x[0] * s->x[0] + s->square[n] - s->square[1] -
		     2 * rho * s->cross[n] + rho * rho * s->square[n - 1];

	equations(m, s, rho);
	solve(m);
	if (with_var)
		variances(m);
	for (size_t j = 0; j < m->segments; j++)
		rss -= m->level[j] * rhs[j];
	return rss > s->rss_min ? rss : s->rss_min;
}

static double criterion(struct step_model *m, const struct step_series *s, double rho)
{
	return (double)s->n * log(step_model_rss(m, s, rho, 0)) - log1p(-rho * rho);
}

/* The rho in lo..hi with the smallest criterion, by golden section. */
static double search(struct step_model *m, const struct step_series *s, double lo, double hi,
		     double *best)
{
	double at_lo = criterion(m, s, lo);
	double lowest = lo;
	double a = hi - GOLDEN * (hi - lo);
	double b = lo + GOLDEN * (hi - lo);
	double fa = criterion(m, s, a);
	double fb = criterion(m, s, b);

	for (int i = 0; i < GOLDEN_STEPS; i++) {
		if (fa < fb) {
			hi = b;
			b = a;
			fb = fa;
			a = hi - GOLDEN * (hi - lo);
			fa = criterion(m, s, a);
		} else {
			lo = a;
			a = b;
			fa = fb;
			b = lo + GOLDEN * (hi - lo);
			fb = criterion(m, s, b);
		}
	}
	*best = fmin(fa, fb);
	if (at_lo <= *best) {
		*best = at_lo;
		return lowest;
	}
	return fa < fb ? a : b;
}

void step_model_fit(struct step_model *m, const struct step_series *s,
		    const struct step_noise *noise)
{
	m->rho = search(m, s, 0, noise->rho_max, &m->criterion);
	if (m->rho > noise->rho_max - 0.02) {
		double wander;
		double rho = search(m, s, noise->rho_max, CHANGEPOINT_WANDER, &wander);

		if (wander + noise->wander_cost < m->criterion) {
			m->criterion = wander + noise->wander_cost;
			m->rho = rho;
		}
	}
	m->rss = step_model_rss(m, s, m->rho, 1);
}

double step_model_last_var(const struct step_model *m)
{
	return 1 / row(m, FORWARD)[m->segments - 1];
}

void step_model_remove(struct step_model *m, size_t boundary)
{
	memmove(m->bound + boundary + 1, m->bound + boundary + 2,
		(m->segments - boundary - 1) * sizeof(*m->bound));
	m->segments--;
}

void step_model_refine(struct step_model *m, const struct step_series *s, size_t boundary,
		       size_t reach, size_t min_segment)
{
	size_t *at = &m->bound[boundary + 1];
	size_t first = at[-1] + min_segment;
	size_t end = at[1] - min_segment + 1;
	size_t best = *at;
	double least = INFINITY;

	if (first + reach < *at)
		first = *at - reach;
	if (end > *at + reach + 1)
		end = *at + reach + 1;
	for (size_t t = first; t < end; t++) {
		double rss;

		*at = t;
		rss = step_model_rss(m, s, m->rho, 0);
		if (rss < least * (1 - 1e-12)) {
			least = rss;
			best = t;
		}
	}
	*at = best;
}
