/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Talking to a bootloader on a serial console: stopping its autoboot, typing commands and reading
 * what they say, starting the kernel. What a model wants typed is data. Layer: board -> io.
 *
 *	power on                                  loader_enter():
 *	  U-Boot 2011.12 ...                        types the key every 100 ms, answers what is
 *	  Hit Esc key to stop autoboot:  1          asked (passwords, menus), until the prompt
 *	  RTL838x#                                loader_script():
 *	  RTL838x# rtk network on                   echo compared before the line is ended, typed
 *	  Enable network                            again if bytes were lost; output up to the next
 *	  RTL838x#                                  prompt at rest; success told from the output
 *	  RTL838x# bootm 0x84f00000               loader_boot():
 *	     Starting kernel ...                    up to here; what follows is the kernel's
 *
 * Deadlines are the caller's.
 *
 * Errors (blame BOARD unless said otherwise), by code:
 *	loader-silent	not one byte: power, cable or port
 *	loader-garbage	bytes that are no text: the speed
 *	loader-missed	the autoboot was not stopped, a kernel runs
 *	loader-prompt	it waits at something that is not the prompt
 *	loader-password	USER: it does not take the answer that it is given
 *	loader-echo	what is typed does not come back whole
 *	loader-command	the command says that it failed
 *	loader-timeout	no prompt, or not the text that tells of success, in time
 *	loader-reset	the loader started again while it was to do something
 *	console		the console is gone; RIG for other errors of this host
 */
#ifndef RIG_BOARD_LOADER_H
#define RIG_BOARD_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/deadline.h"

struct buf;
struct err;
struct loader;

/* A value for the placeholder {name} in the texts of steps; ended by a NULL name. */
struct loader_var {
	const char *name;
	const char *value;
};

/*
 * One thing to type. Placeholders stand in braces: {addr}; "${x}" is the loader's own and stays.
 * A line is typed when the loader is at its prompt, or, with ask, when it has asked that: a
 * pattern of prompt.h for the whole unfinished line. Only at the prompt is the echo compared: a
 * password has none.
 */
struct loader_step {
	const char *ask;       /* NULL = the prompt */
	const char *say;       /* NULL ends a list */
	const char *want;      /* must be in what it prints; NULL = all but an error will do */
	unsigned int limit_ms; /* 0 = LOADER_STEP_MS */
	unsigned int tries;    /* 0 = 1 */
};

#define LOADER_STEP_MS 10000

struct loader_rules {
	const char *key;    /* typed from power-on until it stops; NULL = it stops by itself */
	const char *prompt; /* pattern of prompt.h */
	const char *banner; /* text of its own before the autoboot; NULL = the usual ones */
	const char *clear;  /* drops a line half typed: "\003"; NULL = nothing does */
	const struct loader_step *answers; /* to what is asked on the way to the prompt */
	bool status;			   /* "; echo $?" tells whether a command failed */
	unsigned int quiet_ms; /* silence that makes a line one at rest; 0 = PROMPT_QUIET_MS */
};

/*
 * The console: wired_read() and wired_write() of board/wired.h, as a rule. read: what there is, as
 * soon as there is any; 0 at the deadline; -errno. write: all of it, or -errno.
 */
struct loader_line {
	ssize_t (*read)(void *ctx, void *buf, size_t size, struct deadline d);
	int (*write)(void *ctx, const void *data, size_t size, struct deadline d);
	void *ctx;
	/* Asked in silences: can what was asked for still come? 0, or -errno to give up. NULL = yes
	 */
	int (*check)(void *check_ctx);
	void *check_ctx;
};

/* rules must outlive it. */
struct loader *loader_new(const struct loader_rules *rules, struct loader_line line);
void loader_free(struct loader *l); /* NULL is fine */

/* From power-on to the prompt. 0 or -1. */
int loader_enter(struct loader *l, struct deadline d, struct err *err);

/* Ctrl-C, and the prompt again: ends a command that goes on for ever, a server's say. */
int loader_interrupt(struct loader *l, struct deadline d, struct err *err);

/* The steps in order, each with its own limit and tries, all of them by d. */
int loader_script(struct loader *l, const struct loader_step *steps, const struct loader_var *vars,
		  struct deadline d, struct err *err);

/*
 * Like a script whose last step starts the kernel: its want is waited for byte by byte (NULL =
 * "Starting kernel"), so that all that follows is still to be read.
 */
int loader_boot(struct loader *l, const struct loader_step *steps, const struct loader_var *vars,
		struct deadline d, struct err *err);

/*
 * Of a command that goes on (a server's) after loader_boot(): has it ended? Reads until it is
 * silent or d. -1 when the loader is back at its prompt, loader-command with what the command said.
 */
int loader_goes_on(struct loader *l, const char *what, struct deadline d, struct err *err);

/* ---- texts; no console needed ---- */

/* Appends text with its placeholders filled in. 0, or -EINVAL: one of them is unknown. */
int loader_expand(const char *text, const struct loader_var *vars, struct buf *out);

/* The control characters aside, is heard exactly what was typed? */
bool loader_echoed(const char *heard, size_t size, const char *typed);

/* What loader_command lines get appended when there is a status, and what then tells it. */
#define LOADER_STATUS_ASK "; echo rig-rc=$?"

/*
 * What a command printed: 0 = success, else a phrase in why[] for the message. want may be NULL.
 * output ends where the prompt begins; it is NUL-terminated and may hold NULs before that.
 */
int loader_judge(const char *output, size_t size, const char *want, bool status, char *why,
		 size_t why_size);

/* Share of heard bytes that are no text: 0 to 100. */
unsigned int loader_garbage(const char *heard, size_t size);

#endif
