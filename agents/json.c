// SPDX-License-Identifier: GPL-2.0-or-later
/* A JSON writer. Bottom layer of the agent. */
#include "agents/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct json *j, const char *text, size_t size)
{
	if (j->err)
		return;
	if (size > j->cap - j->size) {
		size_t cap = (j->size + size) * 2 + 256;
		char *data = realloc(j->data, cap);

		if (!data) {
			j->err = -ENOMEM;
			return;
		}
		j->data = data;
		j->cap = cap;
	}
	memcpy(j->data + j->size, text, size);
	j->size += size;
}

/* Length of the UTF-8 sequence at p, 0 if it is none. */
static size_t utf8_length(const unsigned char *p)
{
	size_t n = *p >= 0xf0 && *p < 0xf5 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;

	if (*p >= 0xf5)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void put_quoted(struct json *j, const char *text)
{
	put(j, "\"", 1);
	while (*text) {
		unsigned char c = (unsigned char)*text;
		char escape[8];
		size_t n = 1;

		if (c == '"' || c == '\\') {
			put(j, "\\", 1);
			put(j, text, 1);
		} else if (c < 0x20 || c == 0x7f) {
			put(j, escape, (size_t)snprintf(escape, sizeof(escape), "\\u%04x", c));
		} else if (c < 0x80) {
			put(j, text, 1);
		} else {
			n = utf8_length((const unsigned char *)text);
			put(j, n ? text : "\xef\xbf\xbd", n ? n : 3);
			n = n ? n : 1;
		}
		text += n;
	}
	put(j, "\"", 1);
}

static void begin(struct json *j, const char *key)
{
	if (j->depth) {
		put(j, j->first ? "\n" : ",\n", j->first ? 1 : 2);
		for (int i = 0; i < j->depth; i++)
			put(j, "\t", 1);
	}
	if (key) {
		put_quoted(j, key);
		put(j, ": ", 2);
	}
	j->first = false;
}

static void open_level(struct json *j, const char *key, const char *bracket)
{
	begin(j, key);
	put(j, bracket, 1);
	j->depth++;
	j->first = true;
}

static void close_level(struct json *j, const char *bracket)
{
	j->depth--;
	if (!j->first) {
		put(j, "\n", 1);
		for (int i = 0; i < j->depth; i++)
			put(j, "\t", 1);
	}
	put(j, bracket, 1);
	j->first = false;
	if (!j->depth)
		put(j, "\n", 1);
}

void json_object(struct json *j, const char *key)
{
	open_level(j, key, "{");
}

void json_object_end(struct json *j)
{
	close_level(j, "}");
}

void json_array(struct json *j, const char *key)
{
	open_level(j, key, "[");
}

void json_array_end(struct json *j)
{
	close_level(j, "]");
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin(j, key);
	put_quoted(j, value);
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	char text[24];

	begin(j, key);
	put(j, text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)value));
}

void json_release(struct json *j)
{
	free(j->data);
	*j = (struct json){ 0 };
}
