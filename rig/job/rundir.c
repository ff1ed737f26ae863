// SPDX-License-Identifier: GPL-2.0-or-later
/* The run directory; see rundir.h. Layer: job. */
#include "job/rundir.h"
#include "base/manifest.h"
#include "board/lab.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "base/path.h"
#include "version.h"
#include "suite/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define FORMAT 1

static const char *user_name(void)
{
	const struct passwd *pw = getpwuid(getuid());

	return pw ? pw->pw_name : "unknown";
}

static json_int_t random_seed(void)
{
	uint32_t seed = 1;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = (uint32_t)mono_ns();
	return seed;
}

static void add(json_t *o, const char *key, const char *value)
{
	json_object_set_new(o, key, json_string(value));
}

/* The plan's kernels, with what their manifests say. */
static json_t *kernels_json(const json_t *plan, const struct manifest *m)
{
	json_t *kernels = json_deep_copy(json_object_get(plan, "kernels"));
	json_t *k;
	size_t i;

	json_array_foreach (kernels, i, k) {
		add(k, "release", m[i].release);
		add(k, "arch", m[i].arch);
		add(k, "patches_hash", m[i].patches_hash);
		add(k, "config_hash", m[i].config_hash);
		add(k, "compiler", m[i].compiler);
	}
	return kernels;
}

static json_t *session_json(const struct rundir *r, const struct session_info *info)
{
	json_t *plan = plan_to_json(info->plan);
	char *setup = lab_board_setup(info->board);
	char host[256] = "";
	char now[32];
	json_t *json;

	gethostname(host, sizeof(host) - 1);
	json = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:O, s:{s:s, s:s, s:s, s:s, s:s},"
			 " s:o, s:o, s:I}",
			 "format", FORMAT, "session", r->session, "started",
			 wall_iso(now, sizeof(now)), "user", user_name(), "host", host,
			 "rig_version", RIG_VERSION, "suite", json_object_get(plan, "suite"),
			 "board", "name", info->board->name, "type", info->board->type, "serial",
			 info->board->serial, "model", info->board->model, "setup", setup,
			 "kernels", kernels_json(plan, info->manifests), "plan", plan, "seed",
			 random_seed());
	free(setup);
	return json;
}

static int write_session(const struct rundir *r, const struct session_info *info, struct err *err)
{
	char *path = path_join(r->path, RUNDIR_SESSION);
	json_t *json = session_json(r, info);
	char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
	int rc = text ? path_write(path, text, strlen(text)) : -EINVAL;

	if (rc)
		err_sys(err, BLAME_RIG, "run-dir", rc, "cannot write %s", path);
	free(text);
	json_decref(json);
	free(path);
	return rc ? -1 : 0;
}

static int take(struct rundir *r, struct err *err)
{
	char *session = path_join(r->path, RUNDIR_SESSION);
	char *lock = path_join(r->path, RUNDIR_LOCK);
	char *voided = path_join(r->path, RUNDIR_VOID);
	int rc = path_mkdirs(r->path);

	if (!rc)
		rc = r->lock_fd = path_lock(lock);
	if (rc == -EWOULDBLOCK)
		err_set(err, BLAME_USER, "run-dir", "%s belongs to a running job", r->path);
	else if (rc < 0)
		err_sys(err, BLAME_RIG, "run-dir", rc, "cannot create %s", r->path);
	else if (path_exists(voided))
		rc = err_set(err, BLAME_RIG, "run-dir", "%s was given up before this job began",
			     r->path);
	else if (path_exists(session))
		rc = err_set(err, BLAME_USER, "run-dir",
			     "%s holds a session already; a run is never written over", r->path);
	else if (ftruncate(r->lock_fd, 0) == 0)
		dprintf(r->lock_fd, "%d\n", (int)getpid());
	free(voided);
	free(lock);
	free(session);
	return rc < 0 ? -1 : 0;
}

int rundir_create(struct rundir *r, const char *path, const struct session_info *info,
		  struct err *err)
{
	const char *name;

	memset(r, 0, sizeof(*r));
	r->lock_fd = -1;
	r->path = xstrdup(path);
	for (size_t n = strlen(r->path); n > 1 && r->path[n - 1] == '/'; n--)
		r->path[n - 1] = '\0';
	name = strrchr(r->path, '/');
	r->session = xstrdup(name ? name + 1 : r->path);
	if (take(r, err) || write_session(r, info, err)) {
		rundir_release(r);
		return -1;
	}
	return 0;
}

void rundir_release(struct rundir *r)
{
	if (r->lock_fd >= 0)
		close(r->lock_fd);
	r->lock_fd = -1;
	free(r->path);
	free(r->session);
	r->path = NULL;
	r->session = NULL;
}

/* Turns what is not fit for a file name into '_', in place. */
static void clean(char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";

	for (; *name; name++)
		if (!strchr(good, *name))
			*name = '_';
}

/* Takes dir over, and gives it back when the directory is there. */
static char *make(const struct rundir *r, char *dir, struct err *err)
{
	char *path = path_join(r->path, dir);
	int rc = path_mkdirs(path);

	if (rc) {
		err_sys(err, BLAME_RIG, rc == -ENOSPC ? "disk-full" : "run-dir", rc,
			"cannot create %s", path);
		free(dir);
		dir = NULL;
	}
	free(path);
	return dir;
}

char *rundir_visit(struct rundir *r, unsigned int visit, const char *label, struct err *err)
{
	char *name = xasprintf("%03u-%s", visit, label);
	char *dir;

	clean(name);
	dir = path_join("visits", name);
	free(name);
	return make(r, dir, err);
}

char *rundir_step(struct rundir *r, const char *visit_dir, unsigned int step, const char *name,
		  struct err *err)
{
	char *last = xasprintf("%02u-%s", step, name);
	char *dir;

	clean(last);
	dir = xasprintf("%s/steps/%s", visit_dir, last);
	free(last);
	return make(r, dir, err);
}

char *rundir_file(const struct rundir *r, const char *dir, const char *name)
{
	return xasprintf("%s/%s/%s", r->path, dir, name);
}

static int write_synced(int fd, const void *data, size_t size)
{
	int rc = path_write_fd(fd, data, size);

	return !rc && fsync(fd) < 0 ? -errno : rc;
}

/*
 * A file that has no name until it is whole: a job that is killed leaves nothing behind. Where the
 * file system has no such files, path_write() leaves at most its temporary one.
 */
static int write_whole(const char *dir, const char *path, const void *data, size_t size)
{
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
	char self[32];
	int rc;

	if (fd < 0)
		return path_write(path, data, size);
	rc = write_synced(fd, data, size);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (!rc && linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0)
		rc = -errno;
	close(fd);
	/* a second file of that name replaces the first */
	return rc == -EEXIST ? path_write(path, data, size) : rc;
}

int rundir_put(const struct rundir *r, const char *dir, const char *name, const void *data,
	       size_t size, struct err *err)
{
	char *path;
	char *in;
	int rc;

	if (!*name || *name == '.' || strchr(name, '/') || strlen(name) > 100)
		return err_set(err, BLAME_BOARD, "file-name", "the DUT sent a file '%.100s'", name);
	in = path_join(r->path, dir);
	path = path_join(in, name);
	rc = write_whole(in, path, data, size);
	if (rc)
		err_sys(err, BLAME_RIG, rc == -ENOSPC ? "disk-full" : "run-dir", rc,
			"cannot write %s", path);
	free(path);
	free(in);
	return rc ? -1 : 0;
}
