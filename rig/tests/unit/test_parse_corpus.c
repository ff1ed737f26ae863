// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/parse-* against real output of many projects: every fact of the corpus' manifest that
 * names a number or an error. The corpus is not part of the project; without it this skips.
 */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "corpus.h"
#include "results/parse.h"
#include "results/text.h"

/* One file of the corpus, parsed, and the score of its kind. */
struct subject {
	const char *file;
	const json_t *facts;
	struct values values;
	struct err err;
	bool failed;
	size_t right, wrong, disputed;
};

/* Facts that are not what the file says: whoever wrote them read it in another way. */
static const struct {
	const char *file, *fact;
} disputed[] = {
	/* prose about iperf: 'Bandwidth Raw': '9.84 Mbits/sec' is no line of its output */
	{ "iperf/third-party-text/moler-iperf2-1.txt", "a rate" },
	{ "iperf/third-party-text/moler-iperf3-1.txt", "a rate" },
	/* "IPI0:2768808080": a row, though there is no room for a space behind the colon */
	{ "interrupts/non-x86/node_exporter-interrupts_aarch64.txt", "nrows" },
	{ "interrupts/non-x86/node_exporter-interrupts_aarch64.txt", "total" },
	/* the 21 lines "timestamp: 1424904532.9" between the samples are no rows */
	{ "interrupts/x86/pbench-proc-interrupts-series.txt", "nrows" },
};

static bool is_disputed(const char *file, const char *fact)
{
	for (size_t i = 0; i < sizeof(disputed) / sizeof(disputed[0]); i++)
		if (!strcmp(disputed[i].file, file) && !strcmp(disputed[i].fact, fact))
			return true;
	return false;
}

static void score(struct subject *s, bool right, const char *fact, double got, double want)
{
	if (right || is_disputed(s->file, fact)) {
		s->right += right;
		s->disputed += !right;
		return;
	}
	s->wrong++;
	print_message("%s: %s is %.17g, wanted %.17g%s%s\n", s->file, fact, got, want,
		      s->failed ? "; " : "", s->failed ? s->err.message : "");
}

/* NAN when there is no such value. */
static double value_of(const struct subject *s, const char *name)
{
	const struct value *v = s->failed ? NULL : values_find(&s->values, name);

	return v ? v->value : NAN;
}

/* The last digits may differ where a product of doubles is rounded twice. */
static void expect(struct subject *s, const char *name, double want)
{
	double got = value_of(s, name);

	if (!isnan(want))
		score(s, fabs(got - want) <= 1e-15 * fabs(want), name, got, want);
}

static void expect_error(struct subject *s, const char *part)
{
	score(s, s->failed && strstr(s->err.message, part), "an error", s->failed, true);
}

static const char *numbered(const char *name, size_t n)
{
	static char text[256];

	snprintf(text, sizeof(text), n > 1 ? "%s#%zu" : "%s", name, n);
	return text;
}

/* ---- fio ---- */

static void fio_rw(struct subject *s, const json_t *rw, const char *prefix, size_t n, bool old)
{
	const struct {
		const char *fact, *name;
		double factor;
	} rows[] = {
		{ "iops", "iops", 1 },
		{ "io_bytes", "io_bytes", old ? 1024 : 1 },
		{ "runtime", "runtime_ns", 1e6 },
		{ "total_ios", "total_ios", 1 },
		{ "clat_ns_mean", "clat_ns.mean", 1 },
		{ "clat_ns_p99", "clat_ns.p99", 1 },
		{ "lat_ns_p99", "lat_ns.p99", 1 },
		{ "clat_mean", "clat_ns.mean", 1e3 },
		{ "clat_p99", "clat_ns.p99", 1e3 },
	};
	double bw = corpus_number(rw, "bw");
	char name[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(name, sizeof(name), "%s.%s", prefix, rows[i].name);
		/* gcsfuse wrote clat's percentile a second time as lat's; that is theirs */
		expect(s, numbered(name, n), corpus_number(rw, rows[i].fact) * rows[i].factor);
	}
	snprintf(name, sizeof(name), "%s.bw_bytes", prefix);
	if (!isnan(bw)) /* KiB/s, cut or rounded by a part of fio, beside the exact bw_bytes */
		score(s, fabs(value_of(s, numbered(name, n)) - bw * 1024) <= 1024, name,
		      value_of(s, numbered(name, n)), bw * 1024);
}

