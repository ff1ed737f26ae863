// SPDX-License-Identifier: GPL-2.0-or-later
/* The control socket; see control.h. Layer: rigd. */
#include "rigd/control.h"
#include "base/path.h"
#include "base/unixsock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The daemon answers at once; while it imports a large run it may take a little longer. */
#define ANSWER_MS 60000

void control_where(char **dir, char **name)
{
	const char *env = getenv("RIG_SOCKET");

	if (env && strchr(env, '/') && *path_name(env)) {
		*dir = path_dir(env);
		*name = xstrdup(path_name(env));
	} else {
		*dir = path_home();
		*name = xstrdup("rigd.sock");
	}
}

/* ---- lines ---- */

static int bad(struct err *err, const char *what)
{
	return err_set(err, BLAME_USER, "protocol", "%s", what);
}

int control_take(struct buf *in, json_t **object, struct err *err)
{
	char *end = in->size ? memchr(in->data, '\n', in->size) : NULL;
	size_t size = end ? (size_t)(end - in->data) : in->size;

	*object = NULL;
	if (size > CONTROL_LINE_MAX)
		return bad(err, "a line of more than 64 KiB");
	if (!end)
		return 0;
	*object = json_loadb(in->data, size, JSON_REJECT_DUPLICATES, NULL);
	buf_consume(in, size + 1);
	if (json_is_object(*object))
		return 1;
	json_decref(*object);
	*object = NULL;
	return bad(err, "a line that is not a JSON object");
}

void control_put(struct buf *out, json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);

	if (text) {
		buf_adds(out, text);
		buf_adds(out, "\n");
	}
	free(text);
	json_decref(object);
}

json_t *control_failure(const struct err *err)
{
	json_t *o = json_pack("{s:b, s:s, s:s, s:s}", "ok", 0, "blame", blame_name(err->blame),
			      "code", err->code, "error", err->message);

	/* a message that quotes what is not UTF-8 */
	return o ? o
		 : json_pack("{s:b, s:s, s:s, s:s}", "ok", 0, "blame", blame_name(err->blame),
			     "code", err->code, "error", "unprintable");
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

int control_error(const json_t *answer, struct err *err)
{
	enum blame blame;

	if (json_is_true(json_object_get(answer, "ok")))
		return 0;
	blame = blame_parse(text_of(answer, "blame"));
	return err_set(err, blame == BLAME_NONE ? BLAME_RIG : blame, text_of(answer, "code"),
		       "rigd: %s", text_of(answer, "error"));
}

/* ---- the client ---- */

struct control {
	int fd;
	struct buf in;
};

int control_open(struct control **out, struct err *err)
{
	char *dir, *name;
	int fd;

	control_where(&dir, &name);
	fd = unixsock_connect(dir, name, SOCK_STREAM);
	if (fd == -EACCES)
		err_set(err, BLAME_USER, "denied",
			"%s/%s: you are not of the group that may use this rig", dir, name);
	else if (fd < 0)
		err_sys(err, BLAME_RIG, "no-daemon", fd, "no rigd at %s/%s", dir, name);
	free(name);
	free(dir);
	if (fd < 0)
		return -1;
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = fd;
	return 0;
}

void control_close(struct control *c)
{
	if (!c)
		return;
	close(c->fd);
	buf_release(&c->in);
	free(c);
}

static int lost(struct err *err)
{
	return err_set(err, BLAME_RIG, "daemon-lost", "rigd went away or does not answer");
}

static int cancelled(struct err *err)
{
	return err_set(err, BLAME_USER, "cancelled", "cancelled");
}

static int send_all(struct control *c, const struct buf *out, struct deadline d, struct err *err)
{
	size_t done = 0;

	while (done < out->size) {
		ssize_t n = send(c->fd, out->data + done, out->size - done, MSG_NOSIGNAL);
		int rc;

		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return lost(err);
		rc = deadline_poll(c->fd, POLLOUT, d);
		if (rc <= 0)
			return rc == -EINTR ? cancelled(err) : lost(err);
	}
	return 0;
}

int control_next(struct control *c, json_t **object, struct deadline d, struct err *err)
{
	for (;;) {
		char chunk[4096];
		int rc = control_take(&c->in, object, err);
		ssize_t n;

		if (rc)
			return rc < 0 ? -1 : 0;
		rc = deadline_poll(c->fd, POLLIN, d);
		if (rc <= 0)
			return rc == -EINTR ? cancelled(err) : rc ? lost(err) : 1;
		n = recv(c->fd, chunk, sizeof(chunk), 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return lost(err);
		buf_append(&c->in, chunk, (size_t)n);
	}
}

int control_call(struct control *c, json_t *request, json_t **answer, struct err *err)
{
	struct deadline d = deadline_in(ANSWER_MS);
	struct buf out = BUF_INIT;
	json_t *got = NULL;
	int rc;

	control_put(&out, request);
	rc = out.size > CONTROL_LINE_MAX ? bad(err, "the request is larger than 64 KiB")
					 : send_all(c, &out, d, err);
	if (!rc)
		rc = control_next(c, &got, d, err);
	if (rc == 1)
		rc = lost(err);
	if (!rc)
		rc = control_error(got, err);
	if (!rc && answer)
		*answer = json_incref(got);
	json_decref(got);
	buf_release(&out);
	return rc;
}

int control_ask(json_t *request, json_t **answer, struct err *err)
{
	struct control *c = NULL;
	int rc = control_open(&c, err);

	if (rc)
		json_decref(request);
	else
		rc = control_call(c, request, answer, err);
	control_close(c);
	return rc;
}
