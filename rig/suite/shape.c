// SPDX-License-Identifier: GPL-2.0-or-later
/* Structs to JSON and back by tables; see shape.h. Layer: suite. */
#include "suite/shape.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static char **str_at(void *base, const struct shape_field *f)
{
	return (char **)((char *)base + f->offset);
}

static size_t *count_at(void *base, const struct shape_field *f)
{
	return (size_t *)((char *)base + f->offset_n);
}

/* freeing */

static void release_strs(char ***strs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((*strs)[i]);
	free(*strs);
}

static void release_list(const struct shape *shape, char *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		shape_release(shape, items + i * shape->size);
	free(items);
}

static void release_field(const struct shape_field *f, void *base)
{
	void *at = (char *)base + f->offset;

	switch (f->type) {
	case SHAPE_STR:
	case SHAPE_OPTIONAL:
		free(*(char **)at);
		break;
	case SHAPE_STRS:
	case SHAPE_STRS_OPTIONAL:
		release_strs(at, *count_at(base, f));
		break;
	case SHAPE_OBJECT:
		shape_release(f->sub, at);
		break;
	case SHAPE_LIST:
	case SHAPE_LIST_OPTIONAL:
		release_list(f->sub, *(char **)at, *count_at(base, f));
		break;
	default:
		break;
	}
}

void shape_release(const struct shape *shape, void *base)
{
	for (size_t i = 0; i < shape->n; i++)
		release_field(&shape->fields[i], base);
	memset(base, 0, shape->size);
}

/* writing */

static json_t *write_strs(char *const *strs, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_string(strs[i]));
	return array;
}

static json_t *write_list(const struct shape *shape, const char *items, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, shape_write(shape, items + i * shape->size));
	return array;
}

static json_t *write_field(const struct shape_field *f, const void *base)
{
	const void *at = (const char *)base + f->offset;
	const size_t *n = (const size_t *)((const char *)base + f->offset_n);

	switch (f->type) {
	case SHAPE_STR:
		return json_string(*(char *const *)at ? *(char *const *)at : "");
	case SHAPE_OPTIONAL:
		return *(char *const *)at ? json_string(*(char *const *)at) : NULL;
	case SHAPE_INT:
		return json_integer(*(const long *)at);
	case SHAPE_NUM:
		return json_real(*(const double *)at);
	case SHAPE_BOOL:
		return json_boolean(*(const bool *)at);
	case SHAPE_STRS:
		return write_strs(*(char **const *)at, *n);
	case SHAPE_STRS_OPTIONAL:
		return *n ? write_strs(*(char **const *)at, *n) : NULL;
	case SHAPE_OBJECT:
		return shape_write(f->sub, at);
	case SHAPE_LIST:
		return write_list(f->sub, *(char *const *)at, *n);
	case SHAPE_LIST_OPTIONAL:
		return *n ? write_list(f->sub, *(char *const *)at, *n) : NULL;
	case SHAPE_FORMAT:
		return json_integer((json_int_t)f->max);
	}
	return NULL;
}

json_t *shape_write(const struct shape *shape, const void *base)
{
	json_t *object = json_object();

	for (size_t i = 0; i < shape->n; i++) {
		json_t *value = write_field(&shape->fields[i], base);

		if (value)
			json_object_set_new(object, shape->fields[i].name, value);
	}
	return object;
}

/* reading */

static int bad(struct err *err, const char *path, const char *problem)
{
	return err_set(err, BLAME_USER, "json", "%s: %s", path, problem);
}

static int read_object(const struct shape *shape, const json_t *json, void *base, const char *path,
		       struct err *err);

static int read_str(const json_t *json, char **out, const char *path, struct err *err)
{
	if (!json_is_string(json))
		return bad(err, path, "must be a string");
	if (strlen(json_string_value(json)) != json_string_length(json))
		return bad(err, path, "holds a NUL byte");
	*out = xstrdup(json_string_value(json));
	return 0;
}

static int read_number(const struct shape_field *f, const json_t *json, void *at, const char *path,
		       struct err *err)
{
	double v = json_number_value(json);

	if (f->type == SHAPE_INT && !json_is_integer(json))
		return bad(err, path, "must be a whole number");
	if (!json_is_number(json))
		return bad(err, path, "must be a number");
	if (v < f->min || v > f->max)
		return err_set(err, BLAME_USER, "json", "%s: %g is out of range (%g to %g)", path,
			       v, f->min, f->max);
	if (f->type == SHAPE_INT)
		*(long *)at = (long)json_integer_value(json);
	else
		*(double *)at = v;
	return 0;
}

