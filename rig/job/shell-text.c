// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for a foreign shell, and its answers; see shell-text.h. Layer: job. */
#include "job/shell-text.h"
#include "base/buf.h"

#include <stdint.h>
#include <string.h>

#define ANSWER "@rig "

void shell_line(struct buf *out, const char *command)
{
	buf_addf(out, "%s; echo \"@\"\"rig $?\"\n", command);
}

/* Where s came last in it; NULL = nowhere. */
static const char *last_of(const char *heard, size_t size, const char *s)
{
	const char *found = NULL, *at = heard;
	size_t n = strlen(s);

	while ((at = memmem(at, size - (size_t)(at - heard), s, n))) {
		found = at;
		at += n;
	}
	return found;
}

bool shell_answer(const char *heard, size_t size, int *code)
{
	const char *at = size ? last_of(heard, size, ANSWER) : NULL, *end = heard + size;
	int value = 0;
	size_t digits = 0;

	if (!at)
		return false;
	for (at += strlen(ANSWER); at < end && *at >= '0' && *at <= '9' && digits < 4; at++) {
		value = 10 * value + (*at - '0');
		digits++;
	}
	if (!digits || at == end || (*at != '\r' && *at != '\n'))
		return false;
	*code = value;
	return true;
}

bool shell_word(const char *heard, size_t size, char *word, size_t cap)
{
	const char *from = size ? last_of(heard, size, "<<") : NULL;
	const char *to = from ? memmem(from, size - (size_t)(from - heard), ">>", 2) : NULL;
	size_t n = to ? (size_t)(to - from) - 2 : 0;

	if (!to || n >= cap)
		return false;
	memcpy(word, from + 2, n);
	word[n] = '\0';
	return true;
}

void shell_base64(struct buf *out, const void *data, size_t size)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *in = data;

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t v = (uint32_t)in[i] << 16 | (uint32_t)(left > 1 ? in[i + 1] : 0) << 8 |
			     (left > 2 ? in[i + 2] : 0);
		char four[4] = { letters[v >> 18], letters[v >> 12 & 63],
				 left > 1 ? letters[v >> 6 & 63] : '=',
				 left > 2 ? letters[v & 63] : '=' };

		buf_append(out, four, 4);
	}
}

/* Digits are not: behind a short escape they would be taken for a part of it. Nor is '-', by which
 * an option begins. */
static bool is_plain(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("+,.:=_/", c));
}

void shell_octal(struct buf *out, const void *data, size_t size)
{
	const uint8_t *in = data;

	for (size_t i = 0; i < size; i++) {
		if (is_plain(in[i]))
			buf_append(out, &in[i], 1);
		else
			buf_addf(out, "\\%o", in[i]);
	}
}
