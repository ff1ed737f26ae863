// SPDX-License-Identifier: GPL-2.0-or-later
/* Marks on the console of a boot; see boottime.h. Layer: job. */
#include "job/boottime.h"

#include <stdlib.h>
#include <string.h>

struct burst {
	uint64_t ms;
	size_t offset;
};

/* The next line of the index; false at its end, or where it is none. */
static bool next_burst(const char **at, struct burst *b)
{
	char *end;

	b->ms = strtoull(*at, &end, 10);
	if (end == *at || *end != ' ')
		return false;
	*at = end + 1;
	b->offset = strtoull(*at, &end, 10);
	if (end == *at || *end != '\n')
		return false;
	*at = end + 1;
	return true;
}

/* Where the first burst begins that came at ms or later; the size of the log if there is none. */
static size_t first_since(const struct boottime *b, uint64_t ms)
{
	const char *at = b->index;
	struct burst burst;

	while (next_burst(&at, &burst))
		if (burst.ms >= ms && burst.offset <= b->log_size)
			return burst.offset;
	return b->log_size;
}

static uint64_t time_of(const struct boottime *b, size_t offset)
{
	const char *at = b->index;
	uint64_t ms = b->power_on_ms;
	struct burst burst;

	while (next_burst(&at, &burst) && burst.offset <= offset)
		ms = burst.ms;
	return ms;
}

/* "[    1.234567] " at the line's beginning, maybe with a <6> before. */
static int64_t stamp_of(const char *line, const char *end)
{
	char text[40] = "", *rest;
	double seconds;
	size_t n;

	if (line < end && *line == '<')
		while (line < end && *line++ != '>')
			;
	if (line >= end || *line++ != '[')
		return -1;
	n = (size_t)(end - line) < sizeof(text) - 1 ? (size_t)(end - line) : sizeof(text) - 1;
	memcpy(text, line, n);
	seconds = strtod(text, &rest);
	if (rest == text || *rest != ']' || !strchr("0123456789 ", text[0]) || !(seconds >= 0) ||
	    seconds > 1e9)
		return -1;
	return (int64_t)(seconds * 1e9 + 0.5);
}

bool boottime_find(const struct boottime *b, const char *text, struct boottime_at *at)
{
	size_t from = first_since(b, b->power_on_ms);
	const char *found = memmem(b->log + from, b->log_size - from, text, strlen(text));
	const char *line = found;

	if (!found || !*text)
		return false;
	while (line > b->log && line[-1] != '\n')
		line--;
	at->since_ms = time_of(b, (size_t)(found - b->log)) - b->power_on_ms;
	at->uptime_ns = stamp_of(line, b->log + b->log_size);
	return true;
}
