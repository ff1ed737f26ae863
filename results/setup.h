/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set-up that numbers were taken in, to tell whether two sessions can be joined or a
 * calibration holds for one: board, host, lab row, suite file, profile, and what fingerprints are
 * compared by (fingerprint.h: tools, governor, frequencies, affinities, ...). The versions of rig
 * and agent are not part of it, or each build of the rig would begin anew: the agent sleeps while a
 * workload runs, and what it tunes stands in the fingerprint. Pure.
 */
#ifndef RESULTS_SETUP_H
#define RESULTS_SETUP_H

#include <stdbool.h>

struct buf;
struct session;

struct setup {
	const char *serial, *model, *host;
	const char *suite, *profile, *suite_hash;
	const char *lab;   /* the lab's row of the board, "key=value" a line */
	const char *print; /* setup_print() */
};

/* All but the fingerprint, which is "" until the caller fills it in. */
struct setup setup_of(const struct session *s);

/*
 * What is compared of the fingerprint of the first counted boot of the baseline, as JSON; "" when
 * there is none. The caller frees.
 */
char *setup_print(const struct session *s);

/* Else false, with each difference appended to why: "cpus: 1 / 2; profile: quick / full". */
bool setup_same(const struct setup *a, const struct setup *b, struct buf *why);

#endif
