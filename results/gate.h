/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: did this kernel make this board slower, or break it?
 *
 * Two layers. The arithmetic at the end (gate_evaluate(), gate_sequence()) are pure functions over
 * arrays; the simulator links them. Above it, gate_judge() applies them to a session and weighs
 * faults, kernel log findings and the sanity of the comparison.
 *
 * Method: for each workload one primary metric; per pair i of neighbouring boots
 *	d_i = log(candidate / baseline), turned so that a loss is negative
 *	m = mean d_i,  s^2 = (d0 s0^2 + (n - 1) s_d^2) / (d0 + n - 1),  df = d0 + n - 1
 * where d0, s0^2 come from A/A runs of the same board (0 until there are any: a paired t test).
 * Looks are taken at a few numbers of pairs only, each at a one-sided level that makes .025 over
 * all looks (gate_levels()), with Holm's correction over the workloads, weighted (gate_weigh()):
 *
 *	workload FAIL	p_adj <= level and the loss is at least min_effect
 *	workload PASS	the lower end of the 95 % interval of m excludes a loss of `loss`
 *	candidate	FAIL if any workload fails, PASS if all pass; else the next look; at the
 *			last one INCONCLUSIVE, and before it when the looks that are left will
 *			hardly settle it (gate_futile())
 *
 * That early end never fails anybody, and the levels hold whether or not it is taken: where pairs
 * are still made for another candidate, a candidate that was given up is looked at again.
 *
 * How often that is right, beside what others do: `make sim` (results/sim/). Means and not robust
 * estimates, on purpose: a candidate that is slow in some of its boots is a slow candidate.
 *
 * The kernel log: a finding (by its signature, findings.h) of a candidate's visits, of severity
 * above "notice", that no visit of the baseline shows and the lab does not suppress is a FAIL.
 * Warm-up and control visits give no numbers, but what their kernel logs say counts on both sides:
 * a splat is no matter of noise. While the session runs, pairs up to the first look are still asked
 * for, so that the report has numbers.
 *
 * Refused as INVALID: another kernel booted than was meant, two visits in one boot, A and B not
 * interleaved, fingerprints that differ in what matters (fingerprint.h), a missing number, numbers
 * that contradict each other (check.h).
 *
 * A session with one kernel has one verdict, of candidate 0: NONE, or FAIL or INVALID for a fault.
 *
 * Order of the verdicts of a session: INVALID, FAIL, INCONCLUSIVE, PASS; the worst candidate
 * decides the exit code. A fault that is not the kernel's makes every candidate INVALID, also one
 * that had been decided before: a board that lost its link later may have been losing it then.
 */
#ifndef RESULTS_GATE_H
#define RESULTS_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "results/session.h"

struct store;

/* In order of badness. */
enum verdict {
	VERDICT_NONE, /* nothing to compare: one kernel only */
	VERDICT_PASS,
	VERDICT_PENDING, /* a running session that needs more pairs */
	VERDICT_INCONCLUSIVE,
	VERDICT_FAIL,
	VERDICT_INVALID,
};

#define GATE_MIN_PAIRS 4 /* fewer say nothing */
#define GATE_MAX_LOOKS 5

/* One workload at one look. Effects are natural logarithms of ratios; negative = worse. */
struct gate_estimate {
	int n;		 /* pairs */
	double mean, sd; /* of d_i; sd is the moderated s */
	double se, df, t;
	double p, p_adj; /* one-sided for a loss; p_adj: weighted Holm */
	double lo, hi;	 /* 95 % interval of the mean */
	double mde; /* loss found with 80 % power at its share of this level and n, as a fraction;
		     * 0 = not asked */
	int pairs_needed;    /* until mde is `loss`; 0 = is already; -1 = more than 1000 */
	enum verdict result; /* PASS, FAIL, or PENDING = undecided */

	/* Of gate_futile(), not stored: this workload is why no PASS is to be hoped for. */
	bool stuck;
	int pairs_to_settle; /* if the mean stays as it is; -1 = more than 1000 */
};

struct gate_workload {
	char *workload, *metric, *unit;
	enum direction direction;
	double base_mean, cand_mean; /* arithmetic means, metric's unit, for the eye only */
	double signflip_p;	     /* exact, one-sided; reported as a cross-check, never used */
	struct gate_estimate est;
};

struct gate_look {
	int pairs;
	double level; /* one-sided */
	enum verdict result;
	struct gate_workload *workloads;
	size_t n_workloads;
};

struct gate_verdict {
	int candidate; /* index of the kernel in the session */
	char *label;
	enum verdict result;
	enum blame blame; /* of FAIL and INVALID */
	char code[32];	  /* a short word: regression, finding, confounded, or that of the fault */
	char *reason;	  /* plain words, one reason a line */
	int pairs;	  /* complete ones */
	struct gate_look *looks; /* in order; the last one decided, or is the latest */
	size_t n_looks;
};

struct gate_set {
	enum verdict result; /* the worst */
	enum blame blame;    /* of the worst */
	bool more;	     /* another pair would help: the answer to the job */
	uint64_t rows_hash;  /* of every row the verdicts rest on */
	struct gate_verdict *verdicts;
	size_t n_verdicts;
};

void gate_set_free(struct gate_set *set); /* NULL-safe */

const char *verdict_name(enum verdict v);
int verdict_parse(const char *name); /* -1 = unknown */

/* EXIT_*: NONE and PASS 0, FAIL 1, INCONCLUSIVE and PENDING 2, INVALID 3. */
int gate_exit_code(const struct gate_set *set);

/* Judges a session from its rows alone; never fails. Same rows, same bits. */
struct gate_set *gate_judge(const struct session *s);

