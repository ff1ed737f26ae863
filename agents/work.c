// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps whose work is done by a function of ours, in a child process: a device that never answers
 * hangs the child, and not the agent. The child writes "name value unit" lines to its stdout.
 * Above run.c and report.c.
 */
#include "agents/agent.h"
#include "agents/sysfs.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void work_metric(const char *name, double value, const char *unit)
{
	fprintf(stdout, "%s %.17g %s\n", name, value, unit);
}

static int complain(int code, const char *format, va_list ap)
{
	vfprintf(stderr, format, ap);
	putc('\n', stderr);
	return code;
}

int work_fail(const char *format, ...)
{
	va_list ap;
	int code;

	va_start(ap, format);
	code = complain(1, format, ap);
	va_end(ap);
	return code;
}

int work_unsupported(const char *format, ...)
{
	va_list ap;
	int code;

	va_start(ap, format);
	code = complain(STEP_EXIT_UNSUPPORTED, format, ap);
	va_end(ap);
	return code;
}

static void send_metric(struct step *s, char *line)
{
	char *save, *name = strtok_r(line, " ", &save);
	char *value = strtok_r(NULL, " ", &save), *unit = strtok_r(NULL, " ", &save);

	if (name && value)
		step_metric(s, name, value, unit ? unit : "");
}

static void send_metrics(struct step *s, const char *path)
{
	char *text, *save;
	long size = sysfs_read_all("", path, &text);

	if (size < 0)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		send_metric(s, line);
	free(text);
}

static bool is_empty(const char *path)
{
	char *text;
	long size = sysfs_read_all("", path, &text);

	free(text);
	return size <= 0;
}

void work_run(struct step *s, int (*work)(void *step))
{
	const char *kind = kv_get(&s->spec, "kind", "");
	char out[320], err[320];

	step_path(s, "stdout", out, sizeof(out));
	step_path(s, "stderr", err, sizeof(err));
	run_function(s->agent, work, s, out, err, s->timeout_ms, &s->run);
	step_judge(s, kind, err);
	if (s->status == STEP_OK)
		send_metrics(s, out);
	if (!s->run.error && !is_empty(err))
		step_file(s, "stderr", err);
	unlink(out);
	unlink(err);
}

void work_run_file(struct step *s, int (*work)(void *step), const char *name, const char *path)
{
	unlink(path);
	work_run(s, work);
	if (s->status == STEP_OK)
		step_file(s, name, path);
	unlink(path);
}

void work_sleep_until(uint64_t ns)
{
	uint64_t now;

	while ((now = agent_now_ns()) < ns)
		poll(NULL, 0, (int)((ns - now) / 1000000 + 1));
}
