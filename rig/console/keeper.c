// SPDX-License-Identifier: GPL-2.0-or-later
/* The console keeper; see keeper.h. Layer: console. */
#include "console/keeper.h"
#include "base/err.h"
#include "base/path.h"
#include "base/signals.h"
#include "board/lab-ports.h"
#include "board/wiring.h"
#include "console/clients.h"
#include "console/idle.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* At most so many reads before everybody else gets a turn. */
#define TURN_READS 16

/* ---- the stream ---- */

void keeper_mark(struct keeper *k, char type, const char *text)
{
	static const char *const words[128] = {
		['g'] = "gap: ",
		['b'] = "back ",
		['e'] = "errors: ",
		['o'] = "over: ",
	};
	char line[FEED_MARK_TEXT + 16];

	feed_mark(&k->feed, type, text);
	if (!words[(unsigned char)type & 127])
		return;
	snprintf(line, sizeof(line), "%s%s", words[(unsigned char)type & 127], text);
	record_mark(&k->record, line);
}

static void tell_record_error(struct keeper *k)
{
	char text[200];

	snprintf(text, sizeof(text), "%d cannot record the console in %s: %s", -k->record.error,
		 k->dir, strerror(-k->record.error));
	keeper_mark(k, 'E', text);
}

static void add(struct keeper *k, const char *data, size_t size)
{
	bool recorded = !k->record.error;

	record_add(&k->record, data, size);
	if (recorded && k->record.error)
		tell_record_error(k);
	feed_add(&k->feed, data, size);
	if (!k->looked_ms)
		k->looked_ms = mono_ms();
}

static void came(struct keeper *k)
{
	char text[64];

	if (!k->away)
		return;
	k->away = false;
	snprintf(text, sizeof(text), "after %llu ms", (unsigned long long)(mono_ms() - k->gone_ms));
	keeper_mark(k, 'b', text);
}

static void went(struct keeper *k, const char *why)
{
	if (!source_returns(&k->source)) {
		keeper_mark(k, 'o', "its other end is gone");
		return;
	}
	if (!k->away) {
		k->away = true;
		k->gone_ms = mono_ms();
		keeper_mark(k, 'g', why);
	}
}

/* Once a second while bytes come. */
static void look_after(struct keeper *k)
{
	char text[SERIAL_ERRORS_SIZE];
	struct serial_errors e;

	k->looked_ms = 0;
	record_flush(&k->record);
	if (source_errors(&k->source, &e))
		keeper_mark(k, 'e', serial_errors_text(&e, text));
}

void keeper_take(struct keeper *k)
{
	char chunk[16384];

	for (int i = 0; i < TURN_READS && source_fd(&k->source) >= 0; i++) {
		ssize_t n = source_read(&k->source, chunk, sizeof(chunk));

		if (n == -ENODEV)
			went(k, "the port has left, or its program has ended");
		if (n <= 0)
			return;
		add(k, chunk, (size_t)n);
		/* a tty gives what it has; another read would only say that there is no more */
		if (n < (ssize_t)sizeof(chunk) / 8)
			return;
	}
}

int keeper_record(struct keeper *k, const char *dir, bool idle)
{
	int rc;

	keeper_take(k);
	look_after(k);
	free(k->dir);
	k->dir = xstrdup(dir);
	k->idle = idle;
	rc = record_start_in(&k->record, dir);
	k->base = k->feed.end;
	if (rc)
		k->record.error = rc;
	keeper_mark(k, 'r', dir);
	return rc;
}

static void record_idle(struct keeper *k)
{
	char *dir = idle_dir(k->o->idle_dir, KEEPER_IDLE_KEPT);

	if (dir)
		keeper_record(k, dir, true);
	free(dir);
}

/* ---- the job's stream ---- */

void keeper_drop_stream(struct keeper *k)
{
	if (k->stream_fd >= 0)
		close(k->stream_fd);
	k->stream_fd = -1;
	k->is_behind = false;
}

/* The next bytes for the stream: from the feed, or from disk when the job is far behind. */
static size_t stream_piece(struct keeper *k, char *chunk, size_t size, const char **data)
{
	ssize_t n;

	if (k->at >= feed_begin(&k->feed))
		return feed_piece(&k->feed, k->at, k->feed.end, data);
	n = k->at < k->base ? 0 : record_read(&k->record, k->at - k->base, chunk, size);
	*data = chunk;
	return n > 0 ? (size_t)n : 0;
}

/* It cannot be told any more what came next: the job must not believe that nothing did. */
static void stream_broken(struct keeper *k)
{
	keeper_mark(k, 'E', "5 the job was too slow for a console that cannot be recorded");
	keeper_drop_stream(k);
}

static void serve_stream(struct keeper *k)
{
	char chunk[16384];
	const char *data;

	k->is_behind = false;
	while (k->stream_fd >= 0 && k->at < k->feed.end) {
		size_t n = stream_piece(k, chunk, sizeof(chunk), &data);
		ssize_t sent;

		if (!n) {
			stream_broken(k);
			return;
		}
		sent = send(k->stream_fd, data, n, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
			k->is_behind = true;
			return;
		}
		if (sent < 0) {
			keeper_drop_stream(k);
			return;
		}
		k->at += (uint64_t)sent;
	}
	/* all is told: the end of the source is the end of the stream */
	if (k->stream_fd >= 0 && source_fd(&k->source) < 0 && !source_returns(&k->source))
		shutdown(k->stream_fd, SHUT_WR);
}

