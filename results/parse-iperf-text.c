// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of iperf2 and iperf3 -> named numbers; see parse-iperf.h. Layer: results, pure.
 *
 *	[  5]   0.00-10.00  sec  1.97 MBytes  1.66 Mbits/sec    0             sender
 *	[  7][RX-C]   0.00-1.00   sec  12.0 MBytes   101 Mbits/sec                  receiver
 *	[SUM]   0.00-3.04   sec   774 KBytes  2084 Kbits/sec  0.018 ms  0/36 (0%)  receiver
 *	[  3]  0.0- 3.0 sec   369 KBytes  1003 Kbits/sec   0.188 ms    0/  256 (0%)
 *
 * What a line means depends on the lines after it (iperf2 does not mark its total), so the lines
 * of a run are collected first. A run begins where iperf says whom it talks to.
 */
#include "results/parse-iperf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/text.h"

#define MAX_STREAMS 512
#define MAX_LINES   200000
#define MAX_NUMBER  1e18

struct unit {
	const char *name;
	double factor; /* to bytes, or bytes/s */
};

static const struct unit size_units[] = {
	{ "KBytes", 0x1p10 }, { "MBytes", 0x1p20 }, { "GBytes", 0x1p30 }, { "TBytes", 0x1p40 },
	{ "Bytes", 1 },	      { "Kbits", 125 },	    { "Mbits", 125e3 },	  { "Gbits", 125e6 },
	{ "Tbits", 125e9 },   { "bits", 0.125 },    { NULL, 0 },
};

static const struct unit rate_units[] = {
	{ "Kbits/sec", 125 },
	{ "Mbits/sec", 125e3 },
	{ "Gbits/sec", 125e6 },
	{ "Tbits/sec", 125e9 },
	{ "bits/sec", 0.125 },
	{ "KBytes/sec", 0x1p10 },
	{ "MBytes/sec", 0x1p20 },
	{ "GBytes/sec", 0x1p30 },
	{ "TBytes/sec", 0x1p40 },
	{ "Bytes/sec", 1 },
	{ NULL, 0 },
};

enum role { ROLE_NONE, ROLE_SENDER, ROLE_RECEIVER, ROLE_SERVER, ROLE_INTERVAL };

static const char *const role_names[] = { "", ".sender", ".receiver", ".server", ".interval" };

struct line {
	size_t stream; /* index */
	double start, end;
	double bytes, bw, jitter_ns, retransmits, lost, packets; /* NAN: not printed */
	const struct unit *size_unit, *rate_unit;
	enum role role;
};

struct stream {
	struct text id, tag; /* "5" or "SUM"; "TX-C" or empty */
	char label[48];
	bool marked; /* a line with a role was printed */
	bool later;  /* scratch: a later line of it was seen */
};

struct run {
	struct stream streams[MAX_STREAMS];
	size_t n_streams;
	struct line *lines;
	size_t n_lines;
	bool server_report; /* the next line is the other side's */
	struct values *out;
};

/* ---- one line ---- */

/* "[  5]" off the front; *inside is trimmed. */
static bool take_bracket(struct text *t, struct text *inside)
{
	struct text rest = text_trim(*t);

	if (!text_starts(rest, "["))
		return false;
	rest.p++;
	if (!text_until(&rest, ']', inside))
		return false;
	*inside = text_trim(*inside);
	*t = rest;
	return text_size(*inside) > 0 && text_size(*inside) < 16;
}

static bool take_unit(struct text *t, const struct unit *units, const struct unit **unit)
{
	struct text word;

	if (!text_word(t, &word))
		return false;
	for (; units->name; units++) {
		if (text_is(word, units->name)) {
			*unit = units;
			return true;
		}
	}
	return false;
}

static bool take_amount(struct text *t, const struct unit *units, double *n,
			const struct unit **unit)
{
	*t = text_trim(*t);
	if (!text_number(t, n) || !take_unit(t, units, unit))
		return false;
	*n *= (*unit)->factor;
	return true;
}

/* "0.0- 1.0 sec" */
static bool take_times(struct text *t, struct line *line)
{
	struct text word;

	*t = text_trim(*t);
	if (!text_number(t, &line->start) || !text_starts(*t, "-"))
		return false;
	t->p++;
	*t = text_trim(*t);
	return text_number(t, &line->end) && text_word(t, &word) && text_is(word, "sec");
}

