// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step irqrate: /proc/interrupts read again and again while nothing else goes on. Keys: arg
 * seconds= (between first and last look) looks= (at least 2) match= (rows of special interest). The
 * numbers are made of FILE irqrate by results/parse-irqrate.h, which also describes it.
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rate {
	const char *root, *match;
	uint64_t seconds, looks;
	char file[320];
} rate;

static int look(FILE *f)
{
	char *text;
	uint64_t now_ns = agent_now_ns();
	long size = sysfs_read_all(rate.root, "/proc/interrupts", &text);

	if (size < 0)
		return work_fail("/proc/interrupts: %s", strerror((int)-size));
	fprintf(f, "# t_ns=%llu\n%s", (unsigned long long)now_ns, text);
	free(text);
	return 0;
}

static int work(void *step)
{
	FILE *f = fopen(rate.file, "we");
	uint64_t start_ns = agent_now_ns();
	int rc;

	(void)step;
	if (!f)
		return work_fail("%s: %s", rate.file, strerror(errno));
	fprintf(f, "# irqrate match=%s\n", rate.match);
	rc = look(f);
	for (uint64_t i = 1; !rc && i < rate.looks; i++) {
		work_sleep_until(start_ns + rate.seconds * 1000000000 * i / (rate.looks - 1));
		rc = look(f);
	}
	if (fclose(f) && !rc)
		rc = work_fail("%s: %s", rate.file, strerror(errno));
	return rc;
}

void step_irqrate(struct step *s)
{
	rate.root = s->agent->root;
	rate.match = args_text(s, "match", "timer");
	if (!args_number(s, "seconds", 10, 1, 3600, &rate.seconds) ||
	    !args_number(s, "looks", 2, 2, 100, &rate.looks))
		return;
	step_path(s, "irqrate", rate.file, sizeof(rate.file));
	work_run_file(s, work, "irqrate", rate.file);
}
