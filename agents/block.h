/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block devices read and written past the page cache, for the steps that measure them. libc only.
 */
#ifndef AGENTS_BLOCK_H
#define AGENTS_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* O_DIRECT, and O_SYNC when it is to be written: a descriptor, or -1 with errno. */
int block_open(const char *dev, bool write);

/* 0 with errno for none. */
uint64_t block_size_bytes(int fd);

/* Zeroed memory that such a descriptor can work with; free(). NULL with errno. */
void *block_buffer(size_t size);

struct block_run {
	int fd;
	void *buf;
	size_t size;
	bool write;
};

/* All of run->size bytes at that place. 0, or -1 with errno; the end of the device is ENOSPC. */
int block_transfer(const struct block_run *run, uint64_t at);

#endif
