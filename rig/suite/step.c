// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of step kinds and their metrics; see step.h. Layer: suite. */
#include "suite/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"
#include "conf/conf.h"

static const char *const dirs[] = { "read", "write", "trim" };

#define DIR_MARK "{dir}"

static const struct step_metric fio_metrics[] = {
	{ "{dir}.iops", "IOPS", "higher", "I/Os completed over the run time" },
	{ "{dir}.iops_min", "IOPS", "higher", "lowest sample of fio's IOPS" },
	{ "{dir}.iops_max", "IOPS", "higher", "highest sample of fio's IOPS" },
	{ "{dir}.iops_avg", "IOPS", "higher", "mean of fio's IOPS samples" },
	{ "{dir}.bw_bytes", "B/s", "higher", "bytes per second" },
	{ "{dir}.lat_ns.mean", "ns", "lower", "mean total latency" },
	{ "{dir}.clat_ns.mean", "ns", "lower", "mean completion latency" },
	{ "{dir}.clat_ns.p50", "ns", "lower", "median completion latency" },
	{ "{dir}.clat_ns.p99", "ns", "lower", "99th percentile of the completion latency" },
	{ "{dir}.clat_ns.p999", "ns", "lower", "99.9th percentile of the completion latency" },
	{ "usr_cpu", "%", "lower", "user CPU time of the fio jobs" },
	{ "sys_cpu", "%", "lower", "system CPU time of the fio jobs" },
	{ "ctx", "count", "lower", "context switches of the fio jobs" },
};

/* The agent asks for JSON in a file of its own and measures only what it started itself. */
static const char *const fio_flags[] = { "--output",	      "--output-format",
					 "--status-interval", "--client",
					 "--server",	      "--daemonize",
					 "--parse-only",      NULL };

const struct step_kind step_kinds[] = {
	{ "fio", STEP_WORKLOAD, true, 0, fio_flags, fio_metrics, ARRAY_LEN(fio_metrics),
	  "runs fio with the arguments given and keeps its JSON" },
	{ "noop", STEP_SETUP | STEP_WORKLOAD, false, 10, NULL, NULL, 0,
	  "does nothing: measures the round trip" },
	{ "tune", STEP_SETUP, false, 30, NULL, NULL, 0,
	  "sets the machine up for steady numbers: CPU and device frequencies, idle states, "
	  "interrupts, block queues" },
	{ "untune", STEP_SETUP, false, 30, NULL, NULL, 0, "puts back what tune changed" },
	{ "fingerprint", STEP_SETUP, false, 30, NULL, NULL, 0,
	  "records the state that numbers depend on" },
	{ "dmesg", STEP_SETUP, false, 60, NULL, NULL, 0, "fetches the kernel log" },
};
const size_t step_kinds_n = ARRAY_LEN(step_kinds);

const struct step_kind *step_find(const char *name)
{
	for (size_t i = 0; i < step_kinds_n; i++)
		if (!strcmp(step_kinds[i].name, name))
			return &step_kinds[i];
	return NULL;
}

/* What follows "read." of "read.iops" when row is "{dir}.iops"; the whole name otherwise. */
static const char *skip_dir(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		size_t n = strlen(dirs[i]);

		if (!strncmp(name, dirs[i], n) && name[n] == '.')
			return name + n;
	}
	return NULL;
}

static bool is_instance(const char *row, const char *name)
{
	const char *rest;

	if (strncmp(row, DIR_MARK, strlen(DIR_MARK)) != 0)
		return !strcmp(row, name);
	rest = skip_dir(name);
	return rest && !strcmp(rest, row + strlen(DIR_MARK));
}

const struct step_metric *step_metric_find(const struct step_kind *kind, const char *name)
{
	for (size_t i = 0; i < kind->n_metrics; i++)
		if (is_instance(kind->metrics[i].name, name))
			return &kind->metrics[i];
	return NULL;
}

const char *step_guess(const char *name, int roles)
{
	struct guess guess = GUESS_INIT;

	for (size_t i = 0; i < ARRAY_LEN(step_kinds); i++)
		if (step_kinds[i].roles & roles)
			guess_offer(&guess, name, step_kinds[i].name);
	return guess.best;
}

/* Offers one name; *best is replaced by a copy when it is the nearest so far. */
static void offer_copy(struct guess *guess, const char *typed, char *known, char **best)
{
	guess_offer(guess, typed, known);
	if (guess->best != known) {
		free(known);
		return;
	}
	free(*best);
	*best = known;
}

char *step_metric_guess(const struct step_kind *kind, const char *name)
{
	struct guess guess = GUESS_INIT;
	char *best = NULL;

	for (size_t i = 0; i < kind->n_metrics; i++) {
		const char *row = kind->metrics[i].name;

		if (strncmp(row, DIR_MARK, strlen(DIR_MARK)) != 0) {
			offer_copy(&guess, name, xstrdup(row), &best);
			continue;
		}
		for (size_t d = 0; d < ARRAY_LEN(dirs); d++)
			offer_copy(&guess, name, xasprintf("%s%s", dirs[d], row + strlen(DIR_MARK)),
				   &best);
	}
	return best;
}
