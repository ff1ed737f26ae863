/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files of sysfs and procfs, below a root directory ("" for the real ones). Functions return
 * 0 or more, or -errno. */
#ifndef AGENTS_SYSFS_H
#define AGENTS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#define SYSFS_PATH 512

struct strv {
	char **v;
	size_t count;
};

void strv_release(struct strv *list);
int strv_add(struct strv *list, const char *text);

/* Reads up to cap - 1 bytes, drops white space at the end, terminates: length. */
int sysfs_read(const char *root, const char *path, char *buf, size_t cap);
/* All of a file of any size, malloc()ed, terminated: length. */
long sysfs_read_all(const char *root, const char *path, char **data);
int sysfs_write(const char *root, const char *path, const char *value);
bool sysfs_exists(const char *root, const char *path);
/* A symlink's last component. */
int sysfs_link_name(const char *root, const char *path, char *buf, size_t cap);
/* Where a path really is (without root), all links followed: the place in the tree of devices. */
int sysfs_place(const char *root, const char *path, char *buf, size_t cap);
/* In order of the places of path + suffix, usb2/2-2 before usb2/2-10; what has none comes first. */
void sysfs_sort_by_place(const char *root, struct strv *paths, const char *suffix);
/* Paths (without root) that match, * ? [] in any component, in version order (cpu2 before cpu10).
 */
int sysfs_glob(const char *root, const char *pattern, struct strv *paths);

#endif
