// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The wire through a bad tty: two ends, a virtual clock of 1 ms, a line with a rate and a delay in
 * each direction that drops, flips and inserts bytes and lets printk lines in anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "agents/wire-frame.h"
#include "agents/wire.h"

#define RATE_115200 11520 /* bytes a second, 8N1 */
#define DELAY_MAX   64
#define TICK_BYTES  2048

/* xorshift: the same sequence everywhere, for a given seed. */
static uint32_t rnd(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static bool chance(uint32_t *state, unsigned int per_million)
{
	return rnd(state) % 1000000 < per_million;
}

struct buffer {
	uint8_t *data;
	size_t size, cap;
};

static void append(struct buffer *b, const void *data, size_t size)
{
	if (b->size + size > b->cap) {
		b->cap = (b->size + size) * 2;
		b->data = realloc(b->data, b->cap);
		assert_non_null(b->data);
	}
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
}

/* What a channel does to the bytes; all in parts per million of bytes. */
struct noise {
	unsigned int drop, flip, insert, printk;
	bool dead;
};

struct end {
	struct wire *w;
	uint32_t seed; /* of the content of received messages */
	unsigned int received, wrong;
	unsigned int hellos, restarts, lost;
	struct buffer text;
	struct buffer slot[DELAY_MAX]; /* on its way to this end, by arrival tick */
	uint64_t credit;	       /* thousandths of bytes that this end may still send */
	unsigned int payload_min, payload_max;
};

struct sim {
	struct end end[2]; /* [0] rig, [1] agent */
	struct noise noise;
	uint32_t rng;
	uint64_t now_ms;
	unsigned int rate, delay_ms;
	bool echo; /* the agent's tty sends back what it receives */
};

static size_t content(uint32_t seed, unsigned int index, uint8_t *out, unsigned int min,
		      unsigned int max)
{
	uint32_t state = seed * 2654435761u + index * 40503u + 1;
	size_t size = min + rnd(&state) % (max - min + 1);

	for (size_t i = 0; i < size; i++)
		out[i] = (uint8_t)(rnd(&state) >> 7);
	return size;
}

static void on_message(void *ctx, unsigned int type, const void *data, size_t size)
{
	uint8_t want[4096];
	struct end *e = ctx;
	size_t want_size;

	if (type == WIRE_HELLO) {
		e->hellos++;
		return;
	}
	want_size = content(e->seed, e->received, want, e->payload_min, e->payload_max);
	e->wrong += type != WIRE_FILE || size != want_size || memcmp(data, want, size);
	e->received++;
}

static void on_text(void *ctx, const void *data, size_t size)
{
	append(&((struct end *)ctx)->text, data, size);
}

static void on_restart(void *ctx, uint16_t epoch, unsigned int lost)
{
	struct end *e = ctx;

	assert_int_not_equal(epoch, 0);
	e->restarts++;
	e->lost += lost;
}

static const struct wire_ops ops = { on_message, on_text, on_restart };

static struct wire *make_end(struct end *e, enum wire_side side, uint16_t epoch)
{
	struct wire_link link = wire_link_console;

	link.side = side;
	link.epoch = epoch;
	return wire_new(&ops, e, &link);
}

static struct sim *sim_new(uint32_t seed, struct noise noise)
{
	struct sim *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->noise = noise;
	s->rng = seed;
	s->rate = RATE_115200;
	s->delay_ms = 3;
	s->end[0].w = make_end(&s->end[0], WIRE_SIDE_RIG, 0);
	s->end[1].w = make_end(&s->end[1], WIRE_SIDE_AGENT, 0x1234);
	for (int i = 0; i < 2; i++) {
		assert_non_null(s->end[i].w);
		s->end[i].seed = seed + !i;
		s->end[i].payload_min = 20;
		s->end[i].payload_max = i ? 120 : 600;
	}
	assert_int_equal(wire_send(s->end[1].w, WIRE_HELLO, "version=1\n", 10), 0);
	return s;
}

static void sim_free(struct sim *s)
{
	for (int i = 0; i < 2; i++) {
		wire_free(s->end[i].w);
		free(s->end[i].text.data);
		for (int j = 0; j < DELAY_MAX; j++)
			free(s->end[i].slot[j].data);
	}
	free(s);
}

static void printk_line(struct sim *s, struct buffer *out)
{
	static const char *const lines[] = {
		"[   12.345678] ufshcd 0000:00:01.0: ufshcd_print_host_state: UFS Host state=1\r\n",
		"[   99.000001] ~{ABCD is not a frame\r\n",
		"\r\nrig-dut login: ",
		"[    1.000000] ~{Amabcdefghijklmnopqrstuvwxyz0123456789\r\n",
	};
	const char *line = lines[rnd(&s->rng) % 4];

	append(out, line, strlen(line));
}

static void channel(struct sim *s, struct buffer *out, const uint8_t *p, size_t n, bool from_agent)
{
	for (; n--; p++) {
		uint8_t c = *p;

		if (s->noise.dead || chance(&s->rng, s->noise.drop))
			continue;
		if (chance(&s->rng, s->noise.flip))
			c ^= (uint8_t)(1 << rnd(&s->rng) % 8);
		append(out, &c, 1);
		if (chance(&s->rng, s->noise.insert)) {
			c = (uint8_t)rnd(&s->rng);
			append(out, &c, 1);
		}
		if (from_agent && chance(&s->rng, s->noise.printk))
			printk_line(s, out);
	}
}

static void transmit(struct sim *s, int from)
{
	struct end *e = &s->end[from];
	struct buffer *out = &s->end[!from].slot[(s->now_ms + s->delay_ms) % DELAY_MAX];
	uint8_t buf[TICK_BYTES];
	size_t n, cap;

	e->credit += s->rate;
	cap = e->credit / 1000 < sizeof(buf) ? e->credit / 1000 : sizeof(buf);
	n = wire_output(e->w, buf, cap, s->now_ms);
	assert_true(n <= cap);
	/* A line does not save up what was not sent. */
	e->credit = n < cap ? e->credit % 1000 : e->credit - n * 1000;
	channel(s, out, buf, n, from == 1);
	if (s->echo && !from)
		channel(s, &s->end[0].slot[(s->now_ms + 2 * s->delay_ms) % DELAY_MAX], buf, n,
			false);
}

static void tick(struct sim *s)
{
	for (int i = 0; i < 2; i++) {
		struct buffer *in = &s->end[i].slot[s->now_ms % DELAY_MAX];

		wire_feed(s->end[i].w, in->data ? in->data : (uint8_t *)"", in->size, s->now_ms);
		in->size = 0;
	}
	transmit(s, 0);
	transmit(s, 1);
	s->now_ms++;
}

static bool quiet(const struct sim *s)
{
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < DELAY_MAX; j++)
			if (s->end[i].slot[j].size)
				return false;
	return wire_idle(s->end[0].w) && wire_idle(s->end[1].w);
}

