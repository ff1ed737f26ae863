/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The corpus of real output, $RIG_SHARED/corpus: its manifest is CSV, a file a line, with a JSON
 * object of facts as the last field. It is not part of the project; a test skips without it.
 * Include after cmocka.h.
 */
#ifndef RIG_TESTS_CORPUS_H
#define RIG_TESTS_CORPUS_H

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"

/* A file of the corpus (its path there, its bytes) and its facts. */
typedef void corpus_fn(const char *file, const struct buf *text, const json_t *facts);

/* "{""key"":...}", unquoted. */
static inline json_t *corpus_facts(const char *line)
{
	const char *p = strstr(line, ",\"{\"\"");
	struct buf b = BUF_INIT;
	json_t *facts;

	for (p = p ? p + 2 : ""; *p && (*p != '"' || p[1] == '"'); p++) {
		p += *p == '"';
		buf_append(&b, p, 1);
	}
	facts = json_loads(buf_str(&b), 0, NULL);
	buf_release(&b);
	return facts;
}

static inline void corpus_line(const char *dir, char *line, const char *under, corpus_fn *fn)
{
	char *comma = strchr(line, ',');
	struct buf text = BUF_INIT;
	json_t *facts;
	char *path;

	if (!comma || strncmp(line, under, strlen(under)) != 0)
		return;
	facts = corpus_facts(line);
	if (!facts)
		return;
	*comma = '\0';
	path = path_join(dir, line);
	assert_int_equal(path_read(path, &text, 64 << 20), 0);
	fn(line, &text, facts);
	json_decref(facts);
	buf_release(&text);
	free(path);
}

/* Calls fn for every file below `under` ("fio/"); skips the test when there is no corpus. */
static inline void corpus_walk(const char *under, corpus_fn *fn)
{
	const char *env = getenv("RIG_SHARED");
	char *dir = path_join(env ? env : "../shared", "corpus");
	char *manifest = path_join(dir, "MANIFEST.csv");
	struct buf text = BUF_INIT;
	int rc = path_read(manifest, &text, 64 << 20);
	char *save = NULL;
	char *line;

	for (line = rc ? NULL : strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		corpus_line(dir, line, under, fn);
	buf_release(&text);
	free(manifest);
	free(dir);
	if (rc) {
		print_message("no corpus in $RIG_SHARED\n");
		skip();
	}
}

/* The number at a key, or NAN. */
static inline double corpus_number(const json_t *facts, const char *key)
{
	const json_t *json = json_object_get(facts, key);

	return json_is_number(json) ? json_number_value(json) : NAN;
}

/* The string at a key, or "". */
static inline const char *corpus_string(const json_t *facts, const char *key)
{
	const char *s = json_string_value(json_object_get(facts, key));

	return s ? s : "";
}

#endif
