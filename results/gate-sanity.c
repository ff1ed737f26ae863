// SPDX-License-Identifier: GPL-2.0-or-later
/* Is the comparison one at all? See gate-sanity.h. Layer: results, pure. */
#include "results/gate-sanity.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/fingerprint.h"
#include "results/gate-zero.h"

static int refuse(struct sanity *why, enum blame blame, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int refuse(struct sanity *why, enum blame blame, const char *code, const char *fmt, ...)
{
	va_list ap;

	why->blame = blame;
	why->code = code;
	va_start(ap, fmt);
	vsnprintf(why->message, sizeof(why->message), fmt, ap);
	va_end(ap);
	return -1;
}

/* The visits that count in a comparison, in order of time. */
static bool counts(const struct session_visit *v, int candidate, int pairs)
{
	return (v->kernel == 0 || v->kernel == candidate) && v->pair >= 1 && v->pair <= pairs &&
	       !v->warmup && !v->control;
}

/* ---- the kernel that booted ---- */

/* Every boot of the two, counted or not: a wrong kernel explains any fault. */
static int check_release(const struct session *s, int candidate, struct sanity *why)
{
	for (size_t i = 0; i < s->n_visits; i++) {
		const struct session_visit *v = &s->visits[i];
		const struct session_kernel *k = &s->kernels[v->kernel];

		if ((v->kernel != 0 && v->kernel != candidate) || !*v->release || !*k->release)
			continue;
		if (strcmp(v->release, k->release) != 0)
			return refuse(why, BLAME_RIG, "wrong-kernel",
				      "visit %d was to boot %s (%s), but %s came up", v->number,
				      k->label, k->release, v->release);
	}
	return 0;
}

/* ---- order ---- */

/* Mirrored or random pairs never have more than two boots of one side in a row. */
static int check_order(const struct session *s, int candidate, int pairs, struct sanity *why)
{
	int last = -1;
	int row = 0;

	for (size_t i = 0; i < s->n_visits; i++) {
		const struct session_visit *v = &s->visits[i];

		if (!counts(v, candidate, pairs))
			continue;
		row = v->kernel == last ? row + 1 : 1;
		last = v->kernel;
		if (row > 2)
			return refuse(why, BLAME_TEST, "confounded",
				      "%s was booted %d times in a row (up to visit %d): drift"
				      " would look like a change; A and B must alternate",
				      s->kernels[v->kernel].label, row, v->number);
	}
	return 0;
}

/* ---- fingerprints ---- */

struct boot {
	const struct session_visit *visit;
	struct fingerprint *print;
};

static int check_boot_ids(const struct boot *boots, size_t n, struct sanity *why)
{
	for (size_t i = 0; i < n; i++) {
		const char *id = fingerprint_boot_id(boots[i].print);

		for (size_t k = 0; *id && k < i; k++)
			if (!strcmp(id, fingerprint_boot_id(boots[k].print)))
				return refuse(why, BLAME_RIG, "shared-boot",
					      "visits %d and %d are one boot (boot id %s)",
					      boots[k].visit->number, boots[i].visit->number, id);
	}
	return 0;
}

static int check_equal(const struct session *s, const struct boot *boots, size_t n,
		       struct sanity *why)
{
	int rc = 0;

	for (size_t i = 1; i < n && !rc; i++) {
		struct buf diff = BUF_INIT;

		if (fingerprint_diff(boots[0].print, boots[i].print, &diff))
			rc = refuse(why, BLAME_BOARD, "fingerprint",
				    "visits %d (%s) and %d (%s) differ in what matters: %s",
				    boots[0].visit->number,
				    s->kernels[boots[0].visit->kernel].label,
				    boots[i].visit->number,
				    s->kernels[boots[i].visit->kernel].label, buf_str(&diff));
		buf_release(&diff);
	}
	return rc;
}

/* Visits without a fingerprint are left out: suites need not take one. */
static int check_fingerprints(const struct session *s, int candidate, int pairs, struct sanity *why)
{
	struct boot *boots = xcalloc(s->n_visits + 1, sizeof(*boots));
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < s->n_visits; i++) {
		const struct session_visit *v = &s->visits[i];

		if (!counts(v, candidate, pairs) || !*v->fingerprint)
			continue;
		boots[n].print = fingerprint_new(v->fingerprint, s->kernels[v->kernel].cmdline);
		boots[n].visit = v;
		n += boots[n].print != NULL;
	}
	rc = check_boot_ids(boots, n, why);
	/* sessions that were joined are each equal in themselves, and join_same() */
	if (!rc && s->joined <= 1)
		rc = check_equal(s, boots, n, why);
	for (size_t i = 0; i < n; i++)
		fingerprint_free(boots[i].print);
	free(boots);
	return rc;
}

