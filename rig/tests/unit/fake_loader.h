/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bootloader in a thread, at the other end of a socket pair: banner, countdown, password, line
 * editing with echo, commands with their output, and faults. For tests of board/loader.h.
 */
#ifndef RIG_TESTS_FAKE_LOADER_H
#define RIG_TESTS_FAKE_LOADER_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"

struct fake_reply {
	const char *line;   /* typed; NULL ends the table. "" = what is in no other row */
	const char *output; /* NULL = the loader resets; "" = nothing */
	const char *first;  /* what it prints the first time instead; NULL = the same */
	bool mute;	    /* and no prompt follows: it hangs, or the kernel has started */
};

struct fake_loader {
	const char *boot;     /* printed at power-on */
	char key;	      /* stops the boot; 0 = nothing does */
	unsigned int wait_ms; /* how long it waits for the key; 0 = for ever */
	const char *missed;   /* printed when it did not come */
	const char *password; /* NULL = none */
	const char *prompt;
	unsigned int lose;	/* every so manieth byte has no echo, 0 = none */
	unsigned int lose_once; /* and only in the first so many bytes; 0 = always */
	bool no_echo;
	const struct fake_reply *replies;
	/* run time */
	int fd, mine;
	pthread_t thread;
	unsigned int boots, bytes, seen[16];
	char typed[512]; /* the lines that it took, '\n' after each */
};

static inline void fake_say(struct fake_loader *f, const char *text)
{
	for (size_t n = strlen(text); n;) {
		ssize_t done = send(f->fd, text, n, MSG_NOSIGNAL);

		if (done <= 0)
			return;
		text += done;
		n -= (size_t)done;
	}
}

/* The next byte, or -1: the rig has hung up, or ms are over (-1 = for ever). */
static inline int fake_byte(struct fake_loader *f, int ms)
{
	struct pollfd p = { .fd = f->fd, .events = POLLIN };
	unsigned char c;

	return poll(&p, 1, ms) == 1 && read(f->fd, &c, 1) == 1 ? c : -1;
}

/* 1 = stopped, 0 = not. */
static inline int fake_boot(struct fake_loader *f)
{
	int c;

	if (f->boots++)
		fake_say(f, f->boot);
	while (f->key && (c = fake_byte(f, f->wait_ms ? (int)f->wait_ms : -1)) >= 0)
		if (c == f->key)
			return 1;
	if (f->missed)
		fake_say(f, f->missed);
	return 0;
}

static inline void fake_echo(struct fake_loader *f, char c)
{
	char text[2] = { c, '\0' };

	f->bytes++;
	if (f->no_echo)
		return;
	if (f->lose && f->bytes % f->lose == 0 && (!f->lose_once || f->bytes < f->lose_once))
		return;
	fake_say(f, text);
}

/* A line with its echo; false = hung up. Ctrl-C begins it anew. */
static inline bool fake_line(struct fake_loader *f, char *line, size_t size, bool echo)
{
	size_t n = 0;
	int c;

	while ((c = fake_byte(f, -1)) >= 0 && c != '\r') {
		if (c == 3) {
			n = 0;
			fake_say(f, "<INTERRUPT>\r\n");
			fake_say(f, f->prompt);
		} else if (c == '\b') {
			if (n) {
				n--;
				fake_say(f, "\b \b");
			}
		} else if (c >= ' ' && n + 1 < size) {
			line[n++] = (char)c;
			if (echo)
				fake_echo(f, (char)c);
		}
	}
	line[n] = '\0';
	fake_say(f, "\r\n");
	return c >= 0;
}

static inline void fake_note(struct fake_loader *f, const char *line)
{
	size_t n = strlen(f->typed);

	snprintf(f->typed + n, sizeof(f->typed) - n, "%s\n", line);
}

/* 1 = goes on, 0 = resets. */
static inline int fake_run(struct fake_loader *f, const char *line)
{
	const struct fake_reply *r = f->replies;
	const char *text;

	while (r && r->line && *r->line && strcmp(r->line, line) != 0)
		r++;
	if (!r || !r->line) {
		fake_say(f, f->prompt);
		return 1;
	}
	text = f->seen[r - f->replies]++ || !r->first ? r->output : r->first;
	if (!text)
		return 0;
	fake_say(f, text);
	while (r->mute && fake_byte(f, -1) >= 0)
		;
	/* a menu's output asks by itself */
	if (!*text || text[strlen(text) - 1] != ':')
		fake_say(f, f->prompt);
	return 1;
}

static inline void fake_password(struct fake_loader *f)
{
	char line[128];

	do {
		fake_say(f, "Password: ");
		if (!fake_line(f, line, sizeof(line), false))
			return;
	} while (strcmp(line, f->password) != 0);
}

static inline void *fake_loader_main(void *arg)
{
	struct fake_loader *f = arg;
	char line[512];

	for (;;) {
		if (!fake_boot(f)) {
			while (fake_byte(f, -1) >= 0)
				;
			return NULL;
		}
		fake_say(f, "\r\n");
		if (f->password)
			fake_password(f);
		fake_say(f, f->prompt);
		while (fake_line(f, line, sizeof(line), true)) {
			if (*line)
				fake_note(f, line);
			if (!fake_run(f, line))
				break;
		}
		if (fake_byte(f, 0) < 0 && recv(f->fd, line, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
			return NULL;
	}
}

/* ---- the rig's end: struct loader_line, which keeps what it reads in a struct buf ---- */

struct fake_line {
	int fd;
	struct buf *heard;
};

static inline ssize_t fake_line_read(void *ctx, void *data, size_t size, struct deadline d)
{
	struct fake_line *line = ctx;
	int rc = deadline_poll(line->fd, POLLIN, d);
	ssize_t n;

	if (rc <= 0)
		return rc;
	n = read(line->fd, data, size);
	if (n <= 0)
		return -ENODEV;
	buf_append(line->heard, data, (size_t)n);
	return n;
}

static inline int fake_line_write(void *ctx, const void *data, size_t size, struct deadline d)
{
	struct fake_line *line = ctx;

	(void)d;
	return send(line->fd, data, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -ENODEV;
}

static inline int fake_loader_start(struct fake_loader *f)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	f->mine = pair[0];
	f->fd = pair[1];
	/* of the first boot already here: how fast the thread comes is no part of the test */
	fake_say(f, f->boot);
	if (pthread_create(&f->thread, NULL, fake_loader_main, f))
		return -1;
	return pair[0];
}

static inline void fake_loader_stop(struct fake_loader *f)
{
	shutdown(f->mine, SHUT_RDWR);
	pthread_join(f->thread, NULL);
	close(f->mine);
	close(f->fd);
}

#endif
