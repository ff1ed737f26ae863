/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One session as plain values: what import reads out of a run directory, what the store keeps as
 * rows, and what the gate and the report work on. It knows neither files nor SQL.
 *
 * All arrays are flat and in order of time; a visit, step or kernel is named by its index in the
 * array of its kind. Every string is owned by the session (session_str()) and dies with it; none
 * is NULL, an absent text is "".
 */
#ifndef RESULTS_SESSION_H
#define RESULTS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum direction {
	DIRECTION_NONE, /* reported, never judged */
	DIRECTION_HIGHER,
	DIRECTION_LOWER,
};

/* Where a session stands. */
enum session_state {
	SESSION_RUNNING, /* no session-end, and a job holds the lock */
	SESSION_ENDED,
};

enum visit_result {
	VISIT_OPEN, /* no visit-end seen */
	VISIT_OK,
	VISIT_FAILED,
};

enum step_status {
	STEP_OPEN, /* no step-end seen */
	STEP_OK,
	STEP_FAILED,
	STEP_TIMEOUT,
	STEP_UNSUPPORTED,
};

struct session_kernel {
	const char *label; /* unique in the session: "original", "original#2" */
	const char *series, *variant;
	const char *id;	     /* identity of the build, 16 hex digits */
	const char *release; /* uname -r it must report; "" = unknown */
	const char *arch, *patches_hash, *config_hash, *compiler;
	const char *cmdline; /* the variant's own kernel parameters */
};

/* A metric the plan names. Only these are judged; all others are only kept. */
struct session_metric {
	const char *workload, *metric, *unit;
	enum direction direction;
	bool primary;	   /* at most one per workload */
	double min_effect; /* smaller changes never fail: 0.02 = 2 % */
	double loss;	   /* the loss that a PASS excludes: 0.05 = 5 %; 0 = it must be 0 */
};

struct session_visit {
	int number; /* as in the journal and in the directory's name */
	int kernel; /* index into kernels */
	int pair;   /* 1..; 0 = warm-up or control */
	int position;
	bool warmup, control;
	enum visit_result result;
	const char *dir;	 /* relative to the run directory */
	const char *release;	 /* uname -r as booted; "" = never said hello */
	const char *fingerprint; /* compact JSON object; "" = none */
	int64_t started_ms;	 /* wall clock, ms since 1970 */
	int64_t boot_ms;	 /* power-on to agent hello; -1 = unknown */
	int64_t line_errors;	 /* of the console in this boot, as its driver counts them */
	int64_t line_gaps;	 /* how often the console was gone in this boot */
};

struct session_step {
	int visit; /* index into visits */
	int number;
	const char *kind, *workload;
	enum step_status status;
	enum blame blame;    /* of a step that is not ok: TEST, or RIG when its file was lost */
	const char *message; /* why it is not ok */
	const char *dir, *command;
	int exit_code, signal;
	int64_t duration_ns, agent_cpu_ns, agent_wakeups; /* -1 = unknown */
};

struct session_sample {
	int step; /* index into steps */
	const char *metric;
	double value; /* canonical unit of the metric, finite */
};

/* A kernel log splat. */
struct session_finding {
	int visit;
	const char *kind, *title, *severity;
	const char *signature; /* its identity, scan/signature.h; "" = not recorded */
	const char *guilty;    /* source file to look at first, a guess; "" = unknown */
	const char *trace;     /* functions, innermost first, one a line */
	int64_t begin, end;    /* bytes in the visit's console.log */
};

/* A row of the lab's list of findings to be passed over, as it stood when the session began. */
struct session_suppression {
	const char *title, *kind, *guilty, *until; /* as in scan/suppression.h */
	const char *reason;
};

struct session_fault {
	int visit;	  /* -1 = of the session */
	enum blame blame; /* never BLAME_NONE */
	const char *code, *message;
	int64_t at_ms; /* wall clock */
};

/* How much an anomaly matters. An ERROR keeps the numbers from being judged. */
enum severity {
	SEVERITY_OK, /* looked at, and right */
	SEVERITY_INFO,
	SEVERITY_WARN,
	SEVERITY_ERROR,
};

/* What a sanity rule says about the numbers; see check.h. */
struct session_anomaly {
	const char *rule; /* "bw-vs-iops" */
	enum severity severity;
	const char *place;   /* visit and step */
	const char *subject; /* what the numbers are of */
	const char *printed, *expected, *message;
};

