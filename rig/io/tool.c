// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs that drive a board; see tool.h. Layer: io. */
#include "io/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/spawn.h"

#define OUTPUT_MAX    (16 << 20)
#define TOOL_ENV_MAX  16
#define TOOL_ARGS_MAX 64
#define RC_MARK	      "rig-rc="

/* ---- running ---- */

struct environment {
	const char *v[TOOL_ENV_MAX + 1];
	char *own[3];
};

static int make_dir(const char *dir, const char *name, const char *variable, char **text)
{
	char *path = path_join(dir, name);
	int rc = path_mkdirs(path);

	*text = xasprintf("%s=%s", variable, path);
	free(path);
	return rc;
}

static int make_environment(const struct tool *t, struct environment *e)
{
	size_t n = 0;
	int rc = make_dir(t->dir, "home", "HOME", &e->own[0]);

	if (!rc)
		rc = make_dir(t->dir, "tmp", "TMPDIR", &e->own[1]);
	if (!rc && t->adb_port)
		e->own[2] = xasprintf("ANDROID_ADB_SERVER_PORT=%u", t->adb_port);
	for (size_t i = 0; i < 3; i++)
		if (e->own[i])
			e->v[n++] = e->own[i];
	for (size_t i = 0; t->env && t->env[i]; i++) {
		if (n == TOOL_ENV_MAX)
			return -E2BIG;
		e->v[n++] = t->env[i];
	}
	return rc;
}

/* Through a file and not a pipe: a tool may leave a server behind that keeps its stdout open. */
static void take_output(int fd, struct buf *out)
{
	char chunk[8192];
	off_t at = 0;
	ssize_t n;

	while (out && out->size < OUTPUT_MAX && (n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		buf_append(out, chunk, (size_t)n);
		at += n;
	}
}

int tool_run(const struct tool *t, const char *const *argv, struct buf *out, struct deadline d)
{
	struct environment e = { .own = { NULL } };
	struct spawn s = SPAWN_INIT;
	int rc = make_environment(t, &e);
	int fd = memfd_create("rig-tool", MFD_CLOEXEC);

	if (fd < 0)
		rc = -errno;
	if (!rc) {
		s.argv = argv;
		s.env = e.v;
		s.cwd = t->dir;
		s.out = s.err = fd;
		s.grace_ms = t->term_ms;
		rc = spawn_run(&s, NULL, d);
	}
	if (fd >= 0) {
		take_output(fd, out);
		close(fd);
	}
	for (size_t i = 0; i < 3; i++)
		free(e.own[i]);
	return rc;
}

static bool says_something(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (line[i] > ' ')
			return true;
	return false;
}

void tool_last_words(const struct buf *out, char *line, size_t size)
{
	const char *text = buf_str(out);
	const char *found = "";
	size_t found_n = 0;

	while (*text) {
		size_t n = strcspn(text, "\r\n");

		if (says_something(text, n)) {
			found = text;
			found_n = n;
		}
		text += n + strspn(text + n, "\r\n");
	}
	snprintf(line, size, "%.*s", (int)found_n, found);
}

/* ---- adb ---- */

int tool_adb(const struct tool *t, const char *const *argv, struct buf *out, struct deadline d)
{
	const char *full[TOOL_ARGS_MAX + 1] = { "adb" };
	size_t n = 1;

	if (t->adb_device) {
		full[n++] = "-s";
		full[n++] = t->adb_device;
	}
	for (size_t i = 0; argv[i]; i++) {
		if (n == TOOL_ARGS_MAX)
			return -E2BIG;
		full[n++] = argv[i];
	}
	return tool_run(t, full, out, d);
}

/* The last mark counts: the command may have printed one as well. */
static int take_exit_code(struct buf *out)
{
	const char *text = buf_str(out);
	const char *mark = NULL;
	char *end;
	long code;

	for (const char *p = text; (p = strstr(p, RC_MARK)); p += strlen(RC_MARK))
		mark = p;
	if (!mark || !out->data)
		return -EPROTO;
	code = strtol(mark + strlen(RC_MARK), &end, 10);
	if (end == mark + strlen(RC_MARK) || code < 0 || code > 255)
		return -EPROTO;
	out->size = (size_t)(mark - text);
	out->data[out->size] = '\0';
	return (int)code;
}

int tool_adb_shell(const struct tool *t, const char *command, struct buf *out, struct deadline d)
{
	char *line = xasprintf("%s\necho " RC_MARK "$?", command);
	const char *argv[] = { "shell", line, NULL };
	struct buf text = BUF_INIT;
	int rc = tool_adb(t, argv, &text, d);

	/* what adb itself exits with says nothing, but that it could not run does */
	if (rc >= 0)
		rc = take_exit_code(&text);
	if (out)
		buf_append(out, buf_str(&text), text.size);
	buf_release(&text);
	free(line);
	return rc;
}

int tool_adb_stop(const struct tool *t, struct deadline d)
{
	const char *argv[] = { "adb", "kill-server", NULL };
	int rc = tool_run(t, argv, NULL, d);

	return rc < 0 ? rc : 0;
}
