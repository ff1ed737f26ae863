// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fio's text for people; see parse-fio.h. Layer: results, pure.
 *
 *	NAME: (groupid=0, jobs=2): err= 0: pid=29795: ...
 *	  read: IOPS=1104k, BW=4314MiB/s (4524MB/s)(4319MiB/1001msec)		3.x
 *	  read : io=4096.0MB, bw=611058KB/s, iops=152764, runt=  6864msec	1.x, 2.x: KB is KiB
 *	    clat (nsec): min=460, max=2682.1k, avg=632.65, stdev=3619.25
 *	    clat percentiles (nsec):
 *	     |  1.00th=[  490],  5.00th=[  502], ...
 *	   iops        : min=1099431, max=1099431, avg=1099431.00, stdev= 0.00, samples=2
 *	  cpu          : usr=3.28%, sys=7.99%, ctx=60641, majf=0, minf=200
 *
 * A key is looked for in its line, so that keys that come or go with a version do no harm.
 */
#include "results/parse-fio.h"
#include "results/text.h"

#include <math.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit suffixes[] = {
	{ "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { NULL, 0 },
};

static const struct unit byte_units[] = {
	{ "KiB", 0x1p10 }, { "MiB", 0x1p20 }, { "GiB", 0x1p30 }, { "TiB", 0x1p40 },
	{ "PiB", 0x1p50 }, { "KB", 0x1p10 },  { "MB", 0x1p20 },	 { "GB", 0x1p30 },
	{ "TB", 0x1p40 },  { "PB", 0x1p50 },  { "kB", 0x1p10 },	 { "B", 1 },
	{ NULL, 0 },
};

static const struct unit rate_units[] = {
	{ "KiB/s", 0x1p10 }, { "MiB/s", 0x1p20 }, { "GiB/s", 0x1p30 }, { "TiB/s", 0x1p40 },
	{ "KB/s", 0x1p10 },  { "MB/s", 0x1p20 },  { "GB/s", 0x1p30 },  { "TB/s", 0x1p40 },
	{ "kB/s", 0x1p10 },  { "B/s", 1 },	  { NULL, 0 },
};

static const struct unit time_units[] = {
	{ "nsec", 1 }, { "usec", 1e3 }, { "msec", 1e6 }, { "sec", 1e9 }, { NULL, 0 },
};

static const char *const dir_names[FIO_DIRS] = { "read", "write", "trim", "mixed" };

/* The state of a text: which job, direction and percentiles its next line belongs to. */
struct reading {
	struct fio_result *out;
	struct fio_job *job;
	struct fio_rw *rw;
	double *percentiles; /* of p50; p99 and p999 follow it */
	double percentile_factor;
};

/* The unit that t begins with. */
static const struct unit *unit_of(const struct unit *units, struct text t)
{
	for (; units->name; units++)
		if (text_starts(t, units->name))
			return units;
	return NULL;
}

/* What follows "key" in the line. */
static bool after(struct text line, const char *key, struct text *value)
{
	const char *p = text_find(line, key);

	if (!p)
		return false;
	*value = text_trim((struct text){ p + strlen(key), line.end });
	return true;
}

/* "2,523KB/s" of fio 1: a comma and three digits group, and never are a fraction here. */
static bool take_number(struct text *t, double *n)
{
	const char *comma = memchr(t->p, ',', text_size(*t) < 4 ? text_size(*t) : 4);
	struct text head = { t->p, comma };
	struct text tail = { comma ? comma + 1 : NULL, t->end };
	double thousands;

	if (comma && text_double(head, &thousands) && tail.end - tail.p > 3 &&
	    text_number(&tail, n) && tail.p == comma + 4) {
		*n += thousands * 1000;
		*t = tail;
		return true;
	}
	return text_number(t, n);
}

/* A number and its unit (NULL: one of the suffixes or none). NAN if it is not there. */
static double get(struct text line, const char *key, const struct unit *units, const char **printed)
{
	const struct unit *unit;
	struct text value;
	double n;

	if (!after(line, key, &value) || !take_number(&value, &n))
		return NAN;
	unit = unit_of(units ? units : suffixes, value);
	if (printed && unit)
		*printed = unit->name;
	if (!unit)
		return units ? NAN : n;
	return n * unit->factor;
}

static double first_of(double a, double b)
{
	return isnan(a) ? b : a;
}

static int start_job(struct reading *r, struct text line, struct err *err)
{
	const char *group = text_find(line, ": (groupid=");
	const char *p = text_find(line, "err=");
	struct text value = text_trim((struct text){ p ? p + 4 : line.end, line.end });
	double error;

	r->rw = NULL;
	r->percentiles = NULL;
	r->job = fio_add_job(r->out, line.p, (size_t)(group - line.p));
	if (!r->job)
		return err_set(err, BLAME_TEST, "fio-range", "too many jobs");
	if (!text_number(&value, &error))
		return err_set(err, BLAME_TEST, "fio-broken", "job '%.64s': cut off", r->job->name);
	r->job->error = error < 65536 ? (int)error : 5;
	return 0;
}

