// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What dd prints -> named numbers; see parse-dd.h. Layer: results, pure.
 *
 *	1073741824 bytes (1.1 GB, 1.0 GiB) copied, 3.26176 s, 329 MB/s		GNU
 *	1073741824 bytes (1,1 GB, 1,0 GiB) kopiert, 0,0131226 s, 81,8 GB/s
 *	512 字节已复制，6.5268e-05 s，7.8 MB/s
 *	1073741824 bytes (1.0GB) copied, 0.011795 seconds, 84.8GB/s		BusyBox
 *	1073741824 bytes transferred in 0.000517 secs (2028187619 bytes/sec)	BSD
 *
 * Read from the end: the rate, the time, and then the number before the word before "(", or the
 * last number. Other programs put their own prefix before such a line.
 */
#include "results/parse-dd.h"

#include <math.h>
#include <string.h>

#include "results/text.h"

#define MAX_RESULT 512

struct copy {
	uint64_t bytes;
	double seconds;
	struct text unit; /* of the rate as printed: "MB/s" */
};

/* Between the parts of a result. A comma without a space is a decimal one. */
static const char *const separators[] = { ", ", ",\u00a0", "，", "、", "، " };

/* Splits at the last separator. */
static bool split_last(struct text *t, struct text *last)
{
	for (const char *p = t->end; p-- > t->p;) {
		struct text rest = { p, t->end };

		for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++) {
			if (!text_starts(rest, separators[i]))
				continue;
			rest.p += strlen(separators[i]);
			*last = text_trim(rest);
			t->end = p;
			return true;
		}
	}
	return false;
}

#define NBSP "\u00a0"

/* Spaces of every kind that a language puts between a number and its word. */
static struct text skip_spaces(struct text t)
{
	t = text_trim(t);
	while (text_starts(t, NBSP) || text_starts(t, "\u202f")) {
		t.p += text_starts(t, NBSP) ? 2 : 3;
		t = text_trim(t);
	}
	return t;
}

/* "0,0131226 s", "0.011795 seconds": a number and one short word */
static bool is_time(struct text t, double *seconds)
{
	struct text word;

	if (!text_number(&t, seconds))
		return false;
	t = skip_spaces(t);
	return text_word(&t, &word) && text_size(word) <= 16 && !text_size(text_trim(t));
}

