// SPDX-License-Identifier: GPL-2.0-or-later
/* The stream that is received, its messages and acknowledgements; see wire-state.h. */
#include "agents/wire-state.h"

#include <string.h>

/* Shorter than this, what looked like a frame was text and is not worth a word to the peer. */
#define BROKEN_WORTH 20

void rx_reset(struct rx *rx)
{
	rx->next = 0;
	rx->base = rx->ranges = rx->unacked = 0;
	rx->have = rx->size = 0;
	/* As if the transmission before the first had been received. */
	rx->tno = 255;
	rx->broken = 0;
	rx->ack_now = rx->ack_full = rx->ack_later = false;
}

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
		if (rx->have < WIRE_HEAD) {
			rx->head[rx->have++] = *p++;
			n--;
			rx->size = rx->have == WIRE_HEAD ? wire_message_size(rx->head) - WIRE_HEAD
							 : 0;
			/* The peer was built with another limit; nothing sensible can follow. */
			if (rx->have == WIRE_HEAD && rx->size > w->link.max_message)
				tx_fail(w);
		} else {
			size_t part = rx->size - (rx->have - WIRE_HEAD);

			if (part > n)
				part = n;
			memcpy(rx->data + rx->have - WIRE_HEAD, p, part);
			rx->have += part;
			p += part;
			n -= part;
		}
		if (rx->have >= WIRE_HEAD && rx->have - WIRE_HEAD == rx->size && !w->failed)
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

void rx_data(struct wire *w, const struct frame *f, uint64_t now_ms)
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

void rx_ack(struct wire *w, const struct frame *f, uint64_t now_ms)
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

void rx_broken(struct wire *w)
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