/*
 * Loads the session, judges it, stores the verdicts. The first time that there are numbers it is
 * given the priors of the newest calibration that holds (calibrate.h); later looks, replays and
 * imports use the same. NULL on error (of the store only).
 */
struct gate_set *gate_run(struct store *st, const char *session, struct err *err);

/*
 * Recomputes the stored verdicts from rows and compares them bit for bit. 0 = the same; 1 = they
 * differ, *what (caller frees) says where and whether rows changed since; -1 = *err.
 */
int gate_replay(struct store *st, const char *session, char **what, struct err *err);

/* ---- arithmetic ---- */

/* The pairs of one primary metric; base[i] and cand[i] are neighbours in time, all > 0. */
struct gate_series {
	const double *base, *cand;
	int n;
	enum direction direction;
	double min_effect, loss; /* fractions: 0.02, 0.05 */
	double d0, s0sq;	 /* variance prior from A/A runs; 0, 0 = none */
	double share;		 /* of the family's level, by gate_weigh(); 0 = an equal one */
};

/*
 * The looks of a session with that plan: numbers of pairs in looks[], returns how many. fixed > 0:
 * that one. Else evenly spaced even numbers from min to max, max included: 4,12 -> 4 6 8 10 12.
 * No look is taken at fewer than GATE_MIN_PAIRS; a plan that ends before that has none.
 */
int gate_looks(int fixed, int min, int max, int looks[GATE_MAX_LOOKS]);

/* Share of the sessions of an unchanged kernel that may FAIL, by any workload at any look. */
#define GATE_ALPHA 0.025

/* One-sided: of the 95 % interval, and so of the PASS test. */
#define GATE_CONFIDENCE 0.975

/*
 * The one-sided level of each look, to be met by p_adj: of a family of so many workloads, with a
 * prior of (at least) d0 degrees of freedom. One look: GATE_ALPHA. Five looks of which the last is
 * at no more than three times the pairs of the first (the usual plan): exact for normal noise, from
 * a table. Any other plan: GATE_ALPHA in equal parts, which is right for all and costs some power.
 */
void gate_levels(const int *looks, int n_looks, size_t family, double d0,
		 double levels[GATE_MAX_LOOKS]);

/*
 * Gives each series its share of the level: little to the quiet ones, where a loss of `loss` is
 * found all the same at a look at that many pairs and that level, and so more to the others. A
 * third of an equal share at least. Equal shares if any of them has no prior.
 *
 * That an unchanged kernel still fails in GATE_ALPHA of the sessions at most rests on this:
 * - The shares add up to one, and weighted Holm keeps the level of the family for any weights that
 *   do not come from the data that are judged (Holm, Scandinavian Journal of Statistics 6 (1979)
 *   65-70; Genovese, Roeder and Wasserman, Biometrika 93 (2006) 509-524). They come from the suite
 *   and from a calibration that is older than the session.
 * - They are the same at all looks. Had one workload all of the first look and another all of the
 *   second, the looks would be independent, and gate_levels() allows dependent ones more. With the
 *   same shares, equal ones are the worst: a workload's error grows ever more slowly with its
 *   level.
 * - A share never falls with the prior's variance. A variance that was found too small by chance
 *   makes p too small; it must not attract level as well. (With shares that give up the noisiest
 *   workloads, 4 noisy ones failed in 3.2 % of the sessions and 24 in 6 %.)
 * `make sim` measures it, with like and unlike boards.
 */
void gate_weigh(struct gate_series *series, size_t count, int pairs, double level);

/* Its share, or an equal one of that family if it has none. */
double gate_share(const struct gate_series *s, size_t count);

/*
 * Readies these series for their looks: levels for a family of count with the smallest d0, and
 * shares that serve the looks where most losses are found, the first third.
 */
void gate_prepare(struct gate_series *series, size_t count, const int *looks, int n_looks,
		  double levels[GATE_MAX_LOOKS]);

/*
 * One look over the first `pairs` pairs of every series; fills est[count] and returns FAIL, PASS
 * or PENDING. pairs >= 2, count >= 1.
 */
enum verdict gate_evaluate(const struct gate_series *series, size_t count, int pairs, double level,
			   struct gate_estimate *est);

/*
 * Fills mde (at the series' share of the level of this look; the whole if it has none) and
 * pairs_needed (at that of the last one) of an estimate, which cost more than the test itself.
 */
void gate_detectable(const struct gate_series *series, double level, double last_level,
		     struct gate_estimate *est);

/*
 * Of a candidate that is undecided by est: will the last look, at that many pairs and that level,
 * hardly settle it? It is unlikely that any workload fails there (10 %), and that all pass (15 %
 * for the worst), by the predictive distribution of the means. Marks the workloads that are stuck.
 */
bool gate_futile(const struct gate_series *series, size_t count, int pairs, double level,
		 struct gate_estimate *est);

/*
 * All looks in order until one decides or the pairs (series[0].n) run out. est has room for n_looks
 * times count estimates; those of look i begin at est[i * count]. *taken = how many looks were
 * taken (0 = too few pairs for any). Returns FAIL, PASS, PENDING, or INCONCLUSIVE when the pairs
 * run out undecided and the looks that are left are not worth taking: to be asked after each look.
 * Pairs that there are all the same, for another candidate's sake, are looked at. The series are
 * prepared by it.
 */
enum verdict gate_sequence(struct gate_series *series, size_t count, const int *looks, int n_looks,
			   struct gate_estimate *est, int *taken);

/* The effect (negative) that is a loss of that fraction of the metric. */
double gate_loss_effect(enum direction direction, double loss);

/* An effect as the relative change of the metric itself: -0.12 = 12 % less than the baseline. */
double gate_change(enum direction direction, double effect);

#endif
