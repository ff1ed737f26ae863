/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of the wire: encoding, and finding them among console text. Internal to the wire and the
 * tests; the picture of the bytes is in wire.h.
 */
#ifndef AGENTS_WIRE_FRAME_H
#define AGENTS_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_FROM_AGENT 0x80
#define FRAME_SYN	 0x40
#define FRAME_PUSH	 0x20
#define FRAME_KIND	 0x0c
#define FRAME_DATA	 0x00
#define FRAME_ACK	 0x04
#define FRAME_PROBE	 0x08
#define FRAME_PAD	 0x03

#define FRAME_HEADER	  8
#define FRAME_CRC	  4
#define FRAME_GROUPS_MAX  4095
#define FRAME_LINE_MAX	  (5 + FRAME_GROUPS_MAX * 4)
#define FRAME_PAYLOAD_MAX (FRAME_GROUPS_MAX * 3 - FRAME_HEADER - FRAME_CRC)

struct frame {
	uint8_t flags; /* pad bits are the codec's own */
	uint8_t tno;
	uint16_t epoch;
	uint16_t seq;
	uint16_t ack;
	size_t size; /* of payload, up to FRAME_PAYLOAD_MAX */
	const uint8_t *payload;
};

/* Writes the frame's characters to line (room for FRAME_LINE_MAX, or what the size needs); returns
 * how many. */
size_t frame_encode(char *line, const struct frame *f);

enum scan_event {
	SCAN_MORE,   /* all bytes used, nothing to tell */
	SCAN_TEXT,   /* text, size: bytes that are no frame */
	SCAN_BROKEN, /* text, size: began as a frame and is none */
	SCAN_FRAME,  /* frame */
};

struct frame_scan {
	size_t held;	     /* characters of a possible frame */
	size_t want;	     /* its length in all, once known */
	const uint8_t *text; /* result; valid until the next call */
	size_t size;
	struct frame frame; /* result; its payload is valid until the next call */
	uint8_t line[FRAME_LINE_MAX];
	uint8_t bytes[FRAME_GROUPS_MAX * 3];
};

/* Takes bytes from *at up to end, moves *at on, stops at the first event. */
enum scan_event frame_scan(struct frame_scan *s, const uint8_t **at, const uint8_t *end);
/* Gives up on the held characters: SCAN_BROKEN with them, or SCAN_MORE if there are none. */
enum scan_event frame_scan_flush(struct frame_scan *s);

#endif