static void hear_stream(struct keeper *k)
{
	char chunk[4096];
	ssize_t n = recv(k->stream_fd, chunk, sizeof(chunk), MSG_DONTWAIT);

	if (n > 0)
		buf_append(&k->typed, chunk, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		keeper_drop_stream(k);
}

static void type(struct keeper *k)
{
	ssize_t n;

	if (!k->typed.size)
		return;
	if (source_fd(&k->source) < 0) {
		buf_reset(&k->typed);
		return;
	}
	n = source_write(&k->source, k->typed.data, k->typed.size);
	if (n < 0)
		buf_reset(&k->typed);
	else
		buf_consume(&k->typed, (size_t)n);
}

/* ---- time ---- */

static void reopen(struct keeper *k)
{
	struct err err = ERR_INIT;

	if (!deadline_passed(source_due(&k->source)))
		return;
	if (source_open(&k->source, &err) == 0)
		came(k);
	else
		went(k, err.message);
}

static bool is_orphan(struct keeper *k)
{
	return !k->o->stay && !clients_job(k) &&
	       (deadline_passed(k->linger) ||
		(k->dir && source_fd(&k->source) < 0 && !source_returns(&k->source)));
}

static void on_time(struct keeper *k)
{
	reopen(k);
	if (k->looked_ms && mono_ms() - k->looked_ms >= KEEPER_ERRORS_MS)
		look_after(k);
	if (k->o->stay && !k->idle && !clients_job(k) && deadline_passed(k->linger))
		record_idle(k);
	if (stop_requested() || is_orphan(k))
		k->ends = true;
}

static struct deadline next_time(struct keeper *k)
{
	struct deadline d = source_due(&k->source);

	if (k->looked_ms)
		d = deadline_min(d, (struct deadline){ k->looked_ms + KEEPER_ERRORS_MS });
	if (!clients_job(k) && !(k->o->stay && k->idle))
		d = deadline_min(d, k->linger);
	return d;
}

/* ---- the loop ---- */

enum {
	POLL_LISTEN,
	POLL_SOURCE,
	POLL_STREAM,
	POLL_CLIENTS,
	POLL_N = POLL_CLIENTS + KEEPER_CLIENTS
};

static void fill(struct keeper *k, struct pollfd *p)
{
	short typing = k->typed.size ? POLLOUT : 0;
	short listening = k->typed.size < KEEPER_TYPED_MAX ? POLLIN : 0;

	p[POLL_LISTEN] = (struct pollfd){ k->o->listen_fd, POLLIN, 0 };
	p[POLL_SOURCE] = (struct pollfd){ source_fd(&k->source), (short)(POLLIN | typing), 0 };
	p[POLL_STREAM] = (struct pollfd){ k->stream_fd,
					  (short)(listening | (k->is_behind ? POLLOUT : 0)), 0 };
	for (size_t i = 0; i < KEEPER_CLIENTS; i++) {
		const struct keeper_client *c = &k->clients[i];

		p[POLL_CLIENTS + i] =
			(struct pollfd){ c->fd, (short)(POLLIN | (c->is_behind ? POLLOUT : 0)), 0 };
	}
}

static void turn(struct keeper *k)
{
	struct pollfd p[POLL_N];

	fill(k, p);
	if (poll(p, POLL_N, deadline_left_ms(next_time(k))) < 0)
		return;
	if (p[POLL_SOURCE].revents & ~POLLOUT)
		keeper_take(k);
	if (p[POLL_STREAM].revents & ~POLLOUT)
		hear_stream(k);
	for (size_t i = 0; i < KEEPER_CLIENTS; i++)
		if (p[POLL_CLIENTS + i].revents & ~POLLOUT)
			clients_hear(k, &k->clients[i]);
	if (p[POLL_LISTEN].revents)
		clients_accept(k);
	type(k);
	serve_stream(k);
	clients_serve(k);
}

static void begin(struct keeper *k, const struct keeper_options *o)
{
	const struct lab_wired *w = lab_wiring(o->board);
	struct err ignored = ERR_INIT;

	*k = (struct keeper){ .o = o, .record = RECORD_INIT, .stream_fd = -1 };
	source_init(&k->source, w ? &w->console : NULL, w ? wiring_baud(o->board) : 0);
	feed_init(&k->feed);
	clients_init(k);
	k->linger = deadline_in(KEEPER_LINGER_MS);
	if (!o->stay)
		return;
	record_idle(k);
	if (w && source_open(&k->source, &ignored))
		went(k, ignored.message);
}

static void end(struct keeper *k)
{
	keeper_take(k);
	serve_stream(k);
	clients_serve(k);
	keeper_drop_stream(k);
	clients_release(k);
	source_release(&k->source);
	record_stop(&k->record);
	feed_release(&k->feed);
	buf_release(&k->typed);
	free(k->dir);
}

int keeper_run(const struct keeper_options *o, struct err *err)
{
	struct keeper *k = xcalloc(1, sizeof(*k));

	(void)err;
	begin(k, o);
	while (!k->ends) {
		turn(k);
		on_time(k);
	}
	end(k);
	free(k);
	return 0;
}
