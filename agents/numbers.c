// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of numbers; see numbers.h. */
#include "agents/numbers.h"

#include <math.h>
#include <stdlib.h>

bool numbers_add(struct numbers *list, double value)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 256;
		double *v = realloc(list->v, cap * sizeof(*v));

		if (!v)
			return false;
		list->v = v;
		list->cap = cap;
	}
	list->v[list->n++] = value;
	return true;
}

void numbers_release(struct numbers *list)
{
	free(list->v);
	*list = (struct numbers){ 0 };
}

double numbers_mean(const struct numbers *list)
{
	double sum = 0;

	for (size_t i = 0; i < list->n; i++)
		sum += list->v[i];
	return list->n ? sum / (double)list->n : 0;
}

double numbers_sd(const struct numbers *list)
{
	double mean = numbers_mean(list), sum = 0;

	for (size_t i = 0; i < list->n; i++)
		sum += (list->v[i] - mean) * (list->v[i] - mean);
	return list->n > 1 ? sqrt(sum / (double)(list->n - 1)) : 0;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void numbers_sort(struct numbers *list)
{
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), ascending);
}

double numbers_percentile(const struct numbers *list, double p)
{
	size_t rank = (size_t)ceil(p / 100 * (double)list->n);

	if (!list->n)
		return 0;
	return list->v[rank ? rank - 1 : 0];
}
