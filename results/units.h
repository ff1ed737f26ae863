/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units as people print them -> the canonical units of values.h. Layer: results, pure.
 */
#ifndef RESULTS_UNITS_H
#define RESULTS_UNITS_H

#include <stddef.h>

struct unit {
	const char *printed;   /* "MiB/s" */
	const char *canonical; /* "bytes/s"; the printed one where we know no better */
	double factor;	       /* canonical = factor * printed */
};

/*
 * The unit of that name; what stands in brackets behind it ("MB/s(as printed)") does not count.
 * An exact match before one in other case; NULL: not known.
 */
const struct unit *unit_find(const char *printed);

/* The whole table, ended by printed == NULL. */
extern const struct unit units[];

#endif
