// SPDX-License-Identifier: GPL-2.0-or-later
/* The nearest known word; see guess.h. Layer: base. */
#include "base/guess.h"

#include <string.h>

#define WORD_MAX 64

static size_t min2(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance; words longer than WORD_MAX are infinitely far. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1];
	size_t na = strlen(a);
	size_t nb = strlen(b);

	if (na > WORD_MAX || nb > WORD_MAX)
		return (size_t)-1;
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3];
		size_t *above = rows[(i - 1) % 3];
		size_t *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t differ = a[i - 1] != b[j - 1];

			row[j] = min2(min2(row[j - 1], above[j]) + 1, above[j - 1] + differ);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min2(row[j], above2[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

void guess_offer(struct guess *guess, const char *typed, const char *known)
{
	size_t d = edit_distance(typed, known);

	if (d < guess->distance && d <= 1 + strlen(known) / 3) {
		guess->best = known;
		guess->distance = d;
	}
}
