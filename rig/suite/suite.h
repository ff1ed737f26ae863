/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Suites: what is run and judged, as data. Loads suites/NAME.yaml, checks it, and expands its
 * matrix under one profile into a plan (plan.h). The file format is rig-suite(5). Layer: suite.
 *
 *	struct suite *s = suite_load("ufs-irq", &err);
 *	struct plan plan = PLAN_INIT;
 *	suite_expand(s, "quick", &plan, &err);
 *	plan_set_board(&plan, "virt-ufs");
 *	plan_add_kernel(&plan, &baseline); plan_add_kernel(&plan, &candidate);
 *	plan_check(&plan, &err);
 */
#ifndef RIG_SUITE_SUITE_H
#define RIG_SUITE_SUITE_H

#include <stddef.h>

#include "base/err.h"
#include "suite/plan.h"

struct conf_table;
struct suite;

/*
 * name is a path when it holds a '/' or ends in ".yaml"; else suites/NAME.yaml under path_data().
 * Everything that does not depend on the profile is checked, and so is every profile. NULL with
 * *err (blame USER) on failure; an unknown name lists the known ones.
 */
struct suite *suite_load(const char *name, struct err *err);

/* From memory; file stands for the path in messages. */
struct suite *suite_parse(const char *file, const char *text, size_t size, struct err *err);

void suite_free(struct suite *s);

const char *suite_name(const struct suite *s);
const char *suite_description(const struct suite *s);

/* The series of bare variant names ("threaded" means "ufs-irq:threaded"); NULL = none declared. */
const char *suite_series(const struct suite *s);

/* The i-th profile name, the default one first; NULL past the end. */
const char *suite_profile(const struct suite *s, size_t i);

/*
 * Fills suite, pairs, warmup, steps and metrics of *plan (initialised, empty) for one profile;
 * NULL = the default profile. Board and kernels are the caller's to add. 0, or -1 with *err and
 * *plan empty.
 */
int suite_expand(const struct suite *s, const char *profile, struct plan *plan, struct err *err);

/* How long one visit's steps take by declaration, in ms (run times and pauses, without boot). */
long suite_estimate_ms(const struct suite *s, const char *profile);

/* Names of suites/ under path_data(), sorted, NULL-terminated; free with suite_names_free(). */
char **suite_names(void);
void suite_names_free(char **names);

/* All key tables, NULL-terminated: for the manual and its test. */
extern const struct conf_table *const suite_tables[];

#endif
