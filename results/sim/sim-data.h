/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Public series with labels, read where they lie: $RIG_SHARED/datasets (default ../shared). They
 * are no part of this tree; what needs them does without when they are missing.
 */
#ifndef RESULTS_SIM_DATA_H
#define RESULTS_SIM_DATA_H

#include <stdbool.h>
#include <stddef.h>

/* A detector: n values, room for n indices; how many it found. */
typedef size_t sim_detector(const double *x, size_t n, size_t *at);

/* changepoint_find() as shipped. */
size_t sim_rig(const double *x, size_t n, size_t *at);

bool sim_data_there(void);

/*
 * The Turing Change Point Dataset (van den Burg and Williams 2020): the univariate series without
 * missing values. F1 with a margin of 5 points and covering, averaged over the series, each
 * against all its annotators.
 */
struct sim_tcpd {
	int series; /* 30; 0 = the data is not there */
	double f1, cover;
};

struct sim_tcpd sim_tcpd(sim_detector *find);

/* Lists that others' own tests expect of their detectors; of: how many there are, 0 = no data. */
struct sim_conformance {
	int of, equal;
};

struct sim_conformance sim_conformance_otava(void);   /* of cmp_otava() */
struct sim_conformance sim_conformance_mozilla(void); /* of cmp_mozilla() */

#endif
