// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The wire: two byte streams with selective repeat over frames. Above wire-frame.c (the line),
 * below the agent's main loop and rig/job. The protocol is described in wire.h.
 */
#include "agents/wire.h"
#include "agents/wire-frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD 4 /* message header in the stream */
/* In flight at most; a transmission number must stay unambiguous in 8 bits. */
#define SEGS	     96
#define SYN_FIRST_MS 100
/* Shorter than this, what looked like a frame was text and is not worth a word to the peer. */
#define BROKEN_WORTH 20

const struct wire_link wire_link_console = {
	.payload = 132,
	.window = 4096,
	.rto_ms = 200,
	.rto_max_ms = 1000,
	.max_retries = 40,
	.ack_delay_ms = 20,
	.max_message = 65536,
};

const struct wire_link wire_link_stream = {
	.payload = 3060,
	.window = WIRE_WINDOW_MAX,
	.rto_ms = 200,
	.rto_max_ms = 2000,
	.max_retries = 20,
	.ack_delay_ms = 5,
	.max_message = 65536,
};

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
	size_t message_left;  /* bytes of the oldest message that are not acknowledged yet */
	uint16_t una;	      /* stream position of queue[head] */
	uint8_t tno;	      /* next transmission */
	struct seg seg[SEGS]; /* in stream order, without gaps */
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
	uint8_t head[HEAD];
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

static bool is_agent(const struct wire *w)
{
	return w->link.side == WIRE_SIDE_AGENT;
}

static void tx_reset(struct wire *w)
{
	struct tx *tx = &w->tx;

	tx->head = tx->size = tx->message_left = 0;
	tx->una = 0;
	tx->tno = 0;
	tx->segs = tx->retries = tx->messages = 0;
	tx->chunk = w->link.payload;
}

static void rx_reset(struct rx *rx)
{
	rx->next = 0;
	rx->base = rx->ranges = rx->unacked = 0;
	rx->have = rx->size = 0;
	/* As if the transmission before the first had been received. */
	rx->tno = 255;
	rx->broken = 0;
	rx->ack_now = rx->ack_full = rx->ack_later = false;
}

static bool link_ok(const struct wire_link *l)
{
	return l->payload >= WIRE_PAYLOAD_MIN && l->payload <= 12000 &&
	       l->payload <= FRAME_PAYLOAD_MAX && l->window && l->window <= WIRE_WINDOW_MAX &&
	       l->rto_ms && l->rto_max_ms >= l->rto_ms && l->max_message &&
	       l->max_message < 1 << 24 && (l->side == WIRE_SIDE_AGENT) == (l->epoch != 0);
}

struct wire *wire_new(const struct wire_ops *ops, void *ctx, const struct wire_link *link)
{
	struct wire *w;

	if (!link_ok(link))
		return NULL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->ops = *ops;
	w->ctx = ctx;
	w->link = *link;
	w->epoch = link->epoch;
	w->tx.cap = 2 * (HEAD + link->max_message);
	w->tx.queue = malloc(w->tx.cap);
	w->rx.data = malloc(link->max_message);
	tx_reset(w);
	rx_reset(&w->rx);
	if (!w->tx.queue || !w->rx.data) {
		wire_free(w);
		return NULL;
	}
	return w;
}

void wire_free(struct wire *w)
{
	if (!w)
		return;
	free(w->tx.queue);
	free(w->rx.data);
	free(w);
}

/* Sending: the queue and what of it is on the way. */

