/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of loader.h, for loader.c (bytes, the way in) and loader-run.c (commands) only. */
#ifndef RIG_BOARD_LOADER_PRIV_H
#define RIG_BOARD_LOADER_PRIV_H

#include <sys/types.h>

#include "base/buf.h"
#include "board/loader.h"
#include "io/prompt.h"

#define LOADER_ROWS_MAX	    16
#define LOADER_STARTED_TEXT "Starting kernel"

struct loader {
	const struct loader_rules *rules;
	struct loader_line line;
	unsigned int quiet_ms;
	struct prompt_row rows[LOADER_ROWS_MAX];
	size_t n_rows, n_answers;
	unsigned int answered[LOADER_ROWS_MAX];
	struct prompt prompt;
	struct buf heard; /* since the last line that was typed; the end of it, if it is long */
	bool restarted;	  /* an autoboot banner since then */
};

/* Bytes that came, at most max; 0 = silence until d; -errno. */
ssize_t loader_hear(struct loader *l, size_t max, struct deadline d);

/* 0 or -errno; -ETIMEDOUT when the console takes no more. */
int loader_type(struct loader *l, const char *text, struct deadline d);

/* What was heard until now is none of the next line's business. */
void loader_forget(struct loader *l);

bool loader_heard(const struct loader *l, const char *text);

/* A silence from now that makes a line one at rest, or d. */
struct deadline loader_quiet(const struct loader *l, struct deadline d);

/* Drops a line that was half typed, where the loader has a key for that. 0 or -errno. */
int loader_clear(struct loader *l, struct deadline d);

/* Until the prompt is at rest: 0. -ETIMEDOUT, -ECONNRESET = the loader started anew, -errno. */
int loader_wait_prompt(struct loader *l, struct deadline d);

/* The error of a console that failed with -errno; that of a prompt that did not come. -1. */
int loader_talk_failed(int rc, struct err *err);
int loader_no_prompt(const struct loader *l, const char *doing, struct err *err);

#endif
