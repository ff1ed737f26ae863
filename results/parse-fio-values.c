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
#define SAME	    SIZE_MAX /* always printed in its canonical unit */

static const struct row {
	const char *name;
	size_t field;
	const char *unit;
	size_t printed; /* where struct fio_rw has the printed unit */
} rows[] = {
	{ "iops", FIELD(iops), UNIT_IOPS, SAME },
	{ "iops_avg", FIELD(iops_mean), UNIT_IOPS, SAME },
	{ "iops_min", FIELD(iops_min), UNIT_IOPS, SAME },
	{ "iops_max", FIELD(iops_max), UNIT_IOPS, SAME },
	{ "iops_stddev", FIELD(iops_stddev), UNIT_IOPS, SAME },
	{ "bw_bytes", FIELD(bw_bytes), UNIT_RATE, FIELD(bw_unit) },
	{ "io_bytes", FIELD(io_bytes), UNIT_BYTES, FIELD(io_unit) },
	{ "total_ios", FIELD(total_ios), UNIT_COUNT, SAME },
	{ "runtime_ns", FIELD(runtime_ns), UNIT_NS, FIELD(runtime_unit) },
	{ "lat_ns.mean", FIELD(lat_mean_ns), UNIT_NS, FIELD(lat_unit) },
	{ "lat_ns.p50", FIELD(lat_p50_ns), UNIT_NS, FIELD(lat_unit) },
	{ "lat_ns.p99", FIELD(lat_p99_ns), UNIT_NS, FIELD(lat_unit) },
	{ "lat_ns.p999", FIELD(lat_p999_ns), UNIT_NS, FIELD(lat_unit) },
	{ "clat_ns.mean", FIELD(clat_mean_ns), UNIT_NS, FIELD(clat_unit) },
	{ "clat_ns.p50", FIELD(clat_p50_ns), UNIT_NS, FIELD(clat_unit) },
	{ "clat_ns.p99", FIELD(clat_p99_ns), UNIT_NS, FIELD(clat_unit) },
	{ "clat_ns.p999", FIELD(clat_p999_ns), UNIT_NS, FIELD(clat_unit) },
};

static void put_row(struct values *out, const struct fio_job *job, int dir, const struct row *row)
{
	const char *rw = (const char *)&job->rw[dir];
	const char *printed = NULL;
	double value;

	memcpy(&value, rw + row->field, sizeof(value));
	if (row->printed != SAME)
		memcpy(&printed, rw + row->printed, sizeof(printed));
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

/* In this order; only "nothing of mine in it" lets the next one try. */
static int (*const formats[])(const char *, size_t, struct fio_result *, struct err *) = {
	fio_parse,
	fio_parse_terse,
	fio_parse_text,
};

int fio_parse_values(const char *data, size_t size, struct values *out, struct err *err)
{
	struct fio_result result;
	struct err first = ERR_INIT;
	int rc = -1;

	for (size_t i = 0; rc < 0 && i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct err e = ERR_INIT;

		rc = formats[i](data, size, &result, &e);
		if (!i || strcmp(e.code, "fio-none") != 0)
			first = e;
		if (rc < 0 && strcmp(e.code, "fio-none") != 0)
			break;
	}
	if (rc < 0) {
		if (err)
			*err = first;
		return -1;
	}
	rc = put_result(&result, out, err);
	fio_release(&result);
	return rc;
}