/* "0.188 ms    0/  256 (0%)" */
static void read_datagrams(struct text t, struct line *line)
{
	struct text word;
	struct text lost;
	double ms;

	t = text_trim(t);
	if (!text_number(&t, &ms) || !text_word(&t, &word) || !text_is(word, "ms"))
		return;
	line->jitter_ns = ms * 1e6;
	if (!text_until(&t, '/', &lost) || !text_double(text_trim(lost), &line->lost))
		return;
	t = text_trim(t);
	(void)text_number(&t, &line->packets);
}

/* "    0             sender": a number before the role is that of the retransmissions */
static void read_tail(struct text t, struct line *line)
{
	struct text first = text_trim(t);
	struct text word;

	if (text_ends(first, "sender"))
		line->role = ROLE_SENDER;
	if (text_ends(first, "receiver"))
		line->role = ROLE_RECEIVER;
	if (line->role == ROLE_SENDER && text_word(&t, &word) && text_is(text_trim(t), "sender"))
		(void)text_double(word, &line->retransmits);
	read_datagrams(first, line);
}

static bool parse_line(struct text t, struct line *line)
{
	*line = (struct line){ .jitter_ns = NAN, .retransmits = NAN, .lost = NAN, .packets = NAN };
	if (!take_times(&t, line) || !take_amount(&t, size_units, &line->bytes, &line->size_unit) ||
	    !take_amount(&t, rate_units, &line->bw, &line->rate_unit))
		return false;
	if (text_find(t, "(omitted)"))
		return false;
	read_tail(t, line);
	return true;
}

/* ---- a run ---- */

static bool same(struct text a, struct text b)
{
	return text_size(a) == text_size(b) && !memcmp(a.p, b.p, text_size(a));
}

/* Its index, or MAX_STREAMS when there are too many. */
static size_t find_stream(struct run *r, struct text id, struct text tag)
{
	size_t i;

	for (i = 0; i < r->n_streams; i++)
		if (same(r->streams[i].id, id) && same(r->streams[i].tag, tag))
			return i;
	if (i < MAX_STREAMS)
		r->streams[r->n_streams++] = (struct stream){ .id = id, .tag = tag };
	return i;
}

static int add_line(struct run *r, struct text t, struct err *err)
{
	const char *bracket = memchr(t.p, '[', text_size(t));
	struct text rest = { bracket ? bracket : t.end, t.end };
	struct text id;
	struct text tag = { rest.p, rest.p };
	struct line line;

	if (!take_bracket(&rest, &id))
		return 0;
	if (text_find(rest, "Server Report")) {
		r->server_report = true;
		return 0;
	}
	(void)take_bracket(&rest, &tag);
	if (!parse_line(rest, &line))
		return 0;
	if (line.bytes > MAX_NUMBER || line.bw > MAX_NUMBER || line.end > MAX_NUMBER)
		return err_set(err, BLAME_TEST, "iperf-range", "a rate or size that cannot be");
	line.stream = find_stream(r, id, tag);
	if (line.stream == MAX_STREAMS || r->n_lines == MAX_LINES)
		return err_set(err, BLAME_TEST, "iperf-range", "too many streams or lines");
	if (r->server_report && line.role == ROLE_NONE)
		line.role = ROLE_SERVER;
	r->server_report = false;
	if (line.role == ROLE_SENDER || line.role == ROLE_RECEIVER)
		r->streams[line.stream].marked = true;
	if (!(r->n_lines & (r->n_lines - 1)))
		r->lines = xrealloc(r->lines, (r->n_lines ? 2 * r->n_lines : 1) * sizeof(line));
	r->lines[r->n_lines++] = line;
	return 0;
}

/* How many streams, the sum among them, have this tag. */
static size_t siblings(const struct run *r, struct text tag)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_streams; i++)
		n += same(r->streams[i].tag, tag);
	return n;
}

