// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What may be queued; see daemon.h. A client sends a plan; nothing in it is believed that names a
 * place on this host: kernels are taken by their id from this host's cache, the session's name is
 * made here of words that were checked. Layer: rigd.
 */
#include "rigd/daemon.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/manifest.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "board/board.h"
#include "board/lab.h"
#include "suite/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define PRIORITY_MAX 1000
#define ID_DIGITS    16
#define NAME_MAX_    40

static int refuse(struct err *err, const char *what, const char *value)
{
	return err_set(err, BLAME_USER, "plan", "%s: '%.60s'", what, value);
}

static bool is_word(const char *s)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";

	return *s && *s != '.' && strlen(s) <= NAME_MAX_ && !s[strspn(s, good)];
}

static bool is_id(const char *s)
{
	return strlen(s) == ID_DIGITS && strspn(s, "0123456789abcdef") == ID_DIGITS;
}

/* U+0080 to U+009f steer terminals, too. */
bool submit_is_printable(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < 32 || *p == 127 || (*p == 0xc2 && p[1] < 0xa0))
			return false;
	return true;
}

/* ---- where ---- */

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* The request names a board or a type: fills the row of its type. */
static int find_where(struct daemon *d, const json_t *request, struct submission *s,
		      const struct lab_board **board, struct err *err)
{
	const char *name = text(request, "board");
	const char *type = text(request, "type");
	const struct lab_board *b;

	*board = NULL;
	if (*name) {
		*board = lab_find(d->lab, name, err);
		if (!*board)
			return -1;
		type = (*board)->type;
	}
	for (size_t i = 0; !*board && (b = lab_board(d->lab, i)); i++)
		if (!strcmp(b->type, type))
			*board = b;
	if (!*board)
		return err_set(err, BLAME_USER, "unknown-board",
			       "the lab file has no board of type '%.60s'", type);
	s->board = xstrdup(name);
	s->type = xstrdup(type);
	return 0;
}

/* ---- what ---- */

static char *entry_of(const char *id)
{
	return path_in_home("kernels/%s", id);
}

static int check_kernel(const struct plan_kernel *k, const struct board_row *row, struct err *err)
{
	struct manifest m = { 0 };
	char *entry;
	int rc;

	if (!submit_is_printable(k->label) || !submit_is_printable(k->series) ||
	    !submit_is_printable(k->variant) || !submit_is_printable(k->cmdline))
		return err_set(err, BLAME_USER, "plan", "a kernel's name has control characters");
	if (!is_id(k->id))
		return refuse(err, "the id of a kernel is 16 hex digits", k->id);
	entry = entry_of(k->id);
	rc = manifest_read(&m, entry, NULL, err);
	if (!rc)
		rc = manifest_runs_on(&m, row->arch, err);
	manifest_release(&m);
	free(entry);
	if (!rc)
		return 0;
	/* this host's cache is fine: what was sent names nothing in it */
	err->blame = BLAME_USER;
	return err_prefix(err, "kernel %.60s", k->label);
}

static int check_plan(struct plan *plan, const char *type, struct err *err)
{
	const struct board_row *row = board_find(type);

	plan_set_board(plan, type);
	if (plan_check(plan, err))
		return -1;
	if (!is_word(plan->suite.name))
		return refuse(err, "a suite's name is letters, digits, '.', '_', '-'",
			      plan->suite.name);
	if (!submit_is_printable(plan->suite.profile))
		return err_set(err, BLAME_USER, "plan", "the profile has control characters");
	for (size_t i = 0; i < plan->n_kernels; i++)
		if (check_kernel(&plan->kernels[i], row, err))
			return -1;
	return 0;
}

static char *make_title(const struct plan *plan)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s %s: ", plan->suite.name, plan->suite.profile);
	for (size_t i = 0; i < plan->n_kernels; i++)
		buf_addf(&b, "%s%.60s", i ? ", " : "", plan->kernels[i].label);
	return buf_detach(&b);
}

/* The agent and its tools: their initramfs changes whenever one of them does. */
static void add_tools(struct buf *b, const char *type)
{
	char *path = path_initramfs(board_find(type)->arch);
	struct stat st;

	if (stat(path, &st) == 0)
		buf_addf(b, "tools %lld %lld\n", (long long)st.st_size, (long long)st.st_mtime);
	free(path);
}