int wire_send(struct wire *w, unsigned int type, const void *data, size_t size)
{
	struct tx *tx = &w->tx;
	uint8_t head[HEAD] = { (uint8_t)type, (uint8_t)(size >> 16), (uint8_t)(size >> 8),
			       (uint8_t)size };

	if (w->failed)
		return -EPIPE;
	if (size > w->link.max_message)
		return -EMSGSIZE;
	if (tx->size + HEAD + size > tx->cap)
		return -EAGAIN;
	if (tx->head + tx->size + HEAD + size > tx->cap) {
		memmove(tx->queue, tx->queue + tx->head, tx->size);
		tx->head = 0;
	}
	if (!tx->size)
		tx->message_left = HEAD + size;
	memcpy(tx->queue + tx->head + tx->size, head, HEAD);
	if (size)
		memcpy(tx->queue + tx->head + tx->size + HEAD, data, size);
	tx->size += HEAD + size;
	tx->messages++;
	w->stats.messages_out++;
	w->stats.payload_out += size;
	return 0;
}

static unsigned int tx_sent(const struct tx *tx)
{
	return tx->segs ? tx->seg[tx->segs - 1].off + tx->seg[tx->segs - 1].len : 0;
}

static const struct seg *tx_oldest(const struct tx *tx)
{
	for (unsigned int i = 0; i < tx->segs; i++)
		if (!tx->seg[i].sacked)
			return &tx->seg[i];
	return NULL;
}

static struct seg *tx_lost(struct tx *tx)
{
	for (unsigned int i = 0; i < tx->segs; i++)
		if (tx->seg[i].lost && !tx->seg[i].sacked)
			return &tx->seg[i];
	return NULL;
}

static size_t message_size(const uint8_t *head)
{
	return HEAD + ((size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3]);
}

/* Counts the messages that end within the next n bytes of the queue. */
static void tx_count_acked(struct wire *w, size_t n)
{
	struct tx *tx = &w->tx;
	const uint8_t *p = tx->queue + tx->head;
	size_t left = tx->message_left, size = tx->size;

	while (n && n >= left) {
		tx->messages--;
		w->stats.messages_acked++;
		n -= left;
		p += left;
		size -= left;
		left = size ? message_size(p) : 0;
	}
	tx->message_left = left - n;
}

static void tx_drop(struct tx *tx, unsigned int n)
{
	unsigned int keep = 0;

	for (unsigned int i = 0; i < tx->segs; i++) {
		struct seg s = tx->seg[i];

		if (s.off + s.len <= n)
			continue;
		s.len = s.off >= n ? s.len : s.off + s.len - n;
		s.off = s.off >= n ? s.off - n : 0;
		tx->seg[keep++] = s;
	}
	tx->segs = keep;
}

static void tx_progress(struct tx *tx, uint64_t now_ms)
{
	tx->retries = 0;
	tx->progress_ms = now_ms;
}

static void tx_grow(struct wire *w)
{
	w->tx.chunk = w->tx.chunk + 4 < w->link.payload ? w->tx.chunk + 4 : w->link.payload;
}

static void tx_shrink(struct tx *tx)
{
	tx->chunk -= (tx->chunk + 7) / 8;
	if (tx->chunk < WIRE_PAYLOAD_MIN)
		tx->chunk = WIRE_PAYLOAD_MIN;
}

static void tx_acked(struct wire *w, uint16_t ack, uint64_t now_ms)
{
	struct tx *tx = &w->tx;
	unsigned int n = (uint16_t)(ack - tx->una);

	if (!n || n > tx_sent(tx))
		return;
	for (unsigned int i = 0; i < tx->segs; i++)
		if (!tx->seg[i].sacked && !tx->seg[i].lost && tx->seg[i].off + tx->seg[i].len <= n)
			tx_grow(w);
	tx_count_acked(w, n);
	tx_drop(tx, n);
	tx->head += n;
	tx->size -= n;
	tx->una = ack;
	tx_progress(tx, now_ms);
}

static void tx_sacked(struct wire *w, unsigned int off, unsigned int len)
{
	for (unsigned int i = 0; i < w->tx.segs; i++) {
		struct seg *s = &w->tx.seg[i];

		if (s->sacked || s->off < off || s->off + s->len > off + len)
			continue;
		s->sacked = true;
		tx_grow(w);
	}
}

