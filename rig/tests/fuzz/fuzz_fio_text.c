// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness of what fio prints besides JSON: parse-fio-values, with parse-fio-terse and
 * parse-fio-text linked; see fuzz_parse.h.
 */
#include "../../../results/parse-fio-values.c"
#include "fuzz_parse.h"

FUZZ_PARSER(fio_parse_values)
