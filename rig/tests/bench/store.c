// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the store on a database of many samples, beside SQLite itself on the same disk.
 *
 *	store DIR SAMPLES ROUNDS RAWFILE
 *
 * import: store_put_session() of whole sessions; raw: the same rows of the same tables (session,
 * boot, run, sample, point) by statements prepared once, one transaction a session, with row
 * numbers that are known beforehand and without foreign keys: what SQLite can do at best. Both in
 * turn, round by round, so that a change in the host's load meets both.
 * history, gate: calls on the full database, each beside the bare query for the same numbers; and
 * the whole command, process start included. Every single number goes to RAWFILE.
 * A library of the tests, so it may hold SQL.
 */
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "base/path.h"
#include "base/spawn.h"
#include "results/gate.h"
#include "results/schema.h"
#include "results/store-history.h"
#include "results/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "store-data.h"

#define QUERIES	 200
#define COMMANDS 40
#define GATES	 40

static FILE *raw_numbers;

static void fail(const char *what, const struct err *err)
{
	fprintf(stderr, "store: %s%s%s\n", what, err ? ": " : "", err ? err->message : "");
	exit(3);
}

static double since_ms(uint64_t begin_ns)
{
	return (double)(mono_ns() - begin_ns) / 1e6;
}

/* What neighbours on the machine do not add to. */
static double cpu_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sorts the numbers, keeps them, and gives that part of them: 0.5 = the median. */
static double quantile(const char *name, double *v, size_t n, double q)
{
	fprintf(raw_numbers, "%s", name);
	for (size_t i = 0; i < n; i++)
		fprintf(raw_numbers, " %.4f", v[i]);
	fputc('\n', raw_numbers);
	qsort(v, n, sizeof(*v), by_value);
	return v[(size_t)(q * (double)(n - 1) + 0.5)];
}

/* ---- the limit: bare statements ---- */

enum raw_table { RAW_SESSION, RAW_BOOT, RAW_RUN, RAW_SAMPLE, RAW_POINT, RAW_TABLES };

static const char *const raw_sql[RAW_TABLES] = {
	[RAW_SESSION] =
		"INSERT INTO session (id, name, dir, started, state, result, user, host,"
		" rig_version, suite, suite_hash, profile, notes, board, pairs_fixed,"
		" pairs_min, pairs_max, warmup, seed) VALUES (?, ?, ?, ?, 'ended', 'enough',"
		" '', '', '', ?, '', 'full', '', ?, 0, 4, 4, 1, 0)",
	[RAW_BOOT] = "INSERT INTO boot VALUES (?, ?, ?, ?, ?, ?, ?, 0, 'ok', ?, ?, ?, ?, -1)",
	[RAW_RUN] = "INSERT INTO run VALUES (?, ?, ?, 'fio', ?, 'ok', '', '', ?, ?, 0, 0, -1, -1,"
		    " -1)",
	[RAW_SAMPLE] = "INSERT INTO sample VALUES (?, ?, ?)",
	[RAW_POINT] = "INSERT INTO point VALUES (?, ?, ?, 4, ?, ?)",
};

struct raw {
	sqlite3 *db;
	sqlite3_stmt *insert[RAW_TABLES];
	int64_t boot, run;
};

static void raw_exec(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message)) {
		fprintf(stderr, "store: %s: %s\n", sql, message);
		exit(3);
	}
}

