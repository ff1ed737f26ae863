/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The console keeper: one process a board that owns its tty, records every byte with the host's
 * time, and lets the job and people attach and detach (io/attach.h). Layer: console.
 *
 *	board --> source.c --> record (io/record.h) --> feed.c --> clients.c --> readers
 *	  ^                                               +------> stream -----> job
 *	  +--------------------- what job and lease holders type --------------+
 *
 * Recording comes first and waits for nobody. It ends with the job that it was started for, or,
 * kept by rigd, on a signal. A job that dies leaves a board that may still be powered: what it
 * says until it is switched off is recorded, for KEEPER_LINGER_MS at most.
 */
#ifndef RIG_CONSOLE_KEEPER_H
#define RIG_CONSOLE_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "console/feed.h"
#include "console/source.h"
#include "io/attach.h"
#include "io/record.h"

#define KEEPER_LINGER_MS  30000
#define KEEPER_CLIENTS	  32
#define KEEPER_ERRORS_MS  1000	/* between two looks at the counters of the line */
#define KEEPER_TYPED_MAX  65536 /* bytes on their way to the board */
#define KEEPER_IDLE_KEPT  8	/* records of the time between jobs */
#define KEEPER_OWNER_SIZE 128

struct err;
struct lab_board;

struct keeper_options {
	const struct lab_board *board;
	const char *idle_dir;	/* what comes between jobs is recorded in directories here */
	const char *lease_path; /* may_type() in lease.h */
	int listen_fd;
	bool stay; /* until it is told to end; the line is open all the time */
};

struct keeper_client {
	int fd; /* -1 = nobody */
	bool greeted;
	enum attach_mode mode;
	uid_t uid;
	char owner[KEEPER_OWNER_SIZE];
	uint64_t at;	/* position of the next byte for it */
	uint64_t mark;	/* number of the next mark */
	bool is_behind; /* its socket is full */
};

struct keeper {
	const struct keeper_options *o;
	struct source source;
	bool away;	  /* a gap is open */
	uint64_t gone_ms; /* since then */
	struct record record;
	char *dir; /* of the record */
	bool idle; /* no job's record */
	struct feed feed;
	uint64_t base;	/* position of the first byte of the record */
	int stream_fd;	/* the job's; -1 = none */
	uint64_t at;	/* of the stream */
	bool is_behind; /* the stream's socket is full */
	struct buf typed;
	struct deadline linger; /* ends it when nobody runs the board */
	uint64_t looked_ms;	/* at the counters; 0 = nothing came since */
	bool ends;
	struct keeper_client clients[KEEPER_CLIENTS];
};

/* Runs to its end: 0, also when a signal asked for it; -1 with err. */
int keeper_run(const struct keeper_options *o, struct err *err);

/* ---- between keeper.c and clients.c ---- */

/* Something happened to the stream: to the record, and to all that listen. */
void keeper_mark(struct keeper *k, char type, const char *text);

/* Records into dir from now on. 0 or -errno. */
int keeper_record(struct keeper *k, const char *dir, bool idle);

/* All that the source holds by now. */
void keeper_take(struct keeper *k);

/* The stream of a job ends: it hung up, or the source is over. */
void keeper_drop_stream(struct keeper *k);

#endif
