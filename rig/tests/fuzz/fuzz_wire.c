// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer: arbitrary bytes into both ends of the wire. First byte: side; then the line. A valid
 * CRC is put on what looks like a frame, so that the protocol behind it is reached too.
 */
#include "../../../agents/wire-frame.c"
#include "../../../agents/wire-tx.c"
#include "../../../agents/wire-rx.c"
#include "../../../agents/wire-epoch.c"
#include "../../../agents/wire.c"

static size_t out_bytes;

static void on_message(void *ctx, unsigned int type, const void *data, size_t size)
{
	volatile uint8_t sum = (uint8_t)type;

	(void)ctx;
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + ((const uint8_t *)data)[i]);
}

static void on_text(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	out_bytes += size;
}

static void drain(struct wire *w, uint64_t now_ms)
{
	char buf[1000];

	for (int i = 0; i < 64 && wire_output(w, buf, sizeof(buf), now_ms); i++)
		;
	if (wire_timeout(w, now_ms) < -1)
		abort();
}

/* The next bytes as a frame of our own making: header, and payload up to the size given. */
static size_t forged(struct wire *w, const uint8_t *p, size_t n, uint64_t now_ms)
{
	static char line[FRAME_LINE_MAX];
	struct frame f;

	if (n < 9)
		return n;
	f = (struct frame){
		.flags = p[0],
		.tno = p[1],
		.epoch = (uint16_t)(p[2] & 3),
		.seq = (uint16_t)(p[4] << 8 | p[5]),
		.ack = (uint16_t)(p[6] << 8 | p[7]),
		.payload = p + 9,
		.size = p[8] < n - 9 ? p[8] : n - 9,
	};
	wire_feed(w, line, frame_encode(line, &f), now_ms);
	return 9 + f.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct wire_ops ops = { on_message, on_text, NULL };
	struct wire_link link = wire_link_console;
	uint64_t now_ms = 0;
	struct wire *w;

	if (!size)
		return 0;
	link.side = data[0] & 1 ? WIRE_SIDE_AGENT : WIRE_SIDE_RIG;
	link.epoch = data[0] & 1;
	link.max_message = 5000;
	w = wire_new(&ops, NULL, &link);
	if (!w)
		abort();
	wire_send(w, WIRE_HELLO, data, size < 3000 ? size : 3000);
	for (size_t at = 1; at < size;) {
		size_t n = data[at] & 63;

		at++;
		n = n < size - at ? n : size - at;
		if (data[at - 1] & 64) {
			at += forged(w, data + at, size - at, now_ms);
		} else {
			wire_feed(w, data + at, n, now_ms);
			at += n;
		}
		now_ms += data[at - 1] & 128 ? 300 : 1;
		drain(w, now_ms);
	}
	wire_free(w);
	return 0;
}
