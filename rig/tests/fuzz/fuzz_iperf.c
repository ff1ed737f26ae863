// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer harness of results/parse-iperf; see fuzz_parse.h. */
#include "../../../results/parse-iperf.c"
#include "fuzz_parse.h"

FUZZ_PARSER(iperf_parse)
