// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step funcgraph: how often a kernel function runs, and how long, by ftrace's function profiler
 * (CONFIG_FUNCTION_PROFILER; sleeping inside the function counts). Keys: arg function= seconds=
 * write= text= : while it is profiled, text is written to the file write, if given, which makes the
 * function run; then until seconds have passed nothing is done. FILE trace_stat: what the profiler
 * says, CPU by CPU; the numbers are made of it by results/parse-funcgraph.h.
 *
 * The tracer is left as it was found; one that is in use already is left alone.
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing"
#define ENABLED TRACING "/function_profile_enabled"
#define FILTER	TRACING "/set_ftrace_filter"

static struct graph {
	const char *root, *function, *file, *text;
	uint64_t seconds;
	char result[320];
} graph;

static int put(const char *path, const char *text)
{
	int rc = sysfs_write(graph.root, path, text);

	return rc ? work_fail("%s: '%s': %s", path, text, strerror(-rc)) : 0;
}

/* The filter is a list; it is empty when it says so in a comment. NULL: nobody uses the profiler.
 */
static const char *in_use(void)
{
	static char text[256];

	if (sysfs_read(graph.root, ENABLED, text, sizeof(text)) > 0 && strcmp(text, "0") != 0)
		return "the function profiler is in use already";
	if (sysfs_read(graph.root, FILTER, text, sizeof(text)) > 0 && *text != '#')
		return "set_ftrace_filter is in use already";
	return NULL;
}

static int begin(void)
{
	int rc = sysfs_write(graph.root, FILTER, graph.function);

	if (rc == -EINVAL)
		return work_unsupported("this kernel cannot trace a function '%s'", graph.function);
	return rc ? work_fail(FILTER ": %s", strerror(-rc)) : put(ENABLED, "1");
}

static int let_it_run(void)
{
	uint64_t end_ns = agent_now_ns() + graph.seconds * 1000000000;
	int rc = *graph.file ? put(graph.file, graph.text) : 0;

	if (!rc)
		work_sleep_until(end_ns);
	return rc;
}

static int keep(void)
{
	struct strv paths = { 0 };
	FILE *f = fopen(graph.result, "we");
	char *text;
	int rc = 0;

	if (!f)
		return work_fail("%s: %s", graph.result, strerror(errno));
	sysfs_glob(graph.root, TRACING "/trace_stat/function*", &paths);
	for (size_t i = 0; i < paths.count && !rc; i++) {
		long size = sysfs_read_all(graph.root, paths.v[i], &text);

		if (size < 0)
			rc = work_fail("%s: %s", paths.v[i], strerror((int)-size));
		else
			fprintf(f, "# %s\n%s", strrchr(paths.v[i], '/') + 1, text);
		free(text);
	}
	strv_release(&paths);
	if (fclose(f) && !rc)
		rc = work_fail("%s: %s", graph.result, strerror(errno));
	return rc;
}

static int work(void *step)
{
	int rc = begin();

	(void)step;
	if (!rc)
		rc = let_it_run();
	if (!rc)
		rc = keep();
	return rc;
}

/* Here and not in the child, which may have been killed. */
static void put_back(void)
{
	sysfs_write(graph.root, ENABLED, "0");
	sysfs_write(graph.root, FILTER, "\n");
}

void step_funcgraph(struct step *s)
{
	graph.root = s->agent->root;
	graph.function = args_text(s, "function", "");
	graph.file = args_text(s, "write", "");
	graph.text = args_text(s, "text", "");
	if (!args_number(s, "seconds", 0, 0, 3600, &graph.seconds))
		return;
	step_path(s, "trace_stat", graph.result, sizeof(graph.result));
	unlink(graph.result);
	if (!sysfs_exists(graph.root, ENABLED)) {
		step_end(s, STEP_UNSUPPORTED,
			 "this kernel has no function profiler (CONFIG_FUNCTION_PROFILER)");
		return;
	}
	if (in_use()) {
		step_end(s, STEP_FAILED, "%s", in_use());
		return;
	}
	work_run(s, work);
	put_back();
	if (s->status == STEP_OK)
		step_file(s, "trace_stat", graph.result);
	unlink(graph.result);
}