static void tx_mark_lost(struct tx *tx, struct seg *s)
{
	s->lost = true;
	tx_shrink(tx);
}

/* RFC 6298, with the transmission number telling repeats apart. */
static void tx_measure(struct wire *w, uint8_t tno, uint64_t now_ms)
{
	struct tx *tx = &w->tx;

	for (unsigned int i = 0; i < tx->segs; i++) {
		const struct seg *s = &tx->seg[i];
		unsigned int rtt = (unsigned int)(now_ms - s->sent_ms), off;

		if (s->tno != tno || s->lost || s->sacked)
			continue;
		off = rtt > tx->srtt ? rtt - tx->srtt : tx->srtt - rtt;
		tx->rttvar = tx->srtt ? (3 * tx->rttvar + off) / 4 : rtt / 2;
		tx->srtt = tx->srtt ? (7 * tx->srtt + rtt + 4) / 8 : rtt + 1;
		w->stats.rtt_ms = tx->srtt;
		tx_progress(tx, now_ms);
	}
}

static unsigned int tx_rto(const struct wire *w)
{
	const struct tx *tx = &w->tx;
	unsigned int rto = tx->srtt + 4 * tx->rttvar + w->link.ack_delay_ms,
		     max = w->link.rto_max_ms;

	if (is_agent(w) && !w->open) {
		rto = SYN_FIRST_MS;
		max = WIRE_SYN_MAX_MS;
	} else if (rto < w->link.rto_ms) {
		rto = w->link.rto_ms;
	}
	for (unsigned int i = 0; i < tx->retries && rto < max; i += 2)
		rto *= 2;
	/* A slow line may need more than the limit from the start. */
	return rto < max || !tx->retries ? rto : max > tx->srtt ? max : tx->srtt;
}

static bool tx_deadline(const struct wire *w, uint64_t *at_ms)
{
	const struct seg *s = tx_oldest(&w->tx);

	if (!s || s->lost)
		return false;
	*at_ms = (s->sent_ms > w->tx.progress_ms ? s->sent_ms : w->tx.progress_ms) + tx_rto(w);
	return true;
}

static void fail(struct wire *w)
{
	w->failed = w->tx.messages ? (int)w->tx.messages : 1;
	w->stats.messages_lost += w->tx.messages;
	tx_reset(w);
}

static void tx_check_timeout(struct wire *w, uint64_t now_ms)
{
	uint64_t at_ms;

	if (!tx_deadline(w, &at_ms) || now_ms < at_ms)
		return;
	w->stats.timeouts++;
	if (w->tx.retries < w->link.max_retries)
		w->tx.retries++;
	else if (w->open)
		return fail(w);
	/* One repeat: its acknowledgement will tell what else is missing. */
	tx_mark_lost(&w->tx, (struct seg *)tx_oldest(&w->tx));
}

/* Cuts a lost piece to the present frame size, so that repeats are smaller. */
static struct seg *tx_cut(struct tx *tx, struct seg *s)
{
	unsigned int i = (unsigned int)(s - tx->seg);

	if (s->len <= tx->chunk || tx->segs == SEGS)
		return s;
	memmove(s + 1, s, (tx->segs - i) * sizeof(*s));
	tx->segs++;
	s[1].off += tx->chunk;
	s[1].len -= tx->chunk;
	s->len = tx->chunk;
	return s;
}

static struct seg *tx_next(struct wire *w)
{
	struct tx *tx = &w->tx;
	struct seg *s = tx_lost(tx);
	size_t sent = tx_sent(tx), n = tx->size - sent;

	if (s) {
		w->stats.data_frames_again++;
		return tx_cut(tx, s);
	}
	if (!n || sent >= w->link.window || tx->segs == SEGS)
		return NULL;
	if (n > tx->chunk)
		n = tx->chunk;
	if (n > w->link.window - sent)
		n = w->link.window - sent;
	s = &tx->seg[tx->segs++];
	*s = (struct seg){ .off = (unsigned int)sent, .len = (unsigned int)n };
	return s;
}

