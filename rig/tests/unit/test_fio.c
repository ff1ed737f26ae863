// SPDX-License-Identifier: GPL-2.0-or-later
/* results/parse-fio: units, hostile input, and the corpus of real output where it is present. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "corpus.h"
#include "results/parse-fio.h"

static double metric(const struct fio_metric *m, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(m[i].name, name))
			return m[i].value;
	return NAN;
}

static void version_3(void **state)
{
	static const char text[] =
		"note: both iodepth >= 1 and synchronous I/O engine are selected\n"
		"{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"a\", \"error\": 0,"
		"\"read\": {\"io_bytes\": 4096000, \"io_kbytes\": 4000, \"bw_bytes\": 2048000,"
		" \"bw\": 2000, \"iops\": 500.5, \"runtime\": 2000, \"total_ios\": 1001,"
		" \"lat_ns\": {\"mean\": 1600}, \"clat_ns\": {\"mean\": 1500.5, \"percentile\":"
		" {\"50.000000\": 1400, \"99.000000\": 9000, \"99.900000\": 9900}},"
		" \"iops_min\": 400, \"iops_max\": 600, \"iops_mean\": 510.25, \"iops_stddev\": 9},"
		"\"write\": {\"iops\": 0, \"total_ios\": 0, \"io_bytes\": 0},"
		"\"usr_cpu\": 1.5, \"sys_cpu\": 2.5, \"ctx\": 77}]}";
	struct fio_metric m[FIO_METRICS_MAX];
	struct fio_result r;
	int n;

	(void)state;
	assert_int_equal(fio_parse(text, strlen(text), &r, NULL), 0);
	assert_string_equal(r.version, "fio-3.33");
	assert_int_equal(r.offset, strchr(text, '{') - text);
	assert_int_equal(r.end, strlen(text));
	assert_true(r.jobs[0].rw[FIO_READ].io_bytes == 4096000);
	n = fio_metrics(&r, m, NULL);
	assert_int_equal(n, 16);
	assert_true(metric(m, n, "read.iops") == 500.5);
	assert_true(metric(m, n, "read.iops_avg") == 510.25);
	assert_true(metric(m, n, "read.iops_min") == 400);
	assert_true(metric(m, n, "read.iops_max") == 600);
	assert_true(metric(m, n, "read.bw_bytes") == 2048000);
	assert_true(metric(m, n, "read.runtime_ns") == 2e9);
	assert_true(metric(m, n, "read.clat_ns.mean") == 1500.5);
	assert_true(metric(m, n, "read.clat_ns.p99") == 9000);
	assert_true(metric(m, n, "read.clat_ns.p999") == 9900);
	assert_true(metric(m, n, "read.lat_ns.mean") == 1600);
	assert_true(metric(m, n, "usr_cpu") == 1.5 && metric(m, n, "ctx") == 77);
	assert_true(isnan(metric(m, n, "write.iops")));
	fio_release(&r);
}

/* us and KiB, and no iops_mean: it is not made up. */
static void version_2(void **state)
{
	static const char text[] =
		"{\"fio version\": \"fio-2.18\", \"jobs\": [{\"jobname\": \"a\", \"error\": 0,"
		"\"write\": {\"io_bytes\": 4000, \"bw\": 2000, \"iops\": 500, \"runtime\": 2000,"
		" \"total_ios\": 1000, \"clat\": {\"mean\": 12.5, \"percentile\":"
		" {\"99.000000\": 90}}}, \"usr_cpu\": 1, \"sys_cpu\": 2, \"ctx\": 3}]}";
	struct fio_metric m[FIO_METRICS_MAX];
	struct fio_result r;
	int n;

	(void)state;
	assert_int_equal(fio_parse(text, strlen(text), &r, NULL), 0);
	assert_true(r.jobs[0].rw[FIO_WRITE].io_bytes == 4000 * 1024);
	n = fio_metrics(&r, m, NULL);
	assert_true(metric(m, n, "write.bw_bytes") == 2000 * 1024);
	assert_true(metric(m, n, "write.clat_ns.mean") == 12500);
	assert_true(metric(m, n, "write.clat_ns.p99") == 90000);
	assert_true(isnan(metric(m, n, "write.iops_avg")));
	fio_release(&r);
}