static void name_streams(struct run *r)
{
	size_t number = 0;

	for (size_t i = 0; i < r->n_streams; i++) {
		struct stream *s = &r->streams[i];
		bool is_sum = text_starts(s->id, "SUM"); /* iperf 2.1: SUM-2 */
		int tag_size = (int)text_size(s->tag);

		number += !is_sum;
		if (is_sum || siblings(r, s->tag) == 1)
			snprintf(s->label, sizeof(s->label), "sum%s%.*s", tag_size ? "." : "",
				 tag_size, s->tag.p);
		else
			snprintf(s->label, sizeof(s->label), "stream%zu%s%.*s", number,
				 tag_size ? "." : "", tag_size, s->tag.p);
	}
}

/*
 * Which unmarked lines are intervals: all but the last one of a stream, and that one too if it
 * does not begin with the run, or if the stream has marked lines.
 */
static void find_intervals(struct run *r)
{
	for (size_t i = r->n_lines; i-- > 0;) {
		struct line *line = &r->lines[i];
		struct stream *s = &r->streams[line->stream];

		if (line->role != ROLE_NONE)
			continue;
		if (s->later || s->marked || line->start > 0)
			line->role = ROLE_INTERVAL;
		s->later = true;
	}
}

static void put_line(const struct run *r, const struct line *line)
{
	const char *label = r->streams[line->stream].label;
	const char *role = role_names[line->role];
	struct values *out = r->out;

	values_add(out, line->bw, UNIT_RATE, line->rate_unit->name, "%s%s.bw_bytes", label, role);
	if (line->role == ROLE_INTERVAL)
		return;
	values_add(out, line->bytes, UNIT_BYTES, line->size_unit->name, "%s%s.bytes", label, role);
	values_add(out, line->end - line->start, UNIT_S, "sec", "%s%s.seconds", label, role);
	values_add(out, line->retransmits, UNIT_COUNT, NULL, "%s%s.retransmits", label, role);
	values_add(out, line->jitter_ns, UNIT_NS, "ms", "%s%s.jitter_ns", label, role);
	values_add(out, line->lost, UNIT_COUNT, NULL, "%s%s.lost_packets", label, role);
	values_add(out, line->packets, UNIT_COUNT, NULL, "%s%s.packets", label, role);
}

static void end_run(struct run *r)
{
	name_streams(r);
	find_intervals(r);
	for (size_t i = 0; i < r->n_lines; i++)
		put_line(r, &r->lines[i]);
	r->n_lines = 0;
	r->n_streams = 0;
	r->server_report = false;
}

/* ---- the text ---- */

static const char *const run_begins[] = {
	"Client connecting to ",
	"Connecting to host ",
	"Server listening on ",
	"Accepted connection from ",
};

static const char *const failures[] = {
	"iperf3: error - ",
	"iperf3: parameter error - ",
	"iperf3: interrupt - ",
	"iperf3: the server has terminated",
	"iperf3: the client has terminated",
	"iperf: error",
	"connect failed: ",
	"bind failed: ",
	"read failed: ",
	"write failed: ",
	"did not receive ack of last datagram",
};

static bool has_one_of(struct text line, const char *const *phrases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text_find(line, phrases[i]))
			return true;
	return false;
}

#define HAS_ONE_OF(line, phrases) has_one_of(line, phrases, sizeof(phrases) / sizeof((phrases)[0]))

static int read_text(struct run *r, struct text all, struct err *err)
{
	char quote[128];
	struct text line;

	while (text_line(&all, &line)) {
		if (HAS_ONE_OF(line, failures))
			return err_set(err, BLAME_TEST, "iperf-error", "%s",
				       text_quote(line, quote, sizeof(quote)));
		if (HAS_ONE_OF(line, run_begins))
			end_run(r);
		if (add_line(r, line, err) < 0)
			return -1;
	}
	end_run(r);
	return 0;
}

int iperf_parse_text(const char *data, size_t size, struct values *out, struct err *err)
{
	struct run *r = xcalloc(1, sizeof(*r));
	struct text all = text_of(data, size);
	size_t before = out->n;
	struct text first;
	char quote[80];
	int rc;

	r->out = out;
	rc = read_text(r, all, err);
	if (!rc && out->n == before) {
		first = text_line(&all, &first) ? first : text_of("", 0);
		rc = err_set(err, BLAME_TEST, "iperf-none", "no result in it; it begins '%s'",
			     text_quote(first, quote, sizeof(quote)));
	}
	free(r->lines);
	free(r);
	return rc;
}
