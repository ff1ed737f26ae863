// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness of results/import: a run directory of any bytes is refused with a message, or
 * is stored, comes back the same, passes the store's own check and can be judged. The input is five
 * files with lines of "---" between them, in the order of the table; missing ones are empty.
 *
 *	rig/tests/fuzz/fuzz.sh import
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/session.h"
#include "results/store-admin.h"
#include "results/store.h"

#define SEPARATOR    "\n---\n"
#define STORE_RUNS   200 /* a new store after so many: the old ones only make it slow */
#define JUDGE_VISITS 64

/* A visit and a step whose "dir" is "v" have these. */
static const char *const files[] = { "session.json", "events.jsonl", "v/metrics.jsonl",
				     "v/fio.json", "v/fingerprint.json" };

static char *run_dir;
static struct store *store;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_run_dir(void)
{
	path_remove(run_dir);
	free(run_dir);
	store_close(store);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *visit;

	(void)argc;
	(void)argv;
	run_dir = xasprintf("%s/rig-fuzz.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(run_dir))
		abort();
	visit = path_join(run_dir, "v");
	if (path_mkdirs(visit))
		abort();
	free(visit);
	atexit(remove_run_dir);
	return 0;
}

static void write_files(const char *p, size_t size)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *sep = memmem(p, size, SEPARATOR, strlen(SEPARATOR));
		size_t n = sep ? (size_t)(sep - p) + 1 : size;
		char *path = path_join(run_dir, files[i]);
		FILE *f = fopen(path, "we");

		if (!f || fwrite(p, 1, n, f) != n || fclose(f))
			abort();
		free(path);
		n += sep ? strlen(SEPARATOR) - 1 : 0;
		p += n;
		size -= n;
	}
}

static void fail(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "%s\n", text);
	abort();
}

static void renew_store(void)
{
	static unsigned int runs;
	struct err err = ERR_INIT;

	if (store && runs++ % STORE_RUNS)
		return;
	store_close(store);
	store = store_open(":memory:", &err);
	if (!store)
		fail(NULL, err.message);
}

static void check_same(const struct session *a, const struct session *b)
{
	assert(a->n_kernels == b->n_kernels && a->n_metrics == b->n_metrics);
	assert(a->n_visits == b->n_visits && a->n_steps == b->n_steps);
	assert(a->n_samples == b->n_samples && a->n_findings == b->n_findings);
	assert(a->n_faults == b->n_faults && a->state == b->state && a->seed == b->seed);
	for (size_t i = 0; i < a->n_visits; i++)
		assert(!strcmp(a->visits[i].fingerprint, b->visits[i].fingerprint));
}

static void store_and_judge(const struct session *s)
{
	struct err err = ERR_INIT;
	struct session *again;

	renew_store();
	if (store_put_session(store, s, &err) < 0)
		fail(NULL, err.message);
	again = store_get_session(store, s->name, &err);
	if (!again)
		fail(NULL, err.message);
	check_same(s, again);
	if (store_verify(store, fail, NULL, &err))
		fail(NULL, err.message);
	if (again->n_visits <= JUDGE_VISITS)
		gate_set_free(gate_judge(again));
	session_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	struct session *s;

	write_files((const char *)data, size);
	s = import_read(run_dir, &err);
	if (s)
		store_and_judge(s);
	else
		assert(*err.code && *err.message && err.blame != BLAME_NONE);
	session_free(s);
	return 0;
}
