/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words "name=value" that a step of our own is given as arg keys. The suite has checked the
 * names. A value that cannot be ends the step, with a message that names it. Above report.c.
 */
#ifndef AGENTS_ARGS_H
#define AGENTS_ARGS_H

#include <stdbool.h>
#include <stdint.h>

struct step;

/* The value of the last arg of that name; def when there is none. Owned by the step. */
const char *args_text(const struct step *s, const char *name, const char *def);

/*
 * A whole number in min..max; 1024-fold for each of the suffixes k, M, G. False when the step has
 * been ended because of it.
 */
bool args_number(struct step *s, const char *name, uint64_t def, uint64_t min, uint64_t max,
		 uint64_t *value);

/* "yes" or "no". */
bool args_yes(struct step *s, const char *name, bool def, bool *value);

#endif
