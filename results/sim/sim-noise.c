// SPDX-License-Identifier: GPL-2.0-or-later
/* Random numbers and noise; see sim-noise.h. Layer: results. */
#include "results/sim/sim-noise.h"

#include <math.h>

#define AR1_RHO	      0.6
#define SLOW_SHARE    0.25
#define SLOW_DISTANCE 3.0 /* of the modes, in sd of one mode */
#define OUTLIER_SHARE 0.1
#define OUTLIER_SD    6.0 /* in sd of the other runs */

/* ---- random numbers ---- */

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* The seed is mixed once before the stream is added, so that seed 1, stream 2 is not 2, 1. */
void sim_rng_init(struct sim_rng *r, uint64_t seed, uint64_t stream)
{
	uint64_t state = seed;

	state = splitmix(&state) ^ (stream * 0xd1342543de82ef95ULL);
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix(&state);
	r->has_spare = false;
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t sim_rng_next(struct sim_rng *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotl(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

double sim_uniform(struct sim_rng *r)
{
	return (double)(sim_rng_next(r) >> 11) / 9007199254740992.0;
}

int sim_rng_below(struct sim_rng *r, int n)
{
	return (int)(sim_uniform(r) * n);
}

/* Marsaglia's polar method: two at a time. */
double sim_gauss(struct sim_rng *r)
{
	double u;
	double v;
	double s;

	if (r->has_spare) {
		r->has_spare = false;
		return r->spare;
	}
	do {
		u = 2 * sim_uniform(r) - 1;
		v = 2 * sim_uniform(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	s = sqrt(-2 * log(s) / s);
	r->spare = v * s;
	r->has_spare = true;
	return u * s;
}

/* ---- noise ---- */

static void gauss(struct sim_rng *r, double *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = sim_gauss(r);
}

void sim_ar1(double rho, struct sim_rng *r, double *x, int n)
{
	double fresh = sqrt(1 - rho * rho);

	for (int i = 0; i < n; i++)
		x[i] = i ? rho * x[i - 1] + fresh * sim_gauss(r) : sim_gauss(r);
}

static void ar1(struct sim_rng *r, double *x, int n)
{
	sim_ar1(AR1_RHO, r, x, n);
}

/* A mixture with modes at 0 and -d: mean -qd, variance 1 + q(1 - q)d^2. */
static void bimodal(struct sim_rng *r, double *x, int n)
{
	const double d = SLOW_DISTANCE;
	const double q = SLOW_SHARE;
	double scale = 1 / sqrt(1 + q * (1 - q) * d * d);

	for (int i = 0; i < n; i++) {
		double mode = sim_uniform(r) < q ? -d : 0;

		x[i] = (mode + q * d + sim_gauss(r)) * scale;
	}
}

static void outliers(struct sim_rng *r, double *x, int n)
{
	double scale = 1 / sqrt(1 + OUTLIER_SHARE * (OUTLIER_SD * OUTLIER_SD - 1));

	for (int i = 0; i < n; i++) {
		double wide = sim_uniform(r) < OUTLIER_SHARE ? OUTLIER_SD : 1;

		x[i] = wide * sim_gauss(r) * scale;
	}
}

static const struct {
	const char *name;
	void (*fill)(struct sim_rng *r, double *x, int n);
} kinds[SIM_NOISES] = {
	[SIM_GAUSS] = { "gauss", gauss },
	[SIM_AR1] = { "AR(1) .6", ar1 },
	[SIM_BIMODAL] = { "bimodal", bimodal },
	[SIM_OUTLIERS] = { "outliers", outliers },
};

const char *sim_noise_name(enum sim_noise kind)
{
	return kinds[kind].name;
}

void sim_noise(enum sim_noise kind, struct sim_rng *r, double *x, int n)
{
	kinds[kind].fill(r, x, n);
}
