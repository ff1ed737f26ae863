// SPDX-License-Identifier: GPL-2.0-or-later
/* Public labelled series; see sim-data.h. Layer: results. */
#include "results/sim/sim-data.h"

#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "results/changepoint.h"
#include "results/sim/cmp.h"

#define MARGIN	    5
#define FILE_MAX    (64 << 20)
#define CHANGES_MAX 512

static char *data_path(const char *name)
{
	const char *shared = getenv("RIG_SHARED");

	return xasprintf("%s/datasets/%s", shared ? shared : "../shared", name);
}

size_t sim_rig(const double *x, size_t n, size_t *at)
{
	struct changepoint_fit fit;
	size_t k;

	changepoint_find(x, n, NULL, &fit);
	for (k = 0; k < fit.n_changes; k++)
		at[k] = fit.changes[k].at;
	changepoint_release(&fit);
	return k;
}

bool sim_data_there(void)
{
	char *path = data_path("README.md");
	bool there = access(path, R_OK) == 0;

	free(path);
	return there;
}

static json_t *data_json(const char *name)
{
	char *path = data_path(name);
	json_t *json = json_load_file(path, 0, NULL);

	free(path);
	return json;
}

/* ---- TCPD: scores of one series ---- */

/* Change points of one annotator or detector, in order, with the trivial one at 0 first. */
struct marks {
	size_t at[CHANGES_MAX], n;
};

static void marks_add(struct marks *m, size_t at)
{
	size_t i = m->n;

	while (i > 0 && m->at[i - 1] > at)
		i--;
	if ((i > 0 && m->at[i - 1] == at) || m->n == CHANGES_MAX)
		return;
	memmove(&m->at[i + 1], &m->at[i], (m->n - i) * sizeof(m->at[0]));
	m->at[i] = at;
	m->n++;
}

static size_t apart(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

/* How many of truth have a found one of their own within the margin. */
static double hits(const struct marks *truth, const struct marks *found)
{
	bool used[CHANGES_MAX] = { false };
	double n = 0;

	for (size_t i = 0; i < truth->n; i++) {
		size_t best = found->n;

		for (size_t j = 0; j < found->n; j++) {
			size_t d = apart(truth->at[i], found->at[j]);

			if (!used[j] && d <= MARGIN &&
			    (best == found->n || d < apart(truth->at[i], found->at[best])))
				best = j;
		}
		if (best < found->n) {
			used[best] = true;
			n++;
		}
	}
	return n;
}

static size_t segment_end(const struct marks *m, size_t i, size_t n)
{
	return i + 1 < m->n ? m->at[i + 1] : n;
}

/* Mean over the points of the best Jaccard index of their true segment with a found one. */
static double covering(const struct marks *truth, const struct marks *found, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < truth->n; i++) {
		size_t a = truth->at[i];
		size_t b = segment_end(truth, i, n);
		double best = 0;

		for (size_t j = 0; j < found->n; j++) {
			size_t c = found->at[j];
			size_t d = segment_end(found, j, n);
			size_t from = a > c ? a : c;
			size_t end = b < d ? b : d;
			double both = end > from ? (double)(end - from) : 0;
			double jaccard = both / ((double)(b - a) + (double)(d - c) - both);

			best = jaccard > best ? jaccard : best;
		}
		sum += (double)(b - a) * best;
	}
	return sum / (double)n;
}

static void score(json_t *annotators, const struct marks *found, size_t n, struct sim_tcpd *sum)
{
	static struct marks all, one;
	double recall = 0;
	double cover = 0;
	double precision;
	double k = (double)json_object_size(annotators);
	const char *who;
	json_t *list;

	memset(&all, 0, sizeof(all));
	marks_add(&all, 0);
	json_object_foreach (annotators, who, list) {
		size_t i;
		json_t *at;

		memset(&one, 0, sizeof(one));
		marks_add(&one, 0);
		json_array_foreach (list, i, at) {
			marks_add(&one, (size_t)json_integer_value(at));
			marks_add(&all, (size_t)json_integer_value(at));
		}
		recall += hits(&one, found) / (double)one.n / k;
		cover += covering(&one, found, n) / k;
	}
	precision = hits(&all, found) / (double)found->n;
	sum->f1 += 2 * precision * recall / (precision + recall);
	sum->cover += cover;
	sum->series++;
}

/* The values, or NULL: several dimensions, or missing values. */
static double *univariate(json_t *file, size_t *n)
{
	json_t *dimensions = json_object_get(file, "series");
	json_t *raw = json_object_get(json_array_get(dimensions, 0), "raw");
	double *x;
	size_t i;
	json_t *value;

	*n = json_array_size(raw);
	if (json_array_size(dimensions) != 1 || !*n)
		return NULL;
	x = xcalloc(*n, sizeof(*x));
	json_array_foreach (raw, i, value) {
		if (!json_is_number(value)) {
			free(x);
			return NULL;
		}
		x[i] = json_number_value(value);
	}
	return x;
}

static void score_file(const char *path, json_t *annotations, sim_detector *find,
		       struct sim_tcpd *sum)
{
	json_t *file = json_load_file(path, 0, NULL);
	json_t *annotators =
		json_object_get(annotations, json_string_value(json_object_get(file, "name")));
	size_t n;
	double *x = annotators ? univariate(file, &n) : NULL;

