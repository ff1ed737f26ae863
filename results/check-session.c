// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sanity rules for a session of our own: every step that ended well is looked at by itself, in
 * the visits that count. Layer: results, pure.
 *
 *	bw-vs-iops	bytes/s against IOPS times the block size of the command line
 *	min<=avg<=max	IOPS of the intervals, percentiles of the latency
 *	runtime		nothing, or less than was asked for; I/Os against IOPS times runtime
 *	physical	more I/Os in flight (IOPS times latency) than jobs times depth
 *	ceiling		processor time above the whole
 *	duplicate	two boots with the very same numbers
 */
#include "results/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/check-rules.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define FLIGHT_WARN	1.05 /* I/Os in flight over what is possible */
#define FLIGHT_ERROR	1.5
#define RUNTIME_LEAST	0.9 /* of what was asked for */
#define SAMPLES_TELLING 5   /* equal numbers that cannot be chance */
#define INTEGER_SLACK	1   /* fio cuts minimum and maximum to whole numbers */
#define CPU_MOST	105 /* per cent; rusage and the clock have their own ticks */

/* A step; its samples are in one stretch. */
struct step {
	struct session *s;
	int index;
	size_t from, n;
};

static const struct session_step *step_of(const struct step *st)
{
	return &st->s->steps[st->index];
}

static void add(const struct step *st, const char *rule, enum severity severity, const char *metric,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void add(const struct step *st, const char *rule, enum severity severity, const char *metric,
		const char *fmt, ...)
{
	const struct session_step *p = step_of(st);
	const struct session_visit *v = &st->s->visits[p->visit];
	struct session_anomaly *a = session_add_anomaly(st->s);
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	a->rule = rule;
	a->severity = severity;
	a->message = session_str(st->s, text);
	snprintf(text, sizeof(text), "visit %d (%s)", v->number, st->s->kernels[v->kernel].label);
	a->place = session_str(st->s, text);
	snprintf(text, sizeof(text), "%s %s %s", st->s->board, p->workload, metric);
	a->subject = session_str(st->s, text);
}

static void numbers(const struct step *st, double printed, double expected)
{
	struct session_anomaly *a = &st->s->anomalies[st->s->n_anomalies - 1];
	char text[64];

	snprintf(text, sizeof(text), "%.10g", printed);
	a->printed = session_str(st->s, text);
	snprintf(text, sizeof(text), "%.10g", expected);
	a->expected = session_str(st->s, text);
}

/* ---- numbers and arguments ---- */

static const char *const directions[] = { "read", "write", "trim", "mixed" };

static bool value(const struct step *st, const char *direction, const char *metric, double *out)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", direction, metric);
	for (size_t i = st->from; i < st->from + st->n; i++) {
		const struct session_sample *x = &st->s->samples[i];

		if (!strcmp(x->metric, name)) {
			*out = x->value;
			return true;
		}
	}
	return false;
}

/* What follows "--name=" in the command line, or NULL. */
static const char *argument(const struct step *st, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = step_of(st)->command; (p = strstr(p, name)); p += n)
		if (p[n] == '=' && p > step_of(st)->command && p[-1] == '-')
			return p + n + 1;
	return NULL;
}

static double number_argument(const struct step *st, const char *name, double absent)
{
	const char *text = argument(st, name);

	return text ? strtod(text, NULL) : absent;
}

/* "30", "30s", "500ms", "2m" -> seconds; 0 = not said. */
static double runtime_asked(const struct step *st)
{
	static const struct {
		const char *unit;
		double seconds;
	} suffixes[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "s", 1 },
			 { "m", 60 },	 { "h", 3600 },	 { "d", 86400 } };
	const char *text = argument(st, "runtime");
	char *end;
	double n;

	if (!text || !strstr(step_of(st)->command, "-time_based"))
		return 0;
	n = strtod(text, &end);
	for (size_t i = 0; i < COUNT(suffixes); i++)
		if (!strncmp(end, suffixes[i].unit, strlen(suffixes[i].unit)))
			return n * suffixes[i].seconds;
	return n;
}

