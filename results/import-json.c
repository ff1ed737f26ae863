// SPDX-License-Identifier: GPL-2.0-or-later
/* Checked access to JSON and files of a run directory; see import-json.h. Layer: results. */
#include "results/import-json.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/path.h"
#include "results/session.h"

#define TEXT_MAX (64 * 1024)

int bad(const struct reading *r, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (r->line)
		return err_set(r->err, BLAME_RIG, "bad-run", "%s/%s:%zu: %s", r->run_dir, r->file,
			       r->line, what);
	return err_set(r->err, BLAME_RIG, "bad-run", "%s/%s: %s", r->run_dir, r->file, what);
}

int bad_file(const struct reading *r, int rc, size_t max)
{
	if (rc == -EFBIG)
		return bad(r, "larger than %zu MB", max >> 20);
	if (rc == -EXDEV)
		return bad(r, "a link that leads out of the run directory");
	return bad(r, "cannot be read: %s", strerror(-rc));
}

/* The value, or NULL when it is missing; *rc = -1 when it must not be. */
static const json_t *lookup(const struct reading *r, const json_t *object, const char *key,
			    bool optional, int *rc)
{
	const json_t *json = json_object_get(object, key);

	*rc = 0;
	if (json && !json_is_null(json))
		return json;
	if (!optional)
		*rc = bad(r, "key '%s' is missing", key);
	return NULL;
}

int get_text(const struct reading *r, const json_t *object, const char *key, bool optional,
	     const char **text)
{
	int rc;
	const json_t *json = lookup(r, object, key, optional, &rc);

	if (!json)
		return rc;
	if (!json_is_string(json))
		return bad(r, "'%s' is not a string", key);
	if (json_string_length(json) > TEXT_MAX)
		return bad(r, "'%s' is longer than %d bytes", key, TEXT_MAX);
	*text = session_str(r->s, json_string_value(json));
	return 0;
}

int get_int(const struct reading *r, const json_t *object, const char *key, bool optional,
	    int64_t min, int64_t max, int64_t *value)
{
	int rc;
	const json_t *json = lookup(r, object, key, optional, &rc);

	if (!json)
		return rc;
	if (!json_is_integer(json))
		return bad(r, "'%s' is not an integer", key);
	*value = json_integer_value(json);
	if (*value < min || *value > max)
		return bad(r, "'%s' = %lld is not in %lld..%lld", key, (long long)*value,
			   (long long)min, (long long)max);
	return 0;
}

int get_real(const struct reading *r, const json_t *object, const char *key, bool optional,
	     double min, double max, double *value)
{
	int rc;
	const json_t *json = lookup(r, object, key, optional, &rc);

	if (!json)
		return rc;
	if (!json_is_number(json))
		return bad(r, "'%s' is not a number", key);
	*value = json_number_value(json);
	if (!(*value >= min && *value <= max))
		return bad(r, "'%s' = %g is not in %g..%g", key, *value, min, max);
	return 0;
}

int get_bool(const struct reading *r, const json_t *object, const char *key, bool *value)
{
	int rc;
	const json_t *json = lookup(r, object, key, true, &rc);

	if (!json)
		return rc;
	if (!json_is_boolean(json))
		return bad(r, "'%s' is not true or false", key);
	*value = json_is_true(json);
	return 0;
}

/* Thousandths from the digits after the point; returns where they end. */
static const char *parse_fraction(const char *p, int *milli)
{
	for (int weight = 100; *p >= '0' && *p <= '9'; p++, weight /= 10)
		*milli += (*p - '0') * weight;
	return p;
}

int get_time(const struct reading *r, const json_t *object, const char *key, int64_t *ms)
{
	const char *text = json_string_value(json_object_get(object, key));
	int milli = 0;
	struct tm tm = { 0 };
	const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;

	if (rest && *rest == '.')
		rest = parse_fraction(rest + 1, &milli);
	if (!rest || strcmp(rest, "Z") != 0)
		return bad(r, "'%s' is not a time like 2026-11-30T15:04:05.123Z", key);
	*ms = (int64_t)timegm(&tm) * 1000 + milli;
	return 0;
}

/* Both are canonical. */
static bool is_inside(const char *root, const char *path)
{
	size_t n = strlen(root);

	return !strncmp(root, path, n) && path[n] == '/';
}

/* Both paths are canonical. A fifo or a device would block us: only plain files are read. */
static int read_plain(const char *root, const char *path, struct buf *out, size_t max)
{
	struct stat sb;

	if (!is_inside(root, path))
		return -EXDEV;
	if (stat(path, &sb) < 0)
		return -errno;
	return S_ISREG(sb.st_mode) ? path_read(path, out, max) : -EINVAL;
}

int read_inside(const char *run_dir, const char *dir, const char *name, struct buf *out, size_t max)
{
	char *path = xasprintf("%s/%s/%s", run_dir, dir, name);
	char *root = realpath(run_dir, NULL);
	char *real = realpath(path, NULL);
	int rc = -errno;

	if (root && real)
		rc = read_plain(root, real, out, max);
	free(path);
	free(root);
	free(real);
	return rc;
}
