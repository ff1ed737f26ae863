// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is attached to a keeper; see clients.h. Layer: console. */
#include "console/clients.h"
#include "base/err.h"
#include "console/keeper.h"
#include "console/lease.h"
#include "io/unix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What one client gets before the board is looked at again. */
#define TURN_PACKETS 32

/* A new reader sees that much of what was there before. */
#define BACKLOG_BYTES 2048

void clients_init(struct keeper *k)
{
	for (size_t i = 0; i < KEEPER_CLIENTS; i++)
		k->clients[i].fd = -1;
}

struct keeper_client *clients_job(struct keeper *k)
{
	for (size_t i = 0; i < KEEPER_CLIENTS; i++)
		if (k->clients[i].fd >= 0 && k->clients[i].greeted &&
		    k->clients[i].mode == ATTACH_JOB)
			return &k->clients[i];
	return NULL;
}

static void let_go(struct keeper *k, struct keeper_client *c)
{
	bool was_job = c->greeted && c->mode == ATTACH_JOB;

	close(c->fd);
	c->fd = -1;
	c->greeted = false;
	if (!was_job)
		return;
	keeper_drop_stream(k);
	k->linger = deadline_in(KEEPER_LINGER_MS);
}

void clients_release(struct keeper *k)
{
	for (size_t i = 0; i < KEEPER_CLIENTS; i++)
		if (k->clients[i].fd >= 0)
			close(k->clients[i].fd);
}

/* ---- answers ---- */

static int answer(struct keeper_client *c, char type, const char *text, int fd)
{
	char packet[ATTACH_PACKET_MAX];
	int n = snprintf(packet, sizeof(packet), "%c%s", type, text);

	if (n >= (int)sizeof(packet))
		n = sizeof(packet) - 1;
	return unix_send(c->fd, packet, (size_t)n, fd);
}

static void refuse(struct keeper_client *c, int rc, const char *why)
{
	char text[600];

	snprintf(text, sizeof(text), "%d %.500s", abs(rc), why);
	answer(c, 'x', text, -1);
}

/* ---- requests ---- */

static uint64_t backlog(const struct keeper *k)
{
	uint64_t begin = feed_begin(&k->feed);

	if (k->feed.end - begin > BACKLOG_BYTES)
		begin = k->feed.end - BACKLOG_BYTES;
	return begin < k->base ? k->base : begin;
}

static bool is_master(const struct keeper_client *c)
{
	return c->uid == 0 || c->uid == geteuid();
}

static bool allows(struct keeper *k, const struct keeper_client *c, char *why, size_t size)
{
	return lease_allows(k->o->lease_path, c->uid, clients_job(k) != NULL, time(NULL), why,
			    size);
}

/* True when it may come in. */
static bool check_mode(struct keeper *k, struct keeper_client *c, enum attach_mode mode)
{
	struct keeper_client *job = clients_job(k);
	char why[300];

	if (mode >= ATTACH_JOB && !is_master(c)) {
		refuse(c, EACCES, "only the user whom the keeper runs as may do that");
		return false;
	}
	if (mode == ATTACH_JOB && job) {
		snprintf(why, sizeof(why), "%s runs the board", job->owner);
		refuse(c, EBUSY, why);
		return false;
	}
	if (mode == ATTACH_WRITE && !allows(k, c, why, sizeof(why))) {
		refuse(c, EACCES, why);
		return false;
	}
	return true;
}

static void greet(struct keeper *k, struct keeper_client *c, const char *text)
{
	size_t n = strcspn(text, " ");
	int mode = 0;

	while (mode < ATTACH_MODES && (strlen(attach_mode_names[mode]) != n ||
				       memcmp(attach_mode_names[mode], text, n) != 0))
		mode++;
	if (mode == ATTACH_MODES || c->greeted) {
		refuse(c, EPROTO, "hello: a mode and who you are");
		return;
	}
	if (!check_mode(k, c, (enum attach_mode)mode))
		return;
	c->mode = (enum attach_mode)mode;
	c->greeted = true;
	snprintf(c->owner, sizeof(c->owner), "%s", text[n] ? text + n + 1 : "somebody");
	c->at = backlog(k);
	c->mark = k->feed.n_marks;
	answer(c, 'h', k->dir ? k->dir : "", -1);
}

static void on_type(struct keeper *k, struct keeper_client *c, const char *data, size_t size)
{
	char why[300];

	if (c->mode != ATTACH_WRITE) {
		refuse(c, EACCES, "you are attached to read only");
		return;
	}
	if (!allows(k, c, why, sizeof(why))) {
		refuse(c, EACCES, why);
		return;
	}
	if (k->typed.size + size > KEEPER_TYPED_MAX)
		refuse(c, EAGAIN, "the board does not take what is typed");
	else
		buf_append(&k->typed, data, size);
}

static void on_record(struct keeper *k, struct keeper_client *c, const char *dir)
{
	int rc = *dir == '/' ? keeper_record(k, dir, false) : -EINVAL;

	if (rc)
		refuse(c, rc, strerror(abs(rc)));
	else
		answer(c, 'r', dir, -1);
}