static size_t occurrence(const json_t *jobs, size_t index, const char *key)
{
	const char *name = corpus_string(json_array_get(jobs, index), key);
	size_t n = 0;

	for (size_t i = 0; i <= index; i++)
		n += !strcmp(corpus_string(json_array_get(jobs, i), key), name);
	return n;
}

static bool fio_failed(struct subject *s, const json_t *jobs)
{
	char part[32];

	for (size_t i = 0; i < json_array_size(jobs); i++) {
		double error = corpus_number(json_array_get(jobs, i), "error");

		if (error > 0) {
			snprintf(part, sizeof(part), "error %g ", error);
			expect_error(s, part);
			return true;
		}
	}
	return false;
}

static void fio_jobs(struct subject *s, const json_t *jobs)
{
	static const char *const dirs[] = { "read", "write", "trim", "mixed" };
	const char *version = corpus_string(s->facts, "fio_version");
	bool old = !strncmp(version, "fio-2", 5);
	char prefix[160];

	for (size_t i = 0; i < json_array_size(jobs); i++) {
		const json_t *job = json_array_get(jobs, i);

		for (size_t d = 0; d < 4; d++) {
			snprintf(prefix, sizeof(prefix), "%s.%s", corpus_string(job, "jobname"),
				 dirs[d]);
			fio_rw(s, json_object_get(job, dirs[d]), prefix,
			       occurrence(jobs, i, "jobname"), old);
		}
	}
}

static void fio_terse(struct subject *s, const json_t *jobs)
{
	char name[160];

	for (size_t i = 0; i < json_array_size(jobs); i++) {
		const json_t *job = json_array_get(jobs, i);
		const char *jobname = corpus_string(job, "jobname");

		snprintf(name, sizeof(name), "%s.read.bw_bytes", jobname);
		expect(s, name, corpus_number(job, "read_bw_kib") * 1024);
		snprintf(name, sizeof(name), "%s.read.iops", jobname);
		expect(s, name, corpus_number(job, "read_iops"));
		snprintf(name, sizeof(name), "%s.write.bw_bytes", jobname);
		expect(s, name, corpus_number(job, "write_bw_kib") * 1024);
		snprintf(name, sizeof(name), "%s.write.iops", jobname);
		expect(s, name, corpus_number(job, "write_iops"));
	}
}

/* "1104k" in the order of the text */
static void fio_text(struct subject *s, const json_t *tokens)
{
	size_t next = 0;

	for (size_t i = 0; i < json_array_size(tokens); i++) {
		const char *token = json_string_value(json_array_get(tokens, i));
		double want = strtod(token, NULL) * (strchr(token, 'k') ? 1e3 : 1);

		while (next < s->values.n && !strstr(s->values.v[next].name, ".iops#") &&
		       !text_ends(text_of(s->values.v[next].name, strlen(s->values.v[next].name)),
				  ".iops"))
			next++;
		score(s, next < s->values.n && s->values.v[next].value == want, token,
		      next < s->values.n ? s->values.v[next].value : NAN, want);
		next++;
	}
}

static void check_fio(struct subject *s)
{
	const char *format = corpus_string(s->facts, "format");
	const json_t *jobs = json_object_get(s->facts, "jobs");

	if (!strcmp(format, "no-result"))
		expect_error(s, "");
	else if (!strcmp(format, "terse"))
		fio_terse(s, json_object_get(s->facts, "terse"));
	else if (!strcmp(format, "normal-text"))
		fio_text(s, json_object_get(s->facts, "iops_tokens"));
	else if (!fio_failed(s, jobs))
		fio_jobs(s, jobs);
}

