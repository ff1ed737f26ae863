// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace buffers; see trace.h. */
#include "agents/trace.h"
#include "agents/sysfs.h"
#include "agents/trace-page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing"

static int complain(struct trace *t, int rc, const char *what)
{
	snprintf(t->why, sizeof(t->why), "%.140s: %.50s", what, strerror(-rc));
	return rc;
}

static int set(struct trace *t, const char *file, const char *value)
{
	char path[SYSFS_PATH];
	int rc;

	snprintf(path, sizeof(path), "%s/%s", t->dir, file);
	rc = sysfs_write(t->root, path, value);
	return rc ? complain(t, rc, path) : 0;
}

int trace_open(struct trace *t, const char *root, const char *name, unsigned int buffer_kb)
{
	char path[SYSFS_PATH], size[16];
	int rc;

	*t = (struct trace){ .root = root };
	if (!sysfs_exists(root, TRACING "/events")) {
		snprintf(t->why, sizeof(t->why), "this kernel has no trace events (" TRACING ")");
		return -ENOTSUP;
	}
	snprintf(t->dir, sizeof(t->dir), TRACING "/instances/%s", name);
	snprintf(path, sizeof(path), "%s%s", root, t->dir);
	rmdir(path); /* what an agent that died has left */
	if (mkdir(path, 0755)) {
		rc = complain(t, -errno, t->dir);
		*t->dir = '\0';
		return rc;
	}
	snprintf(size, sizeof(size), "%u", buffer_kb);
	rc = set(t, "tracing_on", "0");
	if (!rc)
		rc = set(t, "buffer_size_kb", size);
	return rc ? rc : set(t, "options/overwrite", "0");
}

int trace_enable(struct trace *t, const char *event, const char *filter)
{
	char file[120];
	int rc = 0;

	snprintf(file, sizeof(file), "events/%s/filter", event);
	if (filter)
		rc = set(t, file, filter);
	snprintf(file, sizeof(file), "events/%s/enable", event);
	return rc ? rc : set(t, file, "1");
}

int trace_id(struct trace *t, const char *event)
{
	char path[SYSFS_PATH], text[16];
	int rc;

	snprintf(path, sizeof(path), "%s/events/%s/id", t->dir, event);
	rc = sysfs_read(t->root, path, text, sizeof(text));
	return rc < 0 ? complain(t, rc, path) : (int)strtol(text, NULL, 10);
}

/* "field:__data_loc char[] name;	offset:12;	size:4;	signed:0;" */
static bool is_field(const char *line, const char *name)
{
	const char *end = strchr(line, ';');
	size_t n = strlen(name);

	return end && (size_t)(end - line) > n && end[-(long)n - 1] == ' ' &&
	       !strncmp(end - n, name, n);
}

/* Of "offset:12;" on this line. */
static bool number_after(const char *line, const char *word, size_t *number)
{
	const char *p = strstr(line, word), *end = strchr(line, '\n');

	if (!p || (end && p > end))
		return false;
	*number = strtoul(p + strlen(word), NULL, 10);
	return true;
}

int trace_find_field(struct trace *t, const char *event, const char *field,
		     struct trace_field *where)
{
	char path[SYSFS_PATH], *text;
	int rc = -ENOENT;
	long size;

	snprintf(path, sizeof(path), "%s/events/%s/format", t->dir, event);
	size = sysfs_read_all(t->root, path, &text);
	if (size < 0)
		return complain(t, (int)size, path);
	for (char *p = text; rc && (p = strstr(p, "field:")); p++)
		if (is_field(p, field) && number_after(p, "offset:", &where->offset) &&
		    number_after(p, "size:", &where->size))
			rc = 0;
	free(text);
	return rc ? complain(t, rc, field) : 0;
}

int trace_start(struct trace *t)
{
	return set(t, "tracing_on", "1");
}

int trace_stop(struct trace *t)
{
	return set(t, "tracing_on", "0");
}

struct one_cpu {
	unsigned int cpu;
	trace_cpu_event_fn *each;
	void *ctx;
};

static void on_event(void *ctx, uint64_t time_ns, const unsigned char *data, size_t size)
{
	const struct one_cpu *c = ctx;

	c->each(c->ctx, c->cpu, time_ns, data, size);
}

static int read_pages(int fd, unsigned char *page, size_t size, struct one_cpu *c)
{
	ssize_t n;

	while ((n = read(fd, page, size)) > 0) {
		int rc = trace_page(page, (size_t)n, sizeof(long), on_event, c);

		if (rc)
			return rc;
	}
	return n < 0 && errno != EAGAIN ? -errno : 0;
}

static void count_dropped(struct trace *t, const char *dir)
{
	static const char *const counts[] = { "overrun: ", "dropped events: " };
	char path[SYSFS_PATH], text[512];

	snprintf(path, sizeof(path), "%s/stats", dir);
	if (sysfs_read(t->root, path, text, sizeof(text)) < 0)
		return;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const char *p = strstr(text, counts[i]);

		t->dropped += p ? strtoull(p + strlen(counts[i]), NULL, 10) : 0;
	}
}

static int read_cpu(struct trace *t, const char *dir, trace_cpu_event_fn *each, void *ctx)
{
	struct one_cpu c = { (unsigned int)strtoul(strrchr(dir, 'u') + 1, NULL, 10), each, ctx };
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *page = malloc(size);
	char path[2 * SYSFS_PATH];
	int fd, rc;

	count_dropped(t, dir);
	snprintf(path, sizeof(path), "%s%s/trace_pipe_raw", t->root, dir);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	rc = fd < 0 ? -errno : page ? read_pages(fd, page, size, &c) : -ENOMEM;
	if (fd >= 0)
		close(fd);
	free(page);
	return rc ? complain(t, rc, path) : 0;
}

int trace_read(struct trace *t, trace_cpu_event_fn *each, void *ctx)
{
	char pattern[SYSFS_PATH];
	struct strv cpus = { 0 };
	int rc;

	snprintf(pattern, sizeof(pattern), "%s/per_cpu/cpu*", t->dir);
	rc = sysfs_glob(t->root, pattern, &cpus);
	for (size_t i = 0; i < cpus.count && !rc; i++)
		rc = read_cpu(t, cpus.v[i], each, ctx);
	strv_release(&cpus);
	return rc;
}

void trace_close(struct trace *t)
{
	char path[SYSFS_PATH];

	if (!*t->dir)
		return;
	trace_stop(t);
	set(t, "events/enable", "0");
	snprintf(path, sizeof(path), "%s%s", t->root, t->dir);
	rmdir(path);
	*t->dir = '\0';
}

uint64_t trace_number(const unsigned char *data, size_t size, const struct trace_field *where)
{
	uint64_t v64 = 0;
	uint32_t v32;
	uint16_t v16;

	if (where->offset > size || where->size > size - where->offset)
		return 0;
	data += where->offset;
	switch (where->size) {
	case 1:
		return *data;
	case 2:
		memcpy(&v16, data, 2);
		return v16;
	case 4:
		memcpy(&v32, data, 4);
		return v32;
	default:
		memcpy(&v64, data, where->size < 8 ? where->size : 8);
		return v64;
	}
}

void trace_text(const unsigned char *data, size_t size, const struct trace_field *where, char *text,
		size_t cap)
{
	uint32_t loc = (uint32_t)trace_number(data, size, where);
	size_t at = loc & 0xffff, n = loc >> 16;

	*text = '\0';
	if (at > size || n > size - at)
		return;
	snprintf(text, cap, "%.*s", (int)n, (const char *)data + at);
}
