// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Epochs: one for each life of an agent, so that one that started again is told from a repeat; see
 * wire.h.
 */
#include "agents/wire-state.h"

static void begin_epoch(struct wire *w, uint16_t epoch)
{
	w->epoch = epoch;
	w->failed = 0;
	w->open = w->peer_open = false;
	w->tx.srtt = w->tx.rttvar = 0;
	w->line_size = w->line_at = 0;
	rx_reset(&w->rx);
}

unsigned int wire_restart(struct wire *w)
{
	unsigned int lost = tx_drop_unacked(w);

	begin_epoch(w, !wire_is_agent(w)	? 0
		       : w->epoch == UINT16_MAX ? 1
						: (uint16_t)(w->epoch + 1));
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
		unsigned int lost = tx_drop_unacked(w);

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

bool epoch_accept(struct wire *w, const struct frame *f)
{
	return f->flags & FRAME_FROM_AGENT ? accept_from_agent(w, f) : accept_from_rig(w, f);
}
