// SPDX-License-Identifier: GPL-2.0-or-later
/* fio's JSON -> canonical numbers; see parse-fio.h. Layer: results, pure. */
#include "results/parse-fio.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MAX_TRIES 64   /* places where JSON might begin; hostile text has millions */
#define MAX_JOBS  4096 /* fio's own limit on jobs */
#define KIB	  1024.0

/* No disk does more; a number above is a bug or an attack, and would poison every mean. */
#define MAX_RATE  1e12 /* IOPS, ios */
#define MAX_BYTES 1e18
#define MAX_NS	  1e19
#define MAX_CPU	  1e5 /* per cent */

static const char *const dir_names[FIO_DIRS] = {
	[FIO_READ] = "read",
	[FIO_WRITE] = "write",
	[FIO_TRIM] = "trim",
	[FIO_MIXED] = "mixed",
};

/* ---- finding the document ---- */

struct document {
	json_t *root;
	size_t offset, end, count;
	json_error_t error; /* of the first text that looked like JSON and was not */
	size_t error_offset;
	bool broken;
	size_t last_broken; /* where the last such text begins */
};

/* Only a document with results counts: fio's text may hold other braces. */
static bool is_result(const json_t *root)
{
	return json_is_array(json_object_get(root, "jobs")) ||
	       json_is_array(json_object_get(root, "client_stats"));
}

/* Tries to read a document at pos; returns where to look on. */
static size_t try_document(struct document *doc, const char *data, size_t size, size_t pos)
{
	json_error_t error;
	json_t *root = json_loadb(data + pos, size - pos,
				  JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL,
				  &error);

	if (!root) {
		if (!doc->broken || error.position > doc->error.position) {
			doc->error = error;
			doc->error_offset = pos;
		}
		doc->broken = true;
		doc->last_broken = pos;
		return pos + 1;
	}
	if (!is_result(root)) {
		json_decref(root);
		return pos + (size_t)error.position;
	}
	json_decref(doc->root);
	doc->root = root;
	doc->offset = pos;
	doc->end = pos + (size_t)error.position;
	doc->count++;
	return doc->end;
}

/* The next '{' from pos on that is the first thing on its line, or (loose) the last. */
static size_t next_brace(const char *data, size_t size, size_t pos, bool loose)
{
	while (pos < size) {
		const char *brace = memchr(data + pos, '{', size - pos);
		const char *p;

		if (!brace)
			return size;
		pos = (size_t)(brace - data);
		if (loose) {
			for (p = brace + 1; p < data + size && (*p == ' ' || *p == '\r'); p++)
				;
			if (p < data + size && *p == '\n')
				return pos;
		} else {
			for (p = brace; p > data && (p[-1] == ' ' || p[-1] == '\t'); p--)
				;
			if (p == data || p[-1] == '\n' || p[-1] == '\r')
				return pos;
		}
		pos++;
	}
	return size;
}

static void find_document(struct document *doc, const char *data, size_t size)
{
	for (int loose = 0; loose < 2 && !doc->root; loose++) {
		size_t pos = 0;

		for (int tries = 0; tries < MAX_TRIES; tries++) {
			pos = next_brace(data, size, pos, loose);
			if (pos >= size)
				break;
			pos = try_document(doc, data, size, pos);
		}
	}
}

static size_t line_of(const char *data, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += data[i] == '\n';
	return line;
}

/* The first line as printable ASCII, for a message. */
static void first_line(const char *data, size_t size, char *out, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < size && data[i] != '\n' && n + 1 < cap; i++)
		out[n++] = data[i] >= ' ' && data[i] < 127 ? data[i] : '?';
	out[n] = '\0';
}

static int no_document(const struct document *doc, const char *data, size_t size, struct err *err)
{
	char line[100];

	if (doc->broken)
		return err_set(err, BLAME_TEST, "fio-broken", "line %zu: broken JSON: %s",
			       line_of(data, doc->error_offset) + (size_t)doc->error.line - 1,
			       doc->error.text);
	if (!size)
		return err_set(err, BLAME_TEST, "fio-none", "empty");
	first_line(data, size, line, sizeof(line));
	return err_set(err, BLAME_TEST, "fio-none", "no fio result in it; it begins '%s'", line);
}

