// SPDX-License-Identifier: GPL-2.0-or-later
/* Console bytes to clean lines and messages; see logline.h. Layer: scan. */
#include "scan/logline.h"

#include <ctype.h>
#include <string.h>

#define SYSLOG_MAX 96 /* a date, a host name and a tag are shorter */

#define ESC 0x1b
#define BEL 0x07

enum escape { ESCAPE_NONE, ESCAPE_START, ESCAPE_CSI, ESCAPE_OSC, ESCAPE_CHARSET };

void logline_init(struct logline_reader *r)
{
	memset(r, 0, sizeof(*r));
}

/* The state after byte c of a sequence. A newline never belongs to one: see logline_feed(). */
static enum escape escape_next(enum escape state, unsigned char c)
{
	switch (state) {
	case ESCAPE_START:
		if (c == '[')
			return ESCAPE_CSI;
		if (c == ']')
			return ESCAPE_OSC;
		return c == '(' || c == ')' ? ESCAPE_CHARSET : ESCAPE_NONE;
	case ESCAPE_CSI:
		return c >= 0x40 && c <= 0x7e ? ESCAPE_NONE : ESCAPE_CSI;
	case ESCAPE_OSC:
		return c == BEL || c == ESC ? ESCAPE_NONE : ESCAPE_OSC;
	default:
		return ESCAPE_NONE;
	}
}

static void begin_line(struct logline_reader *r)
{
	r->complete = false;
	r->after_cr = false;
	r->escape = ESCAPE_NONE;
	r->line.n = 0;
	r->line.begin = r->offset;
}

static void end_line(struct logline_reader *r)
{
	r->line.text[r->line.n] = '\0';
	r->line.end = r->offset;
	r->complete = true;
}

static void put(struct logline_reader *r, unsigned char c)
{
	if (r->escape) {
		r->escape = escape_next(r->escape, c);
		return;
	}
	if (c == ESC)
		r->escape = ESCAPE_START;
	else if (c == '\t')
		r->line.text[r->line.n++] = ' ';
	else if (c >= ' ' && c != 0x7f)
		r->line.text[r->line.n++] = (char)c;
}

/* None of 8 bytes is below ' ' or DEL; the borrow of one byte can only reach those above it. */
static bool all_plain(const char *data)
{
	const uint64_t ones = 0x0101010101010101u, high = ones * 0x80;
	uint64_t x, del;

	memcpy(&x, data, sizeof(x));
	del = x ^ (ones * 0x7f);
	return !((((x - ones * ' ') & ~x) | ((del - ones) & ~del)) & high);
}

/* Copies the plain characters at the head of data; most of a log is that. Returns how many. */
static size_t take_run(struct logline_reader *r, const char *data, size_t size)
{
	size_t room = LOGLINE_MAX - r->line.n, n = size < room ? size : room, i = 0;

	while (i + 8 <= n && all_plain(data + i))
		i += 8;
	while (i < n && (unsigned char)data[i] >= ' ' && data[i] != 0x7f)
		i++;
	memcpy(r->line.text + r->line.n, data, i);
	r->line.n += i;
	r->offset += i;
	return i;
}

size_t logline_feed(struct logline_reader *r, const char *data, size_t size)
{
	size_t i = 0;

	if (r->complete)
		begin_line(r);
	while (i < size && !r->complete) {
		unsigned char c;

		if (!r->escape && !r->after_cr)
			i += take_run(r, data + i, size - i);
		if (r->line.n == LOGLINE_MAX)
			end_line(r);
		if (i == size || r->complete)
			break;
		c = (unsigned char)data[i];
		if (r->after_cr && c != '\n' && c != '\r') {
			end_line(r);
			break;
		}
		i++;
		r->offset++;
		r->after_cr = c == '\r';
		if (c == '\n')
			end_line(r);
		else if (c != '\r')
			put(r, c);
	}
	return i;
}

bool logline_finish(struct logline_reader *r)
{
	if (r->complete || !r->line.n)
		return false;
	end_line(r);
	return true;
}

static const char *take_digits(const char *p, const char *end, double *value)
{
	*value = 0;
	for (; p < end && isdigit((unsigned char)*p); p++)
		*value = *value * 10 + (*p - '0');
	return p;
}