	if (x) {
		static struct marks found;
		size_t *at = xcalloc(n + 1, sizeof(*at));
		size_t k = find(x, n, at);

		memset(&found, 0, sizeof(found));
		marks_add(&found, 0);
		for (size_t i = 0; i < k; i++)
			marks_add(&found, at[i]);
		score(annotators, &found, n, sum);
		free(at);
	}
	free(x);
	json_decref(file);
}

struct sim_tcpd sim_tcpd(sim_detector *find)
{
	struct sim_tcpd sum = { 0, 0, 0 };
	json_t *annotations = data_json("tcpd/annotations.json");
	char *pattern = data_path("tcpd/*.json");
	glob_t files;

	if (annotations && glob(pattern, 0, NULL, &files) == 0) {
		for (size_t i = 0; i < files.gl_pathc; i++)
			score_file(files.gl_pathv[i], annotations, find, &sum);
		globfree(&files);
	}
	if (sum.series) {
		sum.f1 /= sum.series;
		sum.cover /= sum.series;
	}
	json_decref(annotations);
	free(pattern);
	return sum;
}

/* ---- conformance ---- */

static bool same(const size_t *at, size_t k, const char *list)
{
	struct buf b = BUF_INIT;
	bool equal;

	for (size_t i = 0; i < k; i++)
		buf_addf(&b, "%s%zu", i ? ", " : "", at[i]);
	equal = !strcmp(buf_str(&b), list);
	buf_release(&b);
	return equal;
}

static double *read_column(const char *name, size_t *n)
{
	char *path = data_path(name);
	struct buf text = BUF_INIT;
	double *x = NULL;
	size_t room = 0;
	char *p;

	*n = 0;
	if (path_read(path, &text, FILE_MAX) == 0)
		for (p = text.data; p && *p;) {
			char *end;
			double value = strtod(p, &end);

			if (end == p)
				break;
			if (*n == room) {
				room = room ? 2 * room : 256;
				x = xrealloc(x, room * sizeof(*x));
			}
			x[(*n)++] = value;
			p = end;
		}
	buf_release(&text);
	free(path);
	return x;
}

/* 30,0.01,0.05,"[15, 71]": the rules, and where the list begins, cut off at its end; or NULL. */
static const char *otava_line(char *line, struct cmp_otava *rules)
{
	char *list = strstr(line, "\"[");
	char *end = line;

	rules->window = strtoul(end, &end, 10);
	if (!list || *end != ',')
		return NULL;
	rules->max_p = strtod(end + 1, &end);
	if (*end != ',')
		return NULL;
	rules->min_magnitude = strtod(end + 1, &end);
	list += 2;
	list[strcspn(list, "]")] = '\0';
	return list;
}

struct sim_conformance sim_conformance_otava(void)
{
	struct sim_conformance c = { 0, 0 };
	char *path = data_path("otava/tigerbeetle_expected.csv");
	FILE *f = fopen(path, "re");
	size_t n;
	double *x = read_column("otava/tigerbeetle_series.txt", &n);
	size_t *at = xcalloc(n + 1, sizeof(*at));
	char line[4096];

	while (f && x && fgets(line, sizeof(line), f)) {
		struct cmp_otava rules;
		const char *list = otava_line(line, &rules);

		if (!list)
			continue;
		c.of++;
		c.equal += same(at, cmp_otava(x, n, &rules, at), list);
	}
	if (f)
		fclose(f);
	free(x);
	free(at);
	free(path);
	return c;
}

struct talos_run {
	long long time;
	size_t order; /* in the file: sorting keeps it */
	double value;
};

static int by_time(const void *a, const void *b)
{
	const struct talos_run *x = a;
	const struct talos_run *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Found times, joined by blanks, as in the list. */
static char *talos_found(json_t *runs)
{
	size_t n = json_array_size(runs);
	struct talos_run *run = xcalloc(n + 1, sizeof(*run));
	double *x = xcalloc(n + 1, sizeof(*x));
	size_t *at = xcalloc(n + 1, sizeof(*at));
	struct buf b = BUF_INIT;
	size_t k;

	for (size_t i = 0; i < n; i++) {
		json_t *row = json_array_get(runs, i);

		run[i].time = json_integer_value(json_array_get(row, 2));
		run[i].value = json_number_value(json_array_get(row, 3));
		run[i].order = i;
	}
	qsort(run, n, sizeof(*run), by_time);
	for (size_t i = 0; i < n; i++)
		x[i] = run[i].value;
	k = cmp_mozilla(x, n, at);
	for (size_t i = 0; i < k; i++)
		buf_addf(&b, "%s%lld", i ? " " : "", run[at[i]].time);
	free(run);
	free(x);
	free(at);
	buf_adds(&b, "");
	return buf_detach(&b);
}

/* Lines of the form runs1,1365019665 1366000000 */
struct sim_conformance sim_conformance_mozilla(void)
{
	struct sim_conformance c = { 0, 0 };
	char *path = data_path("mozilla_talos/expected_alerts.csv");
	FILE *f = fopen(path, "re");
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		char *comma = strchr(line, ',');
		char *name;
		json_t *json;
		char *found;

		if (!comma)
			continue;
		*comma = '\0';
		comma[1 + strcspn(comma + 1, "\r\n")] = '\0';
		name = xasprintf("mozilla_talos/%s.json", line);
		json = data_json(name);
		free(name);
		if (!json)
			continue;
		found = talos_found(json_object_get(json, "test_runs"));
		c.of++;
		c.equal += !strcmp(found, comma + 1);
		free(found);
		json_decref(json);
	}
	if (f)
		fclose(f);
	free(path);
	return c;
}