static int read_strs(const json_t *json, char ***out, size_t *n, const char *path, struct err *err)
{
	size_t size = json_array_size(json);
	int rc = 0;

	if (!json_is_array(json))
		return bad(err, path, "must be an array of strings");
	*out = xcalloc(size, sizeof(**out));
	for (size_t i = 0; i < size && !rc; i++) {
		char *sub = xasprintf("%s[%zu]", path, i);

		*n = i + 1;
		rc = read_str(json_array_get(json, i), &(*out)[i], sub, err);
		free(sub);
	}
	return rc;
}

static int read_list(const struct shape *shape, const json_t *json, char **items, size_t *n,
		     const char *path, struct err *err)
{
	size_t size = json_array_size(json);
	int rc = 0;

	if (!json_is_array(json))
		return bad(err, path, "must be an array of objects");
	*items = xcalloc(size, shape->size);
	for (size_t i = 0; i < size && !rc; i++) {
		char *sub = xasprintf("%s[%zu]", path, i);

		*n = i + 1; /* a half-read element is released too */
		rc = read_object(shape, json_array_get(json, i), *items + i * shape->size, sub,
				 err);
		free(sub);
	}
	return rc;
}

static int read_bool(const json_t *json, bool *out, const char *path, struct err *err)
{
	if (!json_is_boolean(json))
		return bad(err, path, "must be true or false");
	*out = json_is_true(json);
	return 0;
}

static int read_format(const struct shape_field *f, const json_t *json, const char *path,
		       struct err *err)
{
	if (json_is_integer(json) && json_number_value(json) == f->max)
		return 0;
	return err_set(err, BLAME_USER, "json", "%s: this version reads format %g only", path,
		       f->max);
}

static int read_field(const struct shape_field *f, const json_t *json, void *base, const char *path,
		      struct err *err)
{
	void *at = (char *)base + f->offset;

	switch (f->type) {
	case SHAPE_STR:
	case SHAPE_OPTIONAL:
		return read_str(json, str_at(base, f), path, err);
	case SHAPE_INT:
	case SHAPE_NUM:
		return read_number(f, json, at, path, err);
	case SHAPE_BOOL:
		return read_bool(json, at, path, err);
	case SHAPE_STRS:
	case SHAPE_STRS_OPTIONAL:
		return read_strs(json, at, count_at(base, f), path, err);
	case SHAPE_OBJECT:
		return read_object(f->sub, json, at, path, err);
	case SHAPE_LIST:
	case SHAPE_LIST_OPTIONAL:
		return read_list(f->sub, json, at, count_at(base, f), path, err);
	case SHAPE_FORMAT:
		return read_format(f, json, path, err);
	}
	return -1;
}

static int check_known(const struct shape *shape, const json_t *json, const char *path,
		       struct err *err)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)json, key, value) {
		size_t i = 0;

		while (i < shape->n && strcmp(shape->fields[i].name, key) != 0)
			i++;
		if (i == shape->n)
			return err_set(err, BLAME_USER, "json", "%s.%.60s: unknown key", path, key);
	}
	return 0;
}

static bool may_be_missing(enum shape_type type)
{
	return type == SHAPE_OPTIONAL || type == SHAPE_STRS_OPTIONAL || type == SHAPE_LIST_OPTIONAL;
}

static int read_member(const struct shape_field *f, const json_t *value, void *base,
		       const char *path, struct err *err)
{
	char *sub = xasprintf("%s.%s", path, f->name);
	int rc = 0;

	if (value)
		rc = read_field(f, value, base, sub, err);
	else if (!may_be_missing(f->type))
		rc = bad(err, sub, "is missing");
	free(sub);
	return rc;
}

static int read_object(const struct shape *shape, const json_t *json, void *base, const char *path,
		       struct err *err)
{
	if (!json_is_object(json))
		return bad(err, path, "must be an object");
	if (check_known(shape, json, path, err))
		return -1;
	for (size_t i = 0; i < shape->n; i++) {
		const struct shape_field *f = &shape->fields[i];

		if (read_member(f, json_object_get(json, f->name), base, path, err))
			return -1;
	}
	return 0;
}

int shape_read(const struct shape *shape, const json_t *json, void *base, const char *root,
	       struct err *err)
{
	int rc = read_object(shape, json, base, root, err);

	if (rc)
		shape_release(shape, base);
	return rc;
}
