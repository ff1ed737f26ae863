// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer harness of results/parse-pktgen; see fuzz_parse.h. */
#include "../../../results/parse-pktgen.c"
#include "fuzz_parse.h"

FUZZ_PARSER(pktgen_parse)
