// SPDX-License-Identifier: GPL-2.0-or-later
/* A result of fio, job by job, as named numbers; see the header. Layer: results, pure. */
#include "results/parse-fio-values.h"

#include <stddef.h>
#include <string.h>

static const char *const dir_names[FIO_DIRS] = {
	[FIO_READ] = "read",
	[FIO_WRITE] = "write",
	[FIO_TRIM] = "trim",
	[FIO_MIXED] = "mixed",
};

#define FIELD(name) offsetof(struct fio_rw, name)
#define ALWAYS	    SIZE_MAX

static const struct row {
	const char *name;
	size_t field;
	const char *unit;
	const char *printed;
	size_t old;		 /* the bool in struct fio_rw that says that it was printed as: */
	const char *printed_old; /* NULL: never */
} rows[] = {
	{ "iops", FIELD(iops), UNIT_IOPS, NULL, ALWAYS, NULL },
	{ "iops_avg", FIELD(iops_mean), UNIT_IOPS, NULL, ALWAYS, NULL },
	{ "iops_min", FIELD(iops_min), UNIT_IOPS, NULL, ALWAYS, NULL },
	{ "iops_max", FIELD(iops_max), UNIT_IOPS, NULL, ALWAYS, NULL },
	{ "iops_stddev", FIELD(iops_stddev), UNIT_IOPS, NULL, ALWAYS, NULL },
	{ "bw_bytes", FIELD(bw_bytes), UNIT_RATE, NULL, FIELD(bw_in_kib), "KiB/s" },
	{ "io_bytes", FIELD(io_bytes), UNIT_BYTES, NULL, FIELD(io_in_kib), "KiB" },
	{ "total_ios", FIELD(total_ios), UNIT_COUNT, NULL, ALWAYS, NULL },
	{ "runtime_ns", FIELD(runtime_ns), UNIT_NS, "ms", ALWAYS, NULL },
	{ "lat_ns.mean", FIELD(lat_mean_ns), UNIT_NS, NULL, FIELD(lat_in_us), "us" },
	{ "lat_ns.p50", FIELD(lat_p50_ns), UNIT_NS, NULL, FIELD(lat_in_us), "us" },
	{ "lat_ns.p99", FIELD(lat_p99_ns), UNIT_NS, NULL, FIELD(lat_in_us), "us" },
	{ "lat_ns.p999", FIELD(lat_p999_ns), UNIT_NS, NULL, FIELD(lat_in_us), "us" },
	{ "clat_ns.mean", FIELD(clat_mean_ns), UNIT_NS, NULL, FIELD(lat_in_us), "us" },
	{ "clat_ns.p50", FIELD(clat_p50_ns), UNIT_NS, NULL, FIELD(lat_in_us), "us" },
	{ "clat_ns.p99", FIELD(clat_p99_ns), UNIT_NS, NULL, FIELD(lat_in_us), "us" },
	{ "clat_ns.p999", FIELD(clat_p999_ns), UNIT_NS, NULL, FIELD(lat_in_us), "us" },
};

static void put_row(struct values *out, const struct fio_job *job, int dir, const struct row *row)
{
	const char *rw = (const char *)&job->rw[dir];
	const char *printed = row->printed;
	double value;
	bool old;

	memcpy(&value, rw + row->field, sizeof(value));
	if (row->printed_old) {
		memcpy(&old, rw + row->old, sizeof(old));
		printed = old ? row->printed_old : printed;
	}
	values_add(out, value, row->unit, printed, "%s.%s.%s", job->name, dir_names[dir],
		   row->name);
}

static void put_job(struct values *out, const struct fio_job *job)
{
	for (int d = 0; d < FIO_DIRS; d++)
		for (size_t i = 0; job->rw[d].printed && i < sizeof(rows) / sizeof(rows[0]); i++)
			put_row(out, job, d, &rows[i]);
	values_add(out, job->usr_cpu, UNIT_PERCENT, NULL, "%s.usr_cpu", job->name);
	values_add(out, job->sys_cpu, UNIT_PERCENT, NULL, "%s.sys_cpu", job->name);
	values_add(out, job->ctx, UNIT_COUNT, NULL, "%s.ctx", job->name);
}

static int put_result(const struct fio_result *r, struct values *out, struct err *err)
{
	struct fio_metric metrics[FIO_METRICS_MAX];

	/* it knows the results that are none: a failed job, nothing done */
	if (fio_metrics(r, metrics, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n_jobs; i++)
		put_job(out, &r->jobs[i]);
	return 0;
}

int fio_parse_values(const char *data, size_t size, struct values *out, struct err *err)
{
	struct fio_result result;
	int rc = fio_parse(data, size, &result, err);

	if (rc < 0)
		return -1;
	rc = put_result(&result, out, err);
	fio_release(&result);
	return rc;
}
