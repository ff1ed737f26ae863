// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of steps of every kind -> samples: results/import-step.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "results/import.h"
#include "results/session.h"

/* A document, and what must come of it: a number, or the words of the failure. */
static const struct {
	const char *kind, *file, *text;
	const char *metric;
	double value;
	const char *failure;
} rows[] = {
	{ "dd", "stderr",
	  "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134"
	  " MB/s\n",
	  "bw_bytes", 134217728, NULL },
	/* several runs: all bytes over all the time, not the mean of the rates */
	{ "dd", "stderr",
	  "1+0 records in\n1+0 records out\n3000 bytes (3 kB) copied, 1 s, 3 kB/s\n"
	  "1+0 records in\n1+0 records out\n1000 bytes (1 kB) copied, 3 s, 333 B/s\n",
	  "bw_bytes", 1000, NULL },
	{ "dd", "stderr",
	  "1+0 records in\n1+0 records out\n3000 bytes (3 kB) copied, 1 s, 3 kB/s\n"
	  "1+0 records in\n1+0 records out\n1000 bytes (1 kB) copied, 4 s, 250 B/s\n",
	  "bw_bytes_min", 250, NULL },
	/* the agent's own words */
	{ "dd", "stderr",
	  "4+0 records in\n4+0 records out\n4096 bytes copied, 0.001953125 s, 2.1"
	  " MB/s\n",
	  "bw_bytes", 2097152, NULL },
	/* an old BusyBox tells no time: that is said, and no rate invented */
	{ "dd", "stderr", "1+0 records in\n1+0 records out\n", NULL, 0, "stderr: " },
	{ "iperf3", "stdout",
	  "{\"start\": {}, \"intervals\": [], \"end\": {\"sum_received\": {\"bits_per_second\": 8e8,"
	  " \"bytes\": 1e8, \"seconds\": 1}}}",
	  "sum_received.bw_bytes", 1e8, NULL },
	{ "dd", "stderr", "dd: writing '/dev/sda': No space left on device\n1+0 records in\n", NULL,
	  0, "No space left" },
	{ "dd", "stderr", "", NULL, 0, "stderr: " },
	{ "iperf", "stdout",
	  "{\"start\": {}, \"intervals\": [], \"end\": {\"sum_received\": {\"bits_per_second\": 8e9,"
	  " \"bytes\": 1e9, \"seconds\": 1}}}",
	  "sum_received.bw_bytes", 1e9, NULL },
	/* it exits with 0, and has numbers: nothing of it counts */
	{ "iperf", "stdout",
	  "{\"start\": {}, \"intervals\": [], \"end\": {\"sum_received\": {\"bits_per_second\": 8e9}},"
	  " \"error\": \"unable to send control message: Bad file descriptor\"}",
	  NULL, 0, "unable to send control message" },
	{ "iperf", "stdout",
	  "[ ID] Interval       Transfer     Bandwidth\n"
	  "[  3]  0.0-10.0 sec  1000 MBytes  800 Mbits/sec\n",
	  "sum.bw_bytes", 1e8, NULL },
	{ "interrupts", "interrupts",
	  "           CPU0       CPU1\n 40:         17         25     GICv3  40 Level     ufshcd\n",
	  "40.total", 42, NULL },
	{ "interrupts", "interrupts", "cat: /proc/interrupts: Permission denied\n", NULL, 0,
	  "interrupts: " },
	{ "ethtool", "stdout", "NIC statistics:\n     rx_packets: 232850\n     tx_errors: 0\n",
	  "rx_packets", 232850, NULL },
	{ "ethtool", "stdout", "Cannot get stats strings information: Operation not supported\n",
	  NULL, 0, "Operation not supported" },
	{ "vnstat", "stdout",
	  "1;eth0;11/30/26;1.00 KiB;2.00 KiB;3.00 KiB;0.30 kbit/s;11/2026;1.00 KiB;"
	  "2.00 KiB;3.00 KiB;0.30 kbit/s;4.00 KiB;5.00 KiB;9.00 KiB\n",
	  "eth0.total.rx_bytes", 4096, NULL },
	{ "vnstat", "stdout", "Error: Interface \"eth9\" not found in database.\n", NULL, 0,
	  "not found in database" },
	{ "pktgen", "pktgen",
	  "Result: OK: 15430(c15405+d25) usec, 100000 (60byte,0frags)\n"
	  "  6480562pps 3110Mb/sec (3110669760bps) errors: 0\n",
	  "packets_per_s", 6480562, NULL },
	{ "pktgen", "pktgen", "Result: No such parameter \"x\"\n", NULL, 0, "No such parameter" },
};

