// SPDX-License-Identifier: GPL-2.0-or-later
/* Attaching to a console keeper; see attach.h. Layer: io. */
#include "io/attach.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/spawn.h"
#include "io/unix.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between two looks for a keeper that was just started. */
#define LOOK_MS 20

struct attach {
	int fd;
	struct attach_state state;
	uint64_t away_since_ms; /* valid with state.away */
	attach_fn *fn;
	void *ctx;
	char reason[512];
	char dir[PATH_MAX];
	char packet[ATTACH_PACKET_MAX + 1]; /* the last one, and a NUL */
	int got_fd;			    /* that came with it; -1 = none */
};

const char *const attach_mode_names[ATTACH_MODES] = {
	[ATTACH_READ] = "read",
	[ATTACH_WRITE] = "write",
	[ATTACH_JOB] = "job",
	[ATTACH_CONTROL] = "control",
};

char *attach_path(const char *board)
{
	return path_in_home("boards/%s.console", board);
}

/* ---- what comes in ---- */

static void drop_fd(struct attach *a)
{
	if (a->got_fd >= 0)
		close(a->got_fd);
	a->got_fd = -1;
}

int attach_next(struct attach *a, struct attach_packet *p)
{
	ssize_t n;

	drop_fd(a);
	n = unix_recv(a->fd, a->packet, ATTACH_PACKET_MAX, &a->got_fd);
	if (n == -EAGAIN)
		return 0;
	if (n <= 0)
		return -EPIPE;
	a->packet[n] = '\0';
	*p = (struct attach_packet){ a->packet[0], a->packet + 1, (size_t)n - 1 };
	return 1;
}

static void came_back(struct attach *a)
{
	if (a->state.away)
		a->state.away_ms += mono_ms() - a->away_since_ms;
	a->state.away = false;
}

static void note(struct attach *a, const struct attach_packet *p)
{
	struct serial_errors e;

	switch (p->type) {
	case 'g':
		a->state.gaps++;
		a->state.away = true;
		a->away_since_ms = mono_ms();
		break;
	case 'b':
		came_back(a);
		break;
	case 'e':
		serial_errors_parse(p->data, &e);
		serial_errors_add(&a->state.errors, &e);
		break;
	case 'o':
		a->state.over = true;
		break;
	case 'E':
		a->state.record_error = -abs((int)strtol(p->data, NULL, 10));
		break;
	case 'l':
		break;
	default:
		return;
	}
	if (a->fn)
		a->fn(a->ctx, p->type, p->data);
}

int attach_hear(struct attach *a)
{
	struct attach_packet p;
	int rc;

	while ((rc = attach_next(a, &p)) > 0)
		note(a, &p);
	return rc;
}

/* ---- asking ---- */

static int refused(struct attach *a, const char *text)
{
	char *end;
	long rc = strtol(text, &end, 10);

	snprintf(a->reason, sizeof(a->reason), "%s", *end == ' ' ? end + 1 : text);
	return rc > 0 && rc < 4096 ? -(int)rc : -EPROTO;
}

/* 0 with *p, which is of that type; -errno. */
static int await(struct attach *a, char type, struct attach_packet *p, struct deadline d)
{
	for (;;) {
		int rc = attach_next(a, p);

		if (rc < 0)
			return rc;
		if (rc && p->type == type)
			return 0;
		if (rc && p->type == 'x')
			return refused(a, p->data);
		if (rc) {
			note(a, p);
			continue;
		}
		rc = deadline_poll(a->fd, POLLIN, d);
		if (rc <= 0)
			return rc ? rc : -ETIMEDOUT;
	}
}

static int ask(struct attach *a, char type, const char *text, int fd, char answer,
	       struct attach_packet *p, struct deadline d)
{
	char *packet = xasprintf("%c%s", type, text);
	int rc = unix_send(a->fd, packet, strlen(packet), fd);

	free(packet);
	a->reason[0] = '\0';
	return rc ? rc : await(a, answer, p, d);
}

static void keep_dir(struct attach *a, const struct attach_packet *p)
{
	snprintf(a->dir, sizeof(a->dir), "%s", p->data);
}