/* Rates of ungrouped jobs add up; what does not add up is left out. */
static void several_jobs(void **state)
{
	static const char text[] =
		"{\"fio version\": \"fio-3.33\", \"jobs\": ["
		"{\"jobname\": \"a\", \"read\": {\"iops\": 100, \"iops_min\": 90, \"total_ios\": 300,"
		" \"clat_ns\": {\"mean\": 10}}, \"usr_cpu\": 1, \"sys_cpu\": 2, \"ctx\": 3},"
		"{\"jobname\": \"b\", \"read\": {\"iops\": 50, \"iops_min\": 40, \"total_ios\": 100,"
		" \"clat_ns\": {\"mean\": 30}}, \"usr_cpu\": 3, \"sys_cpu\": 4, \"ctx\": 5}]}";
	struct fio_metric m[FIO_METRICS_MAX];
	struct fio_result r;
	int n;

	(void)state;
	assert_int_equal(fio_parse(text, strlen(text), &r, NULL), 0);
	n = fio_metrics(&r, m, NULL);
	assert_true(metric(m, n, "read.iops") == 150);
	assert_true(isnan(metric(m, n, "read.iops_min")));
	assert_true(metric(m, n, "read.clat_ns.mean") == 15);
	assert_true(metric(m, n, "usr_cpu") == 2 && metric(m, n, "ctx") == 8);
	fio_release(&r);
}

#define ONE_JOB(read) "{\"jobs\": [{\"jobname\": \"a\", \"read\": {" read "}}]}"

static const struct {
	const char *text, *code;
} broken[] = {
	{ "", "fio-none" },
	{ "fio: engine libaio not loadable\n", "fio-none" },
	{ "{}", "fio-none" },
	{ "{\"jobs\": []}", "fio-none" },
	{ "{\"jobs\": [{\"jobname\": \"a\",\n\"read\": {\"iops\": 12", "fio-broken" },
	{ "{\"jobs\": [{\"jobname\": \"\xff\xfe\"}]}", "fio-broken" },
	{ ONE_JOB("\"iops\": nan, \"total_ios\": 1"), "fio-broken" },
	{ ONE_JOB("\"iops\": 1e999, \"total_ios\": 1"), "fio-broken" },
	{ ONE_JOB("\"iops\": 1e308, \"total_ios\": 1"), "fio-range" },
	{ ONE_JOB("\"iops\": -5, \"total_ios\": 1"), "fio-range" },
	{ ONE_JOB("\"clat_ns\": {\"mean\": -1}, \"total_ios\": 1"), "fio-range" },
	/* an interim result of --status-interval, and then a cut-off one */
	{ ONE_JOB("\"iops\": 5, \"total_ios\": 1") "\n{\"jobs\": [{\"jobname\"", "fio-broken" },
};

static void hostile(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct err err = ERR_INIT;
		struct fio_result r;

		if (fio_parse(broken[i].text, strlen(broken[i].text), &r, &err) == 0)
			fail_msg("accepted: %s", broken[i].text);
		assert_string_equal(err.code, broken[i].code);
		assert_int_equal(err.blame, BLAME_TEST);
		assert_true(*err.message);
	}
}

static void broken_line_is_named(void **state)
{
	static const char text[] = "some text\n{\"jobs\": [\n{\"jobname\": nan}]}\n";
	struct err err = ERR_INIT;
	struct fio_result r;

	(void)state;
	assert_int_equal(fio_parse(text, strlen(text), &r, &err), -1);
	assert_non_null(strstr(err.message, "line 3"));
}

static void failed_and_idle(void **state)
{
	static const char failed[] =
		"{\"jobs\": [{\"jobname\": \"full\", \"error\": 28, \"read\": {\"iops\": 7,"
		" \"total_ios\": 9}}]}";
	static const char idle[] = "{\"jobs\": [{\"jobname\": \"a\", \"read\": {\"iops\": 0}}]}";
	struct fio_metric m[FIO_METRICS_MAX];
	struct err err = ERR_INIT;
	struct fio_result r;

	(void)state;
	assert_int_equal(fio_parse(failed, strlen(failed), &r, &err), 0);
	assert_int_equal(r.error, 28);
	assert_int_equal(fio_metrics(&r, m, &err), -1);
	assert_string_equal(err.code, "fio-error");
	assert_non_null(strstr(err.message, "No space left"));
	fio_release(&r);
	assert_int_equal(fio_parse(idle, strlen(idle), &r, &err), 0);
	assert_int_equal(fio_metrics(&r, m, &err), -1);
	assert_string_equal(err.code, "fio-idle");
	fio_release(&r);
}

