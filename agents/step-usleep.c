// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step usleep: how long usleep_range() takes inside the kernel, by the test that the series
 * otto-timer puts there. Keys: arg count= min_us= max_us=.
 *
 *	mean_ns p50_ns p99_ns min_ns max_ns	ns	of all sleeps, one after the other
 *
 * FILE sleeps: "microseconds count" a line, rising; a sleep is in the line of its whole
 * microseconds.
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/numbers.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST "/sys/kernel/debug/rig_sleep"

static struct sleeps {
	const char *root;
	uint64_t count, min_us, max_us;
	char file[320];
} sleeps;

static int run_test(void)
{
	char text[80];
	int rc;

	if (!sysfs_exists(sleeps.root, TEST "/run"))
		return work_unsupported("this kernel has no " TEST ": it is built with a patch of "
					"the series otto-timer");
	snprintf(text, sizeof(text), "%llu %llu %llu", (unsigned long long)sleeps.count,
		 (unsigned long long)sleeps.min_us, (unsigned long long)sleeps.max_us);
	rc = sysfs_write(sleeps.root, TEST "/run", text);
	return rc ? work_fail(TEST "/run: '%s': %s", text, strerror(-rc)) : 0;
}

static int read_samples(struct numbers *list)
{
	char *text, *end;
	long size = sysfs_read_all(sleeps.root, TEST "/samples", &text);
	bool room = true;

	if (size < 0)
		return work_fail(TEST "/samples: %s", strerror((int)-size));
	for (char *at = text; room; at = end) {
		unsigned long long ns = strtoull(at, &end, 10);

		if (end == at)
			break;
		room = numbers_add(list, (double)ns);
	}
	free(text);
	if (!room)
		return work_fail("out of memory");
	if (list->n != sleeps.count)
		return work_fail("%zu samples of %llu sleeps", list->n,
				 (unsigned long long)sleeps.count);
	return 0;
}

/* A sorted list as counts by whole microseconds. */
static int keep(const struct numbers *list)
{
	FILE *f = fopen(sleeps.file, "we");

	if (!f)
		return work_fail("%s: %s", sleeps.file, strerror(errno));
	for (size_t i = 0, n; i < list->n; i += n) {
		uint64_t us = (uint64_t)list->v[i] / 1000;

		for (n = 1; i + n < list->n && (uint64_t)list->v[i + n] / 1000 == us; n++)
			;
		fprintf(f, "%llu %zu\n", (unsigned long long)us, n);
	}
	return fclose(f) ? work_fail("%s: %s", sleeps.file, strerror(errno)) : 0;
}

static void report(const struct numbers *list)
{
	work_metric("mean_ns", numbers_mean(list), "ns");
	work_metric("p50_ns", numbers_percentile(list, 50), "ns");
	work_metric("p99_ns", numbers_percentile(list, 99), "ns");
	work_metric("min_ns", list->v[0], "ns");
	work_metric("max_ns", list->v[list->n - 1], "ns");
}

static int work(void *step)
{
	struct numbers list = { 0 };
	int rc = run_test();

	(void)step;
	if (!rc)
		rc = read_samples(&list);
	if (!rc) {
		numbers_sort(&list);
		report(&list);
		rc = keep(&list);
	}
	numbers_release(&list);
	return rc;
}

void step_usleep(struct step *s)
{
	sleeps.root = s->agent->root;
	if (!args_number(s, "count", 10000, 1, 1000000, &sleeps.count) ||
	    !args_number(s, "min_us", 10, 1, 1000000, &sleeps.min_us) ||
	    !args_number(s, "max_us", 20, sleeps.min_us, 1000000, &sleeps.max_us))
		return;
	step_path(s, "sleeps", sleeps.file, sizeof(sleeps.file));
	work_run_file(s, work, "sleeps", sleeps.file);
}
