/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire between rig and DUT: whole messages, once, in order, over a tty that loses bytes.
 *
 * Used by the agent (every architecture, either endianness) and by rig/job. Pure: no I/O, no clock,
 * nothing of libc but memory and strings. The caller moves the bytes and tells the time.
 *
 * == The frame on the line ==
 *
 *   offset  0   1   2   3   4 ..................................... 4 + 4 * L
 *         +---+---+---+---+---------------------------------------+---+
 *         | ~ | { | L     | L groups of four base64 characters    | } |
 *         +---+---+---+---+---------------------------------------+---+
 *           marker  length  (RFC 4648 alphabet, never '=')          end
 *
 *   L       two base64 digits, high one first: number of groups, 4..4095
 *   the groups decode to 3 * L bytes (all numbers big endian):
 *
 *         +-------+-----------+-----+-----------+-----------+---------+-------+---------+
 *         | flags | epoch     | tno | seq       | ack       | payload | pad   | CRC-32  |
 *         | 1     | 2         | 1   | 2         | 2         | 0..     | 0..2  | 4       |
 *         +-------+-----------+-----+-----------+-----------+---------+-------+---------+
 *
 *   flags   0x80 direction: 1 = from the agent, 0 = from the rig. A frame of our own direction
 *                is the echo of a tty and is dropped.
 *           0x40 SYN: the agent has not been acknowledged yet in this epoch
 *           0x20 PUSH: the sender has nothing more to say now: acknowledge at once
 *           0x0c kind: 0 DATA, 1 ACK, 2 PROBE
 *           0x03 number of pad bytes (zero)
 *   epoch   chosen by the agent at start, never 0; 0 only in a PROBE
 *   tno     transmission number of DATA frames, counts every one sent, repeats too
 *   seq     position of the payload's first byte in the sender's byte stream, modulo 65536
 *   ack     next stream byte expected by the sender of this frame
 *   CRC-32  IEEE 802.3 (reflected 0xedb88320), over everything before it
 *
 *   The payload of an ACK frame is: last tno received, number of broken frames seen since then,
 *   and up to WIRE_RANGES pairs (offset from ack, length; 2 bytes each) of stream bytes held
 *   beyond ack.
 *
 * == The stream ==
 *
 *   Each direction is a stream of bytes, cut into frames of any size, so a part that was lost can
 *   be sent again in smaller frames. In the stream stand messages:
 *
 *         +------+-----------+-----------------+
 *         | type | size      | size data bytes |
 *         | 1    | 3         |                 |
 *         +------+-----------+-----------------+
 *
 * == Loss ==
 *
 *   A tty keeps the order of what it does not lose. So when the receiver names transmission T, all
 *   transmissions up to T that it does not hold are lost, and are sent again at once (selective
 *   repeat). A frame that breaks in the receiver's hands is reported right away. Only what leaves
 *   no trace at all waits for the retransmission timeout, which follows the measured round trip
 *   and grows with each repeat. Frames get smaller while many are lost, larger while they arrive.
 *   After link.max_retries timeouts in a row without a word from the peer the wire has failed,
 *   and every message not acknowledged is counted as lost.
 *
 * == Text ==
 *
 *   All bytes that are not part of a good frame or of an echo go to ops.text, in order and
 *   unchanged, a broken frame's bytes too. What looks like the start of a frame is held back until
 *   it is complete, broken, or has seen no further byte for link.rto_ms.
 *
 * == Opening ==
 *
 *   The agent speaks first: its first message (HELLO) is repeated with SYN set, after 100 ms at
 *   first, then more slowly up to WIRE_SYN_MAX_MS, until the rig answers. The rig is passive and
 *   takes over whichever epoch a SYN names. When that is not the epoch it was in, the agent was
 *   restarted (silent reboot): the rig's unacknowledged messages are dropped, ops.restart says how
 *   many, and the new HELLO follows. A rig that attaches to a running agent sends a PROBE
 *   (wire_probe()): an agent that waits repeats its HELLO at once; one that is talking to somebody
 *   starts a new epoch, and its ops.restart is to send a HELLO.
 *   When neither side has anything to send, neither sends anything.
 */
#ifndef AGENTS_WIRE_H
#define AGENTS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_WINDOW_MAX	 16384 /* most stream bytes on the way; each receiver has room for it */
#define WIRE_PAYLOAD_MIN 16    /* frames do not get smaller than this under loss */
#define WIRE_RANGES	 8
#define WIRE_SYN_MAX_MS	 1000
/* Characters on the line for a DATA frame with n payload bytes. */
#define WIRE_LINE_BYTES(n) (5 + ((n) + 12 + 2) / 3 * 4)

