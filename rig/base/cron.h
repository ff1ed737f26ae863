/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times that come again, as crontab(5) writes them: minute, hour, day of the month, month, day of
 * the week (0 and 7 are Sunday); each *, a number, a range a-b, any of these with /step, or a list
 * of them. Where both days are restricted, either will do. In the host's time zone: an hour that
 * is left out in spring is made up for right after it, one that comes twice counts once. Pure.
 */
#ifndef RIG_BASE_CRON_H
#define RIG_BASE_CRON_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct cron {
	uint64_t minutes; /* a bit each, from 0 */
	uint32_t hours, days, months, weekdays;
	bool any_day, any_weekday; /* written as * */
};

/* NULL, or what is wrong with the text: a static sentence. */
const char *cron_parse(const char *text, struct cron *c);

/* The first such time after that one; (time_t)-1 when there is none in the next five years. */
time_t cron_next(const struct cron *c, time_t after);

/*
 * What is due at `now` when it was last done (or first heard of) at `last`: 0 nothing; else how
 * many times have come by since, which are all made up for by one run. More than 1000 are not
 * counted. *next becomes the first time after now.
 */
int cron_due(const struct cron *c, time_t last, time_t now, time_t *next);

#endif