/* ---- numbers ---- */

/* One key of a data direction. Rows with the same field: the first key that is there wins. */
struct key {
	const char *object; /* NULL: at the top of the direction */
	const char *name;
	size_t field;
	double factor;
	double max;
};

#define FIELD(name) offsetof(struct fio_rw, name)

static double *field_at(struct fio_rw *rw, size_t field)
{
	void *p = (char *)rw + field;

	return p;
}

static const struct key rw_keys[] = {
	{ NULL, "iops", FIELD(iops), 1, MAX_RATE },
	{ NULL, "iops_mean", FIELD(iops_mean), 1, MAX_RATE },
	{ NULL, "iops_min", FIELD(iops_min), 1, MAX_RATE },
	{ NULL, "iops_max", FIELD(iops_max), 1, MAX_RATE },
	{ NULL, "iops_stddev", FIELD(iops_stddev), 1, MAX_RATE },
	{ NULL, "bw_bytes", FIELD(bw_bytes), 1, MAX_BYTES },
	{ NULL, "bw", FIELD(bw_bytes), KIB, MAX_BYTES },
	{ NULL, "io_bytes", FIELD(io_bytes), 1, MAX_BYTES }, /* in KiB before 3.0: see below */
	{ NULL, "total_ios", FIELD(total_ios), 1, MAX_BYTES },
	{ NULL, "runtime", FIELD(runtime_ns), 1e6, MAX_NS },
	{ "lat_ns", "mean", FIELD(lat_mean_ns), 1, MAX_NS },
	{ "lat", "mean", FIELD(lat_mean_ns), 1e3, MAX_NS },
	{ "clat_ns", "mean", FIELD(clat_mean_ns), 1, MAX_NS },
	{ "clat", "mean", FIELD(clat_mean_ns), 1e3, MAX_NS },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct where {
	const char *job, *dir;
	struct err *err;
};

/* NAN when the key is missing or no number; -1 when the number cannot be. */
static int get_number(const json_t *object, const char *name, double factor, double max,
		      double *value, const struct where *w)
{
	const json_t *json = json_object_get(object, name);

	*value = NAN;
	if (!json_is_number(json))
		return 0;
	*value = json_number_value(json) * factor;
	if (*value >= 0 && *value <= max)
		return 0;
	return err_set(w->err, BLAME_TEST, "fio-range", "job '%.64s': %s: %s = %g cannot be",
		       w->job, w->dir, name, json_number_value(json));
}

/* "percentile": { "99.000000": 123 }; json+ names them the same way. */
static const struct {
	const char *key;
	size_t clat, lat;
} percentiles[] = {
	{ "50.000000", FIELD(clat_p50_ns), FIELD(lat_p50_ns) },
	{ "99.000000", FIELD(clat_p99_ns), FIELD(lat_p99_ns) },
	{ "99.900000", FIELD(clat_p999_ns), FIELD(lat_p999_ns) },
};

static int get_percentiles(const json_t *json, struct fio_rw *rw, const struct where *w)
{
	const json_t *clat = json_object_get(json, rw->clat_unit ? "clat" : "clat_ns");
	const json_t *lat = json_object_get(json, rw->lat_unit ? "lat" : "lat_ns");
	const json_t *clat_all = json_object_get(clat, "percentile");
	const json_t *lat_all = json_object_get(lat, "percentile");
	double factor = rw->lat_unit ? 1e3 : 1;

	for (size_t i = 0; i < COUNT(percentiles); i++)
		if (get_number(clat_all, percentiles[i].key, factor, MAX_NS,
			       field_at(rw, percentiles[i].clat), w) < 0 ||
		    get_number(lat_all, percentiles[i].key, factor, MAX_NS,
			       field_at(rw, percentiles[i].lat), w) < 0)
			return -1;
	return 0;
}

static bool prints_bytes(const json_t *rw, const char *version)
{
	if (json_object_get(rw, "io_kbytes") || json_object_get(rw, "clat_ns"))
		return true;
	return !strncmp(version, "fio-", 4) && strtol(version + 4, NULL, 10) >= 3;
}

static void name_units(const json_t *json, const char *version, struct fio_rw *rw)
{
	bool in_us = !json_object_get(json, "clat_ns") && !json_object_get(json, "lat_ns");

	rw->runtime_unit = "ms";
	rw->lat_unit = in_us ? "us" : NULL;
	rw->clat_unit = rw->lat_unit;
	rw->bw_unit = json_is_number(json_object_get(json, "bw_bytes")) ? NULL : "KiB/s";
	rw->io_unit = prints_bytes(json, version) ? NULL : "KiB";
}

static int parse_rw(const json_t *json, const char *version, struct fio_rw *rw,
		    const struct where *w)
{
	for (size_t i = 0; i < COUNT(rw_keys); i++) {
		const struct key *k = &rw_keys[i];
		const json_t *object = k->object ? json_object_get(json, k->object) : json;
		double *field = field_at(rw, k->field);

		if (isnan(*field) && get_number(object, k->name, k->factor, k->max, field, w) < 0)
			return -1;
	}
	rw->printed = json;
	name_units(json, version, rw);
	if (rw->io_unit)
		rw->io_bytes *= KIB;
	return get_percentiles(json, rw, w);
}

static bool did_io(const struct fio_rw *rw)
{
	return rw->total_ios > 0 || rw->iops > 0 || rw->io_bytes > 0;
}

static int parse_error(const json_t *job)
{
	double error = json_number_value(json_object_get(job, "error"));

	return error >= 0 && error < 65536 ? (int)error : EIO;
}

static void no_numbers(struct fio_job *job)
{
	for (int d = 0; d < FIO_DIRS; d++) {
		for (size_t i = 0; i < COUNT(rw_keys); i++)
			*field_at(&job->rw[d], rw_keys[i].field) = NAN;
		for (size_t i = 0; i < COUNT(percentiles); i++) {
			*field_at(&job->rw[d], percentiles[i].clat) = NAN;
			*field_at(&job->rw[d], percentiles[i].lat) = NAN;
		}
	}
	job->usr_cpu = NAN;
	job->sys_cpu = NAN;
	job->ctx = NAN;
}

struct fio_job *fio_add_job(struct fio_result *r, const char *name, size_t name_size)
{
	struct fio_job *job;

	if (r->n_jobs >= MAX_JOBS)
		return NULL;
	r->jobs = xrealloc(r->jobs, (r->n_jobs + 1) * sizeof(*r->jobs));
	job = &r->jobs[r->n_jobs++];
	memset(job, 0, sizeof(*job));
	job->name = xasprintf("%.*s", (int)(name_size < 256 ? name_size : 256), name);
	no_numbers(job);
	return job;
}

static bool is_sane(const struct fio_rw *rw, size_t *bad)
{
	for (*bad = 0; *bad < COUNT(rw_keys); (*bad)++) {
		double value;

		memcpy(&value, (const char *)rw + rw_keys[*bad].field, sizeof(value));
		if (!isnan(value) && !(value >= 0 && value <= rw_keys[*bad].max))
			return false;
	}
	return true;
}

int fio_end_job(struct fio_result *r, struct fio_job *job, struct err *err)
{
	size_t bad;

	for (int d = 0; d < FIO_DIRS; d++) {
		if (!is_sane(&job->rw[d], &bad))
			return err_set(err, BLAME_TEST, "fio-range",
				       "job '%.64s': %s: %s cannot be", job->name, dir_names[d],
				       rw_keys[bad].name);
		job->has[d] = did_io(&job->rw[d]);
	}
	if (!r->error)
		r->error = job->error;
	return 0;
}

static int parse_job(const json_t *json, struct fio_result *out, struct err *err)
{
	const char *name = json_string_value(json_object_get(json, "jobname"));
	struct fio_job *job = fio_add_job(out, name ? name : "", name ? strlen(name) : 0);
	struct where w = { job->name, "cpu", err };

	job->error = parse_error(json);
	if (get_number(json, "usr_cpu", 1, MAX_CPU, &job->usr_cpu, &w) < 0 ||
	    get_number(json, "sys_cpu", 1, MAX_CPU, &job->sys_cpu, &w) < 0 ||
	    get_number(json, "ctx", 1, MAX_BYTES, &job->ctx, &w) < 0)
		return -1;
	for (int d = 0; d < FIO_DIRS; d++) {
		const json_t *rw = json_object_get(json, dir_names[d]);

		w.dir = dir_names[d];
		if (parse_rw(rw, out->version, &job->rw[d], &w) < 0)
			return -1;
	}
	return fio_end_job(out, job, err);
}

static bool is_total(const json_t *job)
{
	const char *name = json_string_value(json_object_get(job, "jobname"));

	return name && !strcmp(name, "All clients");
}

/* In client mode "jobs" is empty and "client_stats" has the jobs, and their sum as one more. */
static const json_t *job_array(const json_t *root)
{
	const json_t *jobs = json_object_get(root, "jobs");

	return json_array_size(jobs) ? jobs : json_object_get(root, "client_stats");
}

static int parse_jobs(const json_t *root, struct fio_result *out, struct err *err)
{
	const json_t *jobs = job_array(root);
	size_t n = json_array_size(jobs);

	if (!n)
		return err_set(err, BLAME_TEST, "fio-none", "a result without jobs");
	if (n > MAX_JOBS)
		return err_set(err, BLAME_TEST, "fio-range", "%zu jobs", n);
	for (size_t i = 0; i < n; i++) {
		const json_t *job = json_array_get(jobs, i);

		if (n > 1 && is_total(job))
			continue;
		if (parse_job(job, out, err) < 0)
			return -1;
	}
	return 0;
}

static void parse_version(const json_t *root, struct fio_result *out)
{
	const json_t *version = json_object_get(root, "fio version");

	if (!version)
		version = json_object_get(root, "fioversion");
	if (json_is_string(version))
		snprintf(out->version, sizeof(out->version), "%s", json_string_value(version));
}

int fio_parse(const char *data, size_t size, struct fio_result *out, struct err *err)
{
	struct document doc = { .root = NULL };
	int rc;

	memset(out, 0, sizeof(*out));
	find_document(&doc, data, size);
	/* With --status-interval, a cut-off last document must not leave an interim one as result.
	 */
	if (doc.root && doc.broken && doc.last_broken >= doc.end) {
		json_decref(doc.root);
		doc.root = NULL;
	}
	if (!doc.root)
		return no_document(&doc, data, size, err);
	out->documents = doc.count;
	out->offset = doc.offset;
	out->end = doc.end;
	parse_version(doc.root, out);
	rc = parse_jobs(doc.root, out, err);
	json_decref(doc.root);
	if (rc < 0)
		fio_release(out);
	return rc;
}

void fio_release(struct fio_result *r)
{
	for (size_t i = 0; i < r->n_jobs; i++)
		free(r->jobs[i].name);
	free(r->jobs);
	memset(r, 0, sizeof(*r));
}

/* ---- metrics ---- */

/* How a field of several jobs becomes one number. */
enum merge {
	MERGE_NONE, /* not at all */
	MERGE_SUM,
	MERGE_MAX,
	MERGE_BY_IOS, /* mean, weighted by the number of ios */
};

static const struct {
	const char *name;
	size_t field;
	enum merge merge;
} rw_metrics[] = {
	{ "iops", FIELD(iops), MERGE_SUM },
	{ "iops_avg", FIELD(iops_mean), MERGE_SUM },
	{ "iops_min", FIELD(iops_min), MERGE_NONE },
	{ "iops_max", FIELD(iops_max), MERGE_NONE },
	{ "iops_stddev", FIELD(iops_stddev), MERGE_NONE },
	{ "bw_bytes", FIELD(bw_bytes), MERGE_SUM },
	{ "total_ios", FIELD(total_ios), MERGE_SUM },
	{ "runtime_ns", FIELD(runtime_ns), MERGE_MAX },
	{ "lat_ns.mean", FIELD(lat_mean_ns), MERGE_BY_IOS },
	{ "clat_ns.mean", FIELD(clat_mean_ns), MERGE_BY_IOS },
	{ "clat_ns.p50", FIELD(clat_p50_ns), MERGE_NONE },
	{ "clat_ns.p99", FIELD(clat_p99_ns), MERGE_NONE },
	{ "clat_ns.p999", FIELD(clat_p999_ns), MERGE_NONE },
};

static double field_of(const struct fio_job *job, int dir, size_t field)
{
	const void *p = (const char *)&job->rw[dir] + field;

	return *(const double *)p;
}

/* NAN as soon as one job lacks the number: a sum over some of the jobs would be a lie. */
static double merged(const struct fio_result *r, int dir, size_t field, enum merge merge)
{
	double total = 0;
	double ios = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n_jobs; i++) {
		const struct fio_job *job = &r->jobs[i];
		double value = field_of(job, dir, field);
		double weight = merge == MERGE_BY_IOS ? job->rw[dir].total_ios : 1;

		if (!job->has[dir])
			continue;
		total = merge == MERGE_MAX ? fmax(total, value) : total + value * weight;
		if (isnan(value))
			return NAN;
		ios += weight;
		n++;
	}
	if (n > 1 && merge == MERGE_NONE)
		return NAN;
	return merge == MERGE_BY_IOS ? total / ios : total;
}

