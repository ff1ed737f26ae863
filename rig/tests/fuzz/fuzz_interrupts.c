// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer harness of results/parse-irq; see fuzz_parse.h. */
#include "../../../results/parse-irq.c"
#include "fuzz_parse.h"

FUZZ_PARSER(interrupts_parse)
