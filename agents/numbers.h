/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of numbers and what is said of it. libc only. */
#ifndef AGENTS_NUMBERS_H
#define AGENTS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

struct numbers {
	double *v;
	size_t n, cap;
};

/* False when memory is short; the list stays as it was. */
bool numbers_add(struct numbers *list, double value);
void numbers_release(struct numbers *list);

/* 0 for an empty list. */
double numbers_mean(const struct numbers *list);
/* The standard deviation of a sample; 0 for fewer than two. */
double numbers_sd(const struct numbers *list);

void numbers_sort(struct numbers *list);
/*
 * Of a sorted list: the smallest value that at least p % of all do not exceed (nearest rank), so
 * that it is one that occurred; p = 100 is the largest.
 */
double numbers_percentile(const struct numbers *list, double p);

#endif
