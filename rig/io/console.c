// SPDX-License-Identifier: GPL-2.0-or-later
/* A recorded console stream; see console.h. Layer: io. */
#include "io/console.h"
#include "base/buf.h"
#include "base/signals.h"
#include "io/attach.h"
#include "io/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* A keeper that ends a stream has said so before. */
#define TELL_MS 2000

struct console {
	int fd;
	struct record record;
	struct attach *keeper; /* records instead of us; NULL = nobody else does */
};

struct console *console_new(int fd)
{
	struct console *c = xcalloc(1, sizeof(*c));

	c->fd = fd;
	c->record = (struct record)RECORD_INIT;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return c;
}

struct console *console_new_kept(int fd, struct attach *keeper)
{
	struct console *c = console_new(fd);

	c->keeper = keeper;
	return c;
}

void console_free(struct console *c)
{
	if (!c)
		return;
	record_stop(&c->record);
	close(c->fd);
	free(c);
}

int console_record(struct console *c, const char *log_path, const char *index_path)
{
	return record_start(&c->record, log_path, index_path);
}

void console_add(struct console *c, const void *data, size_t size)
{
	record_add(&c->record, data, size);
}

/* The end of the stream: the keeper says that it is over, or is gone itself. */
static int stream_end(struct console *c)
{
	struct deadline d = deadline_in(TELL_MS);

	while (c->keeper && !attach_state(c->keeper)->over) {
		if (attach_hear(c->keeper))
			return -ENOTCONN;
		if (attach_state(c->keeper)->over)
			break;
		if (deadline_poll(attach_fd(c->keeper), POLLIN, d) <= 0)
			break;
	}
	return -EPIPE;
}

ssize_t console_read(struct console *c, void *buf, size_t cap)
{
	ssize_t n;

	do {
		n = read(c->fd, buf, cap);
	} while (n < 0 && errno == EINTR);
	/* a tty whose device went away says EIO, a reset socket ECONNRESET */
	if (n == 0 || (n < 0 && (errno == EIO || errno == ECONNRESET)))
		return stream_end(c);
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

/* What the keeper has to say comes beside the stream. 0, or what there is no going on after. */
static int hear_keeper(struct console *c)
{
	if (!c->keeper)
		return 0;
	if (attach_hear(c->keeper))
		return -ENOTCONN;
	if (attach_state(c->keeper)->record_error)
		return attach_state(c->keeper)->record_error;
	return attach_away_ms(c->keeper) > CONSOLE_AWAY_MS ? -EPIPE : 0;
}

/* The keeper speaks up when a port comes or goes, but not when it has been away for too long. */
static struct deadline next_look(const struct console *c, struct deadline d)
{
	if (c->keeper && attach_away_ms(c->keeper))
		return deadline_min(d, deadline_in(CONSOLE_AWAY_MS / 10));
	return d;
}

int console_wait(struct console *c, short events, int peer_fd, struct deadline d)
{
	struct pollfd p[3] = {
		{ .fd = c->fd, .events = events },
		{ .fd = peer_fd, .events = POLLRDHUP },
		{ .fd = c->keeper ? attach_fd(c->keeper) : -1, .events = POLLIN },
	};

	for (;;) {
		int rc = hear_keeper(c);
		int n;

		if (rc)
			return rc;
		if (stop_requested())
			return -EINTR;
		n = poll(p, 3, deadline_left_ms(next_look(c, d)));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && p[0].revents)
			return p[0].revents;
		if (n > 0 && p[1].revents)
			return -ECANCELED;
		if (n == 0 && deadline_passed(d))
			return 0;
	}
}

uint64_t console_offset(const struct console *c)
{
	return c->record.offset;
}

int console_record_error(const struct console *c)
{
	if (c->keeper)
		return attach_state(c->keeper)->record_error;
	return c->record.error;
}
