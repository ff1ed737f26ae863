// SPDX-License-Identifier: GPL-2.0-or-later
/* A recorded console stream; see console.h. Layer: io. */
#include "io/console.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct console {
	int fd;
	int log_fd;
	int index_fd;
	int record_error;
	uint64_t offset;
	uint64_t indexed_at_ms; /* 0 = nothing in the index yet */
};

struct console *console_new(int fd)
{
	struct console *c = xcalloc(1, sizeof(*c));

	c->fd = fd;
	c->log_fd = -1;
	c->index_fd = -1;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return c;
}

static void close_record(struct console *c)
{
	if (c->log_fd >= 0)
		close(c->log_fd);
	if (c->index_fd >= 0)
		close(c->index_fd);
	c->log_fd = -1;
	c->index_fd = -1;
}

void console_free(struct console *c)
{
	if (!c)
		return;
	close_record(c);
	close(c->fd);
	free(c);
}

static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	return fd < 0 ? -errno : fd;
}

int console_record(struct console *c, const char *log_path, const char *index_path)
{
	close_record(c);
	c->log_fd = create(log_path);
	if (c->log_fd < 0)
		return c->log_fd;
	c->index_fd = create(index_path);
	if (c->index_fd < 0) {
		int rc = c->index_fd;

		close_record(c);
		return rc;
	}
	return 0;
}

static int index_burst(struct console *c)
{
	uint64_t now = mono_ms();
	char line[48];
	int n;

	if (c->indexed_at_ms && now - c->indexed_at_ms < CONSOLE_INDEX_MS)
		return 0;
	c->indexed_at_ms = now;
	n = snprintf(line, sizeof(line), "%llu %llu\n", (unsigned long long)now,
		     (unsigned long long)c->offset);
	return path_write_fd(c->index_fd, line, (size_t)n);
}

static void record(struct console *c, const char *data, size_t size)
{
	int rc;

	if (c->log_fd < 0)
		return;
	rc = index_burst(c);
	if (!rc)
		rc = path_write_fd(c->log_fd, data, size);
	if (!rc)
		return;
	c->record_error = rc;
	close_record(c);
}

void console_add(struct console *c, const void *data, size_t size)
{
	record(c, data, size);
	c->offset += size;
}

ssize_t console_read(struct console *c, void *buf, size_t cap)
{
	ssize_t n;

	do {
		n = read(c->fd, buf, cap);
	} while (n < 0 && errno == EINTR);
	/* a tty whose device went away says EIO, a reset socket ECONNRESET */
	if (n == 0 || (n < 0 && (errno == EIO || errno == ECONNRESET)))
		return -EPIPE;
	if (n < 0)
		return -errno;
	console_add(c, buf, (size_t)n);
	return n;
}

ssize_t console_write(struct console *c, const void *buf, size_t size)
{
	ssize_t n;

	do {
		n = write(c->fd, buf, size);
	} while (n < 0 && errno == EINTR);
	if (n >= 0)
		return n;
	return errno == EAGAIN ? 0 : -errno;
}

int console_wait(struct console *c, short events, int peer_fd, struct deadline d)
{
	struct pollfd p[2] = {
		{ .fd = c->fd, .events = events },
		{ .fd = peer_fd, .events = POLLRDHUP },
	};

	for (;;) {
		int n;

		if (stop_requested())
			return -EINTR;
		n = poll(p, 2, deadline_left_ms(d));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && p[0].revents)
			return p[0].revents;
		if (n > 0)
			return -ECANCELED;
		if (n == 0 && deadline_passed(d))
			return 0;
	}
}

uint64_t console_offset(const struct console *c)
{
	return c->offset;
}

int console_record_error(const struct console *c)
{
	return c->record_error;
}