static bool is_direction(struct text line, const char *name)
{
	struct text rest = line;

	if (!text_starts(line, name))
		return false;
	rest.p += strlen(name);
	rest = text_trim(rest);
	return text_starts(rest, ":") && (text_find(rest, "IOPS=") || text_find(rest, "iops="));
}

static void get_rates(struct fio_rw *rw, struct text line)
{
	struct text size;

	rw->printed = true;
	rw->iops = first_of(get(line, "IOPS=", NULL, NULL), get(line, "iops=", NULL, NULL));
	rw->bw_bytes = first_of(get(line, "BW=", rate_units, &rw->bw_unit),
				get(line, "bw=", rate_units, &rw->bw_unit));
	rw->io_bytes = first_of(get(line, "io=", byte_units, &rw->io_unit),
				get(line, ")(", byte_units, &rw->io_unit));
	rw->runtime_ns = get(line, "runt=", time_units, &rw->runtime_unit);
	if (isnan(rw->runtime_ns) && after(line, ")(", &size))
		rw->runtime_ns = get(size, "/", time_units, &rw->runtime_unit);
}

static bool start_direction(struct reading *r, struct text line)
{
	for (int d = 0; d < FIO_DIRS; d++) {
		if (!is_direction(line, dir_names[d]))
			continue;
		r->rw = &r->job->rw[d];
		r->percentiles = NULL;
		get_rates(r->rw, line);
		return true;
	}
	return false;
}

/* "clat (usec): min=..." or "clat percentiles (usec):"; the distribution has no "avg=". */
static void get_latency(struct reading *r, struct text line, double *mean, double *percentiles,
			const char **printed)
{
	struct text unit_text;
	const struct unit *unit;

	if (!after(line, "(", &unit_text))
		return;
	unit = unit_of(time_units, unit_text);
	if (!unit)
		return;
	if (text_find(line, "percentiles")) {
		r->percentiles = percentiles;
		r->percentile_factor = unit->factor;
	} else if (text_find(line, "avg=")) {
		*mean = get(line, "avg=", NULL, NULL) * unit->factor;
		*printed = unit->name;
	}
}

static const char *const percentile_keys[] = { " 50.00th=[", " 99.00th=[", " 99.90th=[" };

static void get_percentiles(const struct reading *r, struct text line)
{
	for (size_t i = 0; i < 3; i++) {
		double n = get(line, percentile_keys[i], NULL, NULL);

		if (!isnan(n))
			r->percentiles[i] = n * r->percentile_factor;
	}
}

static void get_iops(struct fio_rw *rw, struct text line)
{
	rw->iops_min = get(line, "min=", NULL, NULL);
	rw->iops_max = get(line, "max=", NULL, NULL);
	rw->iops_mean = get(line, "avg=", NULL, NULL);
	rw->iops_stddev = get(line, "stdev=", NULL, NULL);
}

static void read_detail(struct reading *r, struct text line)
{
	struct fio_rw *rw = r->rw;

	if (text_starts(line, "cpu ")) {
		r->job->usr_cpu = get(line, "usr=", NULL, NULL);
		r->job->sys_cpu = get(line, "sys=", NULL, NULL);
		r->job->ctx = get(line, "ctx=", NULL, NULL);
		r->rw = NULL;
	} else if (!rw) {
		return;
	} else if (text_starts(line, "clat ")) {
		get_latency(r, line, &rw->clat_mean_ns, &rw->clat_p50_ns, &rw->clat_unit);
	} else if (text_starts(line, "lat ")) {
		get_latency(r, line, &rw->lat_mean_ns, &rw->lat_p50_ns, &rw->lat_unit);
	} else if (text_starts(line, "|") && r->percentiles) {
		get_percentiles(r, line);
	} else if (text_starts(line, "iops ")) {
		get_iops(rw, line);
	}
}

static int read_line(struct reading *r, struct text line, struct err *err)
{
	if (text_find(line, ": (groupid=")) {
		if (r->job && fio_end_job(r->out, r->job, err) < 0)
			return -1;
		return start_job(r, line, err);
	}
	if (text_starts(line, "Run status group"))
		r->rw = NULL;
	else if (r->job && !start_direction(r, line))
		read_detail(r, line);
	else if (!r->job && text_starts(line, "fio-"))
		text_quote(line, r->out->version, sizeof(r->out->version));
	return 0;
}

int fio_parse_text(const char *data, size_t size, struct fio_result *out, struct err *err)
{
	struct text all = text_of(data, size);
	struct reading r = { .out = out };
	struct text line;
	int rc = 0;

	memset(out, 0, sizeof(*out));
	while (!rc && text_line(&all, &line))
		rc = read_line(&r, line, err);
	if (!rc && r.job)
		rc = fio_end_job(out, r.job, err);
	if (!rc && !out->n_jobs)
		rc = err_set(err, BLAME_TEST, "fio-none", "no job in it");
	if (rc < 0)
		fio_release(out);
	return rc;
}