/* Sends `count` messages each way as the queues take them; false when limit_ms passes first. */
static bool exchange(struct sim *s, const unsigned int count[2], uint64_t limit_ms)
{
	unsigned int sent[2] = { 0, 0 };
	uint64_t end_ms = s->now_ms + limit_ms;
	uint8_t buf[4096];

	while (s->now_ms < end_ms) {
		for (int i = 0; i < 2; i++) {
			struct end *to = &s->end[!i];

			while (sent[i] < count[i]) {
				size_t n = content(to->seed, sent[i], buf, to->payload_min,
						   to->payload_max);

				if (wire_send(s->end[i].w, WIRE_FILE, buf, n))
					break;
				sent[i]++;
			}
		}
		tick(s);
		if (sent[0] == count[0] && sent[1] == count[1] && quiet(s))
			return true;
	}
	return false;
}

static void run_until_quiet(struct sim *s, uint64_t limit_ms)
{
	assert_true(exchange(s, (const unsigned int[2]){ 0, 0 }, limit_ms));
}

static void print_cost(const char *name, uint32_t seed, const struct sim *s)
{
	const struct wire_stats *out = wire_stats(s->end[1].w), *in = wire_stats(s->end[0].w);
	double payload = (double)(out->payload_out + in->payload_out);
	uint64_t frames = out->data_frames_out + in->data_frames_out;
	uint64_t again = out->data_frames_again + in->data_frames_again;

	print_message(
		"%-22s seed %3u: %u+%u results in %.1f s, 0 wrong, 0 lost; %.2f line bytes/payload byte "
		"(clean limit 1.33), %llu data frames of which %llu repeats, %llu broken seen, %llu timeouts\n",
		name, seed, s->end[0].received, s->end[1].received, (double)s->now_ms / 1000,
		(double)(out->bytes_out + in->bytes_out) / payload, (unsigned long long)frames,
		(unsigned long long)again,
		(unsigned long long)(out->frames_broken + in->frames_broken),
		(unsigned long long)(out->timeouts + in->timeouts));
}