int attach_record(struct attach *a, const char *dir, struct deadline d)
{
	struct attach_packet p;
	int rc = ask(a, 'n', dir, -1, 'r', &p, d);

	if (!rc)
		keep_dir(a, &p);
	if (!rc)
		a->state.record_error = 0;
	return rc;
}

int attach_source(struct attach *a, int source, int *stream, struct deadline d)
{
	struct attach_packet p;
	int rc;

	rc = ask(a, 's', "", source, 'f', &p, d);
	if (rc)
		return rc;
	/* what came before the answer was about the stream before */
	a->state = (struct attach_state){ .record_error = a->state.record_error };
	*stream = a->got_fd;
	a->got_fd = -1;
	return *stream < 0 ? -EPROTO : 0;
}

int attach_write(struct attach *a, const void *data, size_t size)
{
	char packet[ATTACH_PACKET_MAX];

	if (size >= sizeof(packet))
		return -EMSGSIZE;
	packet[0] = 'w';
	memcpy(packet + 1, data, size);
	return unix_send(a->fd, packet, size + 1, -1);
}

void attach_quit(struct attach *a, struct deadline d)
{
	struct attach_packet p;

	/* the answer is that it hangs up, or that it stays */
	ask(a, 'q', "", -1, 'q', &p, d);
}

/* ---- life ---- */

int attach_open(struct attach **out, const char *path, enum attach_mode mode, const char *owner,
		struct deadline d)
{
	struct attach *a = xcalloc(1, sizeof(*a));
	struct attach_packet p;
	char *hello;
	int rc;

	*out = a;
	a->got_fd = -1;
	a->fd = unix_connect(path);
	if (a->fd < 0)
		return a->fd;
	hello = xasprintf("%s %s", attach_mode_names[mode], owner);
	rc = ask(a, 'h', hello, -1, 'h', &p, d);
	free(hello);
	if (!rc)
		keep_dir(a, &p);
	return rc;
}

void attach_close(struct attach *a)
{
	if (!a)
		return;
	drop_fd(a);
	if (a->fd >= 0)
		close(a->fd);
	free(a);
}

static pid_t start_keeper(const char *board, const char *lab)
{
	char *program = path_program("rig-console");
	const char *argv[] = { program, "--board", board, lab ? "--lab" : NULL, lab, NULL };
	struct spawn s = SPAWN_INIT;
	pid_t pid;

	s.argv = argv;
	s.err = STDERR_FILENO;
	/* what the board says until somebody has switched it off is kept, too */
	s.outlive_parent = true;
	pid = spawn_start(&s);
	free(program);
	return pid;
}

/* Nobody is there, or he was just leaving. */
static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ECONNREFUSED || rc == -EPIPE || rc == -EAGAIN;
}

/* False when it has failed, and said why on its stderr; *pid is 0 when another was faster. */
static bool may_come(pid_t *pid)
{
	int status;

	if (!*pid || spawn_wait(*pid, &status, deadline_in(0)))
		return true;
	*pid = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int attach_start(struct attach **out, const char *board, const char *lab, enum attach_mode mode,
		 const char *owner, struct deadline d)
{
	char *path = attach_path(board);
	pid_t pid = 0;
	int rc;

	for (;;) {
		bool hope = may_come(&pid);

		rc = attach_open(out, path, mode, owner, d);
		if (!is_absent(rc) || !hope || deadline_passed(d))
			break;
		attach_close(*out);
		*out = NULL;
		if (!pid)
			pid = start_keeper(board, lab);
		if (pid < 0) {
			rc = (int)pid;
			break;
		}
		poll(NULL, 0, LOOK_MS);
	}
	free(path);
	return rc;
}

/* ---- state ---- */

int attach_fd(const struct attach *a)
{
	return a->fd;
}

const char *attach_reason(const struct attach *a)
{
	return a ? a->reason : "";
}

const char *attach_dir(const struct attach *a)
{
	return a->dir;
}

void attach_listen(struct attach *a, attach_fn *fn, void *ctx)
{
	a->fn = fn;
	a->ctx = ctx;
}

const struct attach_state *attach_state(const struct attach *a)
{
	return &a->state;
}

uint64_t attach_away_ms(const struct attach *a)
{
	uint64_t ms = a->state.away ? mono_ms() - a->away_since_ms : 0;

	return a->state.away && !ms ? 1 : ms;
}
