// SPDX-License-Identifier: GPL-2.0-or-later
/* rig parse: the numbers in the output of a measuring tool, one JSON object a line. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/guess.h"
#include "base/path.h"
#include "results/parse.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUTPUT_MAX ((size_t)256 << 20)

static void print_value(const struct value *value)
{
	char *line = value_line(value);

	puts(line);
	free(line);
}

static void print_error(const struct err *err)
{
	json_t *json =
		json_pack("{s:o, s:s}", "error", values_string(err->message), "code", err->code);
	char *line = json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER);

	puts(line);
	free(line);
	json_decref(json);
}

static int unknown_kind(const char *kind, struct err *err)
{
	struct guess guess = GUESS_INIT;
	struct buf known = BUF_INIT;

	for (const struct parser *p = parsers; p->kind; p++) {
		guess_offer(&guess, kind, p->kind);
		buf_addf(&known, " %s", p->kind);
	}
	if (guess.best)
		err_set(err, BLAME_USER, "usage", "unknown kind '%s'; did you mean '%s'?", kind,
			guess.best);
	else
		err_set(err, BLAME_USER, "usage", "unknown kind '%s' (known:%s)", kind,
			buf_str(&known));
	buf_release(&known);
	return -1;
}

static int read_stdin(struct buf *text)
{
	char chunk[65536];
	ssize_t n;

	while ((n = read(STDIN_FILENO, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			buf_append(text, chunk, (size_t)n);
		if (text->size > OUTPUT_MAX)
			return -EFBIG;
	}
	return 0;
}

static int read_file(const char *path, struct buf *text, struct err *err)
{
	int rc = strcmp(path, "-") ? path_read(path, text, OUTPUT_MAX) : read_stdin(text);

	return rc ? err_sys(err, BLAME_USER, "no-file", rc, "%s", path) : 0;
}

static int print_values(const struct parser *parser, const struct buf *text)
{
	struct values values = VALUES_INIT;
	struct err err = ERR_INIT;
	int rc = parse_output(parser, buf_str(text), text->size, &values, &err);

	for (size_t i = 0; !rc && i < values.n; i++)
		print_value(&values.v[i]);
	if (rc)
		print_error(&err);
	values_release(&values);
	return rc ? EXIT_INVALID : EXIT_PASS;
}

static int run(int n, char **operands, struct err *err)
{
	const struct parser *parser = parser_find(operands[0]);
	struct buf text = BUF_INIT;
	int rc = EXIT_INVALID;

	(void)n;
	if (!parser)
		return unknown_kind(operands[0], err);
	if (read_file(operands[1], &text, err))
		print_error(err);
	else
		rc = print_values(parser, &text);
	buf_release(&text);
	return rc;
}

const struct command cmd_parse = {
	.name = "parse",
	.args = "KIND FILE",
	.summary = "print the numbers in the output of a measuring tool, one JSON object a line",
	.min_operands = 2,
	.max_operands = 2,
	.run = run,
};
