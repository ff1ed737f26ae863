/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scanning text that somebody else printed: spans of bytes, never past their end, whatever the
 * locale of this process or of the tool. Layer: results, pure.
 *
 * A struct text is a value: bytes from p up to end, not owned, not NUL-terminated, any bytes.
 */
#ifndef RESULTS_TEXT_H
#define RESULTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	const char *p, *end;
};

struct text text_of(const char *data, size_t size);
size_t text_size(struct text t);

/* Takes the next line off *t, without its '\n' and white space around it; false at the end. */
bool text_line(struct text *t, struct text *line);

/* Takes the next word (no white space in it) off *t; false when there is none. */
bool text_word(struct text *t, struct text *word);

/* Takes what is before the byte, and the byte, off *t; false (and *t unchanged) without one. */
bool text_until(struct text *t, char byte, struct text *before);

struct text text_trim(struct text t);
bool text_is(struct text t, const char *s);
bool text_starts(struct text t, const char *s);
bool text_ends(struct text t, const char *s);

/* Where s begins in t, or NULL. */
const char *text_find(struct text t, const char *s);

/* The whole of t is decimal digits and fits. */
bool text_u64(struct text t, uint64_t *n);

/*
 * Takes an unsigned number (digits, one decimal point or comma, exponent) off the front of *t.
 * False, and *t unchanged, when there is none or it is out of range.
 */
bool text_number(struct text *t, double *n);

/* The whole of t is such a number. */
bool text_double(struct text t, double *n);

/* For a message: at most cap - 1 bytes of it as printable ASCII. */
const char *text_quote(struct text t, char *out, size_t cap);

#endif
