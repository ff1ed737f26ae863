/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checked access to the JSON of a run directory, for import.c and import-journal.c. Nothing in it
 * is trusted: every getter checks type and range and names file, line and key in its error.
 */
#ifndef RESULTS_IMPORT_JSON_H
#define RESULTS_IMPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct buf;
struct session;

/* Where we are, for messages; the session that strings are copied into. */
struct reading {
	struct session *s;
	const char *run_dir;
	const char *file; /* relative to run_dir */
	size_t line;	  /* 0 = not by line */
	struct err *err;
};

/* "file:line: ..." with code bad-run and blame RIG; returns -1. */
int bad(const struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a file that read_inside(..., max) gave -errno for; tells the limit if that is it. */
int bad_file(const struct reading *r, int rc, size_t max);

/*
 * A string of at most 64 KiB, copied. Missing or null gives "" when optional. 0 or -1.
 */
int get_text(const struct reading *r, const json_t *object, const char *key, bool optional,
	     const char **text);

/* An integer in min..max. Missing or null leaves *value as it is when optional. */
int get_int(const struct reading *r, const json_t *object, const char *key, bool optional,
	    int64_t min, int64_t max, int64_t *value);

/* A finite number in min..max. */
int get_real(const struct reading *r, const json_t *object, const char *key, bool optional,
	     double min, double max, double *value);

/* A boolean; missing or null leaves *value as it is. */
int get_bool(const struct reading *r, const json_t *object, const char *key, bool *value);

/* "2026-11-30T15:04:05.123Z" under key, in ms since 1970. */
int get_time(const struct reading *r, const json_t *object, const char *key, int64_t *ms);

/*
 * Reads run_dir/dir/name (dir may be "") of at most max bytes. 0, -errno; -EXDEV for a path that
 * leads out of the run directory, by ".." or by a symbolic link.
 */
int read_inside(const char *run_dir, const char *dir, const char *name, struct buf *out,
		size_t max);

#endif
