// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pktgen -> named numbers; see parse-pktgen.h. Layer: results, pure.
 *
 *		pkts-sofar: 100000  errors: 0
 *	Result: OK: 15430(c15405+d25) usec, 100000 (60byte,0frags)
 *	  6480562pps 3110Mb/sec (3110669760bps) errors: 0
 */
#include "results/parse-pktgen.h"

#include <string.h>

#include "results/text.h"

/* The number that is followed by `unit` in the line. */
static bool number_before(struct text line, const char *unit, uint64_t *n)
{
	const char *p = text_find(line, unit);
	struct text number = { p, p };

	if (!p)
		return false;
	while (number.p > line.p && number.p[-1] >= '0' && number.p[-1] <= '9')
		number.p--;
	return text_u64(number, n);
}

/* The number that follows `key`. */
static bool number_after(struct text line, const char *key, uint64_t *n)
{
	const char *p = text_find(line, key);
	struct text rest = { p ? p + strlen(key) : line.end, line.end };
	struct text word;

	return p && text_word(&rest, &word) && text_u64(word, n);
}

/* "15430(c15405+d25) usec, 100000 (60byte,0frags)" */
static void take_run(struct values *out, struct text rest)
{
	struct text usec;
	struct text word;
	uint64_t n;

	if (!text_until(&rest, '(', &usec) || !text_u64(usec, &n) || !text_find(rest, " usec,"))
		return;
	values_add(out, (double)n * 1e3, UNIT_NS, "usec", "duration_ns");
	rest.p = text_find(rest, " usec,") + strlen(" usec,");
	if (text_word(&rest, &word) && text_u64(word, &n))
		values_count(out, n, UNIT_COUNT, NULL, "packets");
	if (number_before(rest, "byte,", &n))
		values_count(out, n, UNIT_BYTES, NULL, "packet_bytes");
}

static int take_result(struct values *out, struct text result, struct err *err)
{
	char quote[128];

	if (text_starts(result, "OK:")) {
		values_count(out, 1, UNIT_COUNT, NULL, "ok");
		result.p += strlen("OK:");
		take_run(out, text_trim(result));
		return 0;
	}
	/* "Idle", "NA": nothing was asked for yet */
	if (!text_size(result) || text_is(result, "Idle") || text_is(result, "NA"))
		return 0;
	return err_set(err, BLAME_TEST, "pktgen-error", "%s",
		       text_quote(result, quote, sizeof(quote)));
}

static void take_rates(struct values *out, struct text line)
{
	uint64_t n;

	if (!number_before(line, "pps ", &n))
		return;
	values_count(out, n, UNIT_PER_S, "pps", "packets_per_s");
	if (number_before(line, "bps)", &n))
		values_add(out, (double)n / 8, UNIT_RATE, "bps", "bw_bytes");
	if (number_after(line, "errors:", &n))
		values_count(out, n, UNIT_COUNT, NULL, "errors");
}

int pktgen_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	struct text all = text_of(data, size);
	struct text line;
	bool ok = false;
	uint64_t n;

	while (text_line(&all, &line)) {
		if (text_starts(line, "Result:")) {
			line.p += strlen("Result:");
			if (take_result(out, text_trim(line), err) < 0)
				return -1;
			ok = ok || text_starts(text_trim(line), "OK:");
		} else if (number_after(line, "pkts-sofar:", &n)) {
			values_count(out, n, UNIT_COUNT, NULL, "packets_sofar");
		} else {
			take_rates(out, line);
		}
	}
	return ok ? 0 : err_set(err, BLAME_TEST, "pktgen-none", "no result in it");
}
