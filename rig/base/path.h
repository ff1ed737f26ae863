/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things are, and file operations that never leave half a file behind. All functions that
 * return char * give memory that the caller frees.
 */
#ifndef RIG_BASE_PATH_H
#define RIG_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* $RIG_HOME, else $XDG_DATA_HOME/rig, else ~/.local/share/rig; may not exist yet. */
char *path_home(void);

/* home/fmt... */
char *path_in_home(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The tree with kernel/, suites/, agents/: $RIG_DATA, else two levels above this executable. */
char *path_data(void);

/* The rig's own initramfs of that architecture ("aarch64"); may not be built yet. */
char *path_initramfs(const char *arch);

/* A program of ours: beside this executable. */
char *path_program(const char *name);

char *path_join(const char *dir, const char *name);

/* What stands after the last slash: "b" of "a/b", "" of "a/". Part of path. */
const char *path_name(const char *path);

/* The last component, whatever slashes follow it: "b" of "a/b/". */
char *path_last(const char *path);

/* What stands before the last slash: "a" of "a/b", "/" of "/b", "." of "b". */
char *path_dir(const char *path);

/* Can this program be started: as it is when it has a slash, else somewhere in PATH? */
bool path_can_run(const char *program);

/* mkdir -p. 0 or -errno. */
int path_mkdirs(const char *dir);

/* rm -r, does not follow symbolic links. 0 or -errno of the first failure; a missing path is 0. */
int path_remove(const char *path);

/* Appends the whole file to out. 0 or -errno; -EFBIG when it has more than max bytes. */
int path_read(const char *path, struct buf *out, size_t max);

/*
 * Writes the file as a whole: temporary name in the same directory, fsync, rename, fsync of the
 * directory. 0 or -errno; after an error nothing is left and an old file is untouched.
 */
int path_write(const char *path, const void *data, size_t size);

/* Writes all of it to an open descriptor, however many write(2)s that takes. 0 or -errno. */
int path_write_fd(int fd, const void *data, size_t size);

/* 1 if it exists, 0 if not. */
int path_exists(const char *path);

/*
 * Takes an exclusive flock on the file (created if missing) without waiting.
 * The open descriptor (close it to unlock), or -EWOULDBLOCK when somebody holds it, or -errno.
 */
int path_lock(const char *path);

#endif