static const struct channel_case {
	const char *name;
	unsigned int seeds;
	struct noise noise;
} channels[] = {
	{ "clean", 1, { 0 } },
	{ "printk only", 2, { .printk = 2000 } },
	{ "1 % in all + printk",
	  4,
	  { .drop = 3333, .flip = 3333, .insert = 3333, .printk = 1000 } },
	{ "1 % each + printk",
	  2,
	  { .drop = 10000, .flip = 10000, .insert = 10000, .printk = 1000 } },
};

static void thousand_results(void **state)
{
	static const uint32_t seeds[] = { 1, 7, 42, 1001 };

	(void)state;
	for (size_t c = 0; c < sizeof(channels) / sizeof(channels[0]); c++) {
		for (size_t i = 0; i < channels[c].seeds; i++) {
			struct sim *s = sim_new(seeds[i], channels[c].noise);

			assert_true(exchange(s, (const unsigned int[2]){ 1000, 1000 },
					     4 * 3600 * 1000));
			for (int e = 0; e < 2; e++) {
				assert_int_equal(s->end[e].received, 1000);
				assert_int_equal(s->end[e].wrong, 0);
				assert_int_equal(wire_failed(s->end[e].w), 0);
			}
			assert_int_equal(s->end[0].hellos, 1);
			print_cost(channels[c].name, seeds[i], s);
			sim_free(s);
		}
	}
}

static void echoing_tty(void **state)
{
	struct sim *s = sim_new(5, (struct noise){ 0 });

	(void)state;
	s->echo = true;
	assert_true(exchange(s, (const unsigned int[2]){ 100, 100 }, 600000));
	assert_int_equal(s->end[0].received + s->end[1].received, 200);
	assert_int_equal(s->end[0].wrong + s->end[1].wrong, 0);
	assert_true(wire_stats(s->end[0].w)->frames_echo > 0);
	/* The echo falls into the agent's own frames; reports of that must not breed more of it
	 * (100,000 once). */
	print_message("echo: %llu data frames, %llu of them repeats\n",
		      (unsigned long long)wire_stats(s->end[1].w)->data_frames_out,
		      (unsigned long long)wire_stats(s->end[1].w)->data_frames_again);
	assert_true(wire_stats(s->end[1].w)->data_frames_again < 5000);
	sim_free(s);
}

/* Feeds text and the agent's frames in odd pieces; the text must come out as it went in. */
static void text_is_verbatim(void **state)
{
	static const char banner[] =
		"\r\n\r\nDebian GNU/Linux 12 dut ttyS0\r\n\r\ndut login: ~ ~~ ~{ ~{A ~{AA} }{~\r\r\n"
		"# \033[0m~{AEabcd\n\n";
	struct sim *s = sim_new(3, (struct noise){ 0 });
	struct buffer line = { 0 };
	uint8_t buf[512];
	size_t texts = 0, n;

	(void)state;
	for (int i = 0; i < 50; i++) {
		append(&line, banner, sizeof(banner) - 1);
		texts += sizeof(banner) - 1;
		n = content(s->end[0].seed, (unsigned int)i, buf, 20, 400);
		s->end[0].payload_max = 400;
		assert_int_equal(wire_send(s->end[1].w, WIRE_FILE, buf, n), 0);
		while ((n = wire_output(s->end[1].w, buf, sizeof(buf), 0)))
			append(&line, buf, n);
	}
	/* Not acknowledged by anyone, so it stops at its window. */
	for (size_t at = 0; at < line.size; at += n) {
		n = 1 + rnd(&s->rng) % 37;
		n = n < line.size - at ? n : line.size - at;
		wire_feed(s->end[0].w, line.data + at, n, at / 100);
	}
	/* The last characters look like a frame until they are too old. */
	assert_true(wire_timeout(s->end[0].w, line.size / 100) >= 0);
	wire_output(s->end[0].w, buf, sizeof(buf), line.size);
	assert_int_equal(s->end[0].text.size, texts);
	for (size_t at = 0; at < texts; at += sizeof(banner) - 1)
		assert_memory_equal(s->end[0].text.data + at, banner, sizeof(banner) - 1);
	assert_true(s->end[0].received > 5);
	assert_int_equal(s->end[0].wrong, 0);
	free(line.data);
	sim_free(s);
}

/* A frame that breaks is text, byte by byte, and a good frame right behind it still counts. */
static void broken_frame_is_text(void **state)
{
	struct sim *s = sim_new(4, (struct noise){ 0 });
	char good[256], cut[256];
	size_t n;

	(void)state;
	n = wire_output(s->end[1].w, good, sizeof(good), 0);
	assert_true(n > 20);
	memcpy(cut, good, n);
	cut[n / 2] = '\n';
	wire_feed(s->end[0].w, cut, n, 0);
	assert_int_equal(s->end[0].text.size, n);
	assert_memory_equal(s->end[0].text.data, cut, n);
	assert_int_equal(s->end[0].hellos, 0);
	wire_feed(s->end[0].w, good, n / 3, 0);
	wire_feed(s->end[0].w, good, n, 0);
	assert_int_equal(s->end[0].hellos, 1);
	assert_int_equal(s->end[0].text.size, n + n / 3);
	sim_free(s);
}