/* One visit with one step of that kind; text NULL: its file is not there. */
static struct session *import_one(struct fixture *f, const char *kind, const char *file,
				  const char *text)
{
	struct err err = ERR_INIT;
	struct session *s;
	char *dir;

	*f = fixture_usual();
	fixture_begin(f, fixture_tmp, "step");
	fixture_visit_begin(f, 0, 1, "");
	dir = xasprintf("%s/visits/001-original/steps/00-x", f->dir);
	path_mkdirs(dir);
	if (text)
		fixture_file(dir, file, text);
	fixture_event(f, "step-start",
		      ", \"visit\": 1, \"step\": 0, \"kind\": \"%s\", \"workload\": \"w\", \"dir\":"
		      " \"visits/001-original/steps/00-x\"",
		      kind);
	fixture_event(f, "step-end", ", \"visit\": 1, \"step\": 0, \"status\": \"%s\"", "ok");
	fixture_end(f, "complete");
	s = import_read(f->dir, &err);
	if (!s)
		fail_msg("%s", err.message);
	free(dir);
	return s;
}

static void close_one(struct fixture *f, struct session *s)
{
	session_free(s);
	path_remove(f->dir);
	fixture_release(f);
}

static void every_kind(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;
		struct session *s = import_one(&f, rows[i].kind, rows[i].file, rows[i].text);
		double value = 0;

		if (rows[i].failure) {
			assert_int_equal(s->steps[0].status, STEP_FAILED);
			assert_int_equal(s->steps[0].blame, BLAME_TEST);
			if (!strstr(s->steps[0].message, rows[i].failure))
				fail_msg("%s: '%s'", rows[i].kind, s->steps[0].message);
			assert_int_equal(s->n_samples, 0);
		} else {
			assert_string_equal(s->steps[0].message, "");
			assert_int_equal(s->steps[0].status, STEP_OK);
			assert_int_equal(session_value(s, 0, rows[i].metric, &value), 0);
			/* exact: no arithmetic that rounds */
			if (value != rows[i].value)
				fail_msg("row %zu: %.17g", i, value);
		}
		close_one(&f, s);
	}
}

/* A step that ended well and left nothing behind is the rig's fault, whatever the kind. */
static void missing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;
		struct session *s = import_one(&f, rows[i].kind, rows[i].file, NULL);

		assert_int_equal(s->steps[0].status, STEP_FAILED);
		assert_int_equal(s->steps[0].blame, BLAME_RIG);
		assert_non_null(strstr(s->steps[0].message, "missing"));
		close_one(&f, s);
	}
}

/* More numbers than anybody can mean: refused as a whole. */
static void too_many(void **state)
{
	struct buf text = BUF_INIT;
	struct fixture f;
	struct session *s;

	(void)state;
	buf_adds(&text, "NIC statistics:\n");
	for (int i = 0; i <= 20000; i++)
		buf_addf(&text, "     c%d: 1\n", i);
	s = import_one(&f, "ethtool", "stdout", buf_str(&text));
	assert_int_equal(s->steps[0].status, STEP_FAILED);
	assert_non_null(strstr(s->steps[0].message, "20001 numbers"));
	assert_int_equal(s->n_samples, 0);
	close_one(&f, s);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind),
		cmocka_unit_test(missing),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, fixture_make_tmp, fixture_remove_tmp);
}
