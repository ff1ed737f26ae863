// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The control socket and its clients; see daemon.h. What a client can cost is bounded: how many
 * there are, in all and of one user, how long a line may be and how long it may take, how much is
 * kept for one that does not read. Whoever goes beyond is dropped. Layer: rigd.
 */
#include "rigd/daemon.h"
#include "rigd/control.h"
#include "rigd/loop.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/unixsock.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLIENTS_MAX	 128
#define CLIENTS_USER_MAX 64
#define OUT_MAX_BYTES	 (1u << 20)
#define REQUEST_MS	 10000 /* from a line's first byte to its last */
#define IDLE_MS		 60000 /* without a request, unless it watches */
#define ACCEPT_BATCH	 64    /* then the others get their turn */

struct client {
	struct server *server;
	int fd;
	struct loop_source *source;
	struct loop_timer *timer;
	struct buf in, out;
	bool ending;   /* is dropped when out is written */
	int64_t watch; /* a job; 0 = none */
	char user[64];
	struct client_id id;
};

struct server {
	struct daemon *daemon;
	int fd;
	char *dir, *name;
	gid_t group;
	struct loop_source *source;
	struct client *clients[CLIENTS_MAX];
	size_t n;
};

/* ---- one client ---- */

static void drop(struct client *c)
{
	struct server *s = c->server;

	for (size_t i = 0; i < s->n; i++) {
		if (s->clients[i] != c)
			continue;
		s->clients[i] = s->clients[--s->n];
		break;
	}
	loop_unwatch(c->source);
	loop_untimer(c->timer);
	close(c->fd);
	buf_release(&c->in);
	buf_release(&c->out);
	free(c);
}

static void on_time_over(void *ctx)
{
	drop(ctx);
}

/* False: it is gone. */
static bool flush(struct client *c)
{
	while (c->out.size) {
		ssize_t n = send(c->fd, c->out.data, c->out.size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			buf_consume(&c->out, (size_t)n);
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n < 0 && errno == EAGAIN)
			break;
		else
			goto gone;
	}
	if (c->out.size > OUT_MAX_BYTES || (c->ending && !c->out.size))
		goto gone;
	loop_events(c->source, (short)(c->out.size ? POLLIN | POLLOUT : POLLIN));
	return true;
gone:
	drop(c);
	return false;
}

/* The reference is taken over. False: the client is gone. */
static bool say(struct client *c, json_t *object)
{
	control_put(&c->out, object);
	return flush(c);
}

static void arm(struct client *c)
{
	if (c->in.size)
		loop_arm(c->timer, deadline_in(REQUEST_MS));
	else
		loop_arm(c->timer, c->watch ? deadline_never() : deadline_in(IDLE_MS));
}

/* False: the client is gone. */
static bool take_requests(struct client *c)
{
	struct err err = ERR_INIT;
	json_t *request;
	int rc;

	while ((rc = control_take(&c->in, &request, &err)) == 1) {
		json_t *answer = ops_answer(c->server->daemon, &c->id, request, &c->watch);

		json_decref(request);
		if (!say(c, answer))
			return false;
	}
	if (rc < 0) {
		c->ending = true;
		buf_reset(&c->in);
		return say(c, control_failure(&err));
	}
	return true;
}

static void on_client(void *ctx, short revents)
{
	struct client *c = ctx;
	bool fresh = !c->in.size;
	char chunk[16384];
	ssize_t n;

	if ((revents & POLLOUT) && !flush(c))
		return;
	if (!(revents & (POLLIN | POLLHUP | POLLERR)))
		return;
	n = recv(c->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(c);
		return;
	}
	/* one that was told to go may still be sending */
	if (c->ending)
		return;
	buf_append(&c->in, chunk, (size_t)n);
	if (!take_requests(c))
		return;
	/* a half line does not renew its time with each of its bytes */
	if (fresh || !c->in.size)
		arm(c);
}

/* ---- who may come in ---- */

static bool in_group(int fd, gid_t group, const struct ucred *peer)
{
	gid_t groups[256];
	socklen_t size = sizeof(groups);

	if (peer->gid == group)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == group)
			return true;
	return false;
}

static void user_name(uid_t uid, char *name, size_t size)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw)
		snprintf(name, size, "%s", pw->pw_name);
	else
		snprintf(name, size, "uid %u", (unsigned int)uid);
}