/* Every newline of the line doubled or changed, as a tty with ONLCR or ICRNL does: frames hold
 * none. */
static void frames_are_printable(void **state)
{
	struct sim *s = sim_new(6, (struct noise){ 0 });
	uint8_t buf[4096];
	size_t n;

	(void)state;
	n = content(9, 1, buf, 3000, 4000);
	assert_int_equal(wire_send(s->end[1].w, WIRE_FILE, buf, n), 0);
	n = wire_output(s->end[1].w, buf, sizeof(buf), 0);
	assert_true(n > 1000);
	for (size_t i = 0; i < n; i++)
		assert_true(buf[i] > ' ' && buf[i] < 0x7f);
	sim_free(s);
}

/* Silent reboot: a second agent on the same line while the rig still has steps queued for the
 * first. */
static void restarted_agent(void **state)
{
	struct sim *s = sim_new(8, (struct noise){ 0 });

	(void)state;
	run_until_quiet(s, 5000);
	assert_true(wire_open(s->end[0].w));
	wire_free(s->end[1].w);
	s->end[1].w = make_end(&s->end[1], WIRE_SIDE_AGENT, 0x9999);
	assert_int_equal(wire_send(s->end[0].w, WIRE_STEP, "x", 1), 0);
	assert_int_equal(wire_send(s->end[0].w, WIRE_STEP, "y", 1), 0);
	assert_int_equal(wire_send(s->end[1].w, WIRE_HELLO, "", 0), 0);
	run_until_quiet(s, 5000);
	assert_int_equal(s->end[0].hellos, 2);
	assert_int_equal(s->end[0].restarts, 1);
	assert_int_equal(s->end[0].lost, 2);
	assert_int_equal(s->end[1].received, 0);
	assert_true(exchange(s, (const unsigned int[2]){ 10, 10 }, 60000));
	assert_int_equal(s->end[0].wrong + s->end[1].wrong, 0);
	sim_free(s);
}

/* The same number drawn twice is noticed by the SYN coming back. */
static void restarted_agent_same_epoch(void **state)
{
	struct sim *s = sim_new(8, (struct noise){ 0 });

	(void)state;
	assert_true(exchange(s, (const unsigned int[2]){ 1, 3 }, 60000));
	s->end[0].received = s->end[1].received = 0;
	wire_free(s->end[1].w);
	s->end[1].w = make_end(&s->end[1], WIRE_SIDE_AGENT, 0x1234);
	assert_int_equal(wire_send(s->end[1].w, WIRE_HELLO, "", 0), 0);
	run_until_quiet(s, 5000);
	assert_int_equal(s->end[0].hellos, 2);
	assert_int_equal(s->end[0].restarts, 1);
	sim_free(s);
}

/* A rig that comes later, or again: the probe makes the agent begin anew. */
static void probe_of_a_new_rig(void **state)
{
	struct sim *s = sim_new(11, (struct noise){ 0 });

	(void)state;
	run_until_quiet(s, 5000);
	wire_free(s->end[0].w);
	s->end[0].w = make_end(&s->end[0], WIRE_SIDE_RIG, 0);
	wire_probe(s->end[0].w);
	for (int i = 0; i < 50; i++)
		tick(s);
	assert_int_equal(s->end[1].restarts, 1);
	assert_int_equal(wire_send(s->end[1].w, WIRE_HELLO, "", 0), 0);
	run_until_quiet(s, 5000);
	assert_int_equal(s->end[0].hellos, 2);
	sim_free(s);
}

static void late_console(void **state)
{
	struct sim *s = sim_new(12, (struct noise){ .dead = true });

	(void)state;
	for (int i = 0; i < 30000; i++)
		tick(s);
	assert_int_equal(wire_failed(s->end[1].w), 0);
	assert_true(wire_stats(s->end[1].w)->frames_out < 45);
	s->noise.dead = false;
	for (int i = 0; i < WIRE_SYN_MAX_MS + 100; i++)
		tick(s);
	assert_int_equal(s->end[0].hellos, 1);
	sim_free(s);
}

