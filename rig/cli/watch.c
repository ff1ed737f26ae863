// SPDX-License-Identifier: GPL-2.0-or-later
/* A console on the screen; see watch.h. Layer: cli. */
#include "cli/watch.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/signals.h"
#include "io/attach.h"

#define CTRL_BRACKET 0x1d
#define LOOK_MS	     500 /* a stop that was asked for just before poll() */

/* ---- what comes in ---- */

static void keep_tail(struct watch *w, const char *data, size_t size)
{
	const size_t room = sizeof(w->tail);

	if (size > room) {
		data += size - room;
		size = room;
	}
	if (w->tail_size + size > room) {
		size_t drop = w->tail_size + size - room;

		memmove(w->tail, w->tail + drop, w->tail_size - drop);
		w->tail_size -= drop;
	}
	memcpy(w->tail + w->tail_size, data, size);
	w->tail_size += size;
}

/* In pieces of half the tail, so that the text is found wherever it lies. */
static void look(struct watch *w, const char *data, size_t size)
{
	while (size) {
		size_t n = size < WATCH_TEXT_MAX ? size : WATCH_TEXT_MAX;

		keep_tail(w, data, n);
		if (w->until && !w->seen &&
		    memmem(w->tail, w->tail_size, w->until, strlen(w->until))) {
			w->seen = true;
			w->until_ms = mono_ms() - w->start_ms;
		}
		data += n;
		size -= n;
	}
}

void watch_add(struct watch *w, const void *data, size_t size)
{
	if (!size)
		return;
	if (!w->bytes)
		w->first_ms = mono_ms() - w->start_ms;
	w->bytes += size;
	look(w, data, size);
	path_write_fd(STDOUT_FILENO, data, size);
}

const char *watch_last_line(const struct watch *w, char *text, size_t size)
{
	size_t end = w->tail_size;
	size_t begin, n = 0;

	while (end && !isgraph((unsigned char)w->tail[end - 1]))
		end--;
	for (begin = end; begin && w->tail[begin - 1] != '\n'; begin--)
		;
	for (; begin < end && n + 1 < size; begin++)
		if (isprint((unsigned char)w->tail[begin]))
			text[n++] = w->tail[begin];
	text[n] = '\0';
	return text;
}

/* ---- both ways ---- */

/* What the keeper says beside the bytes, where it cannot be taken for them. */
static const char *const keeper_words[128] = {
	['g'] = "the console is gone: ",
	['b'] = "the console is back ",
	['e'] = "errors on the line: ",
	['l'] = "bytes left out, as they came too fast: ",
	['r'] = "from here on recorded in ",
	['E'] = "not recorded any more: ",
	['x'] = "refused: ",
};

static int take_packets(struct watch *w)
{
	struct attach_packet p;
	int rc;

	while ((rc = attach_next(w->keeper, &p)) > 0) {
		const char *words = keeper_words[(unsigned char)p.type & 127];

		if (p.type == 'd')
			watch_add(w, p.data, p.size);
		else if (words)
			log_info("%s%s", words,
				 p.type == 'x' || p.type == 'E' ? p.data + strcspn(p.data, " ")
								: p.data);
		if (p.type == 'x')
			return -EACCES;
	}
	return rc ? -ENODEV : 0;
}

static int take(struct watch *w, int fd)
{
	char buf[4096];
	ssize_t n;

	if (w->keeper)
		return take_packets(w);
	n = read(fd, buf, sizeof(buf));
	if (n > 0)
		watch_add(w, buf, (size_t)n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n > 0 ? 0 : -ENODEV;
}

/* Bytes taken, 0 = none for now, -errno. */
static ssize_t put(const struct watch *w, int fd, const char *data, size_t size)
{
	ssize_t n;

	if (w->keeper) {
		int rc = attach_write(w->keeper, data, size);

		return rc == -EAGAIN ? 0 : rc ? rc : (ssize_t)size;
	}
	n = write(fd, data, size);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	return n;
}

static int send_all(const struct watch *w, int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = put(w, fd, data, size);

		if (n < 0)
			return -ENODEV;
		data += n;
		size -= (size_t)n;
		if (!n && deadline_poll(fd, POLLOUT, deadline_in(LOOK_MS)) < 0)
			return -EINTR;
	}
	return 0;
}

/* 1 = the end was asked for. */
static int type(const struct watch *w, int fd, bool terminal)
{
	char buf[256];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));
	char *stop = terminal && n > 0 ? memchr(buf, CTRL_BRACKET, (size_t)n) : NULL;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : 1;
	if (!n)
		return 1;
	if (stop)
		n = stop - buf;
	n = send_all(w, fd, buf, (size_t)n);
	return stop ? 1 : (int)n;
}

static int loop(struct watch *w, int fd, bool terminal, struct deadline d)
{
	bool typing = w->write;

	while (!w->seen && !deadline_passed(d)) {
		struct pollfd p[] = { { fd, POLLIN, 0 },
				      { typing ? STDIN_FILENO : -1, POLLIN, 0 } };
		int left = deadline_left_ms(deadline_min(d, deadline_in(LOOK_MS)));
		int rc = 0;

		if (stop_requested())
			return -EINTR;
		if (poll(p, 2, left) < 0)
			continue;
		if (p[0].revents)
			rc = take(w, fd);
		if (!rc && p[1].revents)
			rc = type(w, fd, terminal);
		/* a script's input may end before its answer came */
		if (rc == 1 && !terminal)
			typing = false;
		else if (rc)
			return rc < 0 ? rc : 0;
	}
	return 0;
}

int watch_run(struct watch *w, int fd, struct deadline d)
{
	bool terminal = w->write && isatty(STDIN_FILENO);
	struct termios old, raw;
	int rc;

	if (w->keeper)
		fd = attach_fd(w->keeper);
	if (terminal && tcgetattr(STDIN_FILENO, &old) == 0) {
		raw = old;
		cfmakeraw(&raw);
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	rc = loop(w, fd, terminal, d);
	if (terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &old);
	return rc;
}
