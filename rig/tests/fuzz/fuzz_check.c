// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: a CSV of any bytes is refused with a message that names line and column, or
 * gives a table over which every sanity rule runs; what they say is JSON. With a first byte that is
 * odd the column names are put before, so that the fuzzer need not find them.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/check-table.h"
#include "results/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char header[] =
	"seed_file,board,workload,kernel_variant,metric,unit,value,n_runs,note\n";

static void check(struct check_table *t)
{
	struct check_report report = CHECK_REPORT_INIT;
	json_t *json;
	char *text;

	check_table(t, &report);
	for (size_t i = 0; i < report.n; i++)
		assert(*report.items[i].rule && report.items[i].place && report.items[i].subject);
	json = check_json(&report, SEVERITY_OK);
	assert(json_array_size(json) == report.n);
	text = json_dumps(json, JSON_COMPACT);
	assert(text);
	free(text);
	json_decref(json);
	check_report_release(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf csv = BUF_INIT;
	struct err err = ERR_INIT;
	struct check_table *t;

	if (size && data[0] % 2)
		buf_adds(&csv, header);
	if (size)
		buf_append(&csv, data + 1, size - 1);
	t = check_table_read("f.csv", buf_str(&csv), csv.size, &err);
	if (t)
		check(t);
	else
		assert(!strncmp(err.message, "f.csv:", 6) && err.blame == BLAME_USER);
	check_table_free(t);
	buf_release(&csv);
	return 0;
}
