// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths and whole-file operations; see path.h. Layer: base. */
#include "base/path.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *env_dir(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

char *path_home(void)
{
	const char *dir;

	if ((dir = env_dir("RIG_HOME")))
		return xstrdup(dir);
	if ((dir = env_dir("XDG_DATA_HOME")))
		return path_join(dir, "rig");
	dir = env_dir("HOME");
	return path_join(dir ? dir : "/root", ".local/share/rig");
}

char *path_in_home(const char *fmt, ...)
{
	char rest[PATH_MAX];
	char *home = path_home();
	char *path;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rest, sizeof(rest), fmt, ap);
	va_end(ap);
	path = path_join(home, rest);
	free(home);
	return path;
}

static char *executable_dir(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n < 0)
		return xstrdup(".");
	exe[n] = '\0';
	return xstrdup(dirname(exe));
}

char *path_data(void)
{
	const char *env = env_dir("RIG_DATA");
	char *dir;
	char *up;

	if (env)
		return xstrdup(env);
	dir = executable_dir();
	up = xasprintf("%s/../..", dir);
	free(dir);
	dir = realpath(up, NULL);
	if (!dir)
		return up;
	free(up);
	return dir;
}

char *path_initramfs(const char *arch)
{
	char *data = path_data();
	char *path = xasprintf("%s/build/initramfs/%s.cpio", data, arch);

	free(data);
	return path;
}

char *path_program(const char *name)
{
	char *dir = executable_dir();
	char *path = path_join(dir, name);

	free(dir);
	return path;
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_last(const char *path)
{
	size_t end = strlen(path), begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && path[begin - 1] != '/';)
		begin--;
	return xasprintf("%.*s", (int)(end - begin), path + begin);
}

char *path_dir(const char *path)
{
	const char *name = path_name(path);

	if (name == path)
		return xstrdup(".");
	return xasprintf("%.*s", name > path + 1 ? (int)(name - 1 - path) : 1, path);
}

char *path_join(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

bool path_can_run(const char *program)
{
	const char *p = strchr(program, '/') ? "" : getenv("PATH");

	for (; p; p = strchr(p, ':') ? strchr(p, ':') + 1 : NULL) {
		char *file = xasprintf("%.*s%s%s", (int)strcspn(p, ":"), p, *p ? "/" : "", program);
		bool found = access(file, X_OK) == 0;

		free(file);
		if (found)
			return true;
	}
	return false;
}

int path_mkdirs(const char *dir)
{
	char *copy = xstrdup(dir);
	int rc = 0;

	for (char *p = copy + 1; !rc; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			rc = -errno;
		*p = c;
		if (!c)
			break;
	}
	free(copy);
	return rc;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) < 0 ? errno : 0;
}

int path_remove(const char *path)
{
	int rc = nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	if (rc < 0)
		return errno == ENOENT ? 0 : -errno;
	return -rc;
}

int path_read(const char *path, struct buf *out, size_t max)
{
	char chunk[16384];
	size_t total = 0;
	int rc = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = -errno;
			break;
		}
		total += (size_t)n;
		if (total > max) {
			rc = -EFBIG;
			break;
		}
		buf_append(out, chunk, (size_t)n);
	}
	close(fd);
	return rc;
}

int path_write_fd(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static int sync_parent(const char *path)
{
	char *copy = xstrdup(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	free(copy);
	if (fd < 0)
		return -errno;
	if (fsync(fd) < 0 && errno != EINVAL)
		rc = -errno;
	close(fd);
	return rc;
}

int path_write(const char *path, const void *data, size_t size)
{
	char *tmp = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(tmp, O_CLOEXEC);
	int rc;

	if (fd < 0) {
		rc = -errno;
		free(tmp);
		return rc;
	}
	rc = path_write_fd(fd, data, size);
	if (!rc && fchmod(fd, 0644) < 0)
		rc = -errno;
	if (!rc && fsync(fd) < 0)
		rc = -errno;
	/* close() reports a full disk on some file systems */
	if (close(fd) < 0 && !rc)
		rc = -errno;
	if (!rc && rename(tmp, path) < 0)
		rc = -errno;
	if (rc)
		unlink(tmp);
	else
		rc = sync_parent(path);
	free(tmp);
	return rc;
}

int path_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

int path_lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}
