// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON documents in the middle of other text; see json-text.h. Layer: results, pure. */
#include "results/json-text.h"

#include <math.h>

/* "{", or "[" of an array of objects: "[  5] local ..." is no JSON, though it looks like it. */
static bool begins_document(struct text line)
{
	if (text_starts(line, "{"))
		return true;
	if (!text_starts(line, "["))
		return false;
	line.p++;
	line = text_trim(line);
	return !text_size(line) || text_starts(line, "{");
}

static int broken(size_t line, const char *code, const json_error_t *error, struct err *err)
{
	return err_set(err, BLAME_TEST, code, "line %zu: broken JSON: %s",
		       line + (size_t)error->line - 1, error->text);
}

int json_text_next(struct text *t, const char *code, json_t **root, struct err *err)
{
	struct text line;

	for (size_t n = 1; text_line(t, &line); n++) {
		struct text rest = { line.p, t->end };
		json_error_t error;

		if (!begins_document(line))
			continue;
		*root = json_loadb(
			rest.p, text_size(rest),
			JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &error);
		if (!*root)
			return broken(n, code, &error, err);
		t->p = rest.p + error.position;
		return 1;
	}
	return 0;
}

double json_text_number(const json_t *object, const char *key)
{
	const json_t *json = json_object_get(object, key);

	return json_is_number(json) ? json_number_value(json) : NAN;
}
