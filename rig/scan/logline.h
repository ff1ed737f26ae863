/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Console bytes to clean lines, and lines to kernel messages. Layer: scan -> libc.
 *
 * A line ends at LF, at CR (any number, with or without LF after them), or when it is full. NUL,
 * other control characters and ANSI escape sequences vanish; a tab becomes a blank. Several printk
 * lines may share one console line (another CPU, a login prompt, a killed newline): each time stamp
 * "[   12.345678]" in it begins a new message.
 */
#ifndef RIG_SCAN_LOGLINE_H
#define RIG_SCAN_LOGLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOGLINE_MAX 1024

struct logline {
	char text[LOGLINE_MAX + 1]; /* NUL-terminated */
	size_t n;
	uint64_t begin; /* offset of the first byte of the line in the stream */
	uint64_t end;	/* one past its last byte, the line end included */
};

struct logline_reader {
	struct logline line;
	uint64_t offset; /* bytes consumed so far */
	int escape;	 /* state of an ANSI sequence */
	bool after_cr;
	bool complete; /* line is complete: the next byte begins a new one */
};

void logline_init(struct logline_reader *r);

/*
 * Consumes bytes up to the end of a line. Returns how many; r->complete tells whether r->line is
 * whole now. Call it again with what is left.
 */
size_t logline_feed(struct logline_reader *r, const char *data, size_t size);

/* The end of the stream ends a line: true when there was something in it. */
bool logline_finish(struct logline_reader *r);

/* One message inside a line. */
struct logmsg {
	const char *text; /* after time stamp and caller id; not NUL-terminated */
	size_t n;
	bool syslog; /* of a file of syslog: the line begins with "Sep 23 02:31:17 host kernel: " */
	bool stamped;
	double time_s; /* of the stamp, whole seconds */
};

/* The next message at or after *pos (0 at first); advances *pos. False at the end of the line. */
bool logline_message(const struct logline *line, size_t *pos, struct logmsg *msg);

#endif
