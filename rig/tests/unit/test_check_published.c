// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/check on the numbers that five kernel discussions published, $RIG_SHARED/reference: every
 * ERROR and WARN of findings.csv is found, nothing else is said. Prints found, missed and false by
 * row. Skips without the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/path.h"
#include "results/check-table.h"
#include "results/check.h"
#include "results/csv.h"

/* A row of findings.csv, and how what is said of it looks: words of the subject and of the rest. */
static const struct expected {
	const char *id, *rule;
	enum severity severity;
	const char *subject, *words;
} expected[] = {
	{ "U1", "unit-mix", SEVERITY_ERROR, "pixel6-fs", "12 of 12 cells labelled MB/s are MiB/s" },
	{ "U1", "unit-mix", SEVERITY_ERROR, "pixel6-blk",
	  "12 of 12 cells labelled MB/s are MiB/s" },
	{ "U3", "bw-vs-iops", SEVERITY_WARN, "pixel6-fs randread/8jobs bw thiscommit", "85.43" },
	{ "U4", "bw-vs-iops", SEVERITY_WARN, "pixel6-blk randwrite/1jobs bw thiscommit", "72.99" },
	{ "U5", "column-swap", SEVERITY_ERROR, "sm8650-hdk randread/1jobs bw", "23.95 / 17.90" },
	{ "U6", "column-swap", SEVERITY_ERROR, "sm8650-hdk randwrite/1jobs bw", "36.83 / 28.28" },
	{ "U7", "column-swap", SEVERITY_ERROR, "sm8650-hdk randwrite/8jobs bw", "425.12 / 362.37" },
	{ "U8", "column-swap", SEVERITY_ERROR, "sm8650-hdk randread/8jobs bw",
	  "210.80 fits neither" },
	{ "U9", "min<=avg<=max", SEVERITY_ERROR, "sm8650-hdk randread/8jobs iops_avg v6.16",
	  "iops_min 46831.60, iops_avg 44396.88, iops_max 59442.80" },
	{ "U10", "column-swap", SEVERITY_WARN, "sm8650-hdk cpu_sys", "in 3 of 4 workloads" },
	{ "U10", "column-swap", SEVERITY_WARN, "sm8650-hdk cpu_usr", "in 4 of 4 workloads" },
	{ "U11", "granularity", SEVERITY_WARN, "sm8650-hdk randwrite/1jobs iops_min v6.15",
	  "6529.42" },
	{ "U11", "granularity", SEVERITY_WARN, "sm8650-hdk randwrite/1jobs iops_max v6.15",
	  "7856.92" },
	{ "U12", "stated-mean", SEVERITY_ERROR, "bw_mean v6.16", "put back (180.72)" },
	{ "U13", "stated-mean", SEVERITY_ERROR, "bw_mean v6.16+thiscommit", "were 184.44" },
	{ "U14", "stated-mean", SEVERITY_ERROR, "iops_avg_mean v6.16+thiscommit", "were 45034.40" },
	{ "U16", "bw-vs-iops", SEVERITY_ERROR,
	  "sm8650-hdk randread/8jobs bw v6.16 as it was averaged",
	  "210.82 with 44396.88 IOPS, which make 181.85" },
	{ "U18", "text", SEVERITY_WARN, "pixel6-blk all 4 workloads", "13^" },
	{ "U19", "variant-identity", SEVERITY_ERROR, "thiscommit", "v2, ktime" },
	{ "X1", "claim-vs-table", SEVERITY_ERROR, "tx_rate_pct", "+6.33 %" },
	{ "X2", "suspicious-digits", SEVERITY_WARN, "RX rx_rate", "50.00" },
	{ "X3", "ceiling", SEVERITY_WARN, "RX rx_rate", "99.960 % of the 984.25" },
	{ "X4", "cross-version", SEVERITY_ERROR, "Sandisk Ultra Flair", "103.2" },
	{ "X5", "reused-values", SEVERITY_WARN, "003_c194c41f1f8e32c4 vs 000_610deace77979568",
	  "103.667, 103.692, 129.727" },
	{ "X6", "granularity", SEVERITY_WARN, "WD My Passport", "103.692" },
	{ "X6", "granularity", SEVERITY_WARN, "Sandisk Ultra Flair", "129.727" },
	{ "X7", "mixture", SEVERITY_WARN, "frame_rate", "24 and 30 fps" },
	{ "D1", "duplicate", SEVERITY_WARN, "TXFIFO depth 3", "193.60 is exactly repeated" },
	{ "D2", "confounded", SEVERITY_ERROR, "v5.13.0-rc5 + V10 vs v5.12.0",
	  "more than one thing" },
	{ "R3", "resolution", SEVERITY_WARN, "ethtool", "time_max 0.01" },
	{ "R4", "single-run", SEVERITY_WARN, "LuCI", "2.64" },
	{ "R4", "single-run", SEVERITY_WARN, "switch initialisation", "110 s, 50 s" },
	{ "G1", "no-dispersion", SEVERITY_WARN, "measurements", "CV 2.56 %" },
	/* Not in the list, and true: the mails tell of one run, or of none. */
	{ "R4", "single-run", SEVERITY_WARN, "webcam", "26.4451" },
	{ "R4", "single-run", SEVERITY_WARN, "RX", "933.86" },
	{ "R4", "single-run", SEVERITY_WARN, "TX", "830.18" },
};

