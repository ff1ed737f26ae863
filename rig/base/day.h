/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Days and times (UTC) as text, "2027-03-31", which compares as it is. Layer: base. */
#ifndef RIG_BASE_DAY_H
#define RIG_BASE_DAY_H

#include <stdbool.h>
#include <stdint.h>

#define DAY_SIZE      16
#define DAY_TIME_SIZE 32

/* Is it a day that there is, written that way? */
bool day_valid(const char *text);

/* The day (UTC) of a time in seconds since 1970; "" for a time out of range. */
void day_of(int64_t seconds, char day[DAY_SIZE]);

/* "2027-03-31T18:43:05Z" of a time in ms since 1970; "" for one out of range. */
void day_time(int64_t ms, char text[DAY_TIME_SIZE]);

/* The same to the minute, for people: "2027-03-31 18:43". */
void day_minute(int64_t ms, char text[DAY_TIME_SIZE]);

#endif
