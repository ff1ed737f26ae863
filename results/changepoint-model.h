/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A level that jumps at given boundaries, plus first-order autoregressive noise, fitted by exact
 * maximum likelihood: the arithmetic under changepoint.c. Private to it and its tests.
 *
 * Given rho, the levels are the solution of generalised least squares:
 *
 *	RSS = (1 - rho^2) u[0]^2 + sum_{t>0} (u[t] - rho u[t-1])^2,  u[t] = x[t] - level[t]
 *
 * Only neighbouring levels meet in one term, so the normal equations are tridiagonal; with
 * running sums of x, x^2 and x[t]x[t-1] they cost O(segments), whatever the number of points.
 */
#ifndef RESULTS_CHANGEPOINT_MODEL_H
#define RESULTS_CHANGEPOINT_MODEL_H

#include <stddef.h>

/* More autocorrelation than rho_max is no noise but a series that wanders. */
#define CHANGEPOINT_WANDER 0.999

struct step_series {
	size_t n;
	const double *x;	      /* the caller's */
	double *sum, *square, *cross; /* of the first t points; cross[t]: x[i] x[i-1] for i < t */
	double rss_min;		      /* a smaller RSS counts as this: a series without noise */
};

/* x: n values of a magnitude near 1 */
void step_series_init(struct step_series *s, const double *x, size_t n, double rss_min);
void step_series_release(struct step_series *s);

/* A segmentation and what was fitted to it. bound[0] = 0, bound[segments] = n. */
struct step_model {
	size_t segments, room; /* room: segments that fit in the arrays */
	size_t *bound;
	double *level;
	double *var; /* [j]: of level[j+1] - level[j], in units of the innovations' variance */
	double rho, rss;
	double criterion; /* n log RSS - log(1 - rho^2), plus the cost of wandering */
	double *work;
};

void step_model_init(struct step_model *m, size_t room);
void step_model_release(struct step_model *m);

/* What a fit may do with rho: up to rho_max freely, beyond it for wander_cost. */
struct step_noise {
	double rho_max, wander_cost;
};

/* RSS at that rho; fills level, and var if with_var. */
double step_model_rss(struct step_model *m, const struct step_series *s, double rho, int with_var);

/* Fits rho and everything else. */
void step_model_fit(struct step_model *m, const struct step_series *s,
		    const struct step_noise *noise);

/* Variance of the last level, in units of the innovations' variance, at the fitted rho. */
double step_model_last_var(const struct step_model *m);

void step_model_remove(struct step_model *m, size_t boundary); /* 0 .. segments-2 */

/*
 * Moves the boundary (0 .. segments-2) by up to reach points to where RSS at the fitted rho is
 * smallest, leaving segments of at least min_segment.
 */
void step_model_refine(struct step_model *m, const struct step_series *s, size_t boundary,
		       size_t reach, size_t min_segment);

#endif
