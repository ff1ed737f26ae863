// SPDX-License-Identifier: GPL-2.0-or-later
/* The record of a console; see record.h. Layer: io. */
#include "io/record.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void record_stop(struct record *r)
{
	if (r->log_fd >= 0)
		close(r->log_fd);
	if (r->index_fd >= 0)
		close(r->index_fd);
	r->log_fd = -1;
	r->index_fd = -1;
	free(r->marks_path);
	r->marks_path = NULL;
}

static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	return fd < 0 ? -errno : fd;
}

int record_start(struct record *r, const char *log_path, const char *index_path)
{
	int rc;

	record_stop(r);
	r->error = 0;
	r->indexed_at_ms = 0;
	r->log_fd = create(log_path);
	if (r->log_fd < 0)
		return r->log_fd;
	r->index_fd = create(index_path);
	if (r->index_fd >= 0)
		return 0;
	rc = r->index_fd;
	record_stop(r);
	return rc;
}

int record_start_in(struct record *r, const char *dir)
{
	char *log = path_join(dir, RECORD_LOG);
	char *index = path_join(dir, RECORD_INDEX);
	int rc = record_start(r, log, index);

	r->offset = 0;
	r->marks_path = path_join(dir, RECORD_MARKS);
	unlink(r->marks_path);
	free(index);
	free(log);
	return rc;
}

static int index_burst(struct record *r)
{
	uint64_t now = mono_ms();
	char line[48];
	int n;

	if (r->indexed_at_ms && now - r->indexed_at_ms < RECORD_INDEX_MS)
		return 0;
	r->indexed_at_ms = now;
	n = snprintf(line, sizeof(line), "%llu %llu\n", (unsigned long long)now,
		     (unsigned long long)r->offset);
	return path_write_fd(r->index_fd, line, (size_t)n);
}

static void write_down(struct record *r, const void *data, size_t size)
{
	int rc;

	if (r->log_fd < 0)
		return;
	rc = index_burst(r);
	if (!rc)
		rc = path_write_fd(r->log_fd, data, size);
	if (!rc)
		return;
	r->error = rc;
	record_stop(r);
}

void record_add(struct record *r, const void *data, size_t size)
{
	write_down(r, data, size);
	r->offset += size;
}

void record_mark(struct record *r, const char *text)
{
	int fd;

	if (!r->marks_path)
		return;
	fd = open(r->marks_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return;
	dprintf(fd, "%llu %llu %s\n", (unsigned long long)mono_ms(), (unsigned long long)r->offset,
		text);
	close(fd);
}

ssize_t record_read(const struct record *r, uint64_t offset, void *buf, size_t size)
{
	ssize_t n = r->log_fd < 0 ? 0 : pread(r->log_fd, buf, size, (off_t)offset);

	return n < 0 ? -errno : n;
}

void record_flush(const struct record *r)
{
	if (r->log_fd < 0)
		return;
	/* a file system that cannot will write in its own time */
	sync_file_range(r->log_fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	sync_file_range(r->index_fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}
