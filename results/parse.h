/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of a measuring tool -> named numbers in canonical units. One row per kind of tool;
 * the names that it gives are in the header of its parser. Layer: results, pure.
 *
 * The output comes from a device under test: any bytes may arrive, in any amount. A document
 * that tells of an error is an error here, however many numbers it has.
 */
#ifndef RESULTS_PARSE_H
#define RESULTS_PARSE_H

#include "base/err.h"
#include "results/values.h"

/* Appends to *out. 0, or -1 with *err (blame TEST) and *out in any state; the caller releases. */
typedef int parse_fn(const char *data, size_t size, struct values *out, struct err *err);

struct parser {
	const char *kind; /* "fio" */
	parse_fn *parse;
};

/* The table; ends with kind NULL. */
extern const struct parser parsers[];

/* NULL for an unknown kind. */
const struct parser *parser_find(const char *kind);

/*
 * Runs the parser. On success *out has at least one value. -1 with *err: what the parser says,
 * or code "parse-none" (no number in it) or "parse-size" (more than VALUES_MAX numbers).
 */
int parse_output(const struct parser *parser, const char *data, size_t size, struct values *out,
		 struct err *err);

#endif
