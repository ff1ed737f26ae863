// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows that pass findings over; see suppression.h. Layer: scan. */
#include "scan/suppression.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A title may hold '[' without being a pattern, so the text itself matches too. */
static bool fits(const char *pattern, const char *text)
{
	return !pattern || !*pattern || !strcmp(pattern, text) ||
	       fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

bool suppression_matches(const struct suppression *s, const char *kind, const char *title,
			 const char *guilty)
{
	return fits(s->title, title) && fits(s->guilty, guilty) &&
	       (!s->kind || !*s->kind || !strcmp(s->kind, kind));
}

bool suppression_expired(const struct suppression *s, const char *day)
{
	return strcmp(s->until, day) < 0;
}

bool suppression_is_day(const char *text)
{
	struct tm tm = { .tm_mday = 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);

	/* strptime() takes 2026-1-1 too, which does not compare as text */
	return end && !*end && strlen(text) == 10;
}

void suppression_day(int64_t seconds, char day[SUPPRESSION_DAY_SIZE])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	day[0] = '\0';
	if (gmtime_r(&t, &tm))
		strftime(day, SUPPRESSION_DAY_SIZE, "%Y-%m-%d", &tm);
}