/* ---- numbers ---- */

static int primary_step(const struct session *s, int kernel, int pair, const char *workload)
{
	int visit = session_pair_visit(s, kernel, pair);

	return visit < 0 ? -1 : session_find_step(s, visit, workload);
}

int sanity_primary(const struct session *s, int kernel, int pair, const struct session_metric *m,
		   double *value)
{
	int step = primary_step(s, kernel, pair, m->workload);

	*value = 1;
	if (step < 0)
		return -ENOENT;
	return session_value(s, step, m->metric, value);
}

bool sanity_unsupported(const struct session *s, int candidate, const char *workload)
{
	bool any = false;

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct session_step *step = &s->steps[i];
		const struct session_visit *v = &s->visits[step->visit];

		if (strcmp(step->workload, workload) != 0 || (v->kernel && v->kernel != candidate))
			continue;
		if (step->status != STEP_UNSUPPORTED)
			return false;
		any = true;
	}
	return any;
}

static int no_number(const struct session *s, int kernel, int pair, const struct session_metric *m,
		     struct sanity *why)
{
	int visit = session_pair_visit(s, kernel, pair);
	int i = primary_step(s, kernel, pair, m->workload);
	const struct session_step *step = i < 0 ? NULL : &s->steps[i];
	enum blame blame = step && step->blame != BLAME_NONE ? step->blame : BLAME_TEST;

	return refuse(why, blame, "no-number", "visit %d (%s), workload %s: no %s: %s",
		      s->visits[visit].number, s->kernels[kernel].label, m->workload, m->metric,
		      !step			? "the step never ran"
		      : *step->message		? step->message
		      : step->status == STEP_OK ? "the result does not have that metric"
						: step_status_name(step->status));
}

static int check_number(const struct session *s, int kernel, int pair,
			const struct session_metric *m, struct sanity *why)
{
	double value;

	if (sanity_primary(s, kernel, pair, m, &value) < 0)
		return no_number(s, kernel, pair, m, why);
	if (value > 0 || metric_must_be_zero(m))
		return 0;
	return refuse(why, BLAME_TEST, "no-number", "visit %d (%s), workload %s: %s is %g",
		      s->visits[session_pair_visit(s, kernel, pair)].number,
		      s->kernels[kernel].label, m->workload, m->metric, value);
}

static int check_numbers(const struct session *s, int candidate, int pairs, struct sanity *why)
{
	for (size_t i = 0; i < s->n_metrics; i++) {
		const struct session_metric *m = &s->metrics[i];

		if ((!m->primary && !metric_must_be_zero(m)) ||
		    sanity_unsupported(s, candidate, m->workload))
			continue;
		for (int pair = 1; pair <= pairs; pair++)
			if (check_number(s, 0, pair, m, why) < 0 ||
			    check_number(s, candidate, pair, m, why) < 0)
				return -1;
	}
	return 0;
}

/* ---- do the numbers agree with each other? see check.h ---- */

static int check_anomalies(const struct session *s, struct sanity *why)
{
	for (size_t i = 0; i < s->n_anomalies; i++) {
		const struct session_anomaly *a = &s->anomalies[i];

		if (a->severity == SEVERITY_ERROR)
			return refuse(why, BLAME_TEST, "sanity", "%s, %s: %s: %s", a->place,
				      a->subject, a->rule, a->message);
	}
	return 0;
}

int sanity_check(const struct session *s, int candidate, int pairs, struct sanity *why)
{
	if (check_release(s, candidate, why) < 0 || check_order(s, candidate, pairs, why) < 0 ||
	    check_fingerprints(s, candidate, pairs, why) < 0 ||
	    check_numbers(s, candidate, pairs, why) < 0)
		return -1;
	/* of a kernel that broke down no numbers are asked */
	return pairs ? check_anomalies(s, why) : 0;
}

/* ---- identity of the rows ---- */

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ULL;
	return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return mix(hash, text, strlen(text) + 1);
}

static uint64_t mix_int(uint64_t hash, int64_t value)
{
	return mix(hash, &value, sizeof(value));
}