/* Of a command with one block size only; 0 = several, or not said. */
static double block_size(const struct step *st)
{
	const char *text = argument(st, "bs");
	char word[32];

	if (!text || strchr("0", *text) || strstr(step_of(st)->command, "-bssplit") ||
	    strstr(step_of(st)->command, "-bsrange"))
		return 0;
	snprintf(word, sizeof(word), "bs=%.*s", (int)strcspn(text, " "), text);
	return strpbrk(word, ",:") ? 0 : name_block_size(word);
}

/* ---- the rules ---- */

static void check_bw(const struct step *st, const char *direction)
{
	double bs = block_size(st);
	double iops;
	double bw;
	double off;

	if (bs <= 0 || !value(st, direction, "iops", &iops) ||
	    !value(st, direction, "bw_bytes", &bw) || iops <= 0)
		return;
	off = bw / (iops * bs) - 1;
	if (fabs(off) <= CHECK_WARN)
		return;
	add(st, "bw-vs-iops", fabs(off) > CHECK_ERROR ? SEVERITY_ERROR : SEVERITY_WARN, "bw_bytes",
	    "%s: %.0f bytes/s are %+.2f %% off the %.0f that %.2f IOPS of %.0f bytes make",
	    direction, bw, 100 * off, iops * bs, iops, bs);
	numbers(st, bw, iops * bs);
}

/* Each of the list is at most the next, as far as they are there. */
static void check_chain(const struct step *st, const char *direction, const char *const *names,
			size_t n, double slack)
{
	double last = -INFINITY;
	const char *name = NULL;

	for (size_t i = 0; i < n; i++) {
		double now;

		if (!value(st, direction, names[i], &now))
			continue;
		if (name && last > now + slack) {
			add(st, "min<=avg<=max", SEVERITY_ERROR, names[i],
			    "%s: %s %.10g is above %s %.10g", direction, name, last, names[i], now);
			numbers(st, now, last);
			return;
		}
		name = names[i];
		last = now;
	}
}

static void check_order(const struct step *st, const char *direction)
{
	static const char *const iops[] = { "iops_min", "iops_avg", "iops_max" };
	static const char *const clat[] = { "clat_ns.p50", "clat_ns.p99", "clat_ns.p999" };
	static const char *const lat[] = { "clat_ns.mean", "lat_ns.mean" };

	check_chain(st, direction, iops, COUNT(iops), INTEGER_SLACK);
	check_chain(st, direction, clat, COUNT(clat), 0);
	check_chain(st, direction, lat, COUNT(lat), 1);
}

static void check_runtime(const struct step *st, const char *direction)
{
	double asked = runtime_asked(st);
	double ns;
	double ios;
	double iops;

	if (!value(st, direction, "runtime_ns", &ns))
		return;
	if (ns <= 0) {
		add(st, "runtime", SEVERITY_ERROR, "runtime_ns", "%s: it ran for no time at all",
		    direction);
		numbers(st, ns, asked * 1e9);
	} else if (ns < RUNTIME_LEAST * asked * 1e9) {
		add(st, "runtime", SEVERITY_ERROR, "runtime_ns",
		    "%s: it ran for %.2f s, asked for were %.2f s", direction, ns / 1e9, asked);
		numbers(st, ns, asked * 1e9);
	} else if (value(st, direction, "total_ios", &ios) && value(st, direction, "iops", &iops) &&
		   ios > 0 && fabs(iops * ns / 1e9 / ios - 1) > CHECK_ERROR &&
		   fabs(iops * ns / 1e9 - ios) > 2) {
		add(st, "runtime", SEVERITY_ERROR, "total_ios",
		    "%s: %.0f I/Os in %.3f s are not %.2f IOPS", direction, ios, ns / 1e9, iops);
		numbers(st, iops, ios / ns * 1e9);
	}
}

