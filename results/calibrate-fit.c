// SPDX-License-Identifier: GPL-2.0-or-later
/* From A/A variances to a prior; see calibrate-fit.h. Layer: results, pure. */
#include "results/calibrate-fit.h"

#include <math.h>

/* Recurrence up to where the asymptotic series (Abramowitz and Stegun 6.3.18, 6.4.12) is exact. */
#define ASYMPTOTIC 12

double fit_digamma(double x)
{
	double sum = 0;
	double r;

	while (x < ASYMPTOTIC) {
		sum -= 1 / x;
		x += 1;
	}
	r = 1 / (x * x);
	return sum + log(x) - 0.5 / x -
	       r * (1.0 / 12 -
		    r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132)))));
}

double fit_trigamma(double x)
{
	double sum = 0;
	double r;

	while (x < ASYMPTOTIC) {
		sum += 1 / (x * x);
		x += 1;
	}
	r = 1 / (x * x);
	return sum + 1 / x + r / 2 +
	       r / x *
		       (1.0 / 6 -
			r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30 - r * (5.0 / 66)))));
}

/* It falls from infinity to 0. */
static double trigamma_inverse(double y)
{
	double lo = 1e-6;
	double hi = 1e9;

	for (int i = 0; i < 200; i++) {
		double mid = sqrt(lo * hi);

		if (fit_trigamma(mid) > y)
			lo = mid;
		else
			hi = mid;
	}
	return sqrt(lo * hi);
}

/* Log variance, freed of the bias and in units where only chance and d0 scatter it. */
static double level(const struct fit_sample *s)
{
	return log(s->variance) - fit_digamma(s->df / 2) + log(s->df / 2);
}

/* Without any spread there is no logarithm: such a sample (a saturated metric) tells nothing. */
static double workload_mean(const struct fit_sample *samples, size_t n, int workload, int *count)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 0; i < n; i++) {
		if (samples[i].workload != workload || samples[i].variance <= 0)
			continue;
		sum += level(&samples[i]);
		(*count)++;
	}
	return *count ? sum / *count : 0;
}

double fit_d0(const struct fit_sample *samples, size_t n)
{
	double squares = 0;
	double chance = 0;
	double df = 0;

	for (size_t i = 0; i < n; i++) {
		int count;
		double mean = workload_mean(samples, n, samples[i].workload, &count);
		double share;
		double d;

		if (count < 2 || samples[i].variance <= 0)
			continue;
		share = 1 - 1.0 / count; /* of one sample in the n - 1 of its workload */
		d = level(&samples[i]) - mean;
		squares += d * d;
		chance += share * fit_trigamma(samples[i].df / 2);
		df += share;
	}
	if (df <= 0 || squares <= chance)
		return INFINITY;
	return 2 * trigamma_inverse((squares - chance) / df);
}

double fit_pooled(const struct fit_sample *samples, size_t n, int workload, double *df)
{
	double squares = 0;

	*df = 0;
	for (size_t i = 0; i < n; i++) {
		if (samples[i].workload != workload)
			continue;
		squares += samples[i].df * samples[i].variance;
		*df += samples[i].df;
	}
	return *df > 0 ? squares / *df : 0;
}