static uint64_t hash_plan(uint64_t hash, const struct session *s)
{
	hash = mix_int(hash, s->state);
	hash = mix_text(hash, s->result);
	hash = mix_int(hash, s->pairs_fixed);
	hash = mix_int(hash, s->pairs_min);
	hash = mix_int(hash, s->pairs_max);
	for (size_t i = 0; i < s->n_kernels; i++) {
		hash = mix_text(hash, s->kernels[i].label);
		hash = mix_text(hash, s->kernels[i].id);
		hash = mix_text(hash, s->kernels[i].release);
		hash = mix_text(hash, s->kernels[i].cmdline);
	}
	for (size_t i = 0; i < s->n_metrics; i++) {
		const struct session_metric *m = &s->metrics[i];

		hash = mix_text(mix_text(hash, m->workload), m->metric);
		hash = mix_int(mix_int(hash, m->direction), m->primary);
		hash = mix(hash, &m->min_effect, sizeof(m->min_effect));
		hash = mix(hash, &m->loss, sizeof(m->loss));
	}
	return hash;
}

static uint64_t hash_visits(uint64_t hash, const struct session *s)
{
	for (size_t i = 0; i < s->n_visits; i++) {
		const struct session_visit *v = &s->visits[i];

		hash = mix_int(mix_int(hash, v->number), v->kernel);
		hash = mix_int(mix_int(hash, v->pair), v->result);
		hash = mix_int(mix_int(hash, v->warmup), v->control);
		hash = mix_text(mix_text(hash, v->release), v->fingerprint);
	}
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct session_step *p = &s->steps[i];

		if (!*p->workload)
			continue;
		hash = mix_int(mix_text(hash, p->workload), p->status);
		hash = mix_text(mix_int(hash, p->blame), p->message);
	}
	return hash;
}

static uint64_t hash_numbers(uint64_t hash, const struct session *s)
{
	for (size_t i = 0; i < s->n_steps; i++) {
		for (size_t k = 0; *s->steps[i].workload && k < s->n_metrics; k++) {
			const struct session_metric *m = &s->metrics[k];
			double value;

			if ((m->primary || metric_must_be_zero(m)) &&
			    !strcmp(m->workload, s->steps[i].workload) &&
			    session_value(s, (int)i, m->metric, &value) == 0)
				hash = mix(hash, &value, sizeof(value));
		}
	}
	return hash;
}

static uint64_t hash_priors(uint64_t hash, const struct session *s)
{
	for (size_t i = 0; i < s->n_priors; i++) {
		const struct session_prior *p = &s->priors[i];

		hash = mix_text(mix_text(hash, p->workload), p->metric);
		hash = mix(hash, &p->d0, sizeof(p->d0));
		hash = mix(hash, &p->s0sq, sizeof(p->s0sq));
	}
	return hash;
}

/* What came with schema 2 counts where it is: verdicts of older rows keep their hash. */
static uint64_t hash_findings(uint64_t hash, const struct session *s)
{
	for (size_t i = 0; i < s->n_findings; i++) {
		const struct session_finding *f = &s->findings[i];

		hash = mix_int(mix_text(hash, f->kind), f->visit);
		hash = mix_text(mix_text(hash, f->title), f->severity);
		if (*f->signature)
			hash = mix_text(mix_text(hash, f->guilty), f->trace);
	}
	for (size_t i = 0; i < s->n_suppressions; i++) {
		const struct session_suppression *p = &s->suppressions[i];

		hash = mix_text(mix_text(hash, p->title), p->kind);
		hash = mix_text(mix_text(hash, p->guilty), p->until);
		hash = mix_text(hash, p->reason);
	}
	return hash;
}

static uint64_t hash_anomalies(uint64_t hash, const struct session *s)
{
	for (size_t i = 0; i < s->n_anomalies; i++) {
		const struct session_anomaly *a = &s->anomalies[i];

		hash = mix_int(mix_text(hash, a->rule), a->severity);
		hash = mix_text(mix_text(hash, a->place), a->message);
	}
	return hash;
}

uint64_t sanity_rows_hash(const struct session *s)
{
	uint64_t hash = hash_plan(0xcbf29ce484222325ULL, s);

	hash = hash_findings(hash_numbers(hash_visits(hash, s), s), s);
	for (size_t i = 0; i < s->n_faults; i++) {
		const struct session_fault *f = &s->faults[i];

		hash = mix_int(mix_int(hash, f->blame), f->visit);
		hash = mix_text(mix_text(hash, f->code), f->message);
	}
	return hash_anomalies(hash_priors(hash, s), s);
}
