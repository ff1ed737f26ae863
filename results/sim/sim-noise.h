/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers and the noise of simulated boards. Every kind has mean 0 and standard deviation 1
 * and is to be scaled; the shapes are ASSUMED, and chosen so that the published cells of each kind
 * come out again (see sim-noise.c).
 */
#ifndef RESULTS_SIM_NOISE_H
#define RESULTS_SIM_NOISE_H

#include <stdbool.h>
#include <stdint.h>

/* xoshiro256++ (Blackman and Vigna, public domain), seeded by splitmix64. */
struct sim_rng {
	uint64_t s[4];
	double spare; /* second number of a pair of normal ones */
	bool has_spare;
};

/* Streams of one seed do not overlap in practice; the same pair gives the same numbers always. */
void sim_rng_init(struct sim_rng *r, uint64_t seed, uint64_t stream);
uint64_t sim_rng_next(struct sim_rng *r);
int sim_rng_below(struct sim_rng *r, int n); /* 0 .. n-1 */
double sim_uniform(struct sim_rng *r);	     /* [0, 1) */
double sim_gauss(struct sim_rng *r);

enum sim_noise {
	SIM_GAUSS,
	SIM_AR1,      /* rho .6 from one run to the next */
	SIM_BIMODAL,  /* a slow mode, 25 % of the runs */
	SIM_OUTLIERS, /* 10 % of the runs from a far wider distribution */
	SIM_NOISES,
};

const char *sim_noise_name(enum sim_noise kind);

/* n runs in the order of time. */
void sim_noise(enum sim_noise kind, struct sim_rng *r, double *x, int n);

/* A stationary AR(1) series with that rho. */
void sim_ar1(double rho, struct sim_rng *r, double *x, int n);

#endif
