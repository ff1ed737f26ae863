/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the wire, shared by the files that make it up. Internal to them and the tests.
 *
 *	wire.c		the interface: frames out, bytes in, time
 *	wire-tx.c	the stream that is sent: queue, pieces in flight, repeats
 *	wire-rx.c	the stream that is received: window, messages, acknowledgements
 *	wire-epoch.c	which of its lives the peer speaks from
 *	wire-frame.c	frames among console text
 */
#ifndef AGENTS_WIRE_STATE_H
#define AGENTS_WIRE_STATE_H

#include "agents/wire-frame.h"
#include "agents/wire.h"

#define WIRE_HEAD 4 /* message header in the stream */
/* In flight at most; a transmission number must stay unambiguous in 8 bits. */
#define WIRE_SEGS 96

/* A piece of the stream that was transmitted and is not acknowledged. off counts from the
 * unacknowledged end. */
struct seg {
	unsigned int off, len;
	uint64_t sent_ms;
	uint8_t tno;
	bool sacked, lost;
};

struct range {
	unsigned int off, len; /* stream bytes held, off counted from rx.next */
};

struct tx {
	uint8_t *queue; /* stream bytes from the first unacknowledged one on, at queue + head */
	size_t head, size, cap;
	size_t message_left;	   /* bytes of the oldest message that are not acknowledged yet */
	uint16_t una;		   /* stream position of queue[head] */
	uint8_t tno;		   /* next transmission */
	struct seg seg[WIRE_SEGS]; /* in stream order, without gaps */
	unsigned int segs;
	unsigned int chunk; /* present frame size */
	unsigned int retries;
	uint64_t progress_ms;
	unsigned int srtt, rttvar; /* ms */
	unsigned int messages;	   /* queued and not acknowledged */
};

struct rx {
	uint8_t ring[WIRE_WINDOW_MAX];
	uint16_t next;	   /* stream position expected */
	unsigned int base; /* its place in the ring */
	struct range range[WIRE_RANGES];
	unsigned int ranges;
	uint8_t head[WIRE_HEAD];
	size_t have; /* bytes of the present message, header included */
	size_t size; /* of its data */
	uint8_t *data;
	uint8_t tno, broken;
	bool ack_now, ack_full, ack_later;
	unsigned int unacked;
	uint64_t ack_at;  /* for ack_later */
	uint64_t full_at; /* next report of loss may go out */
};

struct wire {
	struct wire_ops ops;
	void *ctx;
	struct wire_link link;
	uint16_t epoch;
	bool open;
	bool peer_open; /* rig: a frame without SYN has been seen in this epoch */
	bool probe;
	int failed;
	struct tx tx;
	struct rx rx;
	struct frame_scan scan;
	uint64_t heard_ms;
	char line[FRAME_LINE_MAX];
	size_t line_size, line_at;
	struct wire_stats stats;
};

static inline bool wire_is_agent(const struct wire *w)
{
	return w->link.side == WIRE_SIDE_AGENT;
}

/* Of the message whose header that is, header included. */
static inline size_t wire_message_size(const uint8_t *head)
{
	return WIRE_HEAD + ((size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3]);
}

/* ---- wire-tx.c ---- */

void tx_reset(struct wire *w);

/* Forgets what is queued and not acknowledged; returns how many messages are lost by it. */
unsigned int tx_drop_unacked(struct wire *w);

/* Gives the connection up: what is not acknowledged is lost. */
void tx_fail(struct wire *w);

/* Stream bytes that are on the way, counted from the first unacknowledged one. */
unsigned int tx_sent(const struct tx *tx);

/* The peer has all up to that position; it has also the bytes at off; it lacks the piece. */
void tx_acked(struct wire *w, uint16_t ack, uint64_t now_ms);
void tx_sacked(struct wire *w, unsigned int off, unsigned int len);
void tx_mark_lost(struct tx *tx, struct seg *s);

/* The peer has seen that transmission: what does a round trip take? */
void tx_measure(struct wire *w, uint8_t tno, uint64_t now_ms);

/* When the oldest piece is due again; false = nothing is on the way. */
bool tx_deadline(const struct wire *w, uint64_t *at_ms);
void tx_check_timeout(struct wire *w, uint64_t now_ms);

/* The piece to be sent now, or NULL; is there one? */
struct seg *tx_next(struct wire *w);
bool tx_more(const struct wire *w);

/* ---- wire-rx.c ---- */

void rx_reset(struct rx *rx);
void rx_data(struct wire *w, const struct frame *f, uint64_t now_ms);
void rx_ack(struct wire *w, const struct frame *f, uint64_t now_ms);

/* Something that began as a frame is none: the peer is told. */
void rx_broken(struct wire *w);

/* ---- wire-epoch.c ---- */

/* Does the frame belong to the present conversation? It may begin a new one, or end ours. */
bool epoch_accept(struct wire *w, const struct frame *f);

#endif