#define EXPECTED (sizeof(expected) / sizeof(expected[0]))

static bool is_it(const struct check_item *x, const struct expected *e)
{
	return !strcmp(x->rule, e->rule) && x->severity == e->severity &&
	       strstr(x->subject, e->subject) && strstr(x->message, e->words);
}

static const char *id_of(const struct check_item *x)
{
	for (size_t i = 0; i < EXPECTED; i++)
		if (is_it(x, &expected[i]))
			return expected[i].id;
	return NULL;
}

static char *reference(const char *name)
{
	const char *env = getenv("RIG_SHARED");
	char *dir = path_join(env ? env : "../shared", "reference");
	char *path = path_join(dir, name);

	free(dir);
	return path;
}

static void must_read(const char *name, struct buf *text)
{
	char *path = reference(name);
	int rc = path_read(path, text, 1 << 24);

	if (rc)
		print_message("no %s\n", path);
	free(path);
	if (rc) {
		buf_release(text);
		skip();
	}
}

static void load(struct check_report *report)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct check_table *t;

	must_read("published.csv", &text);
	t = check_table_read("published.csv", buf_str(&text), text.size, &err);
	if (!t)
		fail_msg("%s", err.message);
	check_table(t, report);
	check_table_free(t);
	buf_release(&text);
}

/* Its ids, of ERROR and WARN rows: all of them are known here, and all are found. */
static size_t count_missed(const struct check_report *r)
{
	struct buf text = BUF_INIT;
	size_t missed = 0;
	struct csv csv;

	must_read("findings.csv", &text);
	csv_init(&csv, "findings.csv", buf_str(&text), text.size);
	while (csv_next(&csv, NULL) == 1) {
		const char *id = csv.fields[0].text;
		size_t n = 0;

		if (strcmp(csv.fields[2].text, "ERROR") != 0 &&
		    strcmp(csv.fields[2].text, "WARN") != 0)
			continue;
		for (size_t i = 0; i < r->n; i++)
			n += r->items[i].severity >= SEVERITY_WARN && id_of(&r->items[i]) &&
			     !strcmp(id_of(&r->items[i]), id);
		print_message("%-6s %-3s %-5s %s\n", n ? "found" : "MISSED", id, csv.fields[2].text,
			      csv.fields[1].text);
		missed += !n;
	}
	csv_release(&csv);
	buf_release(&text);
	return missed;
}

static void findings(void **state)
{
	struct check_report r = CHECK_REPORT_INIT;
	size_t wrong = 0;
	size_t missed;

	(void)state;
	load(&r);
	missed = count_missed(&r);
	for (size_t i = 0; i < r.n; i++) {
		const struct check_item *x = &r.items[i];

		if (x->severity < SEVERITY_WARN || id_of(x))
			continue;
		print_message("FALSE  %s %s: %s\n", x->rule, x->subject, x->message);
		wrong++;
	}
	print_message("%zu missed, %zu false\n", missed, wrong);
	check_report_release(&r);
	assert_int_equal(missed, 0);
	assert_int_equal(wrong, 0);
}

/* Every row of the table above, the parts of a finding too. */
static void each_part(void **state)
{
	struct check_report r = CHECK_REPORT_INIT;

	(void)state;
	load(&r);
	for (size_t i = 0; i < EXPECTED; i++) {
		size_t n = 0;

		for (size_t k = 0; k < r.n; k++)
			n += is_it(&r.items[k], &expected[i]);
		if (!n)
			fail_msg("%s %s: no '%s'", expected[i].id, expected[i].rule,
				 expected[i].words);
	}
	check_report_release(&r);
}

/* The table that is sound: nothing is said against it. */
static void sound_table(void **state)
{
	struct check_report r = CHECK_REPORT_INIT;

	(void)state;
	load(&r);
	for (size_t i = 0; i < r.n; i++)
		if (r.items[i].severity >= SEVERITY_WARN &&
		    strstr(r.items[i].subject, "sm8650-qrd") &&
		    !strstr(r.items[i].subject, "sm8650-qrd+hdk"))
			fail_msg("%s: %s", r.items[i].rule, r.items[i].message);
	check_report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings),
		cmocka_unit_test(each_part),
		cmocka_unit_test(sound_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