/* Little's law: what is in flight is rate times latency. */
static void check_flight(const struct step *st, const char *direction)
{
	double most = number_argument(st, "numjobs", 1) * number_argument(st, "iodepth", 1);
	double iops;
	double lat;
	double flight;

	if (most <= 0 || !strstr(step_of(st)->command, "fio ") ||
	    !value(st, direction, "iops", &iops) || !value(st, direction, "lat_ns.mean", &lat))
		return;
	flight = iops * lat / 1e9;
	if (flight <= FLIGHT_WARN * most)
		return;
	add(st, "physical", flight > FLIGHT_ERROR * most ? SEVERITY_ERROR : SEVERITY_WARN,
	    "lat_ns.mean",
	    "%s: %.2f IOPS of %.0f ns each are %.2f in flight; jobs and depth allow %.0f",
	    direction, iops, lat, flight, most);
	numbers(st, flight, most);
}

static void check_cpu(const struct step *st)
{
	double usr = 0;
	double sys = 0;

	if (session_value(st->s, st->index, "usr_cpu", &usr) ||
	    session_value(st->s, st->index, "sys_cpu", &sys) || usr + sys <= CPU_MOST)
		return;
	add(st, "ceiling", SEVERITY_WARN, "usr_cpu",
	    "%.2f %% user and %.2f %% system are more than all", usr, sys);
	numbers(st, usr + sys, 100);
}

typedef void direction_rule(const struct step *st, const char *direction);

static void check_step(const struct step *st)
{
	static direction_rule *const rules[] = { check_bw, check_order, check_runtime,
						 check_flight };
	double iops;

	for (size_t d = 0; d < COUNT(directions); d++) {
		if (!value(st, directions[d], "iops", &iops))
			continue;
		for (size_t i = 0; i < COUNT(rules); i++)
			rules[i](st, directions[d]);
	}
	check_cpu(st);
}

/* ---- two boots with the same numbers ---- */

static bool counts(const struct session *s, size_t step)
{
	const struct session_step *p = &s->steps[step];
	const struct session_visit *v = &s->visits[p->visit];

	return p->status == STEP_OK && *p->workload && !v->warmup && !v->control;
}

/* Equal one by one; of those that are not whole, at least some. */
static bool same_samples(const struct session *s, const struct step *a, const struct step *b)
{
	size_t fractions = 0;

	if (a->n != b->n || a->n < SAMPLES_TELLING)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct session_sample *x = &s->samples[a->from + i];
		const struct session_sample *y = &s->samples[b->from + i];

		if (strcmp(x->metric, y->metric) != 0 || x->value != y->value)
			return false;
		fractions += x->value != trunc(x->value);
	}
	return fractions >= 2;
}

static void check_duplicates(const struct step *steps, size_t n)
{
	for (size_t a = 0; a < n; a++) {
		const struct session *s = steps[a].s;

		for (size_t b = a + 1; b < n && counts(s, a); b++) {
			if (!counts(s, b) || s->steps[a].visit == s->steps[b].visit ||
			    strcmp(s->steps[a].workload, s->steps[b].workload) != 0 ||
			    !same_samples(s, &steps[a], &steps[b]))
				continue;
			add(&steps[b], "duplicate", SEVERITY_ERROR, "all metrics",
			    "its %zu numbers are those of visit %d, to the last digit", steps[b].n,
			    s->visits[s->steps[a].visit].number);
			break;
		}
	}
}

void check_session(struct session *s)
{
	struct step *steps = xcalloc(s->n_steps + 1, sizeof(*steps));

	s->n_anomalies = 0;
	for (size_t i = 0; i < s->n_steps; i++)
		steps[i] = (struct step){ .s = s, .index = (int)i };
	for (size_t i = 0; i < s->n_samples; i++) {
		struct step *x = &steps[s->samples[i].step];

		x->from = x->n ? x->from : i;
		x->n++;
	}
	for (size_t i = 0; i < s->n_steps; i++)
		if (counts(s, i))
			check_step(&steps[i]);
	check_duplicates(steps, s->n_steps);
	free(steps);
}