/* "84.8GB/s", "38 G/s", "Infinity B/s" */
static bool is_rate(struct text t, struct text *unit)
{
	double n;

	if (text_size(t) > 32 || !memchr(t.p, '/', text_size(t)))
		return false;
	(void)text_number(&t, &n);
	*unit = skip_spaces(t);
	return text_size(*unit) > 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool ends_token(struct text t, const char *end)
{
	struct text rest = { end, t.end };

	return end == t.end || *end == ' ' || *end == '\t' || text_starts(rest, NBSP) ||
	       text_starts(rest, "\u202f");
}

/* The last number in t that stands for itself. */
static bool last_integer(struct text t, uint64_t *n)
{
	const char *end = t.end;

	while (end > t.p) {
		struct text number;

		while (end > t.p && !is_digit(end[-1]))
			end--;
		number = (struct text){ end, end };
		while (number.p > t.p && is_digit(number.p[-1]))
			number.p--;
		if (number.p < end && ends_token(t, end) &&
		    (number.p == t.p || number.p[-1] == ' ' || number.p[-1] == '\t') &&
		    text_u64(number, n))
			return true;
		end = number.p;
	}
	return false;
}

static bool parse_copy(struct text line, struct copy *copy)
{
	struct text rate;
	struct text time;
	const char *bracket;

	/* a result is short, whatever stands before it */
	if (text_size(line) > MAX_RESULT)
		line.p = line.end - MAX_RESULT;
	if (!split_last(&line, &rate) || !is_rate(rate, &copy->unit) || !split_last(&line, &time) ||
	    !is_time(time, &copy->seconds))
		return false;
	bracket = text_find(line, " (");
	if (bracket)
		line.end = bracket;
	return last_integer(line, &copy->bytes);
}

/* "1048576 bytes transferred in 0.000517 secs (2028187619 bytes/sec)" */
static bool parse_transferred(struct text line, struct copy *copy)
{
	const char *p = text_find(line, " bytes transferred in ");
	struct text rest = { p, line.end };

	if (!p)
		return false;
	rest.p += strlen(" bytes transferred in ");
	copy->unit = text_of("bytes/sec", 9);
	return text_number(&rest, &copy->seconds) &&
	       last_integer((struct text){ line.p, p }, &copy->bytes);
}

/* "1024+0 records in": full and partial records, wherever in the line they stand */
static bool parse_records(struct text line, uint64_t *full, uint64_t *partial)
{
	struct text word;

	while (text_word(&line, &word)) {
		const char *nbsp = text_find(word, NBSP);
		struct text first;

		word.end = nbsp ? nbsp : word.end;
		if (text_until(&word, '+', &first) && text_u64(first, full) &&
		    text_u64(word, partial))
			return true;
	}
	return false;
}

/* The message of "dd: ..." or "/bin/dd: ...", whatever stands before it; NULL for none. */
static const char *message_of(struct text line)
{
	const char *p = text_find(line, "dd: ");

	return p && (p == line.p || p[-1] == '/' || p[-1] == ' ') ? p : NULL;
}

static bool is_warning(struct text message)
{
	return text_starts(message, "dd: warning: ");
}

static void put_copy(struct values *out, const struct copy *copy)
{
	char unit[24];

	values_count(out, copy->bytes, UNIT_BYTES, NULL, "bytes");
	values_add(out, copy->seconds, UNIT_S, NULL, "seconds");
	if (copy->seconds > 0)
		values_add(out, (double)copy->bytes / copy->seconds, UNIT_RATE,
			   text_quote(copy->unit, unit, sizeof(unit)), "bw_bytes");
}

static void put_records(struct values *out, const char *side, uint64_t full, uint64_t partial)
{
	values_count(out, full, UNIT_COUNT, NULL, "records_%s.full", side);
	values_count(out, partial, UNIT_COUNT, NULL, "records_%s.partial", side);
}

struct reading {
	struct values *out;
	bool any;	 /* a line of dd */
	size_t records;	 /* lines of records since the last result */
	bool unfinished; /* the last result was one of status=progress */
};

static int tell_error(struct text message, struct err *err)
{
	char quote[160];

	return err_set(err, BLAME_TEST, "dd-error", "%s",
		       text_quote(message, quote, sizeof(quote)));
}

/* What '\r' rewrites is progress, unless the records that come before the end are there. */
static void take_copy(struct reading *r, const struct copy *copy, bool rewritten)
{
	r->unfinished = rewritten && !r->records;
	if (!r->unfinished)
		put_copy(r->out, copy);
	r->any = true;
	r->records = 0;
}

static int read_line(struct reading *r, struct text line, bool rewritten, struct err *err)
{
	const char *p = message_of(line);
	struct text message = { p, line.end };
	struct copy copy;
	uint64_t full;
	uint64_t partial;

	if (p)
		return is_warning(message) ? 0 : tell_error(message, err);
	if (parse_copy(line, &copy) || parse_transferred(line, &copy)) {
		take_copy(r, &copy, rewritten);
	} else if (parse_records(line, &full, &partial)) {
		put_records(r->out, r->records % 2 ? "out" : "in", full, partial);
		r->records++;
		r->any = true;
	}
	return 0;
}

/* Of "\rA\rB\rC" the screen shows C. */
static struct text last_written(struct text line, bool *rewritten)
{
	struct text part;

	*rewritten = false;
	while (text_until(&line, '\r', &part))
		*rewritten = true;
	return text_trim(line);
}

int dd_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	struct text all = text_of(data, size);
	struct reading r = { .out = out };
	struct text line;

	while (all.p < all.end) {
		bool rewritten;

		if (!text_until(&all, '\n', &line)) {
			line = all;
			all.p = all.end;
		}
		while (line.end > line.p && line.end[-1] == '\r')
			line.end--;
		line = last_written(line, &rewritten);
		if (read_line(&r, line, rewritten, err) < 0)
			return -1;
	}
	if (r.unfinished)
		return err_set(err, BLAME_TEST, "dd-none", "it did not come to its end");
	if (!r.any)
		return err_set(err, BLAME_TEST, "dd-none", "no result of dd in it");
	return 0;
}

/* Is it `name`, or one of its successors "name#2"? */
static bool is_of(const struct value *v, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(v->name, name, n) && (!v->name[n] || v->name[n] == '#');
}

int dd_total(const struct values *values, struct dd_total *total, struct err *err)
{
	size_t timed = 0;

	*total = (struct dd_total){ 0 };
	for (size_t i = 0; i < values->n; i++) {
		const struct value *v = &values->v[i];

		if (is_of(v, "bytes")) {
			total->runs++;
			total->bytes += v->value;
		} else if (is_of(v, "seconds")) {
			total->seconds += v->value;
		} else if (is_of(v, "bw_bytes")) {
			total->slowest = timed ? fmin(total->slowest, v->value) : v->value;
			total->fastest = fmax(total->fastest, v->value);
			timed++;
		}
	}
	if (total->runs && timed == total->runs)
		return 0;
	return err_set(err, BLAME_TEST, "dd-none",
		       "%zu of %zu runs have a time: is it an old BusyBox?", timed, total->runs);
}
