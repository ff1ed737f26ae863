// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a keeper's bytes come from; see source.h. Layer: console. */
#include "console/source.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A replug takes a second or two; looking is cheap. An adapter that stays away is asked less. */
#define RETRY_MS     250
#define RETRY_MAX_MS 4000

/* A line that lasted for so long is not one that flaps. */
#define STEADY_MS 10000

void source_init(struct source *s, const struct lab_console *lab, long baud)
{
	*s = (struct source){ .line = LINE_INIT, .given_fd = -1, .retry_ms = RETRY_MS };
	s->line.lab = lab;
	s->line.baud = baud;
	s->due = deadline_never();
}

static void drop_given(struct source *s)
{
	if (s->given_fd >= 0)
		close(s->given_fd);
	s->given_fd = -1;
}

void source_release(struct source *s)
{
	drop_given(s);
	line_close(&s->line);
}

static void try_later(struct source *s)
{
	s->due = deadline_in(s->retry_ms);
	s->retry_ms = 2 * s->retry_ms < RETRY_MAX_MS ? 2 * s->retry_ms : RETRY_MAX_MS;
}

static void count_from_here(struct source *s)
{
	if (!s->line.serial || serial_errors(s->line.serial, &s->counted))
		s->counted = (struct serial_errors){ 0 };
}

int source_open(struct source *s, struct err *err)
{
	int rc;

	if (!s->line.lab) {
		err_set(err, BLAME_RIG, "console", "the lab file gives this board no console");
		return -ENXIO;
	}
	drop_given(s);
	s->wanted = true;
	if (line_fd(&s->line) >= 0)
		return 0;
	rc = line_open(&s->line, err);
	if (rc) {
		try_later(s);
		return rc;
	}
	s->due = deadline_never();
	s->opened_ms = mono_ms();
	count_from_here(s);
	return 0;
}

void source_give(struct source *s, int fd)
{
	drop_given(s);
	line_close(&s->line);
	s->wanted = false;
	s->due = deadline_never();
	s->given_fd = fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int source_fd(const struct source *s)
{
	return s->given_fd >= 0 ? s->given_fd : line_fd(&s->line);
}

static ssize_t gone(struct source *s)
{
	drop_given(s);
	line_close(&s->line);
	if (s->wanted) {
		if (mono_ms() - s->opened_ms > STEADY_MS)
			s->retry_ms = RETRY_MS;
		try_later(s);
	}
	return -ENODEV;
}

ssize_t source_read(struct source *s, void *buf, size_t size)
{
	ssize_t n;

	do {
		n = read(source_fd(s), buf, size);
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		return n;
	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	/* a port that is silent gives 0 bytes, as does one that hung up */
	if (n == 0 && s->line.serial && !line_is_gone(&s->line))
		return -EAGAIN;
	return gone(s);
}

ssize_t source_write(struct source *s, const void *data, size_t size)
{
	ssize_t n;

	do {
		n = write(source_fd(s), data, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -ENODEV;
	return n;
}

struct deadline source_due(const struct source *s)
{
	return s->due;
}

bool source_returns(const struct source *s)
{
	return s->wanted;
}

bool source_errors(struct source *s, struct serial_errors *e)
{
	struct serial_errors now;

	if (!s->line.serial || serial_errors(s->line.serial, &now))
		return false;
	*e = serial_errors_since(&now, &s->counted);
	s->counted = now;
	return serial_errors_total(e) || e->breaks;
}