static void dead_line_reports_loss(void **state)
{
	struct sim *s = sim_new(13, (struct noise){ 0 });
	int i;

	(void)state;
	run_until_quiet(s, 5000);
	s->noise.dead = true;
	for (i = 0; i < 3; i++)
		assert_int_equal(wire_send(s->end[1].w, WIRE_FILE, "lost", 4), 0);
	for (i = 0; i < 60000 && !wire_failed(s->end[1].w); i++)
		tick(s);
	assert_int_equal(wire_failed(s->end[1].w), 3);
	assert_int_equal(wire_stats(s->end[1].w)->messages_lost, 3);
	assert_int_equal(wire_send(s->end[1].w, WIRE_FILE, "", 0), -EPIPE);
	print_message("dead line: given up after %d ms\n", i);
	/* The line comes back; the agent begins anew and says what was lost. */
	s->noise.dead = false;
	assert_int_equal(wire_restart(s->end[1].w), 3);
	assert_int_equal(wire_send(s->end[1].w, WIRE_HELLO, "", 0), 0);
	run_until_quiet(s, 5000);
	assert_int_equal(s->end[0].hellos, 2);
	sim_free(s);
}

static void silent_when_idle(void **state)
{
	struct sim *s = sim_new(14, (struct noise){ 0 });
	uint64_t out;

	(void)state;
	run_until_quiet(s, 5000);
	out = wire_stats(s->end[0].w)->bytes_out + wire_stats(s->end[1].w)->bytes_out;
	assert_int_equal(wire_timeout(s->end[0].w, s->now_ms), -1);
	assert_int_equal(wire_timeout(s->end[1].w, s->now_ms), -1);
	for (int i = 0; i < 100000; i++)
		tick(s);
	assert_int_equal(wire_stats(s->end[0].w)->bytes_out + wire_stats(s->end[1].w)->bytes_out,
			 out);
	sim_free(s);
}

static void throughput(void **state)
{
	static const unsigned int rates[] = { 960, RATE_115200, 92160 };

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct sim *s = sim_new(15, (struct noise){ 0 });
		uint64_t payload, start;
		double share;

		s->rate = rates[i];
		s->delay_ms = 10;
		s->end[0].payload_min = 3000;
		s->end[0].payload_max = 4000;
		run_until_quiet(s, 5000);
		start = s->now_ms;
		assert_true(exchange(s, (const unsigned int[2]){ 0, 60 }, 3600000));
		payload = wire_stats(s->end[1].w)->payload_out;
		share = (double)payload / ((double)(s->now_ms - start) * rates[i] / 1000);
		print_message(
			"throughput at %6u bit/s, 20 ms round trip: %.1f %% of the line rate (base64: 75 %%), "
			"%llu repeats\n",
			rates[i] * 10, 100 * share,
			(unsigned long long)wire_stats(s->end[1].w)->data_frames_again);
		/* Frame overhead leaves 67 % at 132 bytes a frame; the rest is start and end of the
		 * transfer. */
		assert_true(share > (rates[i] > 50000 ? 0.60 : 0.65));
		sim_free(s);
	}
}

static void limits(void **state)
{
	struct wire_link link = wire_link_console;
	struct end e = { 0 };
	struct wire *w;
	char *big;

	(void)state;
	assert_null(wire_new(&ops, &e, &(struct wire_link){ 0 }));
	link.side = WIRE_SIDE_AGENT;
	assert_null(wire_new(&ops, &e, &link));
	link.epoch = 1;
	w = wire_new(&ops, &e, &link);
	assert_non_null(w);
	big = calloc(1, link.max_message + 1);
	assert_non_null(big);
	assert_int_equal(wire_send(w, 1, big, link.max_message + 1), -EMSGSIZE);
	assert_int_equal(wire_send(w, 1, big, link.max_message), 0);
	assert_int_equal(wire_send(w, 1, big, link.max_message), 0);
	assert_int_equal(wire_send(w, 1, big, 1), -EAGAIN);
	free(big);
	wire_free(w);
	wire_free(NULL);
	assert_int_equal(WIRE_LINE_BYTES(132), 197);
	assert_int_equal(wire_crc32(0, "123456789", 9), 0xcbf43926);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(frames_are_printable),
		cmocka_unit_test(text_is_verbatim),
		cmocka_unit_test(broken_frame_is_text),
		cmocka_unit_test(echoing_tty),
		cmocka_unit_test(restarted_agent),
		cmocka_unit_test(restarted_agent_same_epoch),
		cmocka_unit_test(probe_of_a_new_rig),
		cmocka_unit_test(late_console),
		cmocka_unit_test(dead_line_reports_loss),
		cmocka_unit_test(silent_when_idle),
		cmocka_unit_test(throughput),
		cmocka_unit_test(thousand_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
