// SPDX-License-Identifier: GPL-2.0-or-later
/* key=value text of wire messages: writer and parser. See kv.h. */
#include "agents/kv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

static bool key_ok(const char *key, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!key_char(key[i]))
			return false;
	return size > 0;
}

static void put(struct kv *kv, const void *data, size_t size)
{
	if (kv->err)
		return;
	if (size > kv->cap - kv->size) {
		size_t cap = (kv->size + size) * 2 + 64;
		char *data_new = realloc(kv->data, cap);

		if (!data_new) {
			kv->err = -ENOMEM;
			return;
		}
		kv->data = data_new;
		kv->cap = cap;
	}
	if (size)
		memcpy(kv->data + kv->size, data, size);
	kv->size += size;
}

void kv_add(struct kv *kv, const char *key, const char *value)
{
	if (!key_ok(key, strlen(key)) && !kv->err)
		kv->err = -EINVAL;
	put(kv, key, strlen(key));
	put(kv, "=", 1);
	while (*value) {
		size_t plain = strcspn(value, "\\\n");

		put(kv, value, plain);
		value += plain;
		if (*value)
			put(kv, *value++ == '\n' ? "\\n" : "\\\\", 2);
	}
	put(kv, "\n", 1);
}

void kv_add_u64(struct kv *kv, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	kv_add(kv, key, text);
}

void kv_add_i64(struct kv *kv, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	kv_add(kv, key, text);
}

void kv_body(struct kv *kv, const void *data, size_t size)
{
	put(kv, "\n", 1);
	put(kv, data, size);
}

void kv_release(struct kv *kv)
{
	free(kv->data);
	*kv = (struct kv){ 0 };
}

/* In place: the result is never longer than the source. */
static int unescape(char *value)
{
	char *out = value;

	for (; *value; value++) {
		if (*value != '\\') {
			*out++ = *value;
			continue;
		}
		value++;
		if (*value != 'n' && *value != '\\')
			return -EINVAL;
		*out++ = *value == 'n' ? '\n' : '\\';
	}
	*out = '\0';
	return 0;
}

static size_t pairs_end(const char *data, size_t size, size_t *lines)
{
	size_t at = 0;

	*lines = 0;
	while (at < size && data[at] != '\n') {
		const char *nl = memchr(data + at, '\n', size - at);

		at = nl ? (size_t)(nl - data) + 1 : size;
		(*lines)++;
	}
	return at;
}

static int parse_line(struct kv_pair *pair, char *line)
{
	char *equals = strchr(line, '=');

	if (!equals || !key_ok(line, (size_t)(equals - line)))
		return -EINVAL;
	*equals = '\0';
	pair->key = line;
	pair->value = equals + 1;
	return unescape(equals + 1);
}

int kv_parse(struct kv_list *list, const void *data, size_t size)
{
	size_t lines, end = pairs_end(data, size, &lines);
	char *line, *next;
	int rc = 0;

	*list = (struct kv_list){ .body = end < size ? end + 1 : size };
	if (end && memchr(data, '\0', end))
		return -EINVAL;
	list->mem = malloc(end + 1);
	list->pair = calloc(lines + 1, sizeof(*list->pair));
	if (!list->mem || !list->pair)
		return -ENOMEM;
	if (end)
		memcpy(list->mem, data, end);
	list->mem[end] = '\0';
	for (line = list->mem; !rc && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		rc = parse_line(&list->pair[list->count], line);
		if (!rc)
			list->count++;
	}
	return rc;
}

void kv_list_release(struct kv_list *list)
{
	free(list->pair);
	free(list->mem);
	*list = (struct kv_list){ 0 };
}

const char *kv_next(const struct kv_list *list, const char *key, size_t *at)
{
	while (*at < list->count) {
		const struct kv_pair *pair = &list->pair[(*at)++];

		if (!strcmp(pair->key, key))
			return pair->value;
	}
	return NULL;
}

const char *kv_get(const struct kv_list *list, const char *key, const char *fallback)
{
	size_t at = 0;
	const char *value = kv_next(list, key, &at);

	return value ? value : fallback;
}

int kv_get_u64(const struct kv_list *list, const char *key, uint64_t *value)
{
	const char *text = kv_get(list, key, NULL);
	unsigned long long v;
	char *end;

	if (!text)
		return -ENOENT;
	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno)
		return -errno;
	*value = v;
	return 0;
}

int kv_get_i64(const struct kv_list *list, const char *key, int64_t *value)
{
	const char *text = kv_get(list, key, NULL);
	long long v;
	char *end;

	if (!text)
		return -ENOENT;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (end == text || *end)
		return -EINVAL;
	if (errno)
		return -errno;
	*value = v;
	return 0;
}
