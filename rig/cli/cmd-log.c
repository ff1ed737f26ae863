// SPDX-License-Identifier: GPL-2.0-or-later
/* rig log: console, kernel log or journal of a session. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/path.h"
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

static const struct opt opts[] = {
	{ OPT_INT, 'v', "visit", "N", "this visit (default: the last failed one, else the last)",
	  &visit_number, 0, 1000000 },
	{ OPT_FLAG, 'e', "events", NULL, "the session's journal instead", &journal, 0, 0 },
	{ OPT_FLAG, 'k', "dmesg", NULL, "the kernel log that the agent collected", &dmesg, 0, 0 },
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

/* What a DUT sends must not steer the terminal it is shown on. */
static void print_safely(const struct buf *b)
{
	bool terminal = isatty(STDOUT_FILENO);

	if (!terminal) {
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
	int rc = path_read(path, &text, LOG_MAX);

	if (rc)
		err_sys(err, BLAME_USER, "no-log", rc, "%s", path);
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
		path = path_join(s->dir, "events.jsonl");
	else
		path = xasprintf("%s/%s/%s", s->dir, visit->dir, dmesg ? "dmesg" : "console.log");
	rc = print_file(path, err);
	free(path);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	struct store *store = cli_store_open(false, err);
	struct session *s = NULL;
	char *name = NULL;
	int rc = -1;

	if (!store)
		return -1;
	name = cli_session(store, n ? operands[0] : NULL, err);
	if (name)
		s = store_get_session(store, name, err);
	if (s)
		rc = print_log(s, err);
	session_free(s);
	free(name);
	store_close(store);
	return rc;
}

const struct command cmd_log = {
	.name = "log",
	.args = "[SESSION]",
	.summary = "print the console of a visit (default: the newest session, where it failed)",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