static bool tx_more(const struct wire *w)
{
	const struct tx *tx = &w->tx;

	return tx_lost((struct tx *)tx) ||
	       (tx_sent(tx) < tx->size && tx_sent(tx) < w->link.window && tx->segs < SEGS);
}

/* Frames out. */

static void put_frame(struct wire *w, struct frame *f)
{
	f->epoch = w->epoch;
	f->ack = w->rx.next;
	if (is_agent(w))
		f->flags |= FRAME_FROM_AGENT | (w->open ? 0 : FRAME_SYN);
	w->line_size = frame_encode(w->line, f);
	w->line_at = 0;
	w->stats.frames_out++;
}

static void put_ack(struct wire *w, uint64_t now_ms)
{
	struct rx *rx = &w->rx;
	uint8_t payload[2 + 4 * WIRE_RANGES] = { rx->tno, rx->broken };
	struct frame f = { .flags = FRAME_ACK, .payload = payload, .size = 2 + 4 * rx->ranges };

	for (unsigned int i = 0; i < rx->ranges; i++) {
		const struct range *r = &rx->range[i];
		uint8_t *p = payload + 2 + 4 * i;

		p[0] = (uint8_t)(r->off >> 8);
		p[1] = (uint8_t)r->off;
		p[2] = (uint8_t)(r->len >> 8);
		p[3] = (uint8_t)r->len;
	}
	put_frame(w, &f);
	rx->ack_now = rx->ack_full = rx->ack_later = false;
	rx->unacked = 0;
	/* Where the tty echoes, reports of broken frames break more frames; so they keep a distance
	 * there. */
	rx->full_at =
		now_ms + (w->stats.frames_echo ? w->link.ack_delay_ms : w->link.ack_delay_ms / 8);
}

static void put_data(struct wire *w, struct seg *s, uint64_t now_ms)
{
	struct tx *tx = &w->tx;
	struct frame f = {
		.flags = FRAME_DATA,
		.tno = tx->tno++,
		.seq = (uint16_t)(tx->una + s->off),
		.payload = tx->queue + tx->head + s->off,
		.size = s->len,
	};

	s->sent_ms = now_ms;
	s->tno = f.tno;
	s->lost = false;
	/* A repeat after a timeout asks for an answer at once too. */
	if (!tx_more(w) || tx->retries)
		f.flags |= FRAME_PUSH;
	put_frame(w, &f);
	w->stats.data_frames_out++;
	w->rx.ack_now = w->rx.ack_later = false;
	w->rx.unacked = 0;
}

/* True if a frame has been put into w->line. */
static bool next_frame(struct wire *w, uint64_t now_ms)
{
	struct rx *rx = &w->rx;
	struct seg *s;

	if (w->probe) {
		struct frame f = { .flags = FRAME_PROBE, .payload = (const uint8_t *)"" };

		put_frame(w, &f);
		w->probe = false;
		return true;
	}
	if (!w->epoch)
		return false;
	if (rx->ack_later && now_ms >= rx->ack_at)
		rx->ack_now = true;
	if (rx->ack_full && now_ms >= rx->full_at) {
		put_ack(w, now_ms);
		return true;
	}
	s = tx_next(w);
	if (s)
		put_data(w, s, now_ms);
	else if (rx->ack_now)
		put_ack(w, now_ms);
	return s || w->line_at < w->line_size;
}

static void emit_text(struct wire *w, const void *data, size_t size)
{
	w->stats.text_bytes += size;
	if (w->ops.text)
		w->ops.text(w->ctx, data, size);
}

static bool flush_due(const struct wire *w, uint64_t now_ms)
{
	return w->scan.held && now_ms >= w->heard_ms + w->link.rto_ms;
}

