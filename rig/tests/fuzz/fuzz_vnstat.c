// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer harness of results/parse-vnstat; see fuzz_parse.h. */
#include "../../../results/parse-vnstat.c"
#include "fuzz_parse.h"

FUZZ_PARSER(vnstat_parse)
