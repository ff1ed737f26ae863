// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness of results/parse-fio: any bytes in; finite, sane numbers or an error out.
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -D_GNU_SOURCE -Irig -I. \
 *		rig/tests/fuzz/fuzz_fio.c -ljansson -lm -o build/fuzz_fio
 *	build/fuzz_fio -max_total_time=600 rig/tests/fuzz/corpus/fio
 */
#include <stdint.h>

#include "../../../results/parse-fio.c"
#include "../../base/buf.c"
#include "../../base/err.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fio_metric metrics[FIO_METRICS_MAX];
	struct fio_result result;
	struct err err = ERR_INIT;
	int n;

	if (fio_parse((const char *)data, size, &result, &err) < 0)
		return 0;
	assert(result.end <= size && result.offset < result.end && result.n_jobs > 0);
	n = fio_metrics(&result, metrics, &err);
	for (int i = 0; i < n; i++)
		assert(isfinite(metrics[i].value) && metrics[i].value >= 0);
	fio_release(&result);
	return 0;
}