/* Length of "[   12.345678]" at p, 0 when there is none; *time_s is its value, without fraction. */
static size_t stamp_length(const char *p, const char *end, double *time_s)
{
	const char *s = p;
	const char *digits;
	double fraction;

	if (s == end || *s++ != '[')
		return 0;
	while (s < end && *s == ' ')
		s++;
	digits = s;
	s = take_digits(s, end, time_s);
	if (s == digits || s - digits > 9 || s == end || *s++ != '.')
		return 0;
	digits = s;
	s = take_digits(s, end, &fraction);
	if (s - digits < 3 || s - digits > 9 || s == end || *s != ']')
		return 0;
	return (size_t)(s + 1 - p);
}

/* Length of "[ T1234]" or "[    C0]" at p. */
static size_t caller_length(const char *p, const char *end)
{
	const char *s = p;

	if (s == end || *s++ != '[')
		return 0;
	while (s < end && *s == ' ')
		s++;
	if (s == end || (*s != 'T' && *s != 'C'))
		return 0;
	for (s++; s < end && isdigit((unsigned char)*s); s++)
		;
	return s < end && *s == ']' ? (size_t)(s + 1 - p) : 0;
}

static const char *find_stamp(const char *p, const char *end)
{
	double ignored;

	for (; (p = memchr(p, '[', (size_t)(end - p))); p++)
		if (stamp_length(p, end, &ignored))
			return p;
	return end;
}

/* Length of "<4>", or of "4,1234,5678901,-;" as /dev/kmsg gives it. */
static size_t level_length(const char *p, const char *end)
{
	const char *s = p + (*p == '<');
	unsigned int commas = 0;

	for (; s < end && (isdigit((unsigned char)*s) || *s == ','); s++)
		commas += *s == ',';
	if (*p == '<')
		return s < end && *s == '>' && s - p > 1 && !commas ? (size_t)(s + 1 - p) : 0;
	if (commas != 3 || end - s < 2 || s[1] != ';')
		return 0;
	return (size_t)(s + 2 - p);
}

/* Length of "[Mon Sep 12 14:38:59 2022] ", "[Sep12 14:38] ", "[  +0.000012] ": dmesg -T, -e, -d. */
static size_t date_length(const char *p, const char *end)
{
	const char *s = p + 1, *close = memchr(p, ']', (size_t)(end - p));

	while (s < end && *s == ' ')
		s++;
	if (!close || close - p > 32 || close + 1 == end || close[1] != ' ' || s == close ||
	    !isdigit((unsigned char)close[-1]))
		return 0;
	if (*s == '+' ? !isdigit((unsigned char)s[1])
		      : !isupper((unsigned char)*s) || !memchr(s, ':', (size_t)(close - s)))
		return 0;
	return (size_t)(close + 2 - p);
}

/* Length of "Sep 23 02:31:17 host kernel: ", and with an ISO date. */
static size_t syslog_length(const char *p, const char *end)
{
	static const char tag[] = " kernel: ";
	size_t n = (size_t)(end - p) < SYSLOG_MAX ? (size_t)(end - p) : SYSLOG_MAX;
	const char *found = n > 16 ? memmem(p + 10, n - 10, tag, sizeof(tag) - 1) : NULL;

	if (!found || !(isupper((unsigned char)p[0]) ? p[3] == ' ' : p[4] == '-'))
		return 0;
	return (size_t)(found - p) + sizeof(tag) - 1;
}

/* What other programs put before a message, at the beginning of a line. */
static size_t prefix_length(const char *p, const char *end, bool *syslog)
{
	size_t n = 0;

	*syslog = false;
	if (*p == '[')
		return date_length(p, end);
	if (*p == '<' || isdigit((unsigned char)*p))
		n = level_length(p, end);
	if (!n && isalnum((unsigned char)*p)) {
		n = syslog_length(p, end);
		*syslog = n > 0;
	}
	return n;
}

bool logline_message(const struct logline *line, size_t *pos, struct logmsg *msg)
{
	const char *end = line->text + line->n;
	const char *p = line->text + *pos;
	size_t n;

	if (p >= end)
		return false;
	if (!*pos)
		p += prefix_length(p, end, &msg->syslog);
	n = stamp_length(p, end, &msg->time_s);
	msg->stamped = n > 0;
	p += n;
	p += caller_length(p, end);
	if (n && p < end && *p == ' ')
		p++;
	msg->text = p;
	p = find_stamp(p, end);
	msg->n = (size_t)(p - msg->text);
	*pos = (size_t)(p - line->text);
	return true;
}
