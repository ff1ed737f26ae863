/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that become smaller when they are old: NAME, or NAME.zst in its place, never both for a
 * reader. By the program zstd. Layer: base.
 */
#ifndef RIG_BASE_PACKED_H
#define RIG_BASE_PACKED_H

#include <stddef.h>

struct buf;

/* path_read() of the file as it was; -ENOENT when neither is there, -EFBIG, -EIO for a damaged one.
 */
int packed_read(const char *path, struct buf *out, size_t max);

/*
 * Compresses it: 0 and NAME.zst is whole, synced, and NAME gone; -errno and NAME as it was. A file
 * that is packed already, or missing, is 0.
 */
int packed_make(const char *path);

#endif
