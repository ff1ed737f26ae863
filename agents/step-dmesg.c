// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step dmesg: FILE `dmesg`, the kernel's log buffer as dmesg(1) prints it. Key raw=1 keeps the
 * <level> in front of each line.
 */
#include "agents/agent.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#define READ_ALL    3
#define SIZE_BUFFER 10

static size_t prefix_length(const char *line, const char *end)
{
	const char *p = line + 1;

	if (line == end || *line != '<')
		return 0;
	while (p < end && isdigit((unsigned char)*p))
		p++;
	return p < end && *p == '>' && p > line + 1 ? (size_t)(p - line) + 1 : 0;
}

/* In place; returns the new size. */
static size_t strip_levels(char *text, size_t size)
{
	char *out = text, *line = text, *end = text + size, *next;

	for (; line < end; line = next) {
		char *nl = memchr(line, '\n', (size_t)(end - line));

		next = nl ? nl + 1 : end;
		line += prefix_length(line, next);
		memmove(out, line, (size_t)(next - line));
		out += next - line;
	}
	return (size_t)(out - text);
}

void step_dmesg(struct step *s)
{
	int cap = klogctl(SIZE_BUFFER, NULL, 0), size = -1;
	char *text = cap > 0 ? malloc((size_t)cap) : NULL;

	if (text)
		size = klogctl(READ_ALL, text, cap);
	if (size < 0) {
		step_end(s, STEP_FAILED, "the kernel log cannot be read: %s", strerror(errno));
		free(text);
		return;
	}
	if (strcmp(kv_get(&s->spec, "raw", "0"), "1") != 0)
		size = (int)strip_levels(text, (size_t)size);
	step_file_data(s, "dmesg", text, (size_t)size);
	free(text);
}
