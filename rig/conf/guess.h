/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "did you mean ...?": the nearest of a list of known words.
 */
#ifndef RIG_CONF_GUESS_H
#define RIG_CONF_GUESS_H

#include <stddef.h>

/* Number of single-character edits (insert, delete, replace, swap neighbours) from a to b. */
unsigned int guess_distance(const char *a, const char *b);

/*
 * The word nearest to `word`, or NULL when none is near enough (more than a third of the letters
 * differ). words[n]; NULL entries are skipped. The first of equally near words wins.
 */
const char *guess_word(const char *word, const char *const *words, size_t n);

#endif
