// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels by name; see kernels.h. Layer: cli. */
#include "cli/kernels.h"
#include "base/manifest.h"
#include "base/path.h"
#include "base/spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGS_MAX 24

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

int kernel_build(const struct kernel_request *request, struct kernel_entry *entry, struct err *err)
{
	const char *args[ARGS_MAX];
	struct manifest manifest = { 0 };
	struct buf out = BUF_INIT;
	int rc;

	memset(entry, 0, sizeof(*entry));
	request_args(request, args);
	rc = run_script(args, &out, err);
	if (rc > 0)
		rc = script_failed(rc, err);
	entry->dir = buf_detach(&out);
	trim(entry->dir);
	if (!rc)
		rc = manifest_read(&manifest, entry->dir, request->board, err);
	if (!rc && !*manifest.id)
		rc = err_set(err, BLAME_RIG, "kernel-build", "%s/manifest has no id", entry->dir);
	if (!rc)
		entry->id = xstrdup(manifest.id);
	if (!rc && !(entry->cmdline = variant_cmdline(request->name, err)))
		rc = -1;
	manifest_release(&manifest);
	if (rc)
		kernel_entry_release(entry);
	return rc;
}

void kernel_entry_release(struct kernel_entry *entry)
{
	free(entry->dir);
	free(entry->id);
	free(entry->cmdline);
	memset(entry, 0, sizeof(*entry));
}
