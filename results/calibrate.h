/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A/A calibration: what a board's own noise is, from sessions that compared a kernel with itself.
 *
 * For each primary metric it gives a variance prior (d0, s0^2) for the gate's moderated t test, and
 * says whether the gate may be trusted on this board: are p-values of equal kernels uniform, how
 * often did it fail one, which loss can be found, how many pairs find the suite's own.
 *
 *	s0^2	pooled variance of the log ratio of a pair
 *	d0	degrees of freedom it is worth: see calibrate-fit.h; never more than
 *		CALIBRATE_D0_MAX, nor than the calibration itself has
 *	ks_p	Kolmogorov-Smirnov test of the one-sided p-values of all blocks of
 *		GATE_MIN_PAIRS pairs (plain paired t, no prior) against the uniform distribution
 *	failed	A/A sessions that the gate failed for a regression: chance makes 2.5 % of them
 *	mde	loss found with 80 % power at the most pairs of the suite, all its workloads
 *		being judged together
 *
 * A calibration holds for a session of the same board, suite file and profile while nothing that
 * numbers depend on has changed: host, the lab's row of the board, what fingerprints are compared
 * by (tools, governor, ...; setup.h). A session is given the priors of the
 * newest calibration that holds and is older than the session, when it is first judged; they are
 * rows of the session from then on (gate.h).
 */
#ifndef RESULTS_CALIBRATE_H
#define RESULTS_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "results/gate.h"

#define CALIBRATE_D0_MAX 20

struct buf;

struct calibration_series {
	char *workload, *metric;
	int pairs;
	double d0, s0sq;
	double ks_p; /* 1 when there are no p-values */
	int n_p;     /* p-values it rests on */
	double mde;  /* a fraction of the metric */
	int mde_pairs;
	int pairs_needed; /* for the suite's own loss, no fewer than the gate takes; -1 = more
			     than 1000 */
};

struct calibration {
	int64_t id; /* in the store; 0 = not stored */
	char *board, *serial, *model;
	char *suite, *profile, *suite_hash;
	char *host, *setup, *fingerprint; /* as in a session, and of one of its visits */
	char *rig_version;
	char *newest; /* name of the newest session it rests on */
	int64_t made_ms;
	int sessions, gated, failed;
	double ks_p;	 /* over all workloads */
	char *withdrawn; /* why; "" = not */
	struct calibration_series *series;
	size_t n_series;
};

/* One A/A comparison: the baseline with a candidate of the same build and parameters. */
struct calibrate_input {
	const struct session *s;
	int candidate;
	enum verdict verdict; /* what the gate said; VERDICT_NONE = never judged */
};

/* The candidate that is the baseline once more; -1 = none. */
int calibrate_candidate(const struct session *s);

/*
 * Can the comparison be used? It has ended, has GATE_MIN_PAIRS complete pairs, passes the sanity
 * checks of the gate and shows no fault. Else false, and the reason is appended to why.
 */
bool calibrate_usable(const struct session *s, int candidate, struct buf *why);

/* From usable comparisons of one set-up, the newest first; n >= 1. */
struct calibration *calibrate_new(const struct calibrate_input *in, size_t n, int64_t made_ms);
void calibration_free(struct calibration *c); /* NULL-safe */

/*
 * Does it hold for a session (as far as it has run)? Else false, and what has changed is appended
 * to why, "key: then / now" where it can be said so.
 */
bool calibration_holds(const struct calibration *c, const struct session *s, struct buf *why);

/* The same for a set-up text and a suite's hash that have not run yet. */
bool calibration_holds_setup(const struct calibration *c, const char *setup, const char *suite_hash,
			     struct buf *why);

/* Makes it the session's priors. */
void calibration_give(const struct calibration *c, struct session *s);

/* What of the store to calibrate: all three are needed. */
struct calibrate_key {
	const char *board, *suite, *profile;
};

/*
 * A calibration out of the stored A/A sessions of that board, suite and profile: of the set-up of
 * the newest usable one. The others that are left out are listed in notes with the reason, one a
 * line. Nothing is stored. NULL with *err, code "no-aa" (USER) when there is none.
 */
struct calibration *calibrate_stored(struct store *st, const struct calibrate_key *key,
				     int64_t now_ms, struct buf *notes, struct err *err);

/*
 * Gives the session, which has none, the priors of the newest stored calibration that holds for it
 * and was made no later than before_ms. None is no error. 0 or -1.
 */
int calibrate_prior(struct store *st, struct session *s, int64_t before_ms, struct err *err);

/* Whose variance a session was judged with: d0 and date of the priors, or that there were none. */
void calibrate_say(const struct session *s, struct buf *out);

/* A calibration as a table for people, and as a JSON object. */
void calibrate_text(const struct calibration *c, struct buf *out);
char *calibrate_json(const struct calibration *c, const char *state);

#endif
