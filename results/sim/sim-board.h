/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated board: noise, drift and boot effect of one workload, and visits to it. A visit of A
 * or B gives 1000 times the product of what acts on it; more is better.
 */
#ifndef RESULTS_SIM_BOARD_H
#define RESULTS_SIM_BOARD_H

#include "results/gate.h"
#include "results/sim/sim-noise.h"

#define SIM_PAIRS_MAX 40

enum sim_order {
	SIM_ABBA, /* A B B A A B ...: one boot a visit */
	SIM_AABB, /* all A in one boot, then all B in another */
};

enum sim_drift {
	SIM_LINEAR, /* all the way from 0 to drift */
	SIM_WARMUP, /* exponential, a sixth of the session long */
};

struct sim_board {
	enum sim_noise noise;
	double cv;	/* of a run: 0.01 */
	double drift;	/* over the session: -0.04 */
	double boot_sd; /* from boot to boot */
	enum sim_drift shape;
};

/* The boot effects, in units of boot_sd, of a session with n visits to each kernel: boot[2 n]. */
void sim_boots(enum sim_order order, int n, struct sim_rng *r, double *boot);

/*
 * n visits each: base[i] and cand[i] are neighbours in ABBA order; effect is a factor of the
 * candidate. n <=
 * SIM_PAIRS_MAX.
 */
void sim_visits(const struct sim_board *b, enum sim_order order, int n, const double *boot,
		double effect, struct sim_rng *r, double *base, double *cand);

/* When visit i of A or B was, in visits from the start. */
int sim_slot(enum sim_order order, int n, bool candidate, int i);

/*
 * The prior that `rig calibrate`, run twice with its 20 pairs, would give that board: pooled
 * variance of the log ratios, d0 at its cap.
 */
void sim_prior(const struct sim_board *b, struct sim_rng *r, double *d0, double *s0sq);

#endif
