/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the harnesses of the parsers in results/ share: any bytes in; an error with a message, or
 * at least one finite number with a unique name and a line of JSON, out. A harness includes the
 * parser's .c file and this; the rest is linked:
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -D_GNU_SOURCE -Irig -I. \
 *		rig/tests/fuzz/fuzz_dd.c results/{values,text,json-text}.c rig/base/{buf,err}.c \
 *		-ljansson -lm -o build/fuzz_dd
 *	build/fuzz_dd -max_total_time=600 rig/tests/fuzz/corpus/dd
 *
 * fuzz_iperf.c needs results/parse-iperf-text.c too, fuzz_fio_text.c needs
 * results/parse-fio{,-terse,-text}.c.
 */
#ifndef RIG_TESTS_FUZZ_PARSE_H
#define RIG_TESTS_FUZZ_PARSE_H

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "results/parse.h"

static void fuzz_check(const struct values *values)
{
	for (size_t i = 0; i < values->n; i++) {
		const struct value *v = &values->v[i];
		char *line = i < 64 ? value_line(v) : NULL;

		assert(isfinite(v->value) && *v->name && *v->unit);
		assert(i >= 64 || (line && !strchr(line, '\n')));
		assert(i >= 64 || values_find(values, v->name) == v);
		free(line);
	}
}

static int fuzz_parser(parse_fn *parse, const uint8_t *data, size_t size)
{
	struct values values = VALUES_INIT;
	struct err err = ERR_INIT;

	if (parse((const char *)data, size, &values, &err) == 0)
		fuzz_check(&values);
	else
		assert(*err.code && *err.message && err.blame == BLAME_TEST);
	values_release(&values);
	return 0;
}

#define FUZZ_PARSER(parse)                                                                         \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                              \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                               \
	{                                                                                          \
		return fuzz_parser(parse, data, size);                                             \
	}

#endif
