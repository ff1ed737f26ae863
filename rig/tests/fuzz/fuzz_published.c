// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness of results/csv, the sanity rules and the import of published tables: any bytes
 * are refused with a message that names the place, or are stored, and print again as tables.
 *
 *	rig/tests/fuzz/fuzz.sh published
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/csv.h"
#include "results/literature.h"
#include "results/store.h"

#define STORE_RUNS 200

static struct store *store;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void close_store(void)
{
	store_close(store);
}

static void renew_store(void)
{
	static unsigned int runs;

	if (!runs)
		atexit(close_store);
	if (runs++ % STORE_RUNS)
		return;
	store_close(store);
	store = store_open(":memory:", NULL);
	if (!store)
		abort();
}

static void read_csv(const char *data, size_t size)
{
	struct err err = ERR_INIT;
	struct csv csv;
	size_t line = 0;
	int rc;

	csv_init(&csv, "f.csv", data, size);
	while ((rc = csv_next(&csv, &err)) == 1) {
		assert(csv.n > 0 && csv.n <= CSV_FIELDS_MAX);
		assert(csv.fields[0].line > line);
		line = csv.fields[0].line;
		for (size_t i = 0; i < csv.n; i++)
			assert(strlen(csv.fields[i].text) <= size + 1);
	}
	assert(rc == 0 || (*err.message && err.blame == BLAME_USER));
	csv_release(&csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct literature_sum sum;
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;

	read_csv((const char *)data, size);
	renew_store();
	if (literature_import(store, "f.csv", (const char *)data, size, &sum, &err) < 0)
		assert(*err.message && err.blame == BLAME_USER);
	else if (sum.rows)
		assert(literature_report(store, "", NULL, &out, &err) == 0);
	buf_release(&out);
	return 0;
}
