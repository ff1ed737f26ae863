/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client of a board's console keeper, rig-console(8): the process that owns the board's tty and
 * records every byte of it whether anybody listens or not. Layer: io -> base.
 *
 * The keeper listens on a SOCK_SEQPACKET socket. A packet is one byte that says what it is, and
 * what belongs to it:
 *
 *	from the client				from the keeper
 *	h  hello: mode, a blank, who		h  welcome: the path that is recorded into
 *	w  bytes for the board			d  bytes of the board
 *	n  a directory: record into it	->	r  done: the directory
 *	s  begin: [a descriptor is the	->	f  done; with a descriptor: the raw stream,
 *	   console]; else it opens its own	   both ways, from here on
 *	q  end, when nobody needs you		x  refused: an errno, a blank, why
 *						g  the port is gone: why	 (a gap begins)
 *						b  it is back: after how long	 (it ends)
 *						e  errors of the line since the last such packet
 *						o  over: the stream ends and will not come back
 *						l  so many bytes were left out: you are too slow
 *						E  nothing is recorded any more: errno, blank, text
 *
 * Readers get what the board says from the moment they attach, in order with g, b, e and r; the
 * job gets g, b, e, o and E here, and the bytes on its stream, of which none is ever left out.
 * All of a client's life is its connection: whoever hangs up has let go.
 */
#ifndef RIG_IO_ATTACH_H
#define RIG_IO_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "io/serial-errors.h"

/* No packet is longer. */
#define ATTACH_PACKET_MAX 8192

enum attach_mode {
	ATTACH_READ,
	ATTACH_WRITE,	/* read, and type; the keeper asks for a lease */
	ATTACH_JOB,	/* runs the board: one at a time, of the keeper's user or root */
	ATTACH_CONTROL, /* starts and ends keepers */
	ATTACH_MODES,
};

extern const char *const attach_mode_names[ATTACH_MODES]; /* "read", ... */

/* What the keeper told so far. */
struct attach_state {
	int record_error; /* -errno: it cannot record any more */
	bool over;	  /* the stream ended for good */
	bool away;	  /* the port is gone, and may come back */
	unsigned int gaps;
	uint64_t away_ms; /* of all gaps that are over */
	struct serial_errors errors;
};

struct attach;

/* $RIG_HOME/boards/<board>.console; the caller frees. */
char *attach_path(const char *board);

/*
 * Connects and says hello. *out is to be closed whatever comes of it. -ENOENT or -ECONNREFUSED:
 * there is no keeper; -EACCES, -EBUSY: it refuses, attach_reason() says why; -ETIMEDOUT, -EINTR.
 */
int attach_open(struct attach **out, const char *path, enum attach_mode mode, const char *owner,
		struct deadline d);

/*
 * The same, for that board's keeper; one is started when there is none (rig-console beside this
 * program). lab: its lab file; NULL = the default.
 */
int attach_start(struct attach **out, const char *board, const char *lab, enum attach_mode mode,
		 const char *owner, struct deadline d);

void attach_close(struct attach *a); /* NULL is fine */

int attach_fd(const struct attach *a);

/* The keeper's last refusal; "" = none. */
const char *attach_reason(const struct attach *a);

/* The directory that it records into, as far as it told. */
const char *attach_dir(const struct attach *a);

struct attach_packet {
	char type;	  /* see above */
	const char *data; /* NUL-terminated, valid until the next call */
	size_t size;
};

/* The next packet, without waiting: 1, 0 when there is none, -EPIPE when the keeper is gone. */
int attach_next(struct attach *a, struct attach_packet *p);

/* Told each g, b, e, l, o and E that attach_hear() or a wait for an answer comes upon. */
typedef void attach_fn(void *ctx, char type, const char *text);
void attach_listen(struct attach *a, attach_fn *fn, void *ctx);

/* Takes all that is there into the state. 0, -EPIPE when the keeper is gone. */
int attach_hear(struct attach *a);

const struct attach_state *attach_state(const struct attach *a);

/* How long the port has been away by now; 0 = it is there. */
uint64_t attach_away_ms(const struct attach *a);

/* Records into that directory from now on. Of a job. 0 or -errno, see attach_reason(). */
int attach_record(struct attach *a, const char *dir, struct deadline d);

/*
 * The console begins: source (-1: the keeper opens the board's own, and drops what it held) is
 * read by the keeper from now on. *stream is the caller's: raw bytes, both ways. Of a job.
 * -ENODEV: there is no such port; others as serial_open(); attach_reason() has it in words.
 */
int attach_source(struct attach *a, int source, int *stream, struct deadline d);

/* Types. 0, -EAGAIN when it must be tried again, -EPIPE. At most ATTACH_PACKET_MAX - 1 bytes. */
int attach_write(struct attach *a, const void *data, size_t size);

/* Asks it to end, and waits until it has. One that rigd keeps says no to all but rigd. */
void attach_quit(struct attach *a, struct deadline d);

#endif
