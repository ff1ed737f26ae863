// SPDX-License-Identifier: GPL-2.0-or-later
/* rig log: console, kernel log or journal of a session. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/packed.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "results/session.h"
#include "results/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A night of console at 115200 baud is 1 GiB; one visit is far less. */
#define LOG_MAX ((size_t)1 << 30)

static long visit_number = -1;
static bool journal;
static bool dmesg;
static bool raw;

static const struct opt opts[] = {
	{ OPT_INT, 'v', "visit", "N", "this visit (default: the last failed one, else the last)",
	  &visit_number, 0, 1000000 },
	{ OPT_FLAG, 'e', "events", NULL, "the session's journal instead", &journal, 0, 0 },
	{ OPT_FLAG, 'k', "dmesg", NULL, "the kernel log that the agent collected", &dmesg, 0, 0 },
	{ OPT_FLAG, 'r', "raw", NULL,
	  "every byte, with the frames that the agent and the rig exchanged", &raw, 0, 0 },
	{ .type = OPT_END },
};

static const struct session_visit *choose(const struct session *s, struct err *err)
{
	int i = visit_number < 0 ? -1 : session_find_visit(s, (int)visit_number);

	if (visit_number >= 0 && i < 0) {
		err_set(err, BLAME_USER, "usage", "%s has no visit %ld", s->name, visit_number);
		return NULL;
	}
	if (!s->n_visits) {
		err_set(err, BLAME_USER, "no-log", "%s has no visit yet", s->name);
		return NULL;
	}
	if (i >= 0)
		return &s->visits[i];
	for (size_t k = s->n_visits; k-- > 0;)
		if (s->visits[k].result == VISIT_FAILED)
			return &s->visits[k];
	return &s->visits[s->n_visits - 1];
}

static bool in_frame(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '+' || c == '/';
}

/*
 * Takes out what the wire put on the console: "~{", base64, "}" (agents/wire.h). A frame that the
 * kernel wrote into stays: it has text in it.
 */
static void strip_frames(struct buf *b)
{
	size_t out = 0;

	for (size_t i = 0; i < b->size;) {
		size_t end = i + 2;

		if (b->data[i] == '~' && i + 1 < b->size && b->data[i + 1] == '{') {
			while (end < b->size && in_frame(b->data[end]))
				end++;
			if (end < b->size && b->data[end] == '}') {
				i = end + 1;
				continue;
			}
		}
		b->data[out++] = b->data[i++];
	}
	b->size = out;
}

/* What a DUT sends must not steer the terminal it is shown on. */
static void print_safely(const struct buf *b)
{
	if (!isatty(STDOUT_FILENO)) {
		fwrite(buf_str(b), 1, b->size, stdout);
		return;
	}
	for (size_t i = 0; i < b->size; i++) {
		unsigned char c = (unsigned char)b->data[i];

		if (c == '\r' || (c < 32 && c != '\n' && c != '\t') || c == 127)
			continue;
		putchar(c);
	}
}

static int print_file(const char *path, struct err *err)
{
	struct buf text = BUF_INIT;
	int rc = packed_read(path, &text, LOG_MAX);

	if (!rc && !raw)
		strip_frames(&text);
	if (rc)
		err_sys(err, BLAME_USER, "no-log", rc, "%s", path);
	else if (raw)
		fwrite(buf_str(&text), 1, text.size, stdout);
	else
		print_safely(&text);
	buf_release(&text);
	return rc ? -1 : 0;
}

static int print_log(const struct session *s, struct err *err)
{
	const struct session_visit *visit = NULL;
	char *path;
	int rc;

	if (!journal && !(visit = choose(s, err)))
		return -1;
	if (journal)
		path = path_join(s->dir, RUNDIR_EVENTS);
	else
		path = xasprintf("%s/%s/%s", s->dir, visit->dir, dmesg ? "dmesg" : "console.log");
	rc = print_file(path, err);
	free(path);
	return rc;
}

static int load_and_print(struct store *store, const char *name, struct err *err)
{
	struct session *s = store_get_session(store, name, err);
	int rc = s ? print_log(s, err) : -1;

	session_free(s);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	return cli_with_session(false, n ? operands[0] : NULL, load_and_print, err);
}

const struct command cmd_log = {
	.name = "log",
	.args = "[SESSION]",
	.summary = "print the console of a visit (default: the newest session, where it failed)",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