/* ---- iperf ---- */

static void iperf_sum(struct subject *s, const char *key)
{
	static const struct {
		const char *fact, *name;
		double factor;
	} rows[] = {
		{ "bits_per_second", "bw_bytes", 0.125 },
		{ "bytes", "bytes", 1 },
		{ "seconds", "seconds", 1 },
		{ "retransmits", "retransmits", 1 },
		{ "jitter_ms", "jitter_ns", 1e6 },
		{ "packets", "packets", 1 },
		{ "lost_packets", "lost_packets", 1 },
		{ "lost_percent", "lost_percent", 1 },
	};
	const json_t *sum = json_object_get(s->facts, key);
	char name[100];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(name, sizeof(name), "%s.%s", key, rows[i].name);
		expect(s, name, corpus_number(sum, rows[i].fact) * rows[i].factor);
	}
}

static double rate(const char *text)
{
	char *end;
	double n = strtod(text, &end);

	while (*end == ' ')
		end++;
	switch (*end) {
	case 'K':
		return n * 125;
	case 'M':
		return n * 125e3;
	case 'G':
		return n * 125e6;
	default:
		return n / 8;
	}
}

/* The last rates of the text, in its order: sought from the end, between them others may be. */
static void iperf_rates(struct subject *s)
{
	const json_t *rates = json_object_get(s->facts, "rates");
	size_t next = s->failed ? 0 : s->values.n;

	for (size_t i = json_array_size(rates); i-- > 0;) {
		double want = rate(json_string_value(json_array_get(rates, i)));

		while (next > 0 && (!strstr(s->values.v[next - 1].name, "bw_bytes") ||
				    fabs(s->values.v[next - 1].value - want) > 1e-12 * want))
			next--;
		score(s, next > 0, "a rate", NAN, want);
		next -= next > 0;
	}
}

static void check_iperf(struct subject *s)
{
	const json_t *error = json_object_get(s->facts, "error");

	if (!error)
		error = json_object_get(s->facts, "error_line");
	if (error) {
		expect_error(s, json_string_value(error));
		return;
	}
	iperf_sum(s, "sum");
	iperf_sum(s, "sum_sent");
	iperf_sum(s, "sum_received");
	iperf_sum(s, "sum_sent_bidir_reverse");
	iperf_sum(s, "sum_received_bidir_reverse");
	expect(s, "intervals", corpus_number(s->facts, "intervals"));
	expect(s, "streams", corpus_number(s->facts, "num_streams"));
	expect(s, "reverse", corpus_number(s->facts, "reverse"));
	iperf_rates(s);
}

/* ---- dd ---- */

/* ", 0,0131226 s" in the line of a result: the last but one number with a unit */
static double seconds_in(const char *line)
{
	struct text t = text_of(line, strlen(line));
	double seconds = NAN;
	double n;

	for (; t.p < t.end; t.p++) {
		struct text rest = t;

		if (t.p == line || (t.p[-1] != ' ' && (unsigned char)t.p[-1] < 0x80) ||
		    !text_number(&rest, &n))
			continue;
		if (text_starts(rest, " s") || text_starts(rest, "\u00a0s"))
			seconds = n;
	}
	return seconds;
}

