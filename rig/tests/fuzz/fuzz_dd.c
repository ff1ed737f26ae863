// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer harness of results/parse-dd; see fuzz_parse.h. */
#include "../../../results/parse-dd.c"
#include "fuzz_parse.h"

FUZZ_PARSER(dd_parse)