size_t wire_output(struct wire *w, void *buf, size_t cap, uint64_t now_ms)
{
	size_t done = 0;

	if (flush_due(w, now_ms) && frame_scan_flush(&w->scan) == SCAN_BROKEN)
		emit_text(w, w->scan.text, w->scan.size);
	tx_check_timeout(w, now_ms);
	while (done < cap) {
		size_t n = w->line_size - w->line_at;

		if (!n && !next_frame(w, now_ms))
			break;
		n = w->line_size - w->line_at;
		if (n > cap - done)
			n = cap - done;
		memcpy((char *)buf + done, w->line + w->line_at, n);
		w->line_at += n;
		done += n;
	}
	w->stats.bytes_out += done;
	return done;
}

static bool output_ready(const struct wire *w)
{
	return w->line_at < w->line_size || w->probe || (w->epoch && (w->rx.ack_now || tx_more(w)));
}

int wire_timeout(const struct wire *w, uint64_t now_ms)
{
	uint64_t at = UINT64_MAX, t;

	if (output_ready(w))
		return 0;
	if (w->rx.ack_later)
		at = w->rx.ack_at;
	if (w->rx.ack_full && w->epoch && w->rx.full_at < at)
		at = w->rx.full_at;
	if (tx_deadline(w, &t) && t < at)
		at = t;
	if (w->scan.held && w->heard_ms + w->link.rto_ms < at)
		at = w->heard_ms + w->link.rto_ms;
	if (at == UINT64_MAX)
		return -1;
	return at <= now_ms ? 0 : at - now_ms > 3600000 ? 3600000 : (int)(at - now_ms);
}

/* Receiving: the stream and its messages. */

static void message_done(struct wire *w)
{
	struct rx *rx = &w->rx;
	size_t size = rx->size;

	rx->have = rx->size = 0;
	w->stats.messages_in++;
	w->stats.payload_in += size;
	w->ops.message(w->ctx, rx->head[0], rx->data, size);
}

static void stream_bytes(struct wire *w, const uint8_t *p, size_t n)
{
	struct rx *rx = &w->rx;

	while (n && !w->failed) {
		if (rx->have < HEAD) {
			rx->head[rx->have++] = *p++;
			n--;
			rx->size = rx->have == HEAD ? message_size(rx->head) - HEAD : 0;
			/* The peer was built with another limit; nothing sensible can follow. */
			if (rx->have == HEAD && rx->size > w->link.max_message)
				fail(w);
		} else {
			size_t part = rx->size - (rx->have - HEAD);

			if (part > n)
				part = n;
			memcpy(rx->data + rx->have - HEAD, p, part);
			rx->have += part;
			p += part;
			n -= part;
		}
		if (rx->have >= HEAD && rx->have - HEAD == rx->size && !w->failed)
			message_done(w);
	}
}

/* Hands n bytes at the ring's base to the message level. */
static void rx_advance(struct wire *w, unsigned int n)
{
	struct rx *rx = &w->rx;

	rx->next = (uint16_t)(rx->next + n);
	while (n) {
		unsigned int part = WIRE_WINDOW_MAX - rx->base;
		const uint8_t *p = rx->ring + rx->base;

		if (part > n)
			part = n;
		rx->base = (rx->base + part) % WIRE_WINDOW_MAX;
		n -= part;
		stream_bytes(w, p, part);
	}
}

static void ring_write(struct rx *rx, unsigned int off, const uint8_t *p, unsigned int n)
{
	unsigned int at = (rx->base + off) % WIRE_WINDOW_MAX;
	unsigned int part = WIRE_WINDOW_MAX - at < n ? WIRE_WINDOW_MAX - at : n;

	memcpy(rx->ring + at, p, part);
	memcpy(rx->ring, p + part, n - part);
}

