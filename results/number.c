// SPDX-License-Identifier: GPL-2.0-or-later
/* Printed numbers; see number.h. Layer: results, pure. */
#include "results/number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "results/text.h"

#define DIGITS_MAX 40

/* How the digits and marks of a number are put. */
struct shape {
	char digits[DIGITS_MAX + 1];
	int n;	      /* digits */
	int decimals; /* of them behind the decimal mark */
	int dots, commas;
	int since_comma, since_dot; /* digits after the last one */
	size_t size;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool scan(const char *p, struct shape *s)
{
	memset(s, 0, sizeof(*s));
	for (; is_digit(*p) || ((*p == '.' || *p == ',') && is_digit(p[1])); p++, s->size++) {
		if (is_digit(*p)) {
			if (s->n == DIGITS_MAX)
				return false;
			s->digits[s->n++] = *p;
			s->since_comma++;
			s->since_dot++;
		} else if (*p == '.') {
			s->dots++;
			s->since_dot = 0;
		} else {
			s->commas++;
			s->since_comma = 0;
		}
	}
	return s->n > 0;
}

/* Which of the marks is the decimal one? The last one, if there is only one of its kind. */
static void find_mark(struct shape *s, struct number *n)
{
	bool dot_last = s->dots && (!s->commas || s->since_dot < s->since_comma);

	if (!s->dots && !s->commas)
		return;
	if (s->dots && s->commas) {
		n->groups = true;
		n->comma = !dot_last;
		s->decimals = dot_last ? s->since_dot : s->since_comma;
	} else if (s->dots == 1) {
		s->decimals = s->since_dot;
	} else if (s->commas == 1) {
		n->comma = true;
		n->ambiguous = s->since_comma == 3 && s->n <= 6 && s->digits[0] != '0';
		s->decimals = s->since_comma;
	} else {
		n->groups = true;
	}
}

static void scan_exponent(const char **p, int *exponent)
{
	const char *q = *p;
	int sign = 1;
	int e = 0;

	if (*q != 'e' && *q != 'E')
		return;
	q++;
	if (*q == '-' || *q == '+')
		sign = *q++ == '-' ? -1 : 1;
	if (!is_digit(*q))
		return;
	for (; is_digit(*q); q++)
		e = e < 1000 ? e * 10 + (*q - '0') : e;
	*exponent = sign * e;
	*p = q;
}

static const char *scan_sign(const char *p, int *sign)
{
	static const char minus[] = "\xe2\x88\x92"; /* U+2212 */

	*sign = 1;
	if (!strncmp(p, minus, strlen(minus))) {
		*sign = -1;
		return p + strlen(minus);
	}
	if (*p == '-' || *p == '+')
		*sign = *p++ == '-' ? -1 : 1;
	return p;
}

static int count_digits(const struct shape *s)
{
	int zeros = 0;

	while (zeros < s->n && s->digits[zeros] == '0')
		zeros++;
	return s->n - zeros;
}

bool number_parse(const char *text, struct number *n)
{
	const char *p = text + strspn(text, " \t");
	struct shape shape;
	struct text digits;
	int exponent = 0;
	int sign;

	memset(n, 0, sizeof(*n));
	if (*p && strchr("<>~", *p)) {
		n->bound = *p++;
		p += strspn(p, "= \t");
	}
	n->number = p;
	p = scan_sign(p, &sign);
	if (!scan(p, &shape))
		return false;
	find_mark(&shape, n);
	p += shape.size;
	scan_exponent(&p, &exponent);
	n->size = (size_t)(p - n->number);
	n->decimals = shape.decimals;
	n->digits = count_digits(&shape);
	digits = text_of(shape.digits, (size_t)shape.n);
	if (!text_double(digits, &n->value))
		return false;
	exponent -= shape.decimals;
	n->value = sign *
		   (exponent < 0 ? n->value / pow(10, -exponent) : n->value * pow(10, exponent));
	n->ulp = pow(10, exponent);
	n->rest = p + strspn(p, " \t");
	return isfinite(n->value) && isfinite(n->ulp) && n->ulp > 0;
}

bool number_prints(const struct number *n, double value, double slack)
{
	double off = fabs(value) - fabs(n->value);

	if ((value < 0) != (n->value < 0) && fabs(value) > slack + n->ulp && n->value != 0)
		return false;
	/* rounded: half a unit either way; cut off: up to one unit more than is printed */
	return off >= -(n->ulp / 2 + slack + 1e-9 * fabs(value)) &&
	       off <= n->ulp + slack + 1e-9 * fabs(value);
}