static void raw_open(struct raw *raw, const char *path)
{
	if (sqlite3_open(path, &raw->db))
		fail("cannot open the raw database", NULL);
	raw_exec(raw->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
	for (size_t i = 0; i < schema_steps_n; i++)
		raw_exec(raw->db, schema_steps[i].sql);
	for (int i = 0; i < RAW_TABLES; i++)
		if (sqlite3_prepare_v2(raw->db, raw_sql[i], -1, &raw->insert[i], NULL))
			fail(sqlite3_errmsg(raw->db), NULL);
}

static void raw_close(struct raw *raw)
{
	for (int i = 0; i < RAW_TABLES; i++)
		sqlite3_finalize(raw->insert[i]);
	sqlite3_close(raw->db);
}

static void raw_step(struct raw *raw, enum raw_table table)
{
	if (sqlite3_step(raw->insert[table]) != SQLITE_DONE)
		fail(sqlite3_errmsg(raw->db), NULL);
	sqlite3_reset(raw->insert[table]);
}

static void raw_put_run(struct raw *raw, const struct session *s, size_t step)
{
	const struct session_step *p = &s->steps[step];
	sqlite3_stmt *run = raw->insert[RAW_RUN];
	sqlite3_stmt *sample = raw->insert[RAW_SAMPLE];

	sqlite3_bind_int64(run, 1, ++raw->run);
	sqlite3_bind_int64(run, 2, raw->boot);
	sqlite3_bind_int(run, 3, p->number);
	sqlite3_bind_int(run, 4, (int)(step % DATA_WORKLOADS) + 1);
	sqlite3_bind_text(run, 5, p->dir, -1, SQLITE_STATIC);
	sqlite3_bind_text(run, 6, p->command, -1, SQLITE_STATIC);
	raw_step(raw, RAW_RUN);
	for (int m = 0; m < DATA_METRICS; m++) {
		sqlite3_bind_int64(sample, 1, raw->run);
		sqlite3_bind_int(sample, 2, m + 1);
		sqlite3_bind_double(sample, 3, s->samples[step * DATA_METRICS + (size_t)m].value);
		raw_step(raw, RAW_SAMPLE);
	}
}

static void raw_put_boot(struct raw *raw, const struct session *s, int64_t id, int visit)
{
	const struct session_visit *v = &s->visits[visit];
	sqlite3_stmt *boot = raw->insert[RAW_BOOT];

	sqlite3_bind_int64(boot, 1, ++raw->boot);
	sqlite3_bind_int64(boot, 2, id);
	sqlite3_bind_int(boot, 3, v->number);
	sqlite3_bind_int(boot, 4, v->kernel);
	sqlite3_bind_int(boot, 5, v->pair);
	sqlite3_bind_int(boot, 6, v->position);
	sqlite3_bind_int(boot, 7, v->warmup);
	sqlite3_bind_text(boot, 8, v->dir, -1, SQLITE_STATIC);
	sqlite3_bind_text(boot, 9, v->release, -1, SQLITE_STATIC);
	sqlite3_bind_text(boot, 10, v->fingerprint, -1, SQLITE_STATIC);
	sqlite3_bind_int64(boot, 11, v->started_ms);
	raw_step(raw, RAW_BOOT);
	for (size_t w = 0; w < DATA_WORKLOADS; w++)
		raw_put_run(raw, s, (size_t)visit * DATA_WORKLOADS + w);
}

static void raw_put_points(struct raw *raw, int64_t id, int place)
{
	sqlite3_stmt *point = raw->insert[RAW_POINT];

	for (int i = 0; i < DATA_WORKLOADS * DATA_METRICS; i++) {
		for (int k = 0; k < DATA_KERNELS; k++) {
			sqlite3_bind_int64(point, 1, id);
			sqlite3_bind_int64(point, 2, place * DATA_WORKLOADS * DATA_METRICS + i + 1);
			sqlite3_bind_int(point, 3, k);
			sqlite3_bind_double(point, 4, 5000.25 + i);
			sqlite3_bind_double(point, 5, 12.5 + i);
			raw_step(raw, RAW_POINT);
		}
	}
}

static void raw_put(struct raw *raw, const struct session *s, int number)
{
	struct data_place place = data_place(number);
	sqlite3_stmt *session = raw->insert[RAW_SESSION];

	raw_exec(raw->db, "BEGIN IMMEDIATE");
	sqlite3_bind_int64(session, 1, number + 1);
	sqlite3_bind_text(session, 2, s->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(session, 3, s->dir, -1, SQLITE_STATIC);
	sqlite3_bind_int64(session, 4, s->started_ms);
	sqlite3_bind_text(session, 5, s->suite, -1, SQLITE_STATIC);
	sqlite3_bind_int(session, 6, place.board + 1);
	raw_step(raw, RAW_SESSION);
	for (int v = 0; v < DATA_VISITS; v++)
		raw_put_boot(raw, s, number + 1, v);
	raw_put_points(raw, number + 1, place.suite * DATA_BOARDS + place.board);
	raw_exec(raw->db, "COMMIT");
}

/* ---- import ---- */

struct bench {
	struct store *store;
	struct store *reader; /* as `rig history` opens it */
	struct raw raw;
	sqlite3 *bare; /* the store's file, for bare queries */
	const char *dir;
	int sessions, rounds;
};

/* Samples a second over those sessions, and the CPU time they took; making them up is not counted.
 */
static double import_some(struct bench *b, int first, int last, bool raw, double *cpu_ms)
{
	double ms = 0;

	for (int i = first; i < last; i++) {
		struct session *s = data_session(i);
		struct err err = ERR_INIT;
		uint64_t begin = mono_ns();
		double cpu = cpu_now_ms();

		if (raw)
			raw_put(&b->raw, s, i);
		else if (store_put_session(b->store, s, &err) < 0)
			fail("storing", &err);
		ms += since_ms(begin);
		*cpu_ms += cpu_now_ms() - cpu;
		session_free(s);
	}
	return (double)(last - first) * DATA_SAMPLES / ms * 1000;
}

static void bench_import(struct bench *b)
{
	double *mine = xcalloc((size_t)b->rounds, sizeof(double));
	double *bare = xcalloc((size_t)b->rounds, sizeof(double));
	double rate;
	double limit;
	double cpu = 0;
	double bare_cpu = 0;

	for (int i = 0; i < b->rounds; i++) {
		int first = (int)((int64_t)b->sessions * i / b->rounds);
		int last = (int)((int64_t)b->sessions * (i + 1) / b->rounds);

		/* who begins changes from round to round */
		if (i % 2)
			bare[i] = import_some(b, first, last, true, &bare_cpu);
		mine[i] = import_some(b, first, last, false, &cpu);
		if (i % 2 == 0)
			bare[i] = import_some(b, first, last, true, &bare_cpu);
	}
	rate = quantile("import-samples-per-s", mine, (size_t)b->rounds, 0.5);
	limit = quantile("raw-samples-per-s", bare, (size_t)b->rounds, 0.5);
	printf("import            %8.0f samples/s   raw inserts %8.0f   ratio %.2f (goal >= 0.50)\n",
	       rate, limit, rate / limit);
	printf("  by CPU time     %8.2f us a sample   raw inserts %8.2f   ratio %.2f\n",
	       cpu * 1000 / b->sessions / DATA_SAMPLES,
	       bare_cpu * 1000 / b->sessions / DATA_SAMPLES, bare_cpu / cpu);
	free(mine);
	free(bare);
}

/* ---- history ---- */

static bool sum_point(void *ctx, const struct history_point *p)
{
	*(double *)ctx += p->mean;
	return true;
}

static const char bare_history_sql[] =
	"SELECT s.started, p.mean FROM session s CROSS JOIN point p WHERE s.board = ?1"
	" AND s.suite = ?2 AND s.profile = 'full' AND p.session = s.id AND p.series = ?3"
	" ORDER BY s.started";

struct pick {
	int board, suite, workload, metric;
};

static struct pick pick(int i)
{
	unsigned int z = (unsigned int)i * 2654435761u;

	return (struct pick){ (int)(z >> 3) % DATA_BOARDS, (int)(z >> 5) % DATA_SUITES,
			      (int)(z >> 7) % DATA_WORKLOADS, (int)(z >> 9) % DATA_METRICS };
}

static double history_ms(struct bench *b, struct pick p, double *cpu_ms)
{
	double cpu = cpu_now_ms();
	struct history_key key = { data_boards[p.board], data_suites[p.suite], "full",
				   data_workloads[p.workload], data_metrics[p.metric] };
	struct err err = ERR_INIT;
	double sum = 0;
	uint64_t begin = mono_ns();

	if (store_history(b->reader, &key, 0, sum_point, &sum, &err) < 0)
		fail("history", &err);
	*cpu_ms = cpu_now_ms() - cpu;
	return since_ms(begin);
}

static double bare_history_ms(struct bench *b, sqlite3_stmt *q, struct pick p)
{
	double sum = 0;
	uint64_t begin;

	sqlite3_bind_int(q, 1, p.board + 1);
	sqlite3_bind_text(q, 2, data_suites[p.suite], -1, SQLITE_STATIC);
	sqlite3_bind_int(q, 3,
			 (p.suite * DATA_BOARDS + p.board) * DATA_WORKLOADS * DATA_METRICS +
				 p.workload * DATA_METRICS + p.metric + 1);
	begin = mono_ns();
	while (sqlite3_step(q) == SQLITE_ROW)
		sum += sqlite3_column_double(q, 1);
	sqlite3_reset(q);
	if (!(sum > 0))
		fail("the bare query found nothing", NULL);
	(void)b;
	return since_ms(begin);
}

static void bench_history(struct bench *b)
{
	double mine[QUERIES];
	double bare[QUERIES];
	double cpu[QUERIES];
	double p95;
	double bare_p95;
	sqlite3_stmt *q;

	if (sqlite3_prepare_v2(b->bare, bare_history_sql, -1, &q, NULL))
		fail(sqlite3_errmsg(b->bare), NULL);
	for (int i = 0; i < QUERIES; i++) {
		mine[i] = history_ms(b, pick(i), &cpu[i]);
		bare[i] = bare_history_ms(b, q, pick(i));
	}
	sqlite3_finalize(q);
	p95 = quantile("history-ms", mine, QUERIES, 0.95);
	bare_p95 = quantile("bare-history-ms", bare, QUERIES, 0.95);
	printf("history, call     %8.2f ms p95 (%.2f median)  bare query %.2f (%.2f)  ratio of medians"
	       " %.1f (goal < 20 ms)\n",
	       p95, mine[QUERIES / 2], bare_p95, bare[QUERIES / 2],
	       mine[QUERIES / 2] / bare[QUERIES / 2]);
	printf("  by CPU time     %8.2f ms p95\n", quantile("history-cpu-ms", cpu, QUERIES, 0.95));
}

/* ---- commands ---- */

/* -1 = it failed. */
static double command_ms(char *const argv[], double *cpu_ms)
{
	struct rusage used;
	uint64_t begin = mono_ns();
	pid_t pid = fflush(stdout) ? -1 : fork();
	int status = -1;

	if (!pid) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(99);
		execvp(argv[0], argv);
		_exit(99);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0 || !WIFEXITED(status) ||
	    WEXITSTATUS(status) >= 3)
		return -1;
	*cpu_ms = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
		  (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
	return since_ms(begin);
}

static void bench_history_command(struct bench *b)
{
	double ms[COMMANDS];
	double cpu[COMMANDS];
	double p95;

	(void)b;
	for (int i = 0; i < COMMANDS; i++) {
		struct pick p = pick(i * 7);
		char *const argv[] = { (char *)"build/bin/rig",
				       (char *)"history",
				       (char *)"--board",
				       (char *)data_boards[p.board],
				       (char *)"--suite",
				       (char *)data_suites[p.suite],
				       (char *)"--workload",
				       (char *)data_workloads[p.workload],
				       (char *)"--metric",
				       data_metrics[p.metric],
				       NULL };

		ms[i] = command_ms(argv, &cpu[i]);
		if (ms[i] < 0) {
			puts("history, command  failed: see above");
			return;
		}
	}
	p95 = quantile("history-command-ms", ms, COMMANDS, 0.95);
	printf("history, command  %8.2f ms p95 (%.2f median)  (goal < 20 ms)\n", p95,
	       ms[COMMANDS / 2]);
	printf("  by CPU time     %8.2f ms p95\n",
	       quantile("history-command-cpu-ms", cpu, COMMANDS, 0.95));
}

/* ---- gate ---- */

static void bench_gate(struct bench *b)
{
	double call[GATES];
	double command[GATES];
	double cpu;

	for (int i = 0; i < GATES; i++) {
		struct session *s = data_session((int)((int64_t)i * (b->sessions - 1) / GATES));
		char *const argv[] = { (char *)"build/bin/rig", (char *)"gate", (char *)s->name,
				       NULL };
		struct err err = ERR_INIT;
		uint64_t begin = mono_ns();
		struct gate_set *set = gate_run(b->store, s->name, &err);

		if (!set)
			fail("gate", &err);
		call[i] = since_ms(begin);
		gate_set_free(set);
		command[i] = command_ms(argv, &cpu);
		session_free(s);
	}
	printf("gate, call        %8.2f ms p95  (goal < 1000 ms)\n",
	       quantile("gate-ms", call, GATES, 0.95));
	printf("gate, command     %8.2f ms p95  (goal < 1000 ms)\n",
	       quantile("gate-command-ms", command, GATES, 0.95));
}

/* ---- the whole ---- */

static void bench_size(const char *path, int sessions)
{
	struct stat sb;
	double samples = (double)sessions * DATA_SAMPLES;

	if (stat(path, &sb) < 0)
		fail("no database", NULL);
	printf("size              %8.1f bytes a sample (%.0f MB, %.0f samples, %d runs, %d"
	       " sessions)\n",
	       (double)sb.st_size / samples, (double)sb.st_size / 1e6, samples,
	       sessions * DATA_RUNS, sessions);
}

static void open_all(struct bench *b)
{
	char *mine = path_join(b->dir, "results.db");
	char *raw = path_join(b->dir, "raw.db");
	struct err err = ERR_INIT;

	b->store = store_open(mine, &err);
	if (!b->store)
		fail("opening", &err);
	raw_open(&b->raw, raw);
	if (sqlite3_open_v2(mine, &b->bare, SQLITE_OPEN_READONLY, NULL))
		fail("opening for bare queries", NULL);
	free(mine);
	free(raw);
}

static struct store *open_reader(const struct bench *b)
{
	char *path = path_join(b->dir, "results.db");
	struct err err = ERR_INIT;
	struct store *reader = store_open_readonly(path, &err);

	if (!reader)
		fail("opening for reading", &err);
	free(path);
	return reader;
}

int main(int argc, char **argv)
{
	struct bench b = { .dir = argc > 1 ? argv[1] : "" };
	char *mine;

	if (argc != 5)
		fail("usage: store DIR SAMPLES ROUNDS RAWFILE", NULL);
	b.sessions = (int)((strtol(argv[2], NULL, 10) + DATA_SAMPLES - 1) / DATA_SAMPLES);
	b.rounds = (int)strtol(argv[3], NULL, 10);
	raw_numbers = fopen(argv[4], "we");
	if (!raw_numbers || b.rounds < 1 || b.sessions < b.rounds)
		fail("bad arguments", NULL);
	data_init();
	open_all(&b);
	bench_import(&b);
	raw_close(&b.raw);
	b.reader = open_reader(&b);
	bench_history(&b);
	bench_history_command(&b);
	bench_gate(&b);
	store_close(b.store);
	store_close(b.reader);
	sqlite3_close(b.bare);
	mine = path_join(b.dir, "results.db");
	bench_size(mine, b.sessions);
	free(mine);
	fclose(raw_numbers);
	return 0;
}
