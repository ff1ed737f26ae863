// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings for measuring and the way back: a table of rules, and three items that need more. Above
 * sysfs.c. */
#include "agents/tune.h"
#include "agents/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define VALUE 256

struct job {
	struct tune *tune;
	const char *root;
	const struct kv_list *spec;
	tune_note_fn *note;
	void *ctx;
	struct tune_result *result;
	int err;
};

/* Where a rule's value comes from. */
enum source {
	FIXED,	 /* the value itself */
	SIBLING, /* a file beside the one written */
	KEY,	 /* a key of the step; the rule is left out without it */
	HIGHEST, /* the highest number in a file beside it */
};

static const struct rule {
	const char *item;
	const char *pattern;
	enum source source;
	const char *value;
} rules[] = {
	{ "cpuidle", "/sys/devices/system/cpu/cpu*/cpuidle/state[1-9]*/disable", FIXED, "1" },
	{ "cpufreq", "/sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq", SIBLING,
	  "cpuinfo_max_freq" },
	{ "cpufreq", "/sys/devices/system/cpu/cpufreq/policy*/scaling_min_freq", SIBLING,
	  "cpuinfo_max_freq" },
	{ "cpufreq", "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", FIXED,
	  "performance" },
	{ "devfreq", "/sys/class/devfreq/*/min_freq", HIGHEST, "available_frequencies" },
	{ "clkgate", "/sys/bus/platform/devices/*.ufs*/clkgate_enable", FIXED, "0" },
	{ "clkgate", "/sys/bus/pci/drivers/ufshcd/*/clkgate_enable", FIXED, "0" },
	/* The scheduler first: some of them change the others when they are set up. */
	{ "queue", "/sys/block/sd*/queue/scheduler", KEY, "scheduler" },
	{ "queue", "/sys/block/dm-*/queue/scheduler", KEY, "scheduler" },
	{ "queue", "/sys/block/sd*/queue/iostats", FIXED, "1" },
	{ "queue", "/sys/block/dm-*/queue/iostats", FIXED, "1" },
	{ "queue", "/sys/block/sd*/queue/nomerges", FIXED, "2" },
	{ "queue", "/sys/block/dm-*/queue/nomerges", FIXED, "2" },
	{ "queue", "/sys/block/sd*/queue/rq_affinity", FIXED, "2" },
	{ "queue", "/sys/block/dm-*/queue/rq_affinity", FIXED, "2" },
};

static void say(struct job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct job *j, const char *format, ...)
{
	char text[2 * SYSFS_PATH];
	va_list ap;

	if (!j->note)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	j->note(j->ctx, text);
}

/* A list of choices with the present one in brackets reads as that one. */
static int read_value(const char *root, const char *path, char *value, size_t cap)
{
	int rc = sysfs_read(root, path, value, cap);
	char *from = rc < 0 ? NULL : strchr(value, '[');
	char *to = from ? strchr(from, ']') : NULL;

	if (!to)
		return rc < 0 ? rc : 0;
	*to = '\0';
	memmove(value, from + 1, strlen(from + 1) + 1);
	return 0;
}

static int record(struct tune *t, const char *path, const char *value)
{
	struct tune_record *r;

	for (size_t i = 0; i < t->count; i++)
		if (!strcmp(t->record[i].path, path))
			return 0;
	r = realloc(t->record, (t->count + 1) * sizeof(*r));
	if (!r)
		return -ENOMEM;
	t->record = r;
	r += t->count;
	r->path = strdup(path);
	r->value = strdup(value);
	if (!r->path || !r->value) {
		free(r->path);
		free(r->value);
		return -ENOMEM;
	}
	t->count++;
	return 0;
}

/* Writes and reads back; says what did not take. */
static void put(struct job *j, const char *item, const char *path, const char *value)
{
	char now[VALUE];
	int rc = sysfs_write(j->root, path, value);

	if (!rc)
		rc = read_value(j->root, path, now, sizeof(now));
	if (!rc && !strcmp(now, value)) {
		j->result->set++;
		return;
	}
	j->result->refused++;
	if (rc)
		say(j, "%s: %s: cannot set %s: %s", item, path, value, strerror(-rc));
	else
		say(j, "%s: %s: set to %s, reads %s", item, path, value, now);
}

static void set(struct job *j, const char *item, const char *path, const char *value)
{
	char before[VALUE];
	int rc = read_value(j->root, path, before, sizeof(before));

	if (rc) {
		say(j, "%s: %s: cannot be read: %s", item, path, strerror(-rc));
		j->result->refused++;
		return;
	}
	if (!strcmp(before, value)) {
		j->result->set++;
		return;
	}
	if (record(j->tune, path, before)) {
		j->err = -ENOMEM;
		return;
	}
	put(j, item, path, value);
}