/* Adds a range, merging what touches; false when there are too many holes. */
static bool range_add(struct rx *rx, unsigned int off, unsigned int len)
{
	unsigned int end = off + len, i = 0, j;

	while (i < rx->ranges && rx->range[i].off + rx->range[i].len < off)
		i++;
	for (j = i; j < rx->ranges && rx->range[j].off <= end; j++) {
		if (rx->range[j].off < off)
			off = rx->range[j].off;
		if (rx->range[j].off + rx->range[j].len > end)
			end = rx->range[j].off + rx->range[j].len;
	}
	if (i == j && rx->ranges == WIRE_RANGES)
		return false;
	memmove(&rx->range[i + 1], &rx->range[j], (rx->ranges - j) * sizeof(rx->range[0]));
	rx->ranges = rx->ranges - (j - i) + 1;
	rx->range[i] = (struct range){ .off = off, .len = end - off };
	return true;
}

static void rx_data(struct wire *w, const struct frame *f, uint64_t now_ms)
{
	struct rx *rx = &w->rx;
	int off = (int16_t)(f->seq - rx->next);
	unsigned int len = (unsigned int)f->size, n, skip = off < 0 ? (unsigned int)-off : 0;
	bool hole;

	if (f->tno != (uint8_t)(rx->tno + 1) || rx->broken)
		rx->ack_full = true;
	rx->tno = f->tno;
	rx->broken = 0;
	if (f->flags & FRAME_PUSH)
		rx->ack_now = true;
	if (skip >= len || off + (int)len > WIRE_WINDOW_MAX) {
		rx->ack_full = true; /* a repeat: our acknowledgement was lost */
		return;
	}
	len -= skip;
	off += (int)skip;
	if (!range_add(rx, (unsigned int)off, len))
		return;
	ring_write(rx, (unsigned int)off, f->payload + skip, len);
	rx->unacked += len;
	if (rx->unacked >= w->link.window / 4)
		rx->ack_now = true;
	if (!rx->ack_later)
		rx->ack_at = now_ms + w->link.ack_delay_ms;
	rx->ack_later = true;
	hole = rx->range[0].off > 0;
	if (hole)
		return;
	n = rx->range[0].len;
	rx->ranges--;
	memmove(&rx->range[0], &rx->range[1], rx->ranges * sizeof(rx->range[0]));
	for (unsigned int i = 0; i < rx->ranges; i++)
		rx->range[i].off -= n;
	rx_advance(w, n);
}

static void rx_ack(struct wire *w, const struct frame *f, uint64_t now_ms)
{
	struct tx *tx = &w->tx;
	const uint8_t *p = f->payload;
	unsigned int shift = (uint16_t)(f->ack - tx->una);

	if (f->size < 2 || f->size > 2 + 4 * WIRE_RANGES || f->size % 4 != 2)
		return;
	tx_measure(w, p[0], now_ms);
	/* An older acknowledgement than the last one; its ranges count from another place. */
	if (shift > tx_sent(tx))
		return;
	tx_acked(w, f->ack, now_ms);
	for (size_t i = 2; i < f->size; i += 4)
		tx_sacked(w, (unsigned int)(p[i] << 8 | p[i + 1]),
			  (unsigned int)(p[i + 2] << 8 | p[i + 3]));
	for (unsigned int i = 0; i < tx->segs; i++) {
		struct seg *s = &tx->seg[i];

		if (!s->sacked && !s->lost && (int8_t)(p[0] + p[1] - s->tno) >= 0)
			tx_mark_lost(tx, s);
	}
}

static void begin_epoch(struct wire *w, uint16_t epoch)
{
	w->epoch = epoch;
	w->failed = 0;
	w->open = w->peer_open = false;
	w->tx.srtt = w->tx.rttvar = 0;
	w->line_size = w->line_at = 0;
	rx_reset(&w->rx);
}

static unsigned int drop_unacked(struct wire *w)
{
	unsigned int lost = w->failed ? (unsigned int)w->failed : w->tx.messages;

	w->stats.messages_lost += w->tx.messages;
	tx_reset(w);
	return lost;
}

