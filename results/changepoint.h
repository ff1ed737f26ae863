/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where did the level of a series change? Pure functions over arrays, no I/O, no state.
 *
 * The points are one a night, oldest first. The noise of a board is not white: what disturbs one
 * night (temperature, a neighbour on the host) often disturbs the next. So the series is modelled
 * as a level that jumps, plus first-order autoregressive noise:
 *
 *	x[t] = level[t] + u[t],  u[t] = rho u[t-1] + e[t]
 *
 *	1. Lone spikes are clipped to the median of 5 +- 3 sd; sd is the largest of the median
 *	   absolute lag-1, 2, 6 and 10 differences, which neither levels nor autocorrelation make
 *	   small.
 *	2. Optimal partitioning by least squares with a lenient penalty, 2 sd^2 log n, proposes
 *	   boundaries.
 *	3. They are removed one by one, the weakest first. Of all models on that way the one with
 *	   the smallest  n log RSS - log(1 - rho^2) + penalty * boundaries  is kept, with rho
 *	   fitted anew for each: a wave that autocorrelation explains better is no change. rho is
 *	   at most rho_max, or, for the price of one more boundary, near 1: a series that wanders.
 *	4. Each boundary must be worth min_effect and have p < max_p in a t test of that model.
 *
 * O(n^2) in time with a small factor (5,000 points: tens of ms), O(n) in memory.
 */
#ifndef RESULTS_CHANGEPOINT_H
#define RESULTS_CHANGEPOINT_H

#include <stdbool.h>
#include <stddef.h>

struct changepoint_rules {
	size_t min_segment; /* points, at least 2 */
	double penalty;	    /* of one boundary, in units of -2 log likelihood, plus ... */
	double penalty_log; /* ... so much per log(n), n at least settled: */
	size_t settled;	    /* a shorter series tells little of rho, and pays as much as this one */
	double rho_max;	    /* more persistence than this is a change, not noise; < 0.9 */
	double max_p;	    /* two-sided, of each boundary */
	double min_effect;  /* 0.02: a smaller change of level is none */
};

extern const struct changepoint_rules changepoint_rules;

/* The level changes between points at-1 and at. */
struct changepoint {
	size_t at;	      /* first point of the new level */
	size_t first, last;   /* the new level begins in first..last, 95 % */
	double before, after; /* levels */
	double effect;	      /* (after - before) / |before|; +-INFINITY from 0 */
	double lo, hi;	      /* 95 % interval of effect */
	double t, df, p;      /* p is two-sided */
};

struct changepoint_fit {
	size_t n; /* points */
	struct changepoint *changes;
	size_t n_changes;
	bool *spike; /* of each point: it was clipped */
	double rho;  /* autocorrelation from one point to the next */
	/* where the series stands, for changepoint_expect(); NAN for fewer points than a segment */
	double level, level_se; /* of the last segment */
	double residual;	/* of the last point, when clipped */
	double sd;		/* of the innovations e[t] */
	double df;
};

/* x: n finite values; rules NULL: the shipped ones. For changepoint_release(), also when n is 0. */
void changepoint_find(const double *x, size_t n, const struct changepoint_rules *rules,
		      struct changepoint_fit *fit);
void changepoint_release(struct changepoint_fit *fit);

/*
 * The prediction interval of the point that comes steps (1, 2, ...) after the last one, to hold
 * it with that probability. false: fewer points than it takes to tell.
 */
bool changepoint_expect(const struct changepoint_fit *fit, int steps, double probability,
			double *lo, double *hi);

/*
 * Two-sided p value for "the m values that follow lie on the last level", against a level of
 * their own. 1 when there are too few points to tell.
 */
double changepoint_departs(const struct changepoint_fit *fit, const double *next, size_t m);

#endif
