// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fio's terse lines, one a job; see parse-fio.h. Layer: results, pure.
 *
 *	2;NAME;GROUP;ERROR;			DIRECTION x 2 (3 since fio 3); CPU ...
 *	3;VERSION;NAME;GROUP;ERROR;		DIRECTION x 2; CPU ...
 *	4;VERSION;NAME;GROUP;ERROR;		DIRECTION x 3; CPU ...
 *	5;VERSION;NAME;GROUP;ERROR;		DIRECTION x 3, six fields longer; CPU ...
 *
 * DIRECTION: KiB, KiB/s, IOPS, ms, slat (min, max, mean, dev), clat (the same), 20 percentiles
 * "99.000000%=12", lat (like slat), bandwidth (5 fields), in version 5 also samples and IOPS (min,
 * max, mean, dev, samples). CPU: usr%, sys%, context switches. What follows is of no use here; a
 * description at the end may add any number of fields.
 */
#include "results/parse-fio.h"
#include "results/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_FIELDS 192

/* Offsets in a direction. */
enum {
	F_KIB,
	F_BW,
	F_IOPS,
	F_RUNTIME,
	F_CLAT_MEAN = 10,
	F_PERCENTILES = 12,
	F_LAT_MEAN = 34,
	F_END = 41,
	F_IOPS_MIN = 42,
	F_END_5 = 47,
};

#define N_PERCENTILES 20

struct line {
	struct text f[MAX_FIELDS];
	size_t n;
};

static void split(struct text t, struct line *line)
{
	line->n = 0;
	while (line->n < MAX_FIELDS && text_until(&t, ';', &line->f[line->n]))
		line->n++;
	if (line->n < MAX_FIELDS)
		line->f[line->n++] = t;
}

static double number(const struct line *line, size_t i, double factor)
{
	double n;

	return i < line->n && text_double(line->f[i], &n) ? n * factor : NAN;
}

/* "37.000000%" */
static double percent(const struct line *line, size_t i)
{
	struct text t = i < line->n ? line->f[i] : text_of("", 0);
	double n;

	return text_number(&t, &n) && text_is(t, "%") ? n : NAN;
}

static double percentile(const struct line *line, size_t first, const char *name)
{
	double n;

	for (size_t i = first; i < first + N_PERCENTILES && i < line->n; i++) {
		struct text t = line->f[i];

		if (!text_starts(t, name))
			continue;
		t.p += strlen(name);
		return text_double(t, &n) ? n * 1e3 : NAN;
	}
	return NAN;
}

static void get_rw(const struct line *line, size_t at, bool v5, struct fio_rw *rw)
{
	rw->io_bytes = number(line, at + F_KIB, 1024);
	rw->bw_bytes = number(line, at + F_BW, 1024);
	rw->iops = number(line, at + F_IOPS, 1);
	rw->runtime_ns = number(line, at + F_RUNTIME, 1e6);
	rw->clat_mean_ns = number(line, at + F_CLAT_MEAN, 1e3);
	rw->clat_p50_ns = percentile(line, at + F_PERCENTILES, "50.000000%=");
	rw->clat_p99_ns = percentile(line, at + F_PERCENTILES, "99.000000%=");
	rw->clat_p999_ns = percentile(line, at + F_PERCENTILES, "99.900000%=");
	rw->lat_mean_ns = number(line, at + F_LAT_MEAN, 1e3);
	if (v5) {
		rw->iops_min = number(line, at + F_IOPS_MIN, 1);
		rw->iops_max = number(line, at + F_IOPS_MIN + 1, 1);
		rw->iops_mean = number(line, at + F_IOPS_MIN + 2, 1);
		rw->iops_stddev = number(line, at + F_IOPS_MIN + 3, 1);
	}
	rw->io_unit = "KiB";
	rw->bw_unit = "KiB/s";
	rw->runtime_unit = "ms";
	rw->lat_unit = "us";
	rw->clat_unit = "us";
	rw->printed = true;
}

static int broken(size_t number_of_line, struct err *err)
{
	return err_set(err, BLAME_TEST, "fio-broken", "line %zu: a terse line that is cut off",
		       number_of_line);
}

static int parse_line(struct text t, size_t number_of_line, struct fio_result *out, struct err *err)
{
	char version = *t.p;
	size_t name = version == '2' ? 1 : 2;
	size_t at = name + 3;
	size_t length = version == '5' ? F_END_5 : F_END;
	size_t dirs = version <= '3' ? 2 : 3;
	struct fio_job *job;
	struct line line;
	uint64_t error;

	split(t, &line);
	if (line.n <= at || !text_u64(line.f[name + 2], &error))
		return broken(number_of_line, err);
	/* the CPU follows: version 2 got the third direction in fio 3 */
	if (version == '2' && isnan(percent(&line, at + dirs * length)))
		dirs = 3;
	if (isnan(percent(&line, at + dirs * length)) || isnan(number(&line, at + F_IOPS, 1)))
		return broken(number_of_line, err);
	job = fio_add_job(out, line.f[name].p, text_size(line.f[name]));
	if (!job)
		return err_set(err, BLAME_TEST, "fio-range", "too many jobs");
	job->error = error < 65536 ? (int)error : 5;
	for (size_t d = 0; d < dirs; d++)
		get_rw(&line, at + d * length, version == '5', &job->rw[d]);
	job->usr_cpu = percent(&line, at + dirs * length);
	job->sys_cpu = percent(&line, at + dirs * length + 1);
	job->ctx = number(&line, at + dirs * length + 2, 1);
	if (name == 2)
		text_quote(line.f[1], out->version, sizeof(out->version));
	return fio_end_job(out, job, err);
}

static bool is_terse(struct text t)
{
	return text_size(t) > 2 && t.p[0] >= '2' && t.p[0] <= '5' && t.p[1] == ';';
}

int fio_parse_terse(const char *data, size_t size, struct fio_result *out, struct err *err)
{
	struct text all = text_of(data, size);
	struct text line;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	for (size_t n = 1; !rc && text_line(&all, &line); n++)
		if (is_terse(line))
			rc = parse_line(line, n, out, err);
	if (!rc && !out->n_jobs)
		rc = err_set(err, BLAME_TEST, "fio-none", "no terse line");
	if (rc < 0)
		fio_release(out);
	return rc;
}