static bool skipped(const struct job *j, const char *item)
{
	const char *skip;

	for (size_t at = 0; (skip = kv_next(j->spec, "skip", &at));)
		if (!strcmp(skip, item))
			return true;
	return false;
}

static bool is_gpu(const char *path)
{
	return strstr(path, "gpu") || strstr(path, "kgsl") || strstr(path, "mali") ||
	       strstr(path, "GPU");
}

static int highest(const char *text, char *value, size_t cap)
{
	unsigned long long best = 0, v;
	char *end;

	for (; *text; text = end) {
		v = strtoull(text, &end, 10);
		if (end == text)
			break;
		best = v > best ? v : best;
	}
	if (!best)
		return -ENODATA;
	snprintf(value, cap, "%llu", best);
	return 0;
}

static int sibling(const struct job *j, const char *path, const char *name, char *text, size_t cap)
{
	char other[SYSFS_PATH];
	int dir = (int)(strrchr(path, '/') - path);

	if (snprintf(other, sizeof(other), "%.*s/%s", dir, path, name) >= (int)sizeof(other))
		return -ENAMETOOLONG;
	return sysfs_read(j->root, other, text, cap);
}

static int rule_value(const struct job *j, const struct rule *r, const char *path, char *value,
		      size_t cap)
{
	char list[4096];
	int rc;

	switch (r->source) {
	case FIXED:
		return snprintf(value, cap, "%s", r->value);
	case KEY:
		return snprintf(value, cap, "%s", kv_get(j->spec, r->value, ""));
	case SIBLING:
		return sibling(j, path, r->value, value, cap);
	case HIGHEST:
		rc = sibling(j, path, r->value, list, sizeof(list));
		return rc < 0 ? rc : highest(list, value, cap);
	}
	return -EINVAL;
}

/* How many files the rule found. */
static size_t apply_rule(struct job *j, const struct rule *r)
{
	struct strv paths = { 0 };
	char value[VALUE];
	size_t count;
	int rc;

	if (sysfs_glob(j->root, r->pattern, &paths) == -ENOMEM)
		j->err = -ENOMEM;
	for (size_t i = 0; i < paths.count && !j->err; i++) {
		if (r->source == HIGHEST && is_gpu(paths.v[i]))
			continue;
		rc = rule_value(j, r, paths.v[i], value, sizeof(value));
		if (rc < 0)
			say(j, "%s: %s: no value from %s: %s", r->item, paths.v[i], r->value,
			    strerror(-rc));
		else
			set(j, r->item, paths.v[i], value);
	}
	count = paths.count;
	strv_release(&paths);
	return count;
}

static void apply_item(struct job *j, const char *item)
{
	size_t found = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (strcmp(rules[i].item, item) != 0)
			continue;
		if (rules[i].source != KEY || kv_get(j->spec, rules[i].value, NULL))
			found += apply_rule(j, &rules[i]);
	}
	if (!found)
		say(j, "%s: skipped: this DUT has none", item);
}

/* Interrupts. */

static long cpu_number(const char *path)
{
	return strtol(strstr(path, "/cpu/cpu") + 8, NULL, 10);
}

/* The first of the CPUs with the highest value in a file of this name; -1 if there is no such file.
 */
static long fastest_by(const struct job *j, const char *pattern)
{
	struct strv paths = { 0 };
	long long best = -1, v;
	long cpu = -1;
	char text[VALUE];

	sysfs_glob(j->root, pattern, &paths);
	for (size_t i = 0; i < paths.count; i++) {
		if (sysfs_read(j->root, paths.v[i], text, sizeof(text)) < 0)
			continue;
		v = strtoll(text, NULL, 10);
		if (v <= best)
			continue;
		best = v;
		cpu = cpu_number(paths.v[i]);
	}
	strv_release(&paths);
	return cpu;
}

static long fastest_cpu(const struct job *j)
{
	long cpu = fastest_by(j, "/sys/devices/system/cpu/cpu[0-9]*/cpu_capacity");

	if (cpu < 0)
		cpu = fastest_by(j, "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/cpuinfo_max_freq");
	return cpu < 0 ? 0 : cpu;
}

static size_t ufs_interrupts(const struct job *j, unsigned int *irq, size_t cap)
{
	char *text, *line, *next, *end;
	size_t n = 0;

	if (sysfs_read_all(j->root, "/proc/interrupts", &text) < 0)
		return 0;
	for (line = text; *line && n < cap; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (!strstr(line, "ufshcd"))
			continue;
		irq[n] = (unsigned int)strtoul(line, &end, 10);
		n += end != line && *end == ':';
	}
	free(text);
	return n;
}