static void put_metric(struct fio_metric *out, int *n, double value, const char *dir,
		       const char *name)
{
	if (!isfinite(value))
		return;
	assert(*n < FIO_METRICS_MAX);
	out[*n].value = value;
	snprintf(out[*n].name, sizeof(out[*n].name), "%s%s%s", dir, *dir ? "." : "", name);
	(*n)++;
}

static bool has_dir(const struct fio_result *r, int dir)
{
	for (size_t i = 0; i < r->n_jobs; i++)
		if (r->jobs[i].has[dir])
			return true;
	return false;
}

static void put_cpu(const struct fio_result *r, struct fio_metric *out, int *n)
{
	double usr = 0;
	double sys = 0;
	double ctx = 0;

	for (size_t i = 0; i < r->n_jobs; i++) {
		usr += r->jobs[i].usr_cpu;
		sys += r->jobs[i].sys_cpu;
		ctx += r->jobs[i].ctx;
	}
	put_metric(out, n, usr / (double)r->n_jobs, "", "usr_cpu");
	put_metric(out, n, sys / (double)r->n_jobs, "", "sys_cpu");
	put_metric(out, n, ctx, "", "ctx");
}

static const struct fio_job *failed_job(const struct fio_result *r)
{
	for (size_t i = 0; i < r->n_jobs; i++)
		if (r->jobs[i].error)
			return &r->jobs[i];
	return NULL;
}

int fio_metrics(const struct fio_result *r, struct fio_metric out[FIO_METRICS_MAX], struct err *err)
{
	const struct fio_job *failed = failed_job(r);
	int n = 0;

	if (failed)
		return err_set(err, BLAME_TEST, "fio-error", "job '%.64s' failed: error %d (%s)",
			       failed->name, failed->error, strerror(failed->error));
	for (int d = 0; d < FIO_DIRS; d++)
		for (size_t i = 0; has_dir(r, d) && i < COUNT(rw_metrics); i++)
			put_metric(out, &n, merged(r, d, rw_metrics[i].field, rw_metrics[i].merge),
				   dir_names[d], rw_metrics[i].name);
	if (!n)
		return err_set(err, BLAME_TEST, "fio-idle", "no I/O was done");
	put_cpu(r, out, &n);
	return n;
}
