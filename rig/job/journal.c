// SPDX-License-Identifier: GPL-2.0-or-later
/* The journal; see journal.h. Layer: job. */
#include "job/journal.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "conf/event.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Some twenty events, of which an ending session needs about five. */
#define RESERVE_BYTES 16384

/* A supervisor that does not read for that long is as good as gone. */
#define MIRROR_MS 10000

/* It imports the round and runs the statistics before it answers. */
#define ASK_MS 600000

struct journal {
	int fd;
	int control_fd; /* -1 = none, or given up */
	bool adopted;	/* control_fd was accepted, so it is ours */
	int listen_fd;	/* -1 = who is left alone ends */
	off_t size;	/* up to here the file holds whole lines */
	char *path;
};

/* Keeps RESERVE_BYTES allocated beyond the end. 0 or -errno. */
static int reserve(struct journal *j)
{
	if (fallocate(j->fd, FALLOC_FL_KEEP_SIZE, j->size, RESERVE_BYTES) == 0)
		return 0;
	/* a file system that cannot reserve: the session then ends without its last words */
	return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -errno;
}

static int write_error(struct journal *j, int rc, struct err *err)
{
	bool full = rc == -ENOSPC || rc == -EDQUOT || rc == -EFBIG;

	return err_sys(err, BLAME_RIG, full ? "disk-full" : "journal", rc, "cannot write %s",
		       j->path);
}

int journal_open(struct journal **out, const char *path, int control_fd, struct err *err)
{
	struct journal *j = xcalloc(1, sizeof(*j));
	int rc;

	j->path = xstrdup(path);
	j->control_fd = control_fd;
	j->listen_fd = -1;
	j->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	rc = j->fd < 0 ? -errno : reserve(j);
	if (rc) {
		write_error(j, rc, err);
		journal_close(j);
		return -1;
	}
	*out = j;
	return 0;
}

void journal_listen(struct journal *j, int listen_fd)
{
	j->listen_fd = listen_fd;
}

static void drop_supervisor(struct journal *j)
{
	if (j->adopted)
		close(j->control_fd);
	j->adopted = false;
	j->control_fd = -1;
}

/* Somebody may have come since. */
static void take_supervisor(struct journal *j)
{
	int fd;

	if (j->control_fd >= 0 || j->listen_fd < 0)
		return;
	fd = accept4(j->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	j->adopted = fd >= 0;
	j->control_fd = fd;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	drop_supervisor(j);
	if (j->fd >= 0) {
		/* cuts off the reserve; a file that stays too long is no harm */
		if (ftruncate(j->fd, j->size) == 0)
			fsync(j->fd);
		close(j->fd);
	}
	free(j->path);
	free(j);
}

/* One write; a part of a line is taken back. */
static int append(struct journal *j, const char *line, size_t size)
{
	ssize_t n;
	int rc;

	do {
		n = pwrite(j->fd, line, size, j->size);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)size) {
		rc = n < 0 ? -errno : -ENOSPC;
		if (n > 0 && ftruncate(j->fd, j->size) < 0)
			return -errno;
		return rc;
	}
	j->size += n;
	if (fsync(j->fd) < 0)
		return -errno;
	return reserve(j);
}

static void mirror(struct journal *j, const char *line, size_t size)
{
	struct deadline d = deadline_in(MIRROR_MS);

	take_supervisor(j);
	while (size && j->control_fd >= 0) {
		struct pollfd p = { .fd = j->control_fd, .events = POLLOUT };
		ssize_t n = send(j->control_fd, line, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0) {
			line += n;
			size -= (size_t)n;
		} else if (errno == EAGAIN && !deadline_passed(d)) {
			/* the end of a cancelled session has to get through: no deadline_poll() */
			poll(&p, 1, deadline_left_ms(d));
		} else if (errno != EINTR) {
			drop_supervisor(j);
		}
	}
}

int journal_event(struct journal *j, const char *event, json_t *fields, struct err *err)
{
	char *line = event_line(event, fields);
	int rc = append(j, line, strlen(line));

	mirror(j, line, strlen(line));
	free(line);
	json_decref(fields);
	return rc ? write_error(j, rc, err) : 0;
}

static int gone(struct err *err)
{
	return err_set(err, BLAME_RIG, "supervisor-gone",
		       "the supervisor of this job hung up or does not answer");
}

/* 0; 1 when the supervisor hung up or was silent; -1 with err when a stop was asked for. */
static int read_answer(int fd, char *answer, size_t size, struct err *err)
{
	struct deadline d = deadline_in(ASK_MS);
	size_t n = 0;

	answer[0] = '\0';
	while (!strchr(answer, '\n') && n < size - 1) {
		int rc = deadline_poll(fd, POLLIN, d);
		ssize_t got;

		if (rc == -EINTR)
			return err_set(err, BLAME_USER, "cancelled", "cancelled");
		got = rc > 0 ? recv(fd, answer + n, size - 1 - n, 0) : 0;
		if (got <= 0)
			return 1;
		n += (size_t)got;
		answer[n] = '\0';
	}
	return 0;
}

/* 0 when there is one, or will be none: then the question meets nobody. */
static int await_supervisor(struct journal *j, struct err *err)
{
	int rc;

	take_supervisor(j);
	if (j->control_fd >= 0 || j->listen_fd < 0)
		return 0;
	rc = deadline_poll(j->listen_fd, POLLIN, deadline_in(ASK_MS));
	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "cancelled");
	take_supervisor(j);
	return j->control_fd >= 0 ? 0 : gone(err);
}

static void send_question(struct journal *j, unsigned int pair)
{
	json_t *fields = json_pack("{s:i}", "pair", (int)pair);
	char *line = event_line("ask", fields);

	json_decref(fields);
	mirror(j, line, strlen(line));
	free(line);
}

/* A supervisor that dies over the question is followed by the next one. */
int journal_ask(struct journal *j, unsigned int pair, struct err *err)
{
	char answer[32];
	int rc;

	do {
		if (await_supervisor(j, err))
			return -1;
		send_question(j, pair);
		rc = j->control_fd < 0 ? 1
				       : read_answer(j->control_fd, answer, sizeof(answer), err);
		if (rc > 0)
			drop_supervisor(j);
	} while (rc > 0 && j->listen_fd >= 0);
	if (rc)
		return rc < 0 ? -1 : gone(err);
	return !strcmp(answer, "more\n");
}