static void check_dd(struct subject *s)
{
	const json_t *results = json_object_get(s->facts, "results");
	const json_t *records = json_object_get(s->facts, "records");

	if (json_array_size(json_object_get(s->facts, "errors"))) {
		expect_error(s, "dd: ");
		return;
	}
	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *result = json_array_get(results, i);
		double bytes = corpus_number(result, "bytes");
		double seconds = seconds_in(corpus_string(result, "line"));

		expect(s, numbered("bytes", i + 1), bytes);
		expect(s, numbered("seconds", i + 1), seconds);
		if (seconds > 0)
			expect(s, numbered("bw_bytes", i + 1), bytes / seconds);
	}
	for (size_t i = 0; i < json_array_size(records); i++) {
		const char *text = json_string_value(json_array_get(records, i));
		const char *plus = strchr(text, '+');
		const char *side = i % 2 ? "out" : "in";
		char name[40];

		snprintf(name, sizeof(name), "records_%s.full", side);
		expect(s, numbered(name, i / 2 + 1), strtod(text, NULL));
		snprintf(name, sizeof(name), "records_%s.partial", side);
		expect(s, numbered(name, i / 2 + 1), strtod(plus + 1, NULL));
	}
}

/* ---- interrupts ---- */

/* The facts leave out rows whose name has a slash (I/O of s390). */
static bool is_row(const struct value *v)
{
	return strstr(v->name, ".total") && !strchr(v->name, '/');
}

static size_t count_cpus(const struct subject *s)
{
	size_t n = 0;

	for (size_t i = 1; i < s->values.n && strstr(s->values.v[i].name, ".cpu"); i++)
		n++;
	return n;
}

static void expect_row(struct subject *s, const char *key, const struct value *row)
{
	const json_t *fact = json_object_get(s->facts, key);
	const char *irq = corpus_string(fact, "irq");
	const char *label = row && row->label ? row->label : "";

	if (!fact)
		return;
	score(s, row && row->value == corpus_number(fact, "sum"), key, row ? row->value : NAN,
	      corpus_number(fact, "sum"));
	score(s, row && !strncmp(row->name, irq, strlen(irq)), irq, 0, 0);
	score(s, !strcmp(label, corpus_string(fact, "desc")), label, 0, 0);
}

static void check_interrupts(struct subject *s)
{
	const struct value *first = NULL;
	const struct value *max = NULL;
	double total = 0;
	size_t rows = 0;

	if (corpus_number(s->facts, "nrows") == 0) {
		expect_error(s, "");
		return;
	}
	for (size_t i = 0; !s->failed && i < s->values.n; i++) {
		const struct value *v = &s->values.v[i];

		if (!is_row(v))
			continue;
		rows++;
		total += v->value;
		first = first ? first : v;
		max = max && max->value >= v->value ? max : v;
	}
	score(s, (double)rows == corpus_number(s->facts, "nrows"), "nrows", (double)rows,
	      corpus_number(s->facts, "nrows"));
	score(s, (double)count_cpus(s) == corpus_number(s->facts, "ncpu"), "ncpu",
	      (double)count_cpus(s), corpus_number(s->facts, "ncpu"));
	score(s, total == corpus_number(s->facts, "total"), "total", total,
	      corpus_number(s->facts, "total"));
	expect_row(s, "first", first);
	expect_row(s, "max", max);
}

/* ---- net ---- */

static void ethtool_settings(struct subject *s)
{
	const char *speed = corpus_string(s->facts, "Speed");

	if (strstr(speed, "Mb/s"))
		expect(s, "speed", strtod(speed, NULL) * 125000);
	expect(s, "duplex_full", !strcmp(corpus_string(s->facts, "Duplex"), "Full"));
	expect(s, "link", !strcmp(corpus_string(s->facts, "Link detected"), "yes"));
	expect(s, "autonegotiation", !strcmp(corpus_string(s->facts, "Auto-negotiation"), "on"));
}

static void ethtool_counters(struct subject *s)
{
	const char *key;
	json_t *fact;

	json_object_foreach ((json_t *)(uintptr_t)s->facts, key, fact) {
		if (!strcmp(key, "n"))
			score(s, !s->failed && (double)s->values.n == json_number_value(fact), key,
			      (double)s->values.n, json_number_value(fact));
		else if (json_is_number(fact))
			expect(s, key, json_number_value(fact));
	}
}

