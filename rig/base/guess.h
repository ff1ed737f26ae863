/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "did you mean ...?": the nearest known word to a mistyped one, by edit distance (insertions,
 * deletions, substitutions and swaps of neighbours each count 1).
 *
 *	struct guess guess = GUESS_INIT;
 *	for (each known word)
 *		guess_offer(&guess, typed, known);
 *	if (guess.best) ...
 */
#ifndef RIG_BASE_GUESS_H
#define RIG_BASE_GUESS_H

#include <stddef.h>

struct guess {
	const char *best; /* nearest word so far, NULL while none is near enough */
	size_t distance;
};

#define GUESS_INIT                                                                                 \
	{                                                                                          \
		NULL, (size_t)-1                                                                   \
	}

/* Takes known as the best if it is nearer than the last one and at most 1 + a third of it off. */
void guess_offer(struct guess *guess, const char *typed, const char *known);

#endif
