// SPDX-License-Identifier: GPL-2.0-or-later
/* Direct I/O; see block.h. */
#include "agents/block.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ALIGN_BYTES 4096

int block_open(const char *dev, bool write)
{
	return open(dev, (write ? O_RDWR | O_SYNC : O_RDONLY) | O_DIRECT | O_CLOEXEC);
}

uint64_t block_size_bytes(int fd)
{
	uint64_t size;

	return ioctl(fd, BLKGETSIZE64, &size) ? 0 : size;
}

void *block_buffer(size_t size)
{
	void *buf;
	int rc = posix_memalign(&buf, ALIGN_BYTES, size);

	if (rc) {
		errno = rc;
		return NULL;
	}
	return memset(buf, 0, size);
}

int block_transfer(const struct block_run *run, uint64_t at)
{
	size_t done = 0;

	while (done < run->size) {
		char *p = (char *)run->buf + done;
		off_t place = (off_t)(at + done);
		ssize_t n = run->write ? pwrite(run->fd, p, run->size - done, place)
				       : pread(run->fd, p, run->size - done, place);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : ENOSPC;
			return -1;
		}
		done += (size_t)n;
	}
	return 0;
}
