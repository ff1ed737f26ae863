/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What drivers share that load a kernel through a loader on a wired console: that console as the
 * loader's line, the files that are loaded, and the values of placeholders. Layer: board, inside.
 */
#ifndef RIG_BOARD_LOADED_H
#define RIG_BOARD_LOADED_H

#include <stddef.h>
#include <stdint.h>

#include "board/loader.h"

struct board;
struct err;
struct wired;

/* w must outlive the loader. */
struct loader_line loaded_line(struct wired *w);

struct loaded_file {
	char *path;
	uint64_t size;
	uint32_t crc; /* CRC-32 of IEEE 802.3, as U-Boot's crc32 prints it */
};

/* Takes the path (from malloc) and reads the file. 0, or -1 (RIG, "image"). */
int loaded_file_set(struct loaded_file *f, char *path, struct err *err);
void loaded_file_release(struct loaded_file *f);

/* The note of a visit that says which bytes the board has: size, CRC-32, SHA-256. */
void loaded_tell(struct board *b, const char *name, const struct loaded_file *f);

#define LOADED_VARS_MAX 20

struct loaded_vars {
	struct loader_var v[LOADED_VARS_MAX + 1]; /* ends with a NULL name */
	size_t n;
};

/* name stays the caller's. */
void loaded_var(struct loaded_vars *vars, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void loaded_vars_release(struct loaded_vars *vars);

/*
 * The row's command line and the image's, to be freed; NULL with err (USER, "cmdline") when a
 * loader's shell would not leave it as it is.
 */
char *loaded_cmdline(const char *row, const char *image, struct err *err);

#endif
