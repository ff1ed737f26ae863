// SPDX-License-Identifier: GPL-2.0-or-later
/* A run directory -> a session; see import.h. Layer: results. */
#include "results/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/day.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "results/check.h"
#include "results/import-journal.h"
#include "results/import-json.h"
#include "results/session.h"
#include "results/store.h"

#define FORMAT		 1
#define SESSION_MAX	 ((size_t)16 << 20)
#define KERNELS_MAX	 64
#define METRICS_MAX	 10000
#define SESSION_NAME_MAX 128
#define SUPPRESSIONS_MAX 10000

/* ---- session.json ---- */

struct text_key {
	const char *key;
	bool optional;
	const char **text;
};

static int get_texts(const struct reading *r, const json_t *object, const struct text_key *keys,
		     size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (get_text(r, object, keys[i].key, keys[i].optional, keys[i].text) < 0)
			return -1;
	return 0;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int get_notes(const struct reading *r, const json_t *suite)
{
	const json_t *notes = json_object_get(suite, "notes");
	struct buf all = BUF_INIT;
	size_t i;
	const json_t *note;

	json_array_foreach (notes, i, note) {
		if (!json_is_string(note)) {
			buf_release(&all);
			return bad(r, "suite.notes: not a string");
		}
		buf_addf(&all, "%s%s", i ? "\n" : "", json_string_value(note));
	}
	r->s->notes = session_str(r->s, buf_str(&all));
	buf_release(&all);
	return 0;
}

static int get_kernel(const struct reading *r, const json_t *json)
{
	struct session_kernel *k = session_add_kernel(r->s);
	const struct text_key keys[] = {
		{ "label", false, &k->label },
		{ "id", false, &k->id },
		{ "series", true, &k->series },
		{ "variant", true, &k->variant },
		{ "release", true, &k->release },
		{ "arch", true, &k->arch },
		{ "patches_hash", true, &k->patches_hash },
		{ "config_hash", true, &k->config_hash },
		{ "compiler", true, &k->compiler },
		{ "cmdline", true, &k->cmdline },
	};

	return get_texts(r, json, keys, COUNT(keys));
}

static int get_kernels(const struct reading *r, const json_t *root)
{
	const json_t *kernels = json_object_get(root, "kernels");
	size_t n = json_array_size(kernels);

	if (!n || n > KERNELS_MAX)
		return bad(r, "'kernels' has %zu entries, 1..%d are possible", n, KERNELS_MAX);
	for (size_t i = 0; i < n; i++)
		if (get_kernel(r, json_array_get(kernels, i)) < 0)
			return -1;
	return 0;
}

static int get_metric(const struct reading *r, const json_t *json)
{
	struct session_metric *m = session_add_metric(r->s);
	const char *direction = "none";
	const struct text_key keys[] = {
		{ "workload", false, &m->workload },
		{ "metric", false, &m->metric },
		{ "unit", true, &m->unit },
		{ "direction", true, &direction },
	};
	int parsed;

	m->min_effect = 0.02;
	m->loss = 0.05;
	if (get_texts(r, json, keys, COUNT(keys)) < 0 ||
	    get_bool(r, json, "primary", &m->primary) < 0 ||
	    get_real(r, json, "min_effect", true, 0, 0.99, &m->min_effect) < 0 ||
	    get_real(r, json, "loss", true, 0, 0.99, &m->loss) < 0)
		return -1;
	if (m->primary && m->loss < 0.0001)
		return bad(r, "metric %.64s is primary and allows no loss at all", m->metric);
	parsed = direction_parse(direction);
	if (parsed < 0)
		return bad(r, "metric %.64s: direction '%.40s'", m->metric, direction);
	m->direction = (enum direction)parsed;
	if (m->primary && m->direction == DIRECTION_NONE)
		return bad(r, "metric %.64s is primary but has no direction", m->metric);
	return 0;
}

static int get_metrics(const struct reading *r, const json_t *plan)
{
	const json_t *metrics = json_object_get(plan, "metrics");
	size_t n = json_array_size(metrics);

	if (n > METRICS_MAX)
		return bad(r, "plan.metrics has %zu entries", n);
	for (size_t i = 0; i < n; i++)
		if (get_metric(r, json_array_get(metrics, i)) < 0)
			return -1;
	return 0;
}

static int get_suppression(const struct reading *r, const json_t *json)
{
	struct session_suppression *p = session_add_suppression(r->s);
	const struct text_key keys[] = {
		{ "title", false, &p->title },	{ "kind", true, &p->kind },
		{ "guilty", true, &p->guilty }, { "until", false, &p->until },
		{ "reason", true, &p->reason },
	};

	if (get_texts(r, json, keys, COUNT(keys)) < 0)
		return -1;
	if (!day_valid(p->until))
		return bad(r, "plan.suppressions: 'until' is no day: '%.40s'", p->until);
	return 0;
}

static int get_suppressions(const struct reading *r, const json_t *plan)
{
	const json_t *rows = json_object_get(plan, "suppressions");
	size_t n = json_array_size(rows);

	if (n > SUPPRESSIONS_MAX)
		return bad(r, "plan.suppressions has %zu entries", n);
	for (size_t i = 0; i < n; i++)
		if (get_suppression(r, json_array_get(rows, i)) < 0)
			return -1;
	return 0;
}

static int get_plan(const struct reading *r, const json_t *plan)
{
	struct session *s = r->s;
	const json_t *pairs = json_object_get(plan, "pairs");
	int64_t fixed = 0;
	int64_t min = 0;
	int64_t max = 0;
	int64_t warmup = 0;

	if (get_int(r, pairs, "fixed", true, 0, 100000, &fixed) < 0 ||
	    get_int(r, pairs, "min", true, 0, 100000, &min) < 0 ||
	    get_int(r, pairs, "max", true, 0, 100000, &max) < 0 ||
	    get_int(r, plan, "warmup", true, 0, 100000, &warmup) < 0)
		return -1;
	s->pairs_fixed = (int)fixed;
	s->pairs_min = (int)min;
	s->pairs_max = (int)max;
	s->warmup = (int)warmup;
	return get_metrics(r, plan) < 0 ? -1 : get_suppressions(r, plan);
}

static int check_name(const struct reading *r, const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";
	size_t n = strlen(name);

	if (!n || n > SESSION_NAME_MAX || strspn(name, good) != n)
		return bad(r, "'session' is no session name: '%.40s'", name);
	return 0;
}

static int get_session(const struct reading *r, const json_t *root)
{
	struct session *s = r->s;
	const json_t *suite = json_object_get(root, "suite");
	const json_t *board = json_object_get(root, "board");
	const struct text_key keys[] = {
		{ "session", false, &s->name },
		{ "user", true, &s->user },
		{ "host", true, &s->host },
		{ "rig_version", true, &s->rig_version },
	};
	const struct text_key suite_keys[] = {
		{ "name", false, &s->suite },
		{ "hash", true, &s->suite_hash },
		{ "profile", true, &s->profile },
	};
	const struct text_key board_keys[] = {
		{ "name", false, &s->board },
		{ "serial", true, &s->serial },
		{ "model", true, &s->model },
		{ "setup", true, &s->setup },
	};
	int64_t format = 0;

	if (get_int(r, root, "format", false, FORMAT, FORMAT, &format) < 0 ||
	    get_texts(r, root, keys, COUNT(keys)) < 0 || check_name(r, s->name) < 0 ||
	    get_time(r, root, "started", &s->started_ms) < 0 ||
	    get_int(r, root, "seed", true, INT64_MIN, INT64_MAX, &s->seed) < 0 ||
	    get_texts(r, suite, suite_keys, COUNT(suite_keys)) < 0 || get_notes(r, suite) < 0 ||
	    get_texts(r, board, board_keys, COUNT(board_keys)) < 0 || get_kernels(r, root) < 0)
		return -1;
	return get_plan(r, json_object_get(root, "plan"));
}

static int read_session_json(struct reading *r)
{
	struct buf text = BUF_INIT;
	json_error_t error;
	json_t *root = NULL;
	int rc;

	r->file = RUNDIR_SESSION;
	rc = read_inside(r->run_dir, "", r->file, &text, SESSION_MAX);
	if (rc == -ENOENT)
		rc = err_set(r->err, BLAME_USER, "no-run", "%s is not a run directory: no %s in it",
			     r->run_dir, r->file);
	else if (rc)
		rc = bad_file(r, rc, SESSION_MAX);
	else if (!(root = json_loadb(buf_str(&text), text.size, JSON_REJECT_DUPLICATES, &error)))
		rc = bad(r, "line %d, column %d: %s", error.line, error.column, error.text);
	else
		rc = get_session(r, root);
	json_decref(root);
	buf_release(&text);
	return rc;
}

/* ---- how it ended ---- */

/*
 * Does a job hold the directory? A shared lock, and no longer than it takes to see: the job takes
 * its own before it writes session.json, so it is never in our way.
 */
static bool is_locked(const char *run_dir)
{
	char *path = path_join(run_dir, RUNDIR_LOCK);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	free(path);
	return locked;
}

static void end_session(const struct reading *r, bool locked, const struct journal_end *end)
{
	struct session *s = r->s;
	struct session_fault *f;

	s->state = end->ended || !locked ? SESSION_ENDED : SESSION_RUNNING;
	if (s->state == SESSION_RUNNING || end->ended)
		return;
	s->result = "fault";
	for (size_t i = 0; i < s->n_faults; i++)
		if (!strcmp(s->faults[i].code, "job-lost"))
			return;
	f = session_add_fault(s);
	f->code = "job-lost";
	f->message = "the job ended without a word: killed, or the host went down";
	f->at_ms = end->last_ms;
}

struct session *import_read(const char *run_dir, struct err *err)
{
	struct session *s = session_new();
	struct reading r = { .s = s, .run_dir = run_dir, .err = err };
	struct journal_end end = { .ended = false };
	char *real = realpath(run_dir, NULL);
	/* Looked at first: a job that ends meanwhile then counts as running, and is read again. */
	bool locked = is_locked(run_dir);

	s->dir = session_str(s, real ? real : run_dir);
	free(real);
	if (read_session_json(&r) < 0 || import_journal(&r, &end) < 0) {
		session_free(s);
		return NULL;
	}
	end_session(&r, locked, &end);
	return s;
}

int import_run(struct store *st, const char *run_dir, struct session **session, struct err *err)
{
	struct session *s = import_read(run_dir, err);

	if (session)
		*session = NULL;
	if (!s)
		return -1;
	check_session(s);
	if (store_put_session(st, s, err) < 0) {
		session_free(s);
		return -1;
	}
	if (session)
		*session = s;
	else
		session_free(s);
	return 0;
}
