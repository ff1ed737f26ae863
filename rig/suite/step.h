/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The step kinds a suite may use and the metrics each yields: const tables. A new workload made
 * of these needs no C; a new kind of step is a row here and a step of the agent.
 * Layer: suite -> base.
 */
#ifndef RIG_SUITE_STEP_H
#define RIG_SUITE_STEP_H

#include <stdbool.h>
#include <stddef.h>

enum step_role {
	STEP_SETUP = 1,	   /* may stand in `setup` and `teardown` of a suite */
	STEP_WORKLOAD = 2, /* may be a workload */
	STEP_HOST = 4,	   /* done by the job, on this host, and not by the agent */
};

struct step_metric {
	/* "{dir}.iops": {dir} is read, write or trim; "irq.{name}.max_ns": {name} is any word */
	const char *name;
	const char *unit;      /* canonical */
	const char *direction; /* "higher", "lower" */
	const char *help;
};

/* A word "name=value" that a step takes. */
struct step_arg {
	const char *name;
	const char *def; /* in words; NULL = it must be given */
	const char *help;
};

struct step_kind {
	const char *name;
	int roles;		  /* enum step_role, or-ed */
	bool target_required;	  /* without a target it makes no sense */
	unsigned int timeout_s;	  /* when it stands in setup or teardown */
	const char *const *flags; /* options the agent sets itself, refused in args; NULL-ended */
	const struct step_arg *args; /* all that it takes, name NULL at the end; NULL = a program's
					own arguments */
	const struct step_metric *metrics;
	size_t n_metrics;
	const char *help;
};

extern const struct step_kind step_kinds[];
extern const size_t step_kinds_n;

/* What watches a workload while it runs: the agent writes down trace events and counts afterwards.
 */
struct step_observer {
	const char *name;
	const struct step_metric *metrics;
	size_t n_metrics;
	const char *help;
};

extern const struct step_observer step_observers[];
extern const size_t step_observers_n;

/* NULL when there is none. */
const struct step_kind *step_find(const char *name);
const struct step_observer *step_observer_find(const char *name);

/* The row of kind->args that the word "bs=1M" is an instance of, or NULL. */
const struct step_arg *step_arg_find(const struct step_kind *kind, const char *word);

/* The metric row that name ("read.iops") is an instance of; NULL when there is none such. */
const struct step_metric *step_metric_find(const struct step_kind *kind, const char *name);
const struct step_metric *step_observer_metric_find(const struct step_observer *observer,
						    const char *name);

/* Nearest known name for a message, or NULL. step_metric_guess() returns memory to be freed. */
const char *step_guess(const char *name, int roles);
const char *step_observer_guess(const char *name);
const char *step_arg_guess(const struct step_kind *kind, const char *word);
char *step_metric_guess(const struct step_kind *kind, const char *name);

#endif
