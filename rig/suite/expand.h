/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of suite.h: the decoded suite, shared by suite.c (format, loading, checking) and
 * expand.c (suite and profile to plan). Not for other directories.
 */
#ifndef RIG_SUITE_EXPAND_H
#define RIG_SUITE_EXPAND_H

#include "conf/conf.h"
#include "suite/suite.h"

#define SUITE_HASH_BYTES 65 /* SHA-256 in hex and NUL */

enum suite_direction { DIRECTION_DEFAULT, DIRECTION_HIGHER, DIRECTION_LOWER };

extern const char *const suite_direction_words[];

struct suite_metric {
	struct conf_pos pos;
	struct conf_text name;
	bool primary;
	bool must_be_zero;
	int direction; /* enum suite_direction */
	double min_effect;
	double loss;
};

struct suite_workload {
	struct conf_pos pos;
	struct conf_text name;
	struct conf_text step;
	struct conf_pairs matrix;
	struct conf_texts args;
	struct conf_texts observe;
	struct conf_text target;
	struct conf_text duration_s, grace_s, pause_s;
	struct conf_texts profiles;
	bool gate;
	struct conf_list metrics; /* of struct suite_metric */
};

struct suite_profile {
	struct conf_pos pos;
	struct conf_text name;
	struct conf_texts notes;
	struct conf_pairs vars;
};

struct suite_pairs {
	struct conf_pos pos;
	long min, max;
};

struct suite_root {
	struct conf_pos pos;
	struct conf_text name;
	const char *description;
	const char *series;
	long warmup;
	struct suite_pairs pairs;
	struct conf_texts setup, teardown;
	struct conf_list profiles;  /* of struct suite_profile */
	struct conf_list workloads; /* of struct suite_workload */
};

struct suite {
	struct conf *conf;
	struct suite_root root;
	char hash[SUITE_HASH_BYTES];
};

#endif