static size_t clients_of(const struct server *s, int64_t uid)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->clients[i]->id.uid == uid;
	return n;
}

/* Says why, if it reads at once, and hangs up. */
static void turn_away(int fd, enum blame blame, const char *code, const char *why)
{
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;

	err_set(&err, blame, code, "%s", why);
	control_put(&out, control_failure(&err));
	(void)!send(fd, out.data, out.size, MSG_NOSIGNAL | MSG_DONTWAIT);
	buf_release(&out);
	close(fd);
}

static void welcome(struct server *s, int fd, const struct ucred *peer)
{
	struct client *c = xcalloc(1, sizeof(*c));

	c->server = s;
	c->fd = fd;
	c->id.uid = peer->uid;
	c->id.admin = peer->uid == 0 || peer->uid == geteuid();
	user_name(peer->uid, c->user, sizeof(c->user));
	c->id.user = c->user;
	c->source = loop_watch(s->daemon->loop, fd, POLLIN, on_client, c);
	c->timer = loop_timer(s->daemon->loop, on_time_over, c);
	s->clients[s->n++] = c;
	arm(c);
}

static void admit(struct server *s, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) {
		close(fd);
		return;
	}
	if (peer.uid != 0 && peer.uid != geteuid() && !in_group(fd, s->group, &peer))
		turn_away(fd, BLAME_USER, "denied",
			  "you are not of the group that may use this rig");
	else if (s->n >= CLIENTS_MAX || clients_of(s, peer.uid) >= CLIENTS_USER_MAX)
		turn_away(fd, BLAME_RIG, "too-many", "too many connections; try again");
	else
		welcome(s, fd, &peer);
}

static void on_knock(void *ctx, short revents)
{
	struct server *s = ctx;

	(void)revents;
	for (int i = 0; i < ACCEPT_BATCH; i++) {
		int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		admit(s, fd);
	}
}

/* ---- the socket ---- */

static int find_group(const char *group, gid_t *gid, struct err *err)
{
	const struct group *gr = group ? getgrnam(group) : NULL;

	*gid = gr ? gr->gr_gid : getegid();
	if (group && !gr)
		return err_set(err, BLAME_USER, "group", "--group: there is no group '%s'", group);
	return 0;
}

int server_open(struct daemon *d, const char *group, struct err *err)
{
	struct server *s = xcalloc(1, sizeof(*s));
	char *path;
	int rc;

	d->server = s;
	s->daemon = d;
	control_where(&s->dir, &s->name);
	s->fd = -1;
	if (find_group(group, &s->group, err))
		return -1;
	s->fd = unixsock_listen(s->dir, s->name, SOCK_STREAM, 0660);
	path = xasprintf("%s/%s", s->dir, s->name);
	rc = s->fd < 0 ? s->fd : 0;
	if (!rc && group && lchown(path, (uid_t)-1, s->group) < 0)
		rc = -errno;
	if (rc)
		err_sys(err, BLAME_RIG, "socket", rc, "%s", path);
	else
		s->source = loop_watch(d->loop, s->fd, POLLIN, on_knock, s);
	free(path);
	return rc ? -1 : 0;
}

void server_close(struct daemon *d)
{
	struct server *s = d->server;

	if (!s)
		return;
	while (s->n)
		drop(s->clients[0]);
	loop_unwatch(s->source);
	/* the path stays: a daemon that follows may have it already */
	if (s->fd >= 0)
		close(s->fd);
	free(s->dir);
	free(s->name);
	free(s);
	d->server = NULL;
}

void server_tell(struct daemon *d, int64_t job, json_t *object)
{
	struct server *s = d->server;

	for (size_t i = s ? s->n : 0; i-- > 0;)
		if (s->clients[i]->watch == job)
			say(s->clients[i], json_incref(object));
	json_decref(object);
}

void server_tell_end(struct daemon *d, int64_t job)
{
	struct server *s = d->server;
	json_t *row = NULL;

	for (size_t i = s ? s->n : 0; i-- > 0;) {
		struct client *c = s->clients[i];

		if (c->watch != job)
			continue;
		if (!row)
			row = ops_job(d, job);
		c->watch = 0;
		arm(c);
		say(c, json_pack("{s:b, s:O}", "ok", 1, "job", row));
	}
	json_decref(row);
}

size_t server_clients(const struct daemon *d)
{
	return d->server ? d->server->n : 0;
}
