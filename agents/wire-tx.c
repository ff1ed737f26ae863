// SPDX-License-Identifier: GPL-2.0-or-later
/* The stream that is sent: its queue and what of it is on the way; see wire-state.h. */
#include "agents/wire-state.h"

#include <errno.h>
#include <string.h>

#define SYN_FIRST_MS 100

void tx_reset(struct wire *w)
{
	struct tx *tx = &w->tx;

	tx->head = tx->size = tx->message_left = 0;
	tx->una = 0;
	tx->tno = 0;
	tx->segs = tx->retries = tx->messages = 0;
	tx->chunk = w->link.payload;
}

int wire_send(struct wire *w, unsigned int type, const void *data, size_t size)
{
	struct tx *tx = &w->tx;
	uint8_t head[WIRE_HEAD] = { (uint8_t)type, (uint8_t)(size >> 16), (uint8_t)(size >> 8),
				    (uint8_t)size };

	if (w->failed)
		return -EPIPE;
	if (size > w->link.max_message)
		return -EMSGSIZE;
	if (tx->size + WIRE_HEAD + size > tx->cap)
		return -EAGAIN;
	if (tx->head + tx->size + WIRE_HEAD + size > tx->cap) {
		memmove(tx->queue, tx->queue + tx->head, tx->size);
		tx->head = 0;
	}
	if (!tx->size)
		tx->message_left = WIRE_HEAD + size;
	memcpy(tx->queue + tx->head + tx->size, head, WIRE_HEAD);
	if (size)
		memcpy(tx->queue + tx->head + tx->size + WIRE_HEAD, data, size);
	tx->size += WIRE_HEAD + size;
	tx->messages++;
	w->stats.messages_out++;
	w->stats.payload_out += size;
	return 0;
}

unsigned int tx_sent(const struct tx *tx)
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
		left = size ? wire_message_size(p) : 0;
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

void tx_acked(struct wire *w, uint16_t ack, uint64_t now_ms)
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

void tx_sacked(struct wire *w, unsigned int off, unsigned int len)
{
	for (unsigned int i = 0; i < w->tx.segs; i++) {
		struct seg *s = &w->tx.seg[i];

		if (s->sacked || s->off < off || s->off + s->len > off + len)
			continue;
		s->sacked = true;
		tx_grow(w);
	}
}

void tx_mark_lost(struct tx *tx, struct seg *s)
{
	s->lost = true;
	tx_shrink(tx);
}

/* RFC 6298, with the transmission number telling repeats apart. */
void tx_measure(struct wire *w, uint8_t tno, uint64_t now_ms)
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

	if (wire_is_agent(w) && !w->open) {
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

bool tx_deadline(const struct wire *w, uint64_t *at_ms)
{
	const struct seg *s = tx_oldest(&w->tx);

	if (!s || s->lost)
		return false;
	*at_ms = (s->sent_ms > w->tx.progress_ms ? s->sent_ms : w->tx.progress_ms) + tx_rto(w);
	return true;
}

void tx_fail(struct wire *w)
{
	w->failed = w->tx.messages ? (int)w->tx.messages : 1;
	w->stats.messages_lost += w->tx.messages;
	tx_reset(w);
}

unsigned int tx_drop_unacked(struct wire *w)
{
	unsigned int lost = w->failed ? (unsigned int)w->failed : w->tx.messages;

	w->stats.messages_lost += w->tx.messages;
	tx_reset(w);
	return lost;
}

void tx_check_timeout(struct wire *w, uint64_t now_ms)
{
	uint64_t at_ms;

	if (!tx_deadline(w, &at_ms) || now_ms < at_ms)
		return;
	w->stats.timeouts++;
	if (w->tx.retries < w->link.max_retries)
		w->tx.retries++;
	else if (w->open)
		return tx_fail(w);
	/* One repeat: its acknowledgement will tell what else is missing. */
	tx_mark_lost(&w->tx, (struct seg *)tx_oldest(&w->tx));
}

/* Cuts a lost piece to the present frame size, so that repeats are smaller. */
static struct seg *tx_cut(struct tx *tx, struct seg *s)
{
	unsigned int i = (unsigned int)(s - tx->seg);

	if (s->len <= tx->chunk || tx->segs == WIRE_SEGS)
		return s;
	memmove(s + 1, s, (tx->segs - i) * sizeof(*s));
	tx->segs++;
	s[1].off += tx->chunk;
	s[1].len -= tx->chunk;
	s->len = tx->chunk;
	return s;
}

struct seg *tx_next(struct wire *w)
{
	struct tx *tx = &w->tx;
	struct seg *s = tx_lost(tx);
	size_t sent = tx_sent(tx), n = tx->size - sent;

	if (s) {
		w->stats.data_frames_again++;
		return tx_cut(tx, s);
	}
	if (!n || sent >= w->link.window || tx->segs == WIRE_SEGS)
		return NULL;
	if (n > tx->chunk)
		n = tx->chunk;
	if (n > w->link.window - sent)
		n = w->link.window - sent;
	s = &tx->seg[tx->segs++];
	*s = (struct seg){ .off = (unsigned int)sent, .len = (unsigned int)n };
	return s;
}

bool tx_more(const struct wire *w)
{
	const struct tx *tx = &w->tx;

	return tx_lost((struct tx *)tx) ||
	       (tx_sent(tx) < tx->size && tx_sent(tx) < w->link.window && tx->segs < WIRE_SEGS);
}
