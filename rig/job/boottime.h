/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a text first came on the console of a boot, by the record of console.h. Pure. Layer: job.
 *
 *	log	raw bytes		index	"<mono_ms> <offset>\n" a burst
 *
 * The host's time of a byte is that of its burst: it may be CONSOLE_INDEX_MS late, and as much more
 * as the line takes to carry what the burst holds before it.
 */
#ifndef RIG_JOB_BOOTTIME_H
#define RIG_JOB_BOOTTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boottime {
	const char *log;
	size_t log_size;
	const char *index; /* NUL-terminated */
	uint64_t power_on_ms;
};

struct boottime_at {
	uint64_t since_ms; /* since power-on */
	int64_t uptime_ns; /* the kernel's own stamp of that line, "[    1.234567]"; -1 = none */
};

/* False: it did not come after power-on. What came before, while a loader was fed, is not seen. */
bool boottime_find(const struct boottime *b, const char *text, struct boottime_at *at);

#endif