/* Text with a million braces must not take forever: tries are limited. */
static void many_braces(void **state)
{
	size_t size = 2000000;
	char *text = xmalloc(size);
	struct fio_result r;

	(void)state;
	for (size_t i = 0; i < size; i += 2)
		memcpy(text + i, "{\n", 2);
	assert_int_equal(fio_parse(text, size, &r, NULL), -1);
	free(text);
}

/* ---- the corpus: every file against the facts of its manifest line ---- */

/* Facts are as printed: latencies of 2.x in us, io_bytes of 2.x in KiB, bw in KiB/s. */
static void check_rw(const char *file, const json_t *facts, const struct fio_rw *rw)
{
	const struct {
		const char *key;
		double got, factor;
	} rows[] = {
		{ "iops", rw->iops, 1 },
		{ "total_ios", rw->total_ios, 1 },
		{ "runtime", rw->runtime_ns, 1e6 },
		{ "clat_ns_mean", rw->clat_mean_ns, 1 },
		{ "clat_ns_p99", rw->clat_p99_ns, 1 },
		{ "clat_mean", rw->clat_mean_ns, 1e3 },
		{ "clat_p99", rw->clat_p99_ns, 1e3 },
	};
	double bw = corpus_number(facts, "bw") * 1024;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double want = corpus_number(facts, rows[i].key) * rows[i].factor;

		if (!isnan(want) && fabs(rows[i].got - want) > 1e-9 * want)
			fail_msg("%s: %s is %.17g, wanted %.17g", file, rows[i].key, rows[i].got,
				 want);
	}
	/* bw is cut to whole KiB/s, bw_bytes is not: within one of them */
	if (!isnan(bw) && fabs(rw->bw_bytes - bw) > 1024)
		fail_msg("%s: bw %.17g, wanted %.17g", file, rw->bw_bytes, bw);
}

static void check_jobs(const char *file, const json_t *facts, const struct fio_result *r)
{
	static const char *const dirs[] = { "read", "write", "trim", "mixed" };
	const json_t *jobs = json_object_get(facts, "jobs");

	if (r->n_jobs != json_array_size(jobs))
		fail_msg("%s: %zu jobs, wanted %zu", file, r->n_jobs, json_array_size(jobs));
	for (size_t i = 0; i < r->n_jobs; i++) {
		const json_t *job = json_array_get(jobs, i);
		const char *name = json_string_value(json_object_get(job, "jobname"));

		if (name)
			assert_string_equal(r->jobs[i].name, name);
		if (json_is_integer(json_object_get(job, "error")))
			assert_int_equal(r->jobs[i].error,
					 json_integer_value(json_object_get(job, "error")));
		for (int d = 0; d < FIO_DIRS; d++)
			if (json_object_get(job, dirs[d]))
				check_rw(file, json_object_get(job, dirs[d]), &r->jobs[i].rw[d]);
	}
}

static int files;

static void check_file(const char *file, const struct buf *text, const json_t *facts)
{
	const char *format = corpus_string(facts, "format");
	bool json = !strncmp(format, "json", 4);
	struct err err = ERR_INIT;
	struct fio_result r;
	int rc = fio_parse(buf_str(text), text->size, &r, &err);

	if (rc && json)
		fail_msg("%s: %s", file, err.message);
	if (!rc && !json)
		fail_msg("%s: a result where there is none", file);
	if (!rc) {
		if (r.documents != (size_t)corpus_number(facts, "json_docs"))
			fail_msg("%s: %zu documents", file, r.documents);
		check_jobs(file, facts, &r);
		fio_release(&r);
	}
	files++;
}

static void corpus(void **state)
{
	(void)state;
	corpus_walk("fio/", check_file);
	print_message("%d files\n", files);
	assert_true(files > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_3),
		cmocka_unit_test(version_2),
		cmocka_unit_test(several_jobs),
		cmocka_unit_test(hostile),
		cmocka_unit_test(broken_line_is_named),
		cmocka_unit_test(failed_and_idle),
		cmocka_unit_test(many_braces),
		cmocka_unit_test(corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
