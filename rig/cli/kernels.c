// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels by name; see kernels.h. Layer: cli. */
#include "cli/kernels.h"
#include "base/manifest.h"
#include "base/path.h"
#include "base/spawn.h"
#include "board/board.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGS_MAX  24
#define ID_PREFIX "id:"

/* Time for a cancelled build to remove its trees. */
#define BUILD_GRACE_MS 30000

/* A kernel from nothing takes minutes, not hours, even on a slow disk. */
#define BUILD_TIMEOUT_MS (3u * 3600 * 1000)

static void trim(char *s)
{
	size_t n = strlen(s);

	while (n && (s[n - 1] == '\n' || s[n - 1] == ' '))
		s[--n] = '\0';
}

static int script_failed(int rc, struct err *err)
{
	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "kernel build: cancelled");
	if (rc < 0)
		return err_sys(err, BLAME_RIG, "kernel-build", rc, "kernel/build.sh");
	if (rc == EXIT_USAGE)
		return err_set(err, BLAME_USER, "kernel-build",
			       "kernel build: see the message above");
	return err_set(err, BLAME_RIG, "kernel-build",
		       "kernel build: exit code %d; see the message above", rc);
}

/* args: the verb and what follows, NULL-terminated. out NULL = the caller's stdout. */
static int run_script(const char *const *args, struct buf *out, struct err *err)
{
	const char *argv[ARGS_MAX + 4] = { 0 };
	struct spawn s = SPAWN_INIT;
	char *data = path_data();
	char *home = path_home();
	char *script = path_join(data, "kernel/build.sh");
	size_t n = 0;
	int rc;

	argv[n++] = script;
	while (*args && n < ARGS_MAX)
		argv[n++] = *args++;
	argv[n++] = "--home";
	argv[n++] = home;
	s.argv = argv;
	s.out = STDOUT_FILENO;
	s.err = STDERR_FILENO;
	s.grace_ms = BUILD_GRACE_MS;
	rc = spawn_run(&s, out, deadline_in(BUILD_TIMEOUT_MS));
	if (rc == -ENOENT)
		rc = err_set(err, BLAME_RIG, "kernel-build",
			     "%s is not there; set RIG_DATA to the source tree", script);
	else if (rc < 0)
		rc = script_failed(rc, err);
	free(script);
	free(home);
	free(data);
	return rc;
}

int kernel_script(const char *const *args, struct err *err)
{
	return run_script(args, NULL, err);
}

static size_t request_args(const struct kernel_request *r, const char **args)
{
	size_t n = 0;

	args[n++] = "build";
	args[n++] = "--board";
	args[n++] = r->board;
	if (r->patches) {
		args[n++] = "--patches";
		args[n++] = r->patches;
	}
	if (r->patches && r->patches_name) {
		args[n++] = "--name";
		args[n++] = r->patches_name;
	}
	if (r->base) {
		args[n++] = "--base";
		args[n++] = r->base;
	}
	if (r->name)
		args[n++] = r->name;
	args[n] = NULL;
	return n;
}

static char *variant_cmdline(const char *name, struct err *err)
{
	const char *args[] = { "cmdline", name, NULL };
	struct buf out = BUF_INIT;
	char *line;
	int rc;

	if (!name)
		return xstrdup("");
	rc = run_script(args, &out, err);
	if (rc > 0)
		script_failed(rc, err);
	line = buf_detach(&out);
	trim(line);
	if (!rc)
		return line;
	free(line);
	return NULL;
}

/* Runs the script; the entry that it names. The caller frees, whatever the result. */
static int built_entry(const struct kernel_request *request, char **dir, struct err *err)
{
	const char *args[ARGS_MAX];
	struct buf out = BUF_INIT;
	int rc;

	request_args(request, args);
	rc = run_script(args, &out, err);
	if (rc > 0)
		rc = script_failed(rc, err);
	*dir = buf_detach(&out);
	trim(*dir);
	return rc;
}

/* ---- by id ---- */

bool kernel_is_id(const char *name)
{
	return !strncmp(name, ID_PREFIX, strlen(ID_PREFIX));
}

/* The entries whose names begin with id; the last of them, to be freed, NULL = none. */
static size_t matching_entries(const char *cache, const char *id, char **found)
{
	DIR *dir = opendir(cache);
	struct dirent *e;
	size_t n = 0;

	*found = NULL;
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || strncmp(e->d_name, id, strlen(id)) != 0)
			continue;
		free(*found);
		*found = path_join(cache, e->d_name);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* As built_entry(). */
static int cached_entry(const struct kernel_request *request, char **entry, struct err *err)
{
	const char *id = request->name + strlen(ID_PREFIX);
	char *cache = path_in_home("kernels");
	size_t n = matching_entries(cache, id, entry);
	int rc = 0;

	if (!n)
		rc = err_set(err, BLAME_USER, "kernel-id",
			     "no kernel in %s has an id that begins with '%s'; `rig kernel list` "
			     "shows them",
			     cache, id);
	else if (n > 1)
		rc = err_set(err, BLAME_USER, "kernel-id",
			     "'%s' is not enough of an id: %zu kernels in %s begin so", id, n,
			     cache);
	free(cache);
	return rc;
}

static int fits(const struct manifest *m, const char *board, struct err *err)
{
	const struct board_row *row = board_find(board);

	if (!row)
		return err_set(err, BLAME_USER, "board-type", "unknown board type '%s'", board);
	return manifest_runs_on(m, row->arch, err);
}

/* Its name, and what it wants on the command line: that is in its series, patches want nothing. */
static int name_entry(struct kernel_entry *entry, const struct kernel_request *request,
		      const struct manifest *m, struct err *err)
{
	const char *variant = request->name;

	if (variant && kernel_is_id(variant))
		variant = strchr(m->name, ':') ? m->name : NULL;
	entry->id = xstrdup(m->id);
	entry->name = xstrdup(variant ? variant : m->name);
	entry->cmdline = variant_cmdline(variant, err);
	return entry->cmdline ? 0 : -1;
}

int kernel_build(const struct kernel_request *request, struct kernel_entry *entry, struct err *err)
{
	bool by_id = request->name && kernel_is_id(request->name);
	struct manifest manifest = { 0 };
	int rc;

	memset(entry, 0, sizeof(*entry));
	rc = by_id ? cached_entry(request, &entry->dir, err)
		   : built_entry(request, &entry->dir, err);
	if (!rc)
		rc = manifest_read(&manifest, entry->dir, by_id ? NULL : request->board, err);
	if (!rc && by_id)
		rc = fits(&manifest, request->board, err);
	if (!rc && !*manifest.id)
		rc = err_set(err, BLAME_RIG, "kernel-build", "%s/manifest has no id", entry->dir);
	if (!rc)
		rc = name_entry(entry, request, &manifest, err);
	manifest_release(&manifest);
	if (rc)
		kernel_entry_release(entry);
	return rc;
}

void kernel_entry_release(struct kernel_entry *entry)
{
	free(entry->dir);
	free(entry->id);
	free(entry->name);
	free(entry->cmdline);
	memset(entry, 0, sizeof(*entry));
}
