// SPDX-License-Identifier: GPL-2.0-or-later
/* Monotonic deadlines; see deadline.h. Layer: base. */
#include "base/deadline.h"
#include "base/signals.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

uint64_t mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t mono_ms(void)
{
	return mono_ns() / 1000000u;
}

struct deadline deadline_in(uint64_t timeout_ms)
{
	return (struct deadline){ mono_ms() + timeout_ms };
}

struct deadline deadline_never(void)
{
	return (struct deadline){ UINT64_MAX };
}

struct deadline deadline_min(struct deadline a, struct deadline b)
{
	return a.at_ms < b.at_ms ? a : b;
}

bool deadline_passed(struct deadline d)
{
	return d.at_ms != UINT64_MAX && mono_ms() >= d.at_ms;
}

int deadline_left_ms(struct deadline d)
{
	uint64_t now = mono_ms();

	if (d.at_ms == UINT64_MAX)
		return -1;
	if (now >= d.at_ms)
		return 0;
	return d.at_ms - now > INT_MAX ? INT_MAX : (int)(d.at_ms - now);
}

int deadline_poll(int fd, short events, struct deadline d)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		int n;

		if (stop_requested())
			return -EINTR;
		n = poll(&p, 1, deadline_left_ms(d));
		if (n > 0)
			return p.revents;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0 && deadline_passed(d))
			return 0;
	}
}

char *wall_iso(char *buf, unsigned int size)
{
	struct timespec ts;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	snprintf(buf, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", tm.tm_year + 1900,
		 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ts.tv_nsec / 1000000);
	return buf;
}
