// SPDX-License-Identifier: GPL-2.0-or-later
/* One session as values; see session.h. Layer: results, pure. */
#include "results/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* Strings live in chunks that never move. */
struct session_pool {
	struct session_pool *next;
	size_t used, cap;
	char data[];
};

#define POOL_CHUNK 16384

struct session *session_new(void)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->name = s->dir = s->result = s->user = s->host = s->rig_version = "";
	s->suite = s->suite_hash = s->profile = s->notes = "";
	s->board = s->serial = s->model = s->setup = "";
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	while (s->pool) {
		struct session_pool *next = s->pool->next;

		free(s->pool);
		s->pool = next;
	}
	free(s->kernels);
	free(s->metrics);
	free(s->visits);
	free(s->steps);
	free(s->samples);
	free(s->findings);
	free(s->faults);
	free(s->anomalies);
	free(s->priors);
	free(s->suppressions);
	free(s);
}

static struct session_pool *pool_for(struct session *s, size_t size)
{
	struct session_pool *p = s->pool;
	size_t cap = size > POOL_CHUNK ? size : POOL_CHUNK;

	if (p && p->cap - p->used >= size)
		return p;
	p = xmalloc(sizeof(*p) + cap);
	p->next = s->pool;
	p->used = 0;
	p->cap = cap;
	s->pool = p;
	return p;
}

const char *session_str(struct session *s, const char *text)
{
	struct session_pool *p;
	size_t size;
	char *copy;

	if (!text || !*text)
		return "";
	size = strlen(text) + 1;
	p = pool_for(s, size);
	copy = p->data + p->used;
	memcpy(copy, text, size);
	p->used += size;
	return copy;
}

/* Room for one more element: capacities are powers of two, so that n tells when one is full. */
static void *grow(void *array, size_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return xrealloc(array, (n ? 2 * n : 1) * size);
}

