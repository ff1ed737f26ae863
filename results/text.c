// SPDX-License-Identifier: GPL-2.0-or-later
/* Spans of foreign text; see text.h. Layer: results, pure. */
#include "results/text.h"

#include <math.h>
#include <string.h>

#define EXPONENT_MAX 400
#define EXACT_POWER  22 /* 10^22 is the last power of ten that a double holds exactly */
#define EXACT_MAX    ((uint64_t)1 << 53)

struct text text_of(const char *data, size_t size)
{
	return (struct text){ data, data + size };
}

size_t text_size(struct text t)
{
	return (size_t)(t.end - t.p);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct text text_trim(struct text t)
{
	while (t.p < t.end && is_space(*t.p))
		t.p++;
	while (t.end > t.p && is_space(t.end[-1]))
		t.end--;
	return t;
}

bool text_line(struct text *t, struct text *line)
{
	if (t->p >= t->end)
		return false;
	if (!text_until(t, '\n', line)) {
		*line = *t;
		t->p = t->end;
	}
	*line = text_trim(*line);
	return true;
}

bool text_word(struct text *t, struct text *word)
{
	while (t->p < t->end && is_space(*t->p))
		t->p++;
	word->p = t->p;
	while (t->p < t->end && !is_space(*t->p))
		t->p++;
	word->end = t->p;
	return word->p < word->end;
}

bool text_until(struct text *t, char byte, struct text *before)
{
	const char *p = t->p < t->end ? memchr(t->p, byte, text_size(*t)) : NULL;

	if (!p)
		return false;
	*before = (struct text){ t->p, p };
	t->p = p + 1;
	return true;
}

bool text_is(struct text t, const char *s)
{
	return text_size(t) == strlen(s) && text_starts(t, s);
}

bool text_starts(struct text t, const char *s)
{
	size_t n = strlen(s);

	return text_size(t) >= n && !memcmp(t.p, s, n);
}

bool text_ends(struct text t, const char *s)
{
	size_t n = strlen(s);

	return text_size(t) >= n && !memcmp(t.end - n, s, n);
}

const char *text_find(struct text t, const char *s)
{
	return t.p < t.end ? memmem(t.p, text_size(t), s, strlen(s)) : NULL;
}

bool text_u64(struct text t, uint64_t *n)
{
	uint64_t sum = 0;

	if (t.p >= t.end)
		return false;
	for (; t.p < t.end; t.p++) {
		if (!is_digit(*t.p) || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(*t.p - '0'), &sum))
			return false;
	}
	*n = sum;
	return true;
}

/* Digits and one decimal mark -> mantissa and power of ten; how many digits. */
static size_t scan_digits(struct text *t, uint64_t *mantissa, int *power)
{
	bool fraction = false;
	size_t n = 0;

	for (; t->p < t->end; t->p++) {
		if ((*t->p == '.' || *t->p == ',') && !fraction && n && t->p + 1 < t->end &&
		    is_digit(t->p[1])) {
			fraction = true;
			continue;
		}
		if (!is_digit(*t->p))
			break;
		n++;
		if (*mantissa > (UINT64_MAX - 9) / 10) {
			*power += !fraction && *power < EXPONENT_MAX;
			continue;
		}
		*mantissa = *mantissa * 10 + (uint64_t)(*t->p - '0');
		*power -= fraction;
	}
	return n;
}

static void scan_exponent(struct text *t, int *power)
{
	struct text rest = *t;
	bool negative = false;
	int n = 0;

	if (rest.p >= rest.end || (*rest.p != 'e' && *rest.p != 'E'))
		return;
	rest.p++;
	if (rest.p < rest.end && (*rest.p == '-' || *rest.p == '+'))
		negative = *rest.p++ == '-';
	if (rest.p >= rest.end || !is_digit(*rest.p))
		return;
	for (; rest.p < rest.end && is_digit(*rest.p); rest.p++)
		n = n < EXPONENT_MAX ? n * 10 + (*rest.p - '0') : n;
	*power += negative ? -n : n;
	*t = rest;
}

static double scale(uint64_t mantissa, int power)
{
	double ten = 1;

	if (power < -EXPONENT_MAX || power > EXPONENT_MAX)
		return power < 0 || !mantissa ? 0 : INFINITY;
	/* two exact operands: one correctly rounded result */
	if (mantissa <= EXACT_MAX && power >= -EXACT_POWER && power <= EXACT_POWER) {
		for (int i = 0; i < (power < 0 ? -power : power); i++)
			ten *= 10;
		return power < 0 ? (double)mantissa / ten : (double)mantissa * ten;
	}
	return (double)((long double)mantissa * powl(10, power));
}

bool text_number(struct text *t, double *n)
{
	struct text rest = *t;
	uint64_t mantissa = 0;
	int power = 0;
	double value;

	if (!scan_digits(&rest, &mantissa, &power))
		return false;
	scan_exponent(&rest, &power);
	value = scale(mantissa, power);
	if (!isfinite(value))
		return false;
	*n = value;
	*t = rest;
	return true;
}

bool text_double(struct text t, double *n)
{
	double value;

	if (!text_number(&t, &value) || t.p != t.end)
		return false;
	*n = value;
	return true;
}

const char *text_quote(struct text t, char *out, size_t cap)
{
	size_t n = 0;

	for (; t.p < t.end && n + 1 < cap; t.p++)
		out[n++] = *t.p >= ' ' && *t.p < 127 ? *t.p : '?';
	out[n] = '\0';
	return out;
}
