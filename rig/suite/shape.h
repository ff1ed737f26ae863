/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structs to JSON and back by tables: one row per field drives reading, writing and freeing.
 * Strict: an unknown or missing key, a wrong type or an out-of-range number is an error that
 * names the path of the key. Layer: suite -> base.
 *
 * Strings and arrays inside such structs are heap memory owned by the struct.
 */
#ifndef RIG_SUITE_SHAPE_H
#define RIG_SUITE_SHAPE_H

#include <stddef.h>
#include <jansson.h>

#include "base/err.h"

enum shape_type {
	SHAPE_STR,	     /* char *; NULL is written as "" */
	SHAPE_OPTIONAL,	     /* char *; NULL = the key is left out */
	SHAPE_INT,	     /* long, min..max */
	SHAPE_NUM,	     /* double, min..max */
	SHAPE_BOOL,	     /* bool */
	SHAPE_STRS,	     /* char ** with a size_t at offset_n */
	SHAPE_STRS_OPTIONAL, /* the same; empty = the key is left out */
	SHAPE_OBJECT,	     /* the struct of `sub`, in place */
	SHAPE_LIST,	     /* array of the structs of `sub` with a size_t at offset_n */
	SHAPE_LIST_OPTIONAL, /* the same; empty = the key is left out */
	SHAPE_FORMAT,	     /* nothing in the struct: the number `max`, which must match */
};

struct shape;

struct shape_field {
	const char *name;
	enum shape_type type;
	size_t offset;
	size_t offset_n;
	double min, max;
	const struct shape *sub;
};

struct shape {
	const struct shape_field *fields;
	size_t n;
	size_t size; /* of the struct */
};

/* A new reference. */
json_t *shape_write(const struct shape *shape, const void *base);

/*
 * Fills the zeroed struct at base. 0, or -1 with *err (blame USER, code "json", message
 * "root.key[3].key: problem") and the struct zeroed again.
 */
int shape_read(const struct shape *shape, const json_t *json, void *base, const char *root,
	       struct err *err);

/* Frees what the struct owns and zeroes it. */
void shape_release(const struct shape *shape, void *base);

#endif
