/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of a console: every byte that came in, on disk before anybody looks at it.
 * Layer: io -> base.
 *
 * Files, side by side:
 *	console.log	raw bytes, nothing else
 *	console.idx	"<mono_ms> <offset>\n": at that time the byte at that offset (or the first
 *			after it) came in. One line a burst, at most one each RECORD_INDEX_MS
 *	console.marks	"<mono_ms> <offset> <text>\n": what happened to the stream there: a gap,
 *			errors of the line. Is not there when nothing did
 */
#ifndef RIG_IO_RECORD_H
#define RIG_IO_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RECORD_INDEX_MS 10

#define RECORD_LOG   "console.log"
#define RECORD_INDEX "console.idx"
#define RECORD_MARKS "console.marks"

struct record {
	int log_fd; /* -1 = nothing is recorded */
	int index_fd;
	char *marks_path;	/* NULL = marks are not kept */
	int error;		/* the -errno that ended it: the log lacks all from there on */
	uint64_t offset;	/* bytes that came in, = size of the log while there is no error */
	uint64_t indexed_at_ms; /* 0 = nothing in the index yet */
};

#define RECORD_INIT                                                                                \
	{                                                                                          \
		-1, -1, NULL, 0, 0, 0                                                              \
	}

/* Both files are created anew; 0 or -errno. The offset goes on where it was. */
int record_start(struct record *r, const char *log_path, const char *index_path);

/* The same with the usual names in that directory, marks included; the offset begins at 0. */
int record_start_in(struct record *r, const char *dir);

/* Takes bytes in. A failure is kept in error, and ends the record. */
void record_add(struct record *r, const void *data, size_t size);

/* One line for console.marks. A failure is of no consequence: the log is what counts. */
void record_mark(struct record *r, const char *text);

/* Reads back what is in the log: bytes, 0 at its end, -errno. */
ssize_t record_read(const struct record *r, uint64_t offset, void *buf, size_t size);

/*
 * Has the disk begin to write what is new, without waiting for it: a host that loses its power then
 * loses some seconds of the log, and not the half minute that the kernel takes otherwise.
 */
void record_flush(const struct record *r);

/* Closes the files; the offset stays. */
void record_stop(struct record *r);

#endif
