// SPDX-License-Identifier: GPL-2.0-or-later
/* Times that come again; see cron.h. */
#include "base/cron.h"

#include <stdlib.h>
#include <string.h>

#define YEARS_MAX  5
#define COUNT_MAX  1000
#define LAST_YEARS (YEARS_MAX * 366)

static const struct field {
	int min, max;
	const char *wrong;
} fields[] = {
	{ 0, 59, "the minute is 0 to 59, *, a-b, */step, or a list of these" },
	{ 0, 23, "the hour is 0 to 23, *, a-b, */step, or a list of these" },
	{ 1, 31, "the day of the month is 1 to 31, *, a-b, */step, or a list of these" },
	{ 1, 12, "the month is 1 to 12, *, a-b, */step, or a list of these" },
	{ 0, 7, "the day of the week is 0 to 7 (Sunday), *, a-b, */step, or a list of these" },
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static bool number(const char **p, long *value)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	*value = strtol(*p, &end, 10);
	*p = end;
	return true;
}

/* "*", "5", "1-5", with "/2" after it. */
static bool part(const char **p, const struct field *f, uint64_t *bits)
{
	long from = f->min, to = f->max, step = 1;

	if (**p == '*') {
		(*p)++;
	} else {
		if (!number(p, &from))
			return false;
		to = from;
		if (**p == '-' && ((*p)++, !number(p, &to)))
			return false;
		if (**p == '/' && to == from)
			to = f->max;
	}
	if (**p == '/' && ((*p)++, !number(p, &step)))
		return false;
	if (from < f->min || to > f->max || from > to || step < 1)
		return false;
	for (long i = from; i <= to; i += step)
		*bits |= UINT64_C(1) << i;
	return true;
}

static bool field(const char **p, const struct field *f, uint64_t *bits, bool *any)
{
	*bits = 0;
	*p += strspn(*p, " \t");
	*any = **p == '*' && (*p)[1] != '/';
	do {
		if (!part(p, f, bits))
			return false;
	} while (**p == ',' && (*p)++);
	return **p == ' ' || **p == '\t' || !**p;
}

const char *cron_parse(const char *text, struct cron *c)
{
	uint64_t bits[N_FIELDS];
	bool any[N_FIELDS];

	for (size_t i = 0; i < N_FIELDS; i++)
		if (!field(&text, &fields[i], &bits[i], &any[i]))
			return fields[i].wrong;
	text += strspn(text, " \t");
	if (*text)
		return "there are five fields: minute, hour, day, month, day of the week";
	if (bits[4] & (1u << 7))
		bits[4] |= 1;
	*c = (struct cron){ .minutes = bits[0],
			    .hours = (uint32_t)bits[1],
			    .days = (uint32_t)bits[2],
			    .months = (uint32_t)bits[3],
			    .weekdays = (uint32_t)bits[4],
			    .any_day = any[2],
			    .any_weekday = any[4] };
	return NULL;
}

static bool on_day(const struct cron *c, const struct tm *t)
{
	bool day = c->days >> t->tm_mday & 1;
	bool weekday = c->weekdays >> t->tm_wday & 1;

	if (!(c->months >> (t->tm_mon + 1) & 1))
		return false;
	if (c->any_day || c->any_weekday)
		return day && weekday;
	return day || weekday;
}

/* The first time of that day that is after it; -1 = none. */
static time_t on_that_day(const struct cron *c, const struct tm *day, time_t after)
{
	for (int hour = 0; hour < 24; hour++) {
		if (!(c->hours >> hour & 1))
			continue;
		for (int minute = 0; minute < 60; minute++) {
			struct tm t = { .tm_year = day->tm_year,
					.tm_mon = day->tm_mon,
					.tm_mday = day->tm_mday,
					.tm_hour = hour,
					.tm_min = minute,
					.tm_isdst = -1 };
			time_t at;

			if (!(c->minutes >> minute & 1))
				continue;
			at = mktime(&t);
			if (at > after)
				return at;
		}
	}
	return -1;
}

time_t cron_next(const struct cron *c, time_t after)
{
	struct tm start;

	localtime_r(&after, &start);
	for (int i = 0; i < LAST_YEARS; i++) {
		struct tm day = { .tm_year = start.tm_year,
				  .tm_mon = start.tm_mon,
				  .tm_mday = start.tm_mday + i,
				  .tm_hour = 12,
				  .tm_isdst = -1 };
		time_t at;

		mktime(&day); /* a day that there is, and its day of the week */
		if (!on_day(c, &day))
			continue;
		at = on_that_day(c, &day, after);
		if (at != (time_t)-1)
			return at;
	}
	return -1;
}

int cron_due(const struct cron *c, time_t last, time_t now, time_t *next)
{
	time_t at = cron_next(c, last);
	int n = 0;

	while (at != (time_t)-1 && at <= now && n < COUNT_MAX) {
		n++;
		at = cron_next(c, at);
	}
	*next = n < COUNT_MAX ? at : cron_next(c, now);
	return n;
}