unsigned int wire_restart(struct wire *w)
{
	unsigned int lost = drop_unacked(w);

	begin_epoch(w, !is_agent(w) ? 0 : w->epoch == UINT16_MAX ? 1 : (uint16_t)(w->epoch + 1));
	return lost;
}

static void announce_restart(struct wire *w, unsigned int lost)
{
	if (w->ops.restart)
		w->ops.restart(w->ctx, w->epoch, lost);
}

/* Rig: a frame of another epoch, or of an agent that has not been answered yet. */
static bool accept_from_agent(struct wire *w, const struct frame *f)
{
	bool syn = f->flags & FRAME_SYN, again = w->epoch != 0;

	if (!f->epoch)
		return false;
	if (f->epoch == w->epoch && !(syn && w->peer_open)) {
		w->peer_open |= !syn;
		return !w->failed;
	}
	if (!syn) {
		/* Somebody talks to a rig that we are not: ask for a start. Not when it is a
		 * straggler. */
		w->probe |= !w->epoch;
		return false;
	}
	if (again) {
		unsigned int lost = drop_unacked(w);

		begin_epoch(w, f->epoch);
		announce_restart(w, lost);
	} else {
		begin_epoch(w, f->epoch);
	}
	w->open = true;
	return true;
}

static void on_probe(struct wire *w)
{
	if (w->open || w->failed) {
		announce_restart(w, wire_restart(w));
		return;
	}
	w->tx.retries = 0;
	for (unsigned int i = 0; i < w->tx.segs; i++)
		w->tx.seg[i].lost = true;
}

static bool accept_from_rig(struct wire *w, const struct frame *f)
{
	if ((f->flags & FRAME_KIND) == FRAME_PROBE) {
		on_probe(w);
		return false;
	}
	if (f->epoch != w->epoch || w->failed)
		return false;
	w->open = true;
	return true;
}

static void on_frame(struct wire *w, const struct frame *f, uint64_t now_ms)
{
	bool from_agent = f->flags & FRAME_FROM_AGENT;

	if (from_agent == is_agent(w)) {
		w->stats.frames_echo++;
		return;
	}
	if (!(from_agent ? accept_from_agent(w, f) : accept_from_rig(w, f))) {
		w->stats.frames_stale++;
		return;
	}
	w->stats.frames_in++;
	if ((f->flags & FRAME_KIND) == FRAME_ACK)
		return rx_ack(w, f, now_ms);
	if ((f->flags & FRAME_KIND) != FRAME_DATA)
		return;
	tx_acked(w, f->ack, now_ms);
	rx_data(w, f, now_ms);
}

static void on_broken(struct wire *w)
{
	if (w->scan.size < BROKEN_WORTH)
		return;
	w->stats.frames_broken++;
	if (!w->open)
		return;
	if (w->rx.broken < 100)
		w->rx.broken++;
	w->rx.ack_full = true;
}

void wire_feed(struct wire *w, const void *bytes, size_t size, uint64_t now_ms)
{
	const uint8_t *at = bytes, *end = at + size;
	enum scan_event event;

	if (size)
		w->heard_ms = now_ms;
	w->stats.bytes_in += size;
	while ((event = frame_scan(&w->scan, &at, end)) != SCAN_MORE) {
		if (event == SCAN_FRAME) {
			on_frame(w, &w->scan.frame, now_ms);
			continue;
		}
		emit_text(w, w->scan.text, w->scan.size);
		if (event == SCAN_BROKEN)
			on_broken(w);
	}
}

/* State. */

bool wire_idle(const struct wire *w)
{
	return !w->tx.size && w->line_at == w->line_size && !w->rx.ack_now && !w->rx.ack_full &&
	       !w->rx.ack_later;
}

bool wire_open(const struct wire *w)
{
	return w->open;
}

int wire_failed(const struct wire *w)
{
	return w->failed;
}

void wire_probe(struct wire *w)
{
	w->probe = !is_agent(w);
}

const struct wire_stats *wire_stats(const struct wire *w)
{
	return &w->stats;
}
