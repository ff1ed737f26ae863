// SPDX-License-Identifier: GPL-2.0-or-later
/* What a step sends besides STARTED and END. Above talk.c. */
#include "agents/agent.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_CHUNK 8192

/* Nobody waits for it when the rig has begun anew meanwhile. */
static int send_kv(struct step *s, unsigned int type, struct kv *kv)
{
	int rc = kv->err;

	if (!rc && s->session == s->agent->session)
		rc = agent_send(s->agent, type, kv->data, kv->size);
	kv_release(kv);
	return rc;
}

void step_note(struct step *s, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (s->session == s->agent->session)
		agent_send(s->agent, WIRE_NOTE, text, strlen(text));
}

void step_metric(struct step *s, const char *name, const char *value, const char *unit)
{
	struct kv kv = { 0 };

	kv_add(&kv, "id", s->id);
	kv_add(&kv, "name", name);
	kv_add(&kv, "value", value);
	kv_add(&kv, "unit", unit);
	send_kv(s, WIRE_METRIC, &kv);
}

int step_file_data(struct step *s, const char *name, const void *data, size_t size)
{
	uint32_t crc = wire_crc32(0, data, size);
	size_t at = 0;
	int rc;

	do {
		size_t n = size - at < FILE_CHUNK ? size - at : FILE_CHUNK;
		struct kv kv = { 0 };
		char text[16];

		snprintf(text, sizeof(text), "%08x", crc);
		kv_add(&kv, "id", s->id);
		kv_add(&kv, "name", name);
		kv_add_u64(&kv, "size", size);
		kv_add_u64(&kv, "offset", at);
		kv_add(&kv, "crc32", text);
		kv_body(&kv, (const char *)data + at, n);
		rc = send_kv(s, WIRE_FILE, &kv);
		at += n;
	} while (!rc && at < size);
	return rc;
}

int step_file(struct step *s, const char *name, const char *path)
{
	char *data;
	long size = sysfs_read_all("", path, &data);
	int rc;

	if (size < 0) {
		step_end(s, STEP_FAILED, "%s: cannot be read: %s", name, strerror((int)-size));
		return (int)size;
	}
	rc = step_file_data(s, name, data, (size_t)size);
	free(data);
	return rc;
}

void step_end(struct step *s, enum step_status status, const char *format, ...)
{
	va_list ap;

	if (s->status != STEP_OK || *s->message)
		return;
	s->status = status;
	va_start(ap, format);
	vsnprintf(s->message, sizeof(s->message), format, ap);
	va_end(ap);
}

void step_path(const struct step *s, const char *name, char *path, size_t cap)
{
	snprintf(path, cap, "%s/%s", s->agent->scratch, name);
}

/* The last line of a file, for the message. */
static void last_line(const char *path, char *line, size_t cap)
{
	char *text, *from;
	long size = sysfs_read_all("", path, &text);

	*line = '\0';
	if (size < 0)
		return;
	while (size && text[size - 1] == '\n')
		text[--size] = '\0';
	from = strrchr(text, '\n');
	snprintf(line, cap, "%s", from ? from + 1 : text);
	free(text);
}

void step_judge(struct step *s, const char *who, const char *err_path)
{
	const struct run_result *r = &s->run;
	char line[256];

	last_line(err_path, line, sizeof(line));
	if (r->error)
		step_end(s, STEP_FAILED, "%s cannot be started: %s", who, strerror(-r->error));
	else if (r->timed_out)
		step_end(s, STEP_TIMEOUT, "%s did not end within %llu ms", who,
			 (unsigned long long)s->timeout_ms);
	else if (r->cancelled)
		step_end(s, STEP_FAILED, "cancelled");
	else if (r->signal)
		step_end(s, STEP_FAILED, "%s was killed by signal %d; stderr: %s", who, r->signal,
			 line);
	else if (r->exit == STEP_EXIT_UNSUPPORTED)
		step_end(s, STEP_UNSUPPORTED, "%s", line);
	else if (r->exit)
		step_end(s, STEP_FAILED, "%s exited with %d; stderr: %s", who, r->exit, line);
}
