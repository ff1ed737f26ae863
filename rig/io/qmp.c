// SPDX-License-Identifier: GPL-2.0-or-later
/* QMP client; see qmp.h. Layer: io. */
#include "io/qmp.h"
#include "base/buf.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A QEMU that floods us with events nobody waits for must not eat our memory. */
#define EVENTS_MAX 256

struct qmp {
	int fd;
	struct buf in;
	json_t *events; /* array, oldest first */
	char error[256];
};

struct qmp *qmp_new(int fd)
{
	struct qmp *q = xcalloc(1, sizeof(*q));

	q->fd = fd;
	q->events = json_array();
	return q;
}

void qmp_free(struct qmp *q)
{
	if (!q)
		return;
	close(q->fd);
	buf_release(&q->in);
	json_decref(q->events);
	free(q);
}

static int fill(struct qmp *q, struct deadline d)
{
	char chunk[4096];
	int rc = deadline_poll(q->fd, POLLIN, d);
	ssize_t n;

	if (rc <= 0)
		return rc ? rc : -ETIMEDOUT;
	n = read(q->fd, chunk, sizeof(chunk));
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return -EPIPE;
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	buf_append(&q->in, chunk, (size_t)n);
	return 0;
}

/* The next line as an object; events are queued on the way. */
static int next_message(struct qmp *q, json_t **message, struct deadline d)
{
	char *end;
	int rc;

	while (!(end = memchr(buf_str(&q->in), '\n', q->in.size))) {
		rc = fill(q, d);
		if (rc)
			return rc;
	}
	*message = json_loadb(q->in.data, (size_t)(end - q->in.data), 0, NULL);
	buf_consume(&q->in, (size_t)(end - q->in.data) + 1);
	return json_is_object(*message) ? 0 : -EPROTO;
}

static void queue_event(struct qmp *q, json_t *event)
{
	if (json_array_size(q->events) >= EVENTS_MAX)
		json_array_remove(q->events, 0);
	json_array_append_new(q->events, event);
}

static int send_line(struct qmp *q, json_t *message, struct deadline d)
{
	char *text = json_dumps(message, JSON_COMPACT);
	struct buf line = BUF_INIT;
	size_t done = 0;
	int rc = 0;

	buf_addf(&line, "%s\r\n", text);
	free(text);
	while (!rc && done < line.size) {
		ssize_t n = send(q->fd, line.data + done, line.size - done,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			rc = deadline_poll(q->fd, POLLOUT, d) ?: -ETIMEDOUT;
		else if (errno != EINTR)
			rc = -errno;
		if (rc > 0)
			rc = 0;
	}
	buf_release(&line);
	return rc;
}

static void keep_error(struct qmp *q, json_t *error)
{
	const char *text = json_string_value(json_object_get(error, "desc"));

	snprintf(q->error, sizeof(q->error), "%s", text ? text : "unknown error");
}

int qmp_execute(struct qmp *q, const char *command, json_t *args, json_t **ret, struct deadline d)
{
	json_t *message = json_pack("{s:s, s:o*}", "execute", command, "arguments", args);
	json_t *value;
	int rc;

	q->error[0] = '\0';
	rc = send_line(q, message, d);
	json_decref(message);
	while (!rc) {
		rc = next_message(q, &message, d);
		if (rc)
			break;
		if (json_object_get(message, "event")) {
			queue_event(q, message);
			continue;
		}
		value = json_object_get(message, "return");
		if (value && ret)
			*ret = json_incref(value);
		if (!value) {
			keep_error(q, json_object_get(message, "error"));
			rc = -EREMOTEIO;
		}
		json_decref(message);
		return rc;
	}
	return rc;
}

int qmp_greet(struct qmp *q, struct deadline d)
{
	json_t *greeting;
	int rc = next_message(q, &greeting, d);
	bool good;

	if (rc)
		return rc;
	good = json_object_get(greeting, "QMP") != NULL;
	json_decref(greeting);
	return good ? qmp_execute(q, "qmp_capabilities", NULL, NULL, d) : -EPROTO;
}

static bool take_event(struct qmp *q, const char *name, json_t **event)
{
	size_t i;
	json_t *e;

	json_array_foreach (q->events, i, e) {
		const char *is = json_string_value(json_object_get(e, "event"));

		if (!is || strcmp(is, name) != 0)
			continue;
		if (event)
			*event = json_incref(e);
		json_array_remove(q->events, i);
		return true;
	}
	return false;
}

int qmp_event(struct qmp *q, const char *name, json_t **event, struct deadline d)
{
	while (!take_event(q, name, event)) {
		json_t *message;
		int rc = next_message(q, &message, d);

		if (rc)
			return rc;
		if (json_object_get(message, "event"))
			queue_event(q, message);
		else
			json_decref(message);
	}
	return 0;
}

const char *qmp_error(const struct qmp *q)
{
	return q->error;
}
