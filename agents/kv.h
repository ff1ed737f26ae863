/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text inside wire messages: lines `key=value\n`. Used by the agent and by rig/job; libc only.
 *
 *   key     1 or more of a-z 0-9 _ . -      keys may repeat (arg=) and keep their order
 *   value   any bytes but NUL; newline is written `\n`, backslash `\\`
 *
 * A blank line ends the pairs; what follows is the message's body (WIRE_FILE).
 */
#ifndef AGENTS_KV_H
#define AGENTS_KV_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writing. Start from `struct kv kv = { 0 };`. The first error sticks in .err (-ENOMEM, -EINVAL for
 * a bad key) and all later calls do nothing, so that only the end needs a check. kv_release() is
 * always safe.
 */
struct kv {
	char *data; /* not NUL-terminated; NULL while empty */
	size_t size;
	size_t cap;
	int err;
};

void kv_add(struct kv *kv, const char *key, const char *value);
void kv_add_u64(struct kv *kv, const char *key, uint64_t value);
void kv_add_i64(struct kv *kv, const char *key, int64_t value);
/* The blank line and the body. Nothing can be added after it. */
void kv_body(struct kv *kv, const void *data, size_t size);
void kv_release(struct kv *kv);

/* Reading: a parsed copy. Strings live until kv_list_release(). */
struct kv_pair {
	const char *key;
	const char *value;
};

struct kv_list {
	struct kv_pair *pair;
	size_t count;
	size_t body; /* offset in the parsed data of the first byte after the blank line, or its
			size */
	char *mem;
};

/* 0, -EINVAL (a line that is no pair, bad escape, NUL byte), -ENOMEM; *list is safe to release in
 * any case. */
int kv_parse(struct kv_list *list, const void *data, size_t size);
void kv_list_release(struct kv_list *list);

/* First value of key, or fallback. */
const char *kv_get(const struct kv_list *list, const char *key, const char *fallback);
/*
 * Walks the values of a repeated key: start with *at = 0; NULL at the end.
 *	for (size_t at = 0; (arg = kv_next(&list, "arg", &at)); )
 */
const char *kv_next(const struct kv_list *list, const char *key, size_t *at);
/* First value of key as a decimal number: 0, -ENOENT (no such key), -EINVAL, -ERANGE. *value
 * untouched on error. */
int kv_get_u64(const struct kv_list *list, const char *key, uint64_t *value);
int kv_get_i64(const struct kv_list *list, const char *key, int64_t *value);

#endif