/* Equal texts are equal work: what was measured once need not be measured again. */
static char *make_identity(const struct plan *plan, const struct lab_board *board,
			   const struct submission *s)
{
	struct buf b = BUF_INIT;
	char *setup = lab_board_setup(board);
	char hex[SHA256_DIGEST_STRING_LENGTH];

	buf_addf(&b, "board %s\n%s\n", *s->board ? s->board : s->type, *s->board ? setup : "");
	buf_addf(&b, "suite %s %s\npairs %ld %ld %ld\n", plan->suite.hash, plan->suite.profile,
		 plan->pairs.fixed, plan->pairs.min, plan->pairs.max);
	for (size_t i = 0; i < plan->n_kernels; i++)
		buf_addf(&b, "kernel %s %s\n", plan->kernels[i].id, plan->kernels[i].cmdline);
	add_tools(&b, s->type);
	SHA256Data((const uint8_t *)b.data, b.size, hex);
	buf_release(&b);
	free(setup);
	return xstrdup(hex);
}

static char *plan_text(const struct plan *plan)
{
	json_t *json = plan_to_json(plan);
	char *out = json_dumps(json, JSON_COMPACT);

	json_decref(json);
	return out;
}

static int get_int(const json_t *request, const char *key, int64_t min, int64_t max, int64_t *value,
		   struct err *err)
{
	const json_t *o = json_object_get(request, key);

	*value = json_integer_value(o);
	if (o && (!json_is_integer(o) || *value < min || *value > max))
		return err_set(err, BLAME_USER, "usage",
			       "%s: a number from %" PRId64 " to %" PRId64, key, min, max);
	return 0;
}

int submit_check(struct daemon *d, const json_t *request, struct submission *s, struct err *err)
{
	struct plan plan = PLAN_INIT;
	const struct lab_board *board;
	int rc;

	memset(s, 0, sizeof(*s));
	if (find_where(d, request, s, &board, err) ||
	    get_int(request, "priority", -PRIORITY_MAX, PRIORITY_MAX, &s->job.priority, err) ||
	    get_int(request, "deadline_ms", 0, INT64_MAX, &s->job.deadline_ms, err) ||
	    plan_from_json(json_object_get(request, "plan"), &plan, err))
		return -1;
	rc = check_plan(&plan, s->type, err);
	if (!rc) {
		s->plan = plan_text(&plan);
		s->title = make_title(&plan);
		s->identity = make_identity(&plan, board, s);
		s->job.plan = s->plan;
		s->job.title = s->title;
		s->job.identity = s->identity;
		s->job.board = s->board;
		s->job.type = s->type;
	}
	plan_release(&plan);
	return rc;
}

void submit_release(struct submission *s)
{
	free(s->plan);
	free(s->title);
	free(s->identity);
	free(s->board);
	free(s->type);
}

/* ---- a stored plan ---- */

static int load(const char *text_, struct plan *plan, struct err *err)
{
	json_t *json = json_loads(text_, 0, NULL);
	int rc = json ? plan_from_json(json, plan, err)
		      : err_set(err, BLAME_RIG, "plan", "the stored plan cannot be read");

	json_decref(json);
	return rc;
}

static int write_text(const struct plan *plan, const char *dir, struct err *err)
{
	char *path = path_join(dir, RUNDIR_PLAN);
	char *out = plan_text(plan);
	int rc = path_mkdirs(dir);

	if (!rc)
		rc = path_write(path, out, strlen(out));
	free(out);
	if (rc)
		err_sys(err, BLAME_RIG, rc == -ENOSPC ? "disk-full" : "run-dir", rc, "%s", path);
	free(path);
	return rc ? -1 : 0;
}

int submit_write_plan(const char *stored, const char *board, const char *dir, struct err *err)
{
	struct plan plan = PLAN_INIT;
	int rc = load(stored, &plan, err);

	plan_set_board(&plan, board);
	for (size_t i = 0; i < plan.n_kernels; i++) {
		free(plan.kernels[i].entry);
		plan.kernels[i].entry = entry_of(plan.kernels[i].id);
	}
	if (!rc)
		rc = write_text(&plan, dir, err);
	plan_release(&plan);
	return rc;
}

char *submit_new_session(const char *stored)
{
	struct plan plan = PLAN_INIT;
	uint32_t salt = 0;
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;
	char *name;

	load(stored, &plan, NULL);
	if (getrandom(&salt, sizeof(salt), 0) < 0)
		salt = (uint32_t)mono_ns();
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	name = xasprintf("%s-%s-%06" PRIx32, stamp, plan.suite.name ? plan.suite.name : "none",
			 salt & 0xffffff);
	plan_release(&plan);
	return name;
}