#define APPEND(s, field, ...)                                                                      \
	do {                                                                                       \
		(s)->field = grow((s)->field, (s)->n_##field, sizeof(*(s)->field));                \
		(s)->field[(s)->n_##field++] = (__typeof__(*(s)->field)){ __VA_ARGS__ };           \
	} while (0)

struct session_kernel *session_add_kernel(struct session *s)
{
	APPEND(s, kernels, .label = "", .series = "", .variant = "", .id = "", .release = "",
	       .arch = "", .patches_hash = "", .config_hash = "", .compiler = "", .cmdline = "");
	return &s->kernels[s->n_kernels - 1];
}

struct session_metric *session_add_metric(struct session *s)
{
	APPEND(s, metrics, .workload = "", .metric = "", .unit = "");
	return &s->metrics[s->n_metrics - 1];
}

struct session_visit *session_add_visit(struct session *s)
{
	APPEND(s, visits, .dir = "", .release = "", .fingerprint = "", .boot_ms = -1);
	return &s->visits[s->n_visits - 1];
}

struct session_step *session_add_step(struct session *s)
{
	APPEND(s, steps, .kind = "", .workload = "", .message = "", .dir = "", .command = "",
	       .duration_ns = -1, .agent_cpu_ns = -1, .agent_wakeups = -1);
	return &s->steps[s->n_steps - 1];
}

struct session_sample *session_add_sample(struct session *s)
{
	APPEND(s, samples, .metric = "");
	return &s->samples[s->n_samples - 1];
}

struct session_finding *session_add_finding(struct session *s)
{
	APPEND(s, findings, .kind = "", .title = "", .severity = "", .signature = "", .guilty = "",
	       .trace = "");
	return &s->findings[s->n_findings - 1];
}

struct session_fault *session_add_fault(struct session *s)
{
	APPEND(s, faults, .visit = -1, .blame = BLAME_RIG, .code = "", .message = "");
	return &s->faults[s->n_faults - 1];
}

struct session_anomaly *session_add_anomaly(struct session *s)
{
	APPEND(s, anomalies, .rule = "", .place = "", .subject = "", .printed = "", .expected = "",
	       .message = "");
	return &s->anomalies[s->n_anomalies - 1];
}

struct session_prior *session_add_prior(struct session *s)
{
	APPEND(s, priors, .workload = "", .metric = "");
	return &s->priors[s->n_priors - 1];
}

const struct session_prior *session_find_prior(const struct session *s, const char *workload,
					       const char *metric)
{
	for (size_t i = 0; i < s->n_priors; i++)
		if (!strcmp(s->priors[i].workload, workload) &&
		    !strcmp(s->priors[i].metric, metric))
			return &s->priors[i];
	return NULL;
}

struct session_suppression *session_add_suppression(struct session *s)
{
	APPEND(s, suppressions, .title = "", .kind = "", .guilty = "", .until = "", .reason = "");
	return &s->suppressions[s->n_suppressions - 1];
}

int session_check_pruned(const struct session *s, struct err *err)
{
	if (!s->pruned_ms)
		return 0;
	return err_set(err, BLAME_USER, "pruned",
		       "%s: its raw samples were dropped by `rig db prune`; its verdict and history"
		       " stay, but nothing can be computed again unless its run directory (%s) is"
		       " imported again",
		       s->name, s->dir);
}

int session_find_visit(const struct session *s, int number)
{
	size_t lo = 0;
	size_t hi = s->n_visits;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->visits[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n_visits && s->visits[lo].number == number ? (int)lo : -1;
}

int session_find_step(const struct session *s, int visit, const char *workload)
{
	for (size_t i = 0; i < s->n_steps; i++)
		if (s->steps[i].visit == visit && !strcmp(s->steps[i].workload, workload))
			return (int)i;
	return -1;
}

/* "read.iops_avg" is meant by "iops_avg" where there is only one such. */
static bool ends_with_part(const char *full, const char *name)
{
	size_t n = strlen(full);
	size_t m = strlen(name);

	return n > m && full[n - m - 1] == '.' && !strcmp(full + n - m, name);
}

/* Samples are in order of their steps. */
static size_t first_sample(const struct session *s, int step)
{
	size_t lo = 0;
	size_t hi = s->n_samples;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->samples[mid].step < step)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int session_value(const struct session *s, int step, const char *metric, double *value)
{
	const struct session_sample *only = NULL;
	bool several = false;

	for (size_t i = first_sample(s, step); i < s->n_samples && s->samples[i].step == step;
	     i++) {
		const struct session_sample *sample = &s->samples[i];

		if (!strcmp(sample->metric, metric)) {
			*value = sample->value;
			return 0;
		}
		if (ends_with_part(sample->metric, metric)) {
			several = only;
			only = sample;
		}
	}
	if (!only || several)
		return -ENOENT;
	*value = only->value;
	return 0;
}

int session_pair_visit(const struct session *s, int kernel, int pair)
{
	for (size_t i = 0; i < s->n_visits; i++) {
		const struct session_visit *v = &s->visits[i];

		if (v->kernel == kernel && v->pair == pair && !v->warmup && !v->control)
			return (int)i;
	}
	return -1;
}

static bool pair_ok(const struct session *s, int kernel, int pair)
{
	int visit = session_pair_visit(s, kernel, pair);

	return visit >= 0 && s->visits[visit].result == VISIT_OK;
}

static bool pair_complete(const struct session *s, int kernel, int pair)
{
	if (kernel)
		return pair_ok(s, 0, pair) && pair_ok(s, kernel, pair);
	for (size_t k = 0; k < s->n_kernels; k++)
		if (!pair_ok(s, (int)k, pair))
			return false;
	return s->n_kernels > 0;
}

int session_complete_pairs(const struct session *s, int kernel)
{
	int pairs = 0;

	while (pair_complete(s, kernel, pairs + 1))
		pairs++;
	return pairs;
}

static int word_index(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return (int)i;
	return -1;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const directions[] = {
	[DIRECTION_NONE] = "none",
	[DIRECTION_HIGHER] = "higher",
	[DIRECTION_LOWER] = "lower",
};

static const char *const step_statuses[] = {
	[STEP_OPEN] = "open",
	[STEP_OK] = "ok",
	[STEP_FAILED] = "failed",
	[STEP_TIMEOUT] = "timeout",
	[STEP_UNSUPPORTED] = "unsupported",
};

static const char *const visit_results[] = {
	[VISIT_OPEN] = "open",
	[VISIT_OK] = "ok",
	[VISIT_FAILED] = "failed",
};

static const char *const severities[] = {
	[SEVERITY_OK] = "OK",
	[SEVERITY_INFO] = "INFO",
	[SEVERITY_WARN] = "WARN",
	[SEVERITY_ERROR] = "ERROR",
};

const char *direction_name(enum direction d)
{
	return directions[d];
}

int direction_parse(const char *word)
{
	return word_index(directions, COUNT(directions), word);
}

const char *step_status_name(enum step_status status)
{
	return step_statuses[status];
}

int step_status_parse(const char *word)
{
	return word_index(step_statuses, COUNT(step_statuses), word);
}

const char *visit_result_name(enum visit_result result)
{
	return visit_results[result];
}

int visit_result_parse(const char *word)
{
	return word_index(visit_results, COUNT(visit_results), word);
}

const char *severity_name(enum severity severity)
{
	return severities[severity];
}

int severity_parse(const char *word)
{
	return word_index(severities, COUNT(severities), word);
}