static void pktgen(struct subject *s)
{
	expect(s, "ok", !strcmp(corpus_string(s->facts, "result"), "OK"));
	expect(s, "duration_ns", corpus_number(s->facts, "usec") * 1e3);
	expect(s, "packets", corpus_number(s->facts, "pkts"));
	expect(s, "packets_per_s", corpus_number(s->facts, "pps"));
	expect(s, "bw_bytes", corpus_number(s->facts, "bps") / 8);
	expect(s, "errors", corpus_number(s->facts, "errors"));
}

static void vnstat(struct subject *s)
{
	const json_t *total = json_object_get(s->facts, "total");
	double factor = strcmp(corpus_string(s->facts, "jsonversion"), "1") ? 1 : 1024;
	const char *interface = corpus_string(s->facts, "name");
	char name[80];
	size_t n = 0;

	for (size_t i = 0; !s->failed && i < s->values.n; i++)
		n += strstr(s->values.v[i].name, ".total.rx_bytes") != NULL;
	score(s, (double)n == corpus_number(s->facts, "n_interfaces"), "n_interfaces", (double)n,
	      corpus_number(s->facts, "n_interfaces"));
	snprintf(name, sizeof(name), "%s.total.rx_bytes", interface);
	expect(s, name, corpus_number(total, "rx") * factor);
	snprintf(name, sizeof(name), "%s.total.tx_bytes", interface);
	expect(s, name, corpus_number(total, "tx") * factor);
}

static void check_net(struct subject *s)
{
	static const struct {
		const char *format;
		void (*check)(struct subject *s);
	} rows[] = {
		{ "ethtool", ethtool_settings },
		{ "ethtool -S", ethtool_counters },
		{ "pktgen", pktgen },
		{ "vnstat-json", vnstat },
	};
	const char *first_line = corpus_string(s->facts, "first_line");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(corpus_string(s->facts, "format"), rows[i].format))
			rows[i].check(s);
	if (!strncmp(first_line, "Error: ", 7) || !strncmp(first_line, "Cannot get ", 11))
		expect_error(s, first_line);
}

/* ---- the walk ---- */

static const struct kind {
	const char *directory, *parser;
	void (*check)(struct subject *s);
	size_t files; /* at least so many, or the walk is broken */
} kinds[] = {
	{ "fio/", "fio", check_fio, 60 },
	{ "iperf/", "iperf", check_iperf, 40 },
	{ "dd/", "dd", check_dd, 30 },
	{ "interrupts/", "interrupts", check_interrupts, 20 },
	{ "net/ethtool/", "ethtool", check_net, 25 },
	{ "net/pktgen/", "pktgen", check_net, 2 },
	{ "net/vnstat/", "vnstat", check_net, 8 },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct {
	size_t files, right, wrong, disputed;
} scores[KINDS];

static void check_file(const char *file, const struct buf *text, const json_t *facts)
{
	struct subject s = { .file = file, .facts = facts, .values = VALUES_INIT };
	size_t kind = 0;

	while (kind < KINDS &&
	       strncmp(file, kinds[kind].directory, strlen(kinds[kind].directory)) != 0)
		kind++;
	if (kind == KINDS)
		return;
	s.failed = parse_output(parser_find(kinds[kind].parser), buf_str(text), text->size,
				&s.values, &s.err) < 0;
	kinds[kind].check(&s);
	scores[kind].files++;
	scores[kind].right += s.right;
	scores[kind].wrong += s.wrong;
	scores[kind].disputed += s.disputed;
	values_release(&s.values);
}

static void corpus(void **state)
{
	size_t wrong = 0;

	(void)state;
	corpus_walk("", check_file);
	for (size_t i = 0; i < KINDS; i++) {
		print_message("%-10s %3zu files, %3zu facts right, %zu wrong, %zu disputed\n",
			      kinds[i].parser, scores[i].files, scores[i].right, scores[i].wrong,
			      scores[i].disputed);
		assert_true(scores[i].files >= kinds[i].files);
		wrong += scores[i].wrong;
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
