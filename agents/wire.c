// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The wire: two byte streams with selective repeat over frames. Above wire-frame.c (the line),
 * below the agent's main loop and rig/job. The protocol is described in wire.h, the parts in
 * wire-state.h; here is what is on the outside: frames out, bytes in, time.
 */
#include "agents/wire-state.h"

#include <stdlib.h>
#include <string.h>

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
	w->tx.cap = 2 * (WIRE_HEAD + link->max_message);
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

/* Frames out. */

static void put_frame(struct wire *w, struct frame *f)
{
	f->epoch = w->epoch;
	f->ack = w->rx.next;
	if (wire_is_agent(w))
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

/* Bytes in. */

static void on_frame(struct wire *w, const struct frame *f, uint64_t now_ms)
{
	bool from_agent = f->flags & FRAME_FROM_AGENT;

	if (from_agent == wire_is_agent(w)) {
		w->stats.frames_echo++;
		return;
	}
	if (!epoch_accept(w, f)) {
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
			rx_broken(w);
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
	w->probe = !wire_is_agent(w);
}

const struct wire_stats *wire_stats(const struct wire *w)
{
	return &w->stats;
}
