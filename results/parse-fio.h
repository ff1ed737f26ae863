/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of `fio --output-format=json` (2.1 to 3.40; json+, and json in the middle of text)
 * -> numbers in canonical units: bytes/s, ns, count, per cent. Pure: bytes in, values out.
 *
 * The units fio prints have changed: 2.x gives latencies in us and io_bytes in KiB, 3.x in ns and
 * bytes; bw is KiB/s in all. A key that a version does not have gives NAN, nothing is made up.
 */
#ifndef RESULTS_PARSE_FIO_H
#define RESULTS_PARSE_FIO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* One data direction of one job (or group of jobs). NAN = not in the file. */
struct fio_rw {
	double iops;	  /* total_ios / runtime */
	double iops_mean; /* mean of fio's samples: the "avg" its text output prints */
	double iops_min, iops_max, iops_stddev;
	double bw_bytes; /* bytes/s */
	double io_bytes;
	double total_ios;
	double runtime_ns;
	double lat_mean_ns, lat_p50_ns, lat_p99_ns, lat_p999_ns;
	double clat_mean_ns, clat_p50_ns, clat_p99_ns, clat_p999_ns;
	bool printed; /* the document has this direction, even if it did no I/O */
	/* as printed, static; NULL: bytes/s, bytes, ns, ns, ns */
	const char *bw_unit, *io_unit, *runtime_unit, *lat_unit, *clat_unit;
};

enum fio_dir {
	FIO_READ,
	FIO_WRITE,
	FIO_TRIM,
	FIO_MIXED, /* unified_rw_reporting */
	FIO_DIRS,
};

struct fio_job {
	char *name;
	int error; /* errno of the job; 0 = none */
	double usr_cpu, sys_cpu, ctx;
	struct fio_rw rw[FIO_DIRS];
	bool has[FIO_DIRS]; /* this direction did I/O */
};

struct fio_result {
	char version[32];   /* "fio-3.33"; "" = not told */
	size_t documents;   /* JSON documents in the text; the last one is taken */
	size_t offset, end; /* bytes of the one taken */
	int error;	    /* the first job's that has one */
	struct fio_job *jobs;
	size_t n_jobs;
};

/*
 * 0, or -1 with *err (blame TEST): code "fio-none" (no result in the text: the message quotes its
 * first line), "fio-broken" (JSON cut off or malformed, with its line), "fio-range" (a number that
 * cannot be). On success the caller releases *out. A result with error != 0 is still a success
 * here: whoever wants numbers looks at it first (fio_metrics() does).
 */
int fio_parse(const char *data, size_t size, struct fio_result *out, struct err *err);
void fio_release(struct fio_result *r);

/*
 * The other things that fio prints, with the same results (offset, end and documents stay 0):
 * the lines of --output-format=terse, versions 2 to 5 (latencies in us, rates in KiB/s), and the
 * text for people, 1.5x to 3.4x (rounded to four digits or so). Code "fio-none" when there is no
 * line of the kind, "fio-broken" and "fio-range" as above.
 */
int fio_parse_terse(const char *data, size_t size, struct fio_result *out, struct err *err);
int fio_parse_text(const char *data, size_t size, struct fio_result *out, struct err *err);

/*
 * For the parsers: one more job, everything NAN. NULL when there are too many. fio_end_job()
 * once its numbers are there (-1: one of them cannot be, code "fio-range").
 */
struct fio_job *fio_add_job(struct fio_result *r, const char *name, size_t name_size);
int fio_end_job(struct fio_result *r, struct fio_job *job, struct err *err);

struct fio_metric {
	char name[40];
	double value; /* finite */
};

#define FIO_METRICS_MAX 64

/*
 * The metrics of a result, summed over its jobs where that makes sense (rates, counts); of several
 * ungrouped jobs min, max, stddev and percentiles are left out. Names: read.iops, read.iops_avg,
 * .iops_min, .iops_max, .iops_stddev, .bw_bytes, .total_ios, .runtime_ns, .lat_ns.mean,
 * .clat_ns.mean, .clat_ns.p50, .p99, .p999 and the same for write, trim and mixed, for directions
 * that did I/O; usr_cpu, sys_cpu, ctx. Returns how many, or -1 with *err (TEST): code "fio-error"
 * for a job that failed, "fio-idle" when no I/O was done.
 */
int fio_metrics(const struct fio_result *r, struct fio_metric out[FIO_METRICS_MAX],
		struct err *err);

#endif
