// SPDX-License-Identifier: GPL-2.0-or-later
/* A list of named numbers; see values.h. Layer: results, pure. */
#include "results/values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53: every whole number up to it is a double */

static bool is_utf8(const char *s)
{
	json_t *json = json_string(s);

	json_decref(json);
	return json;
}

char *values_clean(char *s)
{
	if (!is_utf8(s))
		for (char *p = s; *p; p++)
			if ((unsigned char)*p >= 0x80)
				*p = '?';
	return s;
}

json_t *values_string(const char *s)
{
	char *copy = values_clean(xstrdup(s));
	json_t *json = json_string(copy);

	free(copy);
	return json;
}

/* Takes the name; gives the one that is unique. */
static char *unique(struct values *v, char *name)
{
	json_int_t n;
	char *numbered = NULL;

	if (!v->seen)
		v->seen = json_object();
	n = json_integer_value(json_object_get(v->seen, name)) + 1;
	if (n == 1) {
		json_object_set_new(v->seen, name, json_integer(1));
		return name;
	}
	/* the output may hold a name like "x#2" of its own */
	do {
		free(numbered);
		numbered = xasprintf("%s#%lld", name, (long long)n++);
	} while (json_object_get(v->seen, numbered));
	json_object_set_new(v->seen, name, json_integer(n - 1));
	json_object_set_new(v->seen, numbered, json_integer(1));
	free(name);
	return numbered;
}

static struct value *append(struct values *v, const char *unit, const char *printed,
			    const char *fmt, va_list ap)
{
	struct value *value;
	char *name = NULL;

	if (v->n >= VALUES_MAX) {
		v->full = true;
		return NULL;
	}
	if (vasprintf(&name, fmt, ap) < 0)
		abort();
	if (!*name) { /* a span that began with a NUL */
		free(name);
		name = xstrdup("?");
	}
	if (v->n == v->cap) {
		v->cap = v->cap ? 2 * v->cap : 64;
		v->v = xrealloc(v->v, v->cap * sizeof(*v->v));
	}
	value = &v->v[v->n++];
	memset(value, 0, sizeof(*value));
	value->name = unique(v, values_clean(name));
	value->unit = unit;
	value->printed = values_clean(xstrdup(printed ? printed : unit));
	return value;
}

struct value *values_add(struct values *v, double value, const char *unit, const char *printed,
			 const char *fmt, ...)
{
	struct value *added;
	va_list ap;

	if (!isfinite(value))
		return NULL;
	va_start(ap, fmt);
	added = append(v, unit, printed, fmt, ap);
	va_end(ap);
	if (added)
		added->value = value;
	return added;
}

struct value *values_count(struct values *v, uint64_t count, const char *unit, const char *printed,
			   const char *fmt, ...)
{
	struct value *added;
	va_list ap;

	va_start(ap, fmt);
	added = append(v, unit, printed, fmt, ap);
	va_end(ap);
	if (added) {
		added->value = (double)count;
		added->count = count;
		added->is_count = true;
	}
	return added;
}

void value_label(struct value *value, const char *text, size_t size)
{
	if (!value || !size)
		return;
	free(value->label);
	value->label = values_clean(xasprintf("%.*s", (int)(size < 256 ? size : 256), text));
}

/* Whole numbers as integers, so that a counter looks like one. */
static json_t *number_json(const struct value *value)
{
	if (value->is_count && value->count <= INT64_MAX)
		return json_integer((json_int_t)value->count);
	if (fabs(value->value) <= EXACT_MAX && value->value == trunc(value->value))
		return json_integer((json_int_t)value->value);
	return json_real(value->value);
}

/* Of a decimal number of up to 15 digits these are all there is. */
size_t value_digits(double value)
{
	char text[40];

	for (size_t digits = 15; digits < 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", (int)digits, value);
		if (strtod(text, NULL) == value)
			return digits;
	}
	return 17;
}

char *value_line(const struct value *value)
{
	json_t *json = json_object();
	char *line;

	json_object_set_new(json, "name", json_string(value->name));
	json_object_set_new(json, "value", number_json(value));
	json_object_set_new(json, "unit", json_string(value->unit));
	json_object_set_new(json, "printed_unit", json_string(value->printed));
	if (value->label)
		json_object_set_new(json, "label", json_string(value->label));
	line = json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER |
					JSON_REAL_PRECISION(value_digits(value->value)));
	json_decref(json);
	return line;
}

const struct value *values_find(const struct values *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->v[i].name, name))
			return &v->v[i];
	return NULL;
}

void values_release(struct values *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->v[i].name);
		free(v->v[i].printed);
		free(v->v[i].label);
	}
	free(v->v);
	json_decref(v->seen);
	memset(v, 0, sizeof(*v));
}
