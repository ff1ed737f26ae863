// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of the wire: base64, CRC, and the scanner that tells frames from console text. Below
 * wire.c. */
#include "agents/wire-frame.h"
#include "agents/wire.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

uint32_t wire_crc32(uint32_t crc, const void *data, size_t size)
{
	static const uint32_t nibble[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const uint8_t *p = data;

	crc = ~crc;
	while (size--) {
		crc ^= *p++;
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return ~crc;
}

/* Three bytes to four characters, at any call alignment: bits collect in acc. */
struct encoder {
	char *out;
	uint32_t acc;
	unsigned int bytes;
	uint32_t crc;
};

static void encode_raw(struct encoder *e, const uint8_t *p, size_t size)
{
	while (size--) {
		e->acc = e->acc << 8 | *p++;
		if (++e->bytes % 3)
			continue;
		for (int shift = 18; shift >= 0; shift -= 6)
			*e->out++ = digits[e->acc >> shift & 63];
		e->acc = 0;
	}
}

static void encode(struct encoder *e, const uint8_t *p, size_t size)
{
	e->crc = wire_crc32(e->crc, p, size);
	encode_raw(e, p, size);
}

size_t frame_encode(char *line, const struct frame *f)
{
	static const uint8_t zero[2];
	size_t bytes = FRAME_HEADER + f->size + FRAME_CRC, groups = (bytes + 2) / 3;
	size_t pad = groups * 3 - bytes;
	uint8_t head[FRAME_HEADER] = {
		(uint8_t)((f->flags & ~FRAME_PAD) | pad),
		f->epoch >> 8,
		f->epoch & 255,
		f->tno,
		f->seq >> 8,
		f->seq & 255,
		f->ack >> 8,
		f->ack & 255,
	};
	struct encoder e = { .out = line + 4 };
	uint8_t crc[FRAME_CRC];

	line[0] = '~';
	line[1] = '{';
	line[2] = digits[groups >> 6];
	line[3] = digits[groups & 63];
	encode(&e, head, sizeof(head));
	encode(&e, f->payload, f->size);
	encode(&e, zero, pad);
	for (int i = 0; i < FRAME_CRC; i++)
		crc[i] = (uint8_t)(e.crc >> (24 - 8 * i));
	encode_raw(&e, crc, sizeof(crc));
	*e.out++ = '}';
	return (size_t)(e.out - line);
}

static bool decode(struct frame_scan *s)
{
	size_t size = (s->want - 5) / 4 * 3;
	const uint8_t *in = s->line + 4;
	uint8_t *b = s->bytes;
	uint32_t crc;
	size_t pad;

	for (size_t i = 0; i < size; i += 3, in += 4) {
		uint32_t v = (uint32_t)digit_value(in[0]) << 18 |
			     (uint32_t)digit_value(in[1]) << 12 |
			     (uint32_t)digit_value(in[2]) << 6 | (uint32_t)digit_value(in[3]);

		b[i] = (uint8_t)(v >> 16);
		b[i + 1] = (uint8_t)(v >> 8);
		b[i + 2] = (uint8_t)v;
	}
	size -= FRAME_CRC;
	crc = (uint32_t)b[size] << 24 | (uint32_t)b[size + 1] << 16 | (uint32_t)b[size + 2] << 8 |
	      b[size + 3];
	pad = b[0] & FRAME_PAD;
	if (crc != wire_crc32(0, b, size) || pad > 2 || size < FRAME_HEADER + pad)
		return false;
	s->frame = (struct frame){
		.flags = b[0] & (uint8_t)~FRAME_PAD,
		.epoch = (uint16_t)(b[1] << 8 | b[2]),
		.tno = b[3],
		.seq = (uint16_t)(b[4] << 8 | b[5]),
		.ack = (uint16_t)(b[6] << 8 | b[7]),
		.size = size - FRAME_HEADER - pad,
		.payload = b + FRAME_HEADER,
	};
	return true;
}

/* Whether c may stand at this place of a frame. */
static bool fits(struct frame_scan *s, uint8_t c)
{
	int value = digit_value(c);

	if (s->held == 1)
		return c == '{';
	if (s->held + 1 == s->want)
		return c == '}';
	if (value < 0)
		return false;
	if (s->held == 3) {
		size_t groups = (size_t)digit_value(s->line[2]) << 6 | (size_t)value;

		s->want = 5 + groups * 4;
		return groups >= (FRAME_HEADER + FRAME_CRC) / 3;
	}
	return true;
}

enum scan_event frame_scan_flush(struct frame_scan *s)
{
	s->text = s->line;
	s->size = s->held;
	s->held = s->want = 0;
	return s->size ? SCAN_BROKEN : SCAN_MORE;
}

enum scan_event frame_scan(struct frame_scan *s, const uint8_t **at, const uint8_t *end)
{
	if (!s->held && *at < end) {
		const uint8_t *mark = memchr(*at, '~', (size_t)(end - *at));

		s->text = *at;
		s->size = (size_t)((mark ? mark : end) - *at);
		*at += s->size;
		if (s->size)
			return SCAN_TEXT;
		s->line[s->held++] = *(*at)++;
	}
	while (*at < end) {
		/* A held frame has no marker inside, so only this byte can begin another one. */
		if (!fits(s, **at))
			return frame_scan_flush(s);
		s->line[s->held++] = *(*at)++;
		if (s->held != s->want)
			continue;
		if (!decode(s))
			return frame_scan_flush(s);
		s->held = s->want = 0;
		return SCAN_FRAME;
	}
	return SCAN_MORE;
}
