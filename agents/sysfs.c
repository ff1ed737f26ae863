// SPDX-License-Identifier: GPL-2.0-or-later
/* Small files below a root directory. Bottom layer of the agent. */
#include "agents/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_below(const char *root, const char *path, int flags)
{
	char full[2 * SYSFS_PATH];
	int fd;

	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, flags | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

void strv_release(struct strv *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->v[i]);
	free(list->v);
	*list = (struct strv){ 0 };
}

int strv_add(struct strv *list, const char *text)
{
	char **v = realloc(list->v, (list->count + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	list->v = v;
	v[list->count] = strdup(text);
	if (!v[list->count])
		return -ENOMEM;
	list->count++;
	return 0;
}

int sysfs_read(const char *root, const char *path, char *buf, size_t cap)
{
	int fd = open_below(root, path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, buf, cap - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	while (n && isspace((unsigned char)buf[n - 1]))
		n--;
	buf[n] = '\0';
	return (int)n;
}

long sysfs_read_all(const char *root, const char *path, char **data)
{
	int fd = open_below(root, path, O_RDONLY);
	size_t size = 0, cap = 0;
	char *buf = NULL, *bigger;
	ssize_t n = 1;

	*data = NULL;
	if (fd < 0)
		return fd;
	while (n > 0) {
		if (cap - size < 4096) {
			cap = cap * 2 + 8192;
			bigger = realloc(buf, cap);
			if (!bigger)
				break;
			buf = bigger;
		}
		n = read(fd, buf + size, cap - size - 1);
		size += n > 0 ? (size_t)n : 0;
	}
	if (n)
		n = n < 0 ? -errno : -ENOMEM;
	close(fd);
	if (n) {
		free(buf);
		return n;
	}
	buf[size] = '\0';
	*data = buf;
	return (long)size;
}

int sysfs_write(const char *root, const char *path, const char *value)
{
	int fd = open_below(root, path, O_WRONLY | O_TRUNC), rc = 0;
	size_t size = strlen(value);

	if (fd < 0)
		return fd;
	/* One write: to an attribute, each write is a whole value. */
	if (write(fd, value, size) != (ssize_t)size)
		rc = errno ? -errno : -EIO;
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

bool sysfs_exists(const char *root, const char *path)
{
	char full[2 * SYSFS_PATH];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return !access(full, F_OK);
}

int sysfs_link_name(const char *root, const char *path, char *buf, size_t cap)
{
	char full[2 * SYSFS_PATH], target[SYSFS_PATH];
	const char *name;
	ssize_t n;

	snprintf(full, sizeof(full), "%s%s", root, path);
	n = readlink(full, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	return snprintf(buf, cap, "%s", name) < (int)cap ? 0 : -ENAMETOOLONG;
}

static int glob_from(const char *root, const char *base, const char *pattern, struct strv *paths);

/* Goes on below base/name, if that is there. */
static int glob_into(const char *root, const char *base, const char *name, const char *rest,
		     struct strv *paths)
{
	char path[SYSFS_PATH];

	if (snprintf(path, sizeof(path), "%s/%s", base, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (!sysfs_exists(root, path))
		return 0;
	return *rest ? glob_from(root, path, rest, paths) : strv_add(paths, path);
}

static int glob_entries(const char *root, const char *base, const char *mask, const char *rest,
			struct strv *paths)
{
	char full[2 * SYSFS_PATH];
	struct dirent **entries;
	int rc = 0, n;

	snprintf(full, sizeof(full), "%s%s", root, base);
	n = scandir(full, &entries, NULL, versionsort);
	if (n < 0)
		return 0;
	for (int i = 0; i < n; i++) {
		if (!rc && !fnmatch(mask, entries[i]->d_name, FNM_PERIOD))
			rc = glob_into(root, base, entries[i]->d_name, rest, paths);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int glob_from(const char *root, const char *base, const char *pattern, struct strv *paths)
{
	char part[SYSFS_PATH];
	size_t n = strcspn(pattern + 1, "/");

	if (n >= sizeof(part))
		return -ENAMETOOLONG;
	memcpy(part, pattern + 1, n);
	part[n] = '\0';
	if (strpbrk(part, "*?["))
		return glob_entries(root, base, part, pattern + 1 + n, paths);
	return glob_into(root, base, part, pattern + 1 + n, paths);
}

int sysfs_glob(const char *root, const char *pattern, struct strv *paths)
{
	return glob_from(root, "", pattern, paths);
}

int sysfs_place(const char *root, const char *path, char *buf, size_t cap)
{
	char full[2 * SYSFS_PATH], *place, base[PATH_MAX] = "";
	size_t n = 0;
	int rc;

	snprintf(full, sizeof(full), "%s%s", root, path);
	place = realpath(full, NULL);
	if (!place)
		return -errno;
	if (*root && realpath(root, base))
		n = strlen(base);
	rc = snprintf(buf, cap, "%s", place + (strncmp(place, base, n) ? 0 : n)) < (int)cap
		     ? 0
		     : -ENAMETOOLONG;
	free(place);
	return rc;
}

struct placed {
	char place[SYSFS_PATH];
	char *path;
};

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return strverscmp(x->place, y->place);
}

void sysfs_sort_by_place(const char *root, struct strv *paths, const char *suffix)
{
	struct placed *all = calloc(paths->count + 1, sizeof(*all));
	char path[SYSFS_PATH];

	for (size_t i = 0; all && i < paths->count; i++) {
		snprintf(path, sizeof(path), "%s%s", paths->v[i], suffix);
		sysfs_place(root, path, all[i].place, sizeof(all[i].place));
		all[i].path = paths->v[i];
	}
	if (all)
		qsort(all, paths->count, sizeof(*all), by_place);
	for (size_t i = 0; all && i < paths->count; i++)
		paths->v[i] = all[i].path;
	free(all);
}
