// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer harness of results/parse-ethtool; see fuzz_parse.h. */
#include "../../../results/parse-ethtool.c"
#include "fuzz_parse.h"

FUZZ_PARSER(ethtool_parse)
