/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The judges that are compared: who decides how whether B differs from A, at a nominal 5 %
 * two-sided where it is a test at all.
 */
#ifndef RESULTS_SIM_TESTS_H
#define RESULTS_SIM_TESTS_H

#include "results/sim/sim-board.h"

#define SIM_TEST_MAX 12 /* visits to each kernel */

/* One comparison. */
struct sim_case {
	const double *base, *cand;
	int n; /* 3 .. SIM_TEST_MAX */
	enum sim_order order;
	double d0, s0sq;     /* of the board's A/A calibration */
	struct sim_rng *rng; /* for tests that draw */
};

enum sim_test {
	SIM_THRESHOLD, /* means differ by 3 % */
	SIM_WELCH,
	SIM_STUDENT,
	SIM_MANNWHITNEY,
	SIM_PERMUTATION,
	SIM_OTAVA,     /* Student's with the population's sd, p < .001 (Otava's tester) */
	SIM_LKP,       /* ranges apart by more than half the difference (lkp-tests) */
	SIM_BOOTSTRAP, /* 95 % percentile interval of the difference of means */
	SIM_PAIRED,    /* t */
	SIM_SIGNFLIP,  /* exact */
	SIM_ANCOVA,    /* kernel and linear time */
	SIM_GATE,      /* ours: moderated t of the pairs, by gate_evaluate() */
	SIM_TESTS,
};

const char *sim_test_name(enum sim_test test);

/* -1 = B is slower, +1 = faster, 0 = no difference shown. */
int sim_test(enum sim_test test, const struct sim_case *c);

#endif
