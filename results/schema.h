/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbered schema files (results/schema/NNN.sql) as a table, generated at build time.
 * A file is never changed once released: a schema change is a new file.
 */
#ifndef RESULTS_SCHEMA_H
#define RESULTS_SCHEMA_H

#include <stddef.h>

struct schema_step {
	int version; /* of the database after it: 1, 2, ... */
	const char *file;
	const char *sql;
};

extern const struct schema_step schema_steps[];
extern const size_t schema_steps_n;

#endif