static void apply_irq(struct job *j)
{
	unsigned int irq[64];
	size_t n = ufs_interrupts(j, irq, 64);
	char path[64], cpu[24], online[64];
	long cpus = 1;

	if (sysfs_read(j->root, "/sys/devices/system/cpu/online", online, sizeof(online)) > 0)
		cpus = strtol(strrchr(online, '-') ? strrchr(online, '-') + 1 : online, NULL, 10) +
		       1;
	for (size_t i = 0; i < n && !j->err; i++) {
		snprintf(path, sizeof(path), "/proc/irq/%u/smp_affinity_list", irq[i]);
		if (n > 1)
			snprintf(cpu, sizeof(cpu), "%ld", (long)i % cpus);
		else
			snprintf(cpu, sizeof(cpu), "%ld", fastest_cpu(j));
		set(j, "irq", path, n > 1 ? cpu : kv_get(j->spec, "irq_cpu", cpu));
	}
	if (!n)
		say(j, "irq: skipped: no ufshcd line in /proc/interrupts");
}

/* Settings that are no files. They are recorded under a name without a leading slash. */

#define LOG_PROPERTY "logd.logpersistd"
#define DEBUGFS	     "mount:/sys/kernel/debug"

static int run_tool(const char *const argv[], char *out, size_t cap)
{
	int fds[2], status;
	ssize_t n = 0;
	pid_t pid;

	if (pipe(fds))
		return -errno;
	pid = fork();
	if (!pid) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(fds[1]);
	if (pid > 0)
		n = read(fds[0], out, cap - 1);
	close(fds[0]);
	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static void apply_logging(struct job *j)
{
	char value[VALUE];

	if (*j->root || access("/system/bin/setprop", X_OK)) {
		say(j, "logging: skipped: this DUT has no Android property tools");
		return;
	}
	if (run_tool((const char *[]){ "/system/bin/getprop", LOG_PROPERTY, NULL }, value,
		     sizeof(value)) ||
	    record(j->tune, LOG_PROPERTY, value))
		return;
	if (run_tool((const char *[]){ "/system/bin/setprop", LOG_PROPERTY, "stop", NULL }, value,
		     sizeof(value))) {
		j->result->refused++;
		say(j, "logging: setprop %s stop failed", LOG_PROPERTY);
		return;
	}
	j->result->set++;
}

static void apply_debugfs(struct job *j)
{
	if (sysfs_exists(j->root, "/sys/kernel/debug/block") ||
	    sysfs_exists(j->root, "/sys/kernel/debug/sched")) {
		j->result->set++;
		return;
	}
	if (*j->root || mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL)) {
		if (errno != EBUSY || *j->root)
			say(j, "debugfs: skipped: cannot be mounted");
		return;
	}
	j->result->set++;
	if (record(j->tune, DEBUGFS, "") == -ENOMEM)
		j->err = -ENOMEM;
}

static const struct item {
	const char *name;
	void (*apply)(struct job *j); /* NULL: by the rules */
} items[] = {
	{ "cpuidle", NULL }, { "cpufreq", NULL },	   { "irq", apply_irq },
	{ "devfreq", NULL }, { "clkgate", NULL },	   { "logging", apply_logging },
	{ "queue", NULL },   { "debugfs", apply_debugfs },
};

int tune_apply(struct tune *t, const char *root, const struct kv_list *spec, tune_note_fn *note,
	       void *ctx, struct tune_result *result)
{
	struct job j = { t, root, spec, note, ctx, result, 0 };

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]) && !j.err; i++) {
		if (skipped(&j, items[i].name))
			say(&j, "%s: skipped: as asked", items[i].name);
		else if (items[i].apply)
			items[i].apply(&j);
		else
			apply_item(&j, items[i].name);
	}
	return j.err;
}

static void restore(struct job *j, const struct tune_record *r)
{
	char out[VALUE];

	if (!strcmp(r->path, LOG_PROPERTY))
		run_tool((const char *[]){ "/system/bin/setprop", LOG_PROPERTY, r->value, NULL },
			 out, sizeof(out));
	else if (!strcmp(r->path, DEBUGFS))
		umount("/sys/kernel/debug");
	else
		put(j, "restore", r->path, r->value);
}

void tune_restore(struct tune *t, const char *root, tune_note_fn *note, void *ctx,
		  struct tune_result *result)
{
	struct job j = { t, root, NULL, note, ctx, result, 0 };

	while (t->count) {
		struct tune_record *r = &t->record[--t->count];

		restore(&j, r);
		free(r->path);
		free(r->value);
	}
	free(t->record);
	t->record = NULL;
}
