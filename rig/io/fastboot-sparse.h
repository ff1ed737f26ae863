/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Android sparse images: the format that `flash` takes for what is larger than a device's download
 * buffer. A raw or a sparse file goes in, pieces come out, each a sparse image of the whole
 * partition with everything outside the piece left alone. Layer: io -> base.
 *
 *	header 28
 *	chunk header 12		raw		blocks ...
 *	chunk header 12		fill		4 bytes
 *	chunk header 12		don't care	nothing
 *	...
 *
 * From AOSP's system/core/libsparse/sparse_format.h; all little endian:
 *	header	magic ed26ff3a, version 1.0, sizes of the two headers, block size, blocks,
 *		chunks, CRC
 *	chunk	type cac1 raw, cac2 fill, cac3 don't care, cac4 CRC; blocks; bytes with header
 *
 * Blocks of a raw file that repeat one 32-bit word (zeros, mostly) become fill chunks. A raw file
 * whose size is no multiple of the block size is filled up with zeros.
 *
 * Functions return 0 or -errno: -EINVAL the sparse file is damaged, -EMSGSIZE max is too small for
 * even one block, -EIO the file became shorter, and what read(2) says.
 */
#ifndef RIG_IO_FASTBOOT_SPARSE_H
#define RIG_IO_FASTBOOT_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sparse;

/* Does it begin like a sparse image? */
bool sparse_is(int fd, uint64_t offset, uint64_t size);

/* Reads once through it (a sparse file: through its headers). fd stays the caller's. */
int sparse_new(struct sparse **out, int fd, uint64_t offset, uint64_t size);
void sparse_free(struct sparse *s); /* NULL is fine */

/* Bytes of the partition that it covers; bytes of the file that will be sent. */
uint64_t sparse_covers(const struct sparse *s);
uint64_t sparse_data(const struct sparse *s);

/*
 * Makes the next piece, at most max bytes, and says how long it is. Returns 1, 0 after the last,
 * -errno.
 */
int sparse_next(struct sparse *s, uint64_t max, uint64_t *size);

/* The next n bytes of the piece; not more than it has. */
int sparse_read(struct sparse *s, void *buf, size_t n);

#endif