/* The stream begins where the record does, so that its offsets are those of the log. */
static void hand_out(struct keeper *k, struct keeper_client *c)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		refuse(c, errno, "socketpair");
		return;
	}
	keeper_drop_stream(k);
	k->stream_fd = pair[0];
	k->at = k->base;
	k->is_behind = false;
	answer(c, 'f', "", pair[1]);
	close(pair[1]);
}

/* A descriptor that came along is taken over. */
static void on_source(struct keeper *k, struct keeper_client *c, int fd)
{
	struct err err = ERR_INIT;
	int rc = 0;

	if (fd >= 0)
		source_give(&k->source, fd);
	else
		rc = source_open(&k->source, &err);
	if (rc) {
		refuse(c, rc, err.message);
		return;
	}
	k->away = false;
	c->mark = k->feed.n_marks;
	hand_out(k, c);
}

static void on_quit(struct keeper *k, struct keeper_client *c)
{
	keeper_take(k);
	k->ends = c->mode == ATTACH_CONTROL || !k->o->stay;
	if (!k->ends)
		refuse(c, EBUSY, "it stays");
}

/* A descriptor that nobody wants is closed. */
static void obey(struct keeper *k, struct keeper_client *c, const char *packet, size_t size, int fd)
{
	const char *text = packet + 1;
	bool job = c->greeted && c->mode == ATTACH_JOB;

	if (packet[0] == 'h')
		greet(k, c, text);
	else if (!c->greeted)
		refuse(c, EPROTO, "say hello first");
	else if (packet[0] == 'w')
		on_type(k, c, text, size - 1);
	else if (packet[0] == 'n' && job)
		on_record(k, c, text);
	else if (packet[0] == 's' && job) {
		on_source(k, c, fd);
		return;
	} else if (packet[0] == 'q' && c->mode >= ATTACH_JOB)
		on_quit(k, c);
	else
		refuse(c, EPROTO, "that is not for you, or not known");
	if (fd >= 0)
		close(fd);
}

void clients_hear(struct keeper *k, struct keeper_client *c)
{
	char packet[ATTACH_PACKET_MAX + 1];

	while (c->fd >= 0) {
		int fd;
		ssize_t n = unix_recv(c->fd, packet, ATTACH_PACKET_MAX, &fd);

		if (n == -EAGAIN)
			return;
		if (n <= 0) {
			let_go(k, c);
			return;
		}
		packet[n] = '\0';
		obey(k, c, packet, (size_t)n, fd);
	}
}

void clients_accept(struct keeper *k)
{
	int fd = accept4(k->o->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (size_t i = 0; i < KEEPER_CLIENTS; i++) {
		struct keeper_client *c = &k->clients[i];

		if (c->fd >= 0)
			continue;
		*c = (struct keeper_client){ .fd = fd, .uid = unix_peer_uid(fd) };
		return;
	}
	close(fd);
}

/* ---- serving ---- */

/* One packet. 1 sent, 0 there is nothing, -EAGAIN, -EPIPE. */
static int send_data(struct keeper *k, struct keeper_client *c, uint64_t limit)
{
	char packet[ATTACH_PACKET_MAX];
	const char *data;
	size_t n = feed_piece(&k->feed, c->at, limit, &data);
	int rc;

	if (!n)
		return 0;
	if (n > sizeof(packet) - 1)
		n = sizeof(packet) - 1;
	packet[0] = 'd';
	memcpy(packet + 1, data, n);
	rc = unix_send(c->fd, packet, n + 1, -1);
	if (rc)
		return rc;
	c->at += n;
	return 1;
}

static int send_lost(struct keeper *k, struct keeper_client *c)
{
	uint64_t begin = feed_begin(&k->feed);
	char text[32];
	int rc;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)(begin - c->at));
	rc = answer(c, 'l', text, -1);
	if (!rc)
		c->at = begin;
	return rc ? rc : 1;
}

static int send_next(struct keeper *k, struct keeper_client *c)
{
	bool reads = c->mode == ATTACH_READ || c->mode == ATTACH_WRITE;
	const struct feed_mark *m = feed_next_mark(&k->feed, &c->mark);
	int rc;

	if (m && m->type == 'r' && !reads) {
		c->mark++; /* a job has its answer */
		return 1;
	}
	if (reads && c->at < feed_begin(&k->feed))
		return send_lost(k, c);
	if (reads) {
		rc = send_data(k, c, m ? m->at : k->feed.end);
		if (rc)
			return rc;
	}
	if (!m)
		return 0;
	rc = answer(c, m->type, m->text, -1);
	if (!rc)
		c->mark++;
	return rc ? rc : 1;
}

static void serve(struct keeper *k, struct keeper_client *c)
{
	int rc = 1;

	for (int i = 0; rc > 0 && i < TURN_PACKETS; i++)
		rc = send_next(k, c);
	/* more to send: poll() says at once that it can be */
	c->is_behind = rc > 0 || rc == -EAGAIN;
	if (rc < 0 && rc != -EAGAIN)
		let_go(k, c);
}

void clients_serve(struct keeper *k)
{
	for (size_t i = 0; i < KEEPER_CLIENTS; i++)
		if (k->clients[i].fd >= 0 && k->clients[i].greeted)
			serve(k, &k->clients[i]);
}
