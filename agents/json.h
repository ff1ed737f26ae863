/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes JSON into memory. The first error sticks in .err; keys are NULL inside an array. */
#ifndef AGENTS_JSON_H
#define AGENTS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	char *data; /* not terminated */
	size_t size, cap;
	int depth;
	bool first; /* nothing in the present object or array yet */
	int err;
};

void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);
/* Bytes that are not ASCII are written as they are if they form UTF-8, else as U+FFFD. */
void json_string(struct json *j, const char *key, const char *value);
void json_i64(struct json *j, const char *key, int64_t value);
void json_release(struct json *j);

#endif
