// SPDX-License-Identifier: GPL-2.0-or-later
/* Days as text; see day.h. Layer: base. */
#include "base/day.h"

#include <string.h>
#include <time.h>

bool day_valid(const char *text)
{
	struct tm tm = { .tm_mday = 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	struct tm same = tm;

	/* strptime() takes 2026-1-1 too, which does not compare as text, and the 31st of February
	 */
	return end && !*end && strlen(text) == 10 && timegm(&same) != -1 &&
	       same.tm_mday == tm.tm_mday;
}

/* NULL for a time out of range. */
static struct tm *utc(int64_t seconds, struct tm *tm)
{
	time_t t = (time_t)seconds;

	return gmtime_r(&t, tm);
}

void day_of(int64_t seconds, char day[DAY_SIZE])
{
	struct tm tm;

	if (!utc(seconds, &tm) || !strftime(day, DAY_SIZE, "%Y-%m-%d", &tm))
		day[0] = '\0';
}

void day_time(int64_t ms, char text[DAY_TIME_SIZE])
{
	struct tm tm;

	if (!utc(ms / 1000, &tm) || !strftime(text, DAY_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm))
		text[0] = '\0';
}

void day_minute(int64_t ms, char text[DAY_TIME_SIZE])
{
	struct tm tm;

	if (!utc(ms / 1000, &tm) || !strftime(text, DAY_TIME_SIZE, "%Y-%m-%d %H:%M", &tm))
		text[0] = '\0';
}