/* What the board's own A/A calibration says of the noise of one primary metric; calibrate.h. */
struct session_prior {
	const char *workload, *metric;
	double d0;	 /* degrees of freedom it is worth */
	double s0sq;	 /* variance of the log ratio of one pair */
	int64_t made_ms; /* of the calibration */
};

struct session {
	const char *name; /* YYYYMMDD-HHMMSS-<suite>-<6 hex> */
	const char *dir;  /* where the run directory was when it was imported */
	int64_t started_ms;
	int64_t pruned_ms; /* when `rig db prune` dropped its samples; 0 = they are here */
	enum session_state state;
	const char *result; /* of session-end; "" while running */
	const char *user, *host, *rig_version;
	const char *suite, *suite_hash, *profile;
	const char *notes; /* the profile's, one a line */
	const char *board, *serial, *model;
	const char *setup; /* the lab's row of the board, "key=value" a line; "" = not told */
	int pairs_fixed, pairs_min, pairs_max, warmup;
	int joined; /* made of so many stored sessions, join.h; 0 = is one */
	int64_t seed;

	struct session_kernel *kernels; /* [0] is the baseline */
	size_t n_kernels;
	struct session_metric *metrics;
	size_t n_metrics;
	struct session_visit *visits; /* in order of their numbers */
	size_t n_visits;
	struct session_step *steps;
	size_t n_steps;
	struct session_sample *samples;
	size_t n_samples; /* in order of their steps */
	struct session_finding *findings;
	size_t n_findings;
	struct session_fault *faults;
	size_t n_faults;
	struct session_anomaly *anomalies;
	size_t n_anomalies;
	struct session_prior *priors; /* given when it was first judged, and kept */
	size_t n_priors;
	struct session_suppression *suppressions;
	size_t n_suppressions;

	struct session_pool *pool; /* the strings */
};

struct session *session_new(void);
void session_free(struct session *s);

/* A copy of text (NULL: "") that lives as long as the session. */
const char *session_str(struct session *s, const char *text);

/* Each appends a zeroed element (strings "", unknown numbers -1) that is valid until the next. */
struct session_kernel *session_add_kernel(struct session *s);
struct session_metric *session_add_metric(struct session *s);
struct session_visit *session_add_visit(struct session *s);
struct session_step *session_add_step(struct session *s);
struct session_sample *session_add_sample(struct session *s);
struct session_finding *session_add_finding(struct session *s);
struct session_fault *session_add_fault(struct session *s);
struct session_anomaly *session_add_anomaly(struct session *s);
struct session_prior *session_add_prior(struct session *s);

/* The prior of that primary metric; NULL = none. */
const struct session_prior *session_find_prior(const struct session *s, const char *workload,
					       const char *metric);
struct session_suppression *session_add_suppression(struct session *s);

/*
 * 0, or -1 with *err (code "pruned", USER) for a session whose raw samples were dropped: nothing
 * can be computed from it.
 */
int session_check_pruned(const struct session *s, struct err *err);

/* The visit with that journal number, or -1. */
int session_find_visit(const struct session *s, int number);

/* The step of that visit (index) which ran the workload, or -1. */
int session_find_step(const struct session *s, int visit, const char *workload);

/*
 * The sample of that step (index): of that very name, or of the one name that ends in ".metric"
 * ("iops_avg" finds "read.iops_avg" where no other direction did I/O). 0, or -ENOENT.
 */
int session_value(const struct session *s, int step, const char *metric, double *value);

/* The counted visit (no warm-up, no control) of that kernel in that pair, or -1. */
int session_pair_visit(const struct session *s, int kernel, int pair);

/*
 * Pairs, counted from 1 without a gap, in which the baseline and this kernel both ended well.
 * kernel 0: pairs in which every kernel did.
 */
int session_complete_pairs(const struct session *s, int kernel);

/* Words of the journal, the database and the reports. Parsing an unknown word gives -1. */
const char *direction_name(enum direction d);
int direction_parse(const char *word);
const char *step_status_name(enum step_status status);
int step_status_parse(const char *word);
const char *visit_result_name(enum visit_result result);
int visit_result_parse(const char *word);
const char *severity_name(enum severity severity); /* "OK", "INFO", ... */
int severity_parse(const char *word);

#endif
