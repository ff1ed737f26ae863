// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: the prompt matcher on any bytes. A line feed must always bring it back: after
 * the line that follows, "=> " is a prompt whatever came before.
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Irig -I. \
 *		rig/tests/fuzz/fuzz_prompt.c
 */
#include "../../io/prompt.c"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prompt p;

	prompt_init(&p, prompt_rows, prompt_rows_n);
	for (size_t i = 0; i < size; i++) {
		prompt_feed(&p, data + i, 1);
		if (data[i] == ' ' || data[i] == '>')
			prompt_at_rest(&p);
		prompt_banner(&p);
	}
	/* the first may end a kernel message, whose prompt it leaves standing */
	prompt_feed(&p, "\n\n=> ", 5);
	if (!prompt_at_rest(&p))
		abort();
	return 0;
}