/* Message types of rig and agent; the wire itself gives them no meaning. kv: see kv.h. */
enum wire_message {
	WIRE_HELLO = 1, /* agent: kv version arch release boot_id pid uptime_ms kind... lost */
	WIRE_STEP,	/* rig: kv id kind timeout_ms target arg... and the keys of the kind */
	WIRE_STARTED,	/* agent: kv id */
	WIRE_FILE,	/* agent: kv id name size offset crc32 (size, crc32: whole file), body */
	WIRE_METRIC,	/* agent: kv id name value unit */
	WIRE_NOTE,	/* agent: text for the report, no newline at its end */
	WIRE_END,	/* agent: kv id status exit signal duration_ns agent_cpu_ns */
			/* agent_wakeups message */
	WIRE_CANCEL,	/* rig: kv id; the step is killed and ends with status=failed */
};

enum wire_side { WIRE_SIDE_RIG, WIRE_SIDE_AGENT };

struct wire_link {
	enum wire_side side;
	uint16_t epoch;		   /* agent: random, not 0; rig: 0 */
	unsigned int payload;	   /* stream bytes in the largest frame, WIRE_PAYLOAD_MIN..12000 */
	unsigned int window;	   /* stream bytes on the way, 1..WIRE_WINDOW_MAX */
	unsigned int rto_ms;	   /* least retransmission timeout; see also Text */
	unsigned int rto_max_ms;   /* limit of its growth */
	unsigned int max_retries;  /* timeouts in a row until the wire has failed */
	unsigned int ack_delay_ms; /* how long an acknowledgement may wait for company */
	size_t max_message;	   /* bytes, under 16 MiB; must be the same on both sides */
};

/* To be copied, then side and epoch filled in. Both ends may even differ in all but max_message. */
extern const struct wire_link wire_link_console; /* a tty: 197 characters a frame */
extern const struct wire_link wire_link_stream;	 /* TCP, USB serial: 4 KiB frames */

/*
 * Called from wire_feed(), text() also from wire_output(). They may call wire_send(), and nothing
 * else of this file. data belongs to the wire and is valid during the call only.
 */
struct wire_ops {
	void (*message)(void *ctx, unsigned int type, const void *data, size_t size);
	void (*text)(void *ctx, const void *data, size_t size); /* may be NULL */
	/*
	 * A new epoch began and `lost` messages given to wire_send() were never acknowledged (they
	 * may have arrived). Rig: the agent was restarted, its HELLO follows; not called for the
	 * first one. Agent: a rig asked for a new start; send a HELLO. May be NULL.
	 */
	void (*restart)(void *ctx, uint16_t epoch, unsigned int lost);
};

struct wire_stats {
	uint64_t bytes_out, bytes_in; /* on the line */
	uint64_t payload_out,
		payload_in; /* of messages: accepted by wire_send(), delivered to us */
	uint64_t messages_out, messages_acked, messages_in, messages_lost;
	uint64_t frames_out, frames_in; /* all kinds; in: good ones from the peer */
	uint64_t data_frames_out,
		data_frames_again; /* DATA frames; how many of them were repeats */
	uint64_t frames_broken, frames_echo, frames_stale;
	uint64_t text_bytes;
	uint64_t timeouts;
	unsigned int rtt_ms; /* smoothed round trip, 0 before the first */
};

struct wire;

/* NULL when memory is short or a parameter of *link is out of range. */
struct wire *wire_new(const struct wire_ops *ops, void *ctx, const struct wire_link *link);
void wire_free(struct wire *w);

/*
 * Queues a copy of the message. 0, or -EMSGSIZE (over link.max_message), -EAGAIN (queue full: let
 * wire_output() and wire_feed() run first; at least one message of the largest size always fits
 * into an empty queue), -EPIPE (the wire has failed). The rig may send before the agent was heard.
 */
int wire_send(struct wire *w, unsigned int type, const void *data, size_t size);

/* Takes bytes from the line. now_ms: any clock that never goes back, same origin in all calls. */
void wire_feed(struct wire *w, const void *bytes, size_t size, uint64_t now_ms);

/* Writes up to cap bytes to be put on the line, returns how many; 0: nothing to send now. */
size_t wire_output(struct wire *w, void *buf, size_t cap, uint64_t now_ms);

/* Milliseconds until wire_output() should be called again without other cause; -1: never. */
int wire_timeout(const struct wire *w, uint64_t now_ms);

/* True when everything sent has been acknowledged and no acknowledgement is due. */
bool wire_idle(const struct wire *w);

/* True once the peer has been heard in this epoch (agent: has answered). */
bool wire_open(const struct wire *w);

/*
 * 0, or the number of messages lost since the wire gave up (at least 1). Rig: ends when an agent
 * says SYN again. Agent: ends with wire_restart().
 */
int wire_failed(const struct wire *w);

/* Rig: ask whoever is there to say HELLO. */
void wire_probe(struct wire *w);

/*
 * Agent: begin the next epoch with empty streams; returns how many messages are lost by that. The
 * caller sends a HELLO then (ops.restart is not called). Rig: forget the agent and wait for a SYN.
 */
unsigned int wire_restart(struct wire *w);

const struct wire_stats *wire_stats(const struct wire *w);

/* The frame's CRC, for whoever wants to check a whole file. Start with crc = 0, feed pieces in
 * order. */
uint32_t wire_crc32(uint32_t crc, const void *data, size_t size);

#endif
