// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/fingerprint and results/setup: each key that must be equal, by its name in the message;
 * what may differ; and what two sessions must share.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "results/fingerprint.h"
#include "results/session.h"
#include "results/setup.h"

static char *difference(const char *a, const char *b, const char *own, size_t *n)
{
	struct fingerprint *x = fingerprint_new(a, "");
	struct fingerprint *y = fingerprint_new(b, own);
	struct buf out = BUF_INIT;

	assert_non_null(x);
	assert_non_null(y);
	*n = fingerprint_diff(x, y, &out);
	buf_adds(&out, "");
	fingerprint_free(x);
	fingerprint_free(y);
	return buf_detach(&out);
}

/* A place in the agent's JSON with one %s for the value, and how the message names it. */
static const struct key_row {
	const char *json, *a, *b, *key;
} matter[] = {
	{ "{\"cpufreq\":[{\"name\":\"policy0\",\"scaling_governor\":\"%s\"}]}", "performance",
	  "schedutil", "cpufreq.[policy0].scaling_governor" },
	{ "{\"cpufreq\":[{\"name\":\"policy0\",\"scaling_min_freq\":\"%s\"}]}", "300000", "1800000",
	  "cpufreq.[policy0].scaling_min_freq" },
	{ "{\"cpufreq\":[{\"name\":\"policy0\",\"scaling_max_freq\":\"%s\"}]}", "1800000",
	  "2000000", "cpufreq.[policy0].scaling_max_freq" },
	{ "{\"devfreq\":[{\"name\":\"1d84000.ufshc\",\"governor\":\"%s\"}]}", "performance",
	  "simple_ondemand", "devfreq.[1d84000.ufshc].governor" },
	{ "{\"cpuidle\":[{\"name\":\"cpu0/state1\",\"disable\":\"%s\"}]}", "0", "1",
	  "cpuidle.[cpu0/state1].disable" },
	{ "{\"cpuidle_governor\":\"%s\"}", "menu", "teo", "cpuidle_governor" },
	{ "{\"irqs\":[{\"irq\":18,\"what\":\"GIC-0 36 Level ufshcd\",\"affinity\":\"%s\"}]}", "0",
	  "0-3", "irqs.[GIC-0 36 Level ufshcd].affinity" },
	{ "{\"targets\":[{\"selector\":\"ufs:0\",\"queue/rq_affinity\":\"%s\"}]}", "1", "2",
	  "targets.[ufs:0].queue/rq_affinity" },
	{ "{\"targets\":[{\"selector\":\"ufs:0\",\"queue/scheduler\":\"%s\"}]}", "[none] bfq",
	  "none [bfq]", "targets.[ufs:0].queue/scheduler" },
	{ "{\"targets\":[{\"selector\":\"ufs:0\",\"queue/nomerges\":\"%s\"}]}", "0", "2",
	  "targets.[ufs:0].queue/nomerges" },
	{ "{\"targets\":[{\"selector\":\"ufs:0\",\"queue/iostats\":\"%s\"}]}", "0", "1",
	  "targets.[ufs:0].queue/iostats" },
	{ "{\"targets\":[{\"selector\":\"ufs:0\",\"queue/write_cache\":\"%s\"}]}", "write back",
	  "write through", "targets.[ufs:0].queue/write_cache" },
	{ "{\"targets\":[{\"selector\":\"ufs:0\",\"device/model\":\"%s\"}]}", "KLUDG4UHGC", "other",
	  "targets.[ufs:0].device/model" },
	{ "{\"targets\":[{\"selector\":\"ufs:0\",\"device/rev\":\"%s\"}]}", "0100", "0200",
	  "targets.[ufs:0].device/rev" },
	{ "{\"targets\":[{\"selector\":\"ufs:0\",\"size\":\"%s\"}]}", "1", "2",
	  "targets.[ufs:0].size" },
	{ "{\"ufs\":[{\"name\":\"a\",\"power_info/gear\":\"%s\"}]}", "HS_GEAR4", "HS_GEAR5",
	  "ufs.[a].power_info/gear" },
	{ "{\"ufs\":[{\"name\":\"a\",\"power_info/lane\":\"%s\"}]}", "1", "2",
	  "ufs.[a].power_info/lane" },
	{ "{\"ufs\":[{\"name\":\"a\",\"power_info/mode\":\"%s\"}]}", "FAST_MODE", "SLOW_MODE",
	  "ufs.[a].power_info/mode" },
	{ "{\"ufs\":[{\"name\":\"a\",\"power_info/rate\":\"%s\"}]}", "HS_RATE_A", "HS_RATE_B",
	  "ufs.[a].power_info/rate" },
	{ "{\"ufs\":[{\"name\":\"a\",\"clkgate_enable\":\"%s\"}]}", "0", "1",
	  "ufs.[a].clkgate_enable" },
	{ "{\"ufs\":[{\"name\":\"a\",\"string_descriptors/product_revision\":\"%s\"}]}", "1", "2",
	  "ufs.[a].string_descriptors/product_revision" },
	{ "{\"usb\":[{\"name\":\"2-1\",\"speed\":\"%s\"}]}", "480", "5000", "usb.[2-1].speed" },
	{ "{\"net\":[{\"name\":\"eth0\",\"speed\":\"%s\"}]}", "100", "1000", "net.[eth0].speed" },
	{ "{\"cpus_online\":\"%s\"}", "0-7", "0-3", "cpus_online" },
	{ "{\"cpus_isolated\":\"%s\"}", "", "3", "cpus_isolated" },
	{ "{\"smt\":\"%s\"}", "on", "off", "smt" },
	{ "{\"clocksource\":\"%s\"}", "tsc", "hpet", "clocksource" },
	{ "{\"cmdline\":\"root=/dev/ram0 %s\"}", "quiet", "nohz=off", "cmdline" },
	{ "{\"tools\":{\"fio\":\"%s\"}}", "fio-3.33", "fio-3.36", "tools.fio" },
	{ "{\"tools\":{\"agent\":\"%s\"}}", "1.0", "1.1", "tools.agent" },
};

static const struct key_row free_keys[] = {
	{ "{\"boot_id\":\"%s\"}", "a", "b", NULL },
	{ "{\"release\":\"%s\"}", "6.12.1", "6.12.2", NULL },
	{ "{\"temperatures\":[{\"name\":\"cpu\",\"temp\":\"%s\"}]}", "41000", "52000", NULL },
	{ "{\"cpufreq\":[{\"name\":\"policy0\",\"scaling_cur_freq\":\"%s\"}]}", "1", "2", NULL },
	{ "{\"irqs\":[{\"irq\":18,\"what\":\"ufshcd\",\"effective_affinity\":\"%s\"}]}", "0", "1",
	  NULL },
	{ "{\"irqs\":[{\"irq\":18,\"what\":\"ufshcd\",\"cpu_counts\":\"%s\"}]}", "71", "90", NULL },
	{ "{\"config_gz_crc32\":\"%s\"}", "1", "2", NULL },
	{ "{\"memory_kib\":\"%s\"}", "506660", "506664", NULL },
	{ "{\"block\":[{\"name\":\"sdb\",\"queue/scheduler\":\"%s\"}]}", "a", "b", NULL },
	{ "{\"cmdline\":\"root=/dev/ram0 rig.epoch=%s\"}", "1", "2", NULL },
	{ "{\"kernel_version\":\"%s\"}", "#1", "#2", NULL },
};

static char *fill(const char *json, const char *value)
{
	const char *at = strstr(json, "%s");

	return xasprintf("%.*s%s%s", (int)(at - json), json, value, at + 2);
}

static void check_row(const struct key_row *row)
{
	char *a = fill(row->json, row->a);
	char *b = fill(row->json, row->b);
	size_t n;
	char *same = difference(a, a, "", &n);
	char *diff;

	assert_int_equal(n, 0);
	diff = difference(a, b, "", &n);
	if (n != (row->key ? 1 : 0))
		fail_msg("%s / %s: %zu differences: %s", a, b, n, diff);
	if (row->key && (strncmp(diff, row->key, strlen(row->key)) != 0 || !strstr(diff, row->a) ||
			 !strstr(diff, row->b)))
		fail_msg("\"%s\" does not name %s", diff, row->key);
	free(same);
	free(diff);
	free(a);
	free(b);
}

static void every_key(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(matter) / sizeof(matter[0]); i++)
		check_row(&matter[i]);
	for (size_t i = 0; i < sizeof(free_keys) / sizeof(free_keys[0]); i++)
		check_row(&free_keys[i]);
}

/* The variant's own parameters are what is compared, no difference in the set-up. */
static void own_parameters(void **state)
{
	size_t n;
	char *diff =
		difference("{\"cmdline\":\"quiet\"}", "{\"cmdline\":\"quiet a.b=1\"}", "a.b=1", &n);

	(void)state;
	assert_int_equal(n, 0);
	free(diff);
	diff = difference("{\"cmdline\":\"quiet\"}", "{\"cmdline\":\"quiet a.b=12\"}", "a.b=1", &n);
	assert_int_equal(n, 1);
	free(diff);
}

/* What is dumped compares as what it was dumped from. */
static void dump(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(matter) / sizeof(matter[0]); i++) {
		char *a = fill(matter[i].json, matter[i].a);
		struct fingerprint *f = fingerprint_new(a, "");
		char *text = fingerprint_dump(f);
		size_t n;
		char *diff = difference(a, text, "", &n);

		if (n)
			fail_msg("%s is dumped as %s: %s", a, text, diff);
		free(diff);
		free(text);
		free(a);
		fingerprint_free(f);
	}
}

/* Of the first counted boot of the baseline, without its own parameters and the agent's version. */
static void print_of_a_session(void **state)
{
	struct session *s = session_new();
	struct session_visit *v;
	char *print = setup_print(s);

	(void)state;
	assert_string_equal(print, "");
	free(print);
	session_add_kernel(s)->cmdline = "a.b=1";
	session_add_kernel(s);
	v = session_add_visit(s); /* the warm-up */
	v->fingerprint = "{\"cmdline\":\"warm-up\"}";
	v = session_add_visit(s);
	v->kernel = v->pair = 1;
	v->fingerprint = "{\"cmdline\":\"candidate\"}";
	v = session_add_visit(s);
	v->pair = 1;
	v->fingerprint = "{\"cmdline\":\"quiet a.b=1\",\"tools\":{\"agent\":\"1.0\",\"fio\":"
			 "\"fio-3.33\"},\"boot_id\":\"x\"}";
	print = setup_print(s);
	assert_string_equal(print, "{\"cmdline\":\"quiet\",\"tools.fio\":\"fio-3.33\"}");
	free(print);
	session_free(s);
}

static const struct setup usual = { .serial = "s1",
				    .model = "m",
				    .host = "h",
				    .suite = "ufs-irq",
				    .profile = "quick",
				    .suite_hash = "0123456789abcdef",
				    .lab = "type=virt-ufs\ncpus=1\n",
				    .print = "{\"tools\":{\"fio\":\"fio-3.33\"}}" };

static void setups(void **state)
{
	static const struct {
		struct setup other;
		const char *says;
	} rows[] = {
		{ { .serial = "s2" }, "serial: s1 / s2" },
		{ { .model = "m2" }, "model: m / m2" },
		{ { .host = "h2" }, "host: h / h2" },
		{ { .suite = "x" }, "suite: ufs-irq / x" },
		{ { .profile = "full" }, "profile: quick / full" },
		{ { .suite_hash = "fe" }, "the suite file has changed (0123456789ab / fe)" },
		{ { .lab = "type=virt-ufs\ncpus=2\n" }, "cpus: 1 / 2" },
		{ { .lab = "type=virt-ufs\n" }, "cpus: 1 / (not there)" },
		{ { .lab = "type=virt-ufs\ncpus=1\nmcq=true" }, "mcq: (not there) / true" },
		{ { .lab = "" }, "type: virt-ufs / (not there); cpus: 1 / (not there)" },
		{ { .print = "" }, "fingerprint: taken / none" },
		{ { .print = "{\"tools\":{\"fio\":\"fio-3.36\"}}" },
		  "tools.fio: fio-3.33 / fio-3.36" },
		{ { .host = "h2", .profile = "full" }, "host: h / h2; profile: quick / full" },
	};
	struct buf why = BUF_INIT;

	(void)state;
	assert_true(setup_same(&usual, &usual, &why));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct setup *o = &rows[i].other;
		const struct setup now = {
			.serial = o->serial ? o->serial : usual.serial,
			.model = o->model ? o->model : usual.model,
			.host = o->host ? o->host : usual.host,
			.suite = o->suite ? o->suite : usual.suite,
			.profile = o->profile ? o->profile : usual.profile,
			.suite_hash = o->suite_hash ? o->suite_hash : usual.suite_hash,
			.lab = o->lab ? o->lab : usual.lab,
			.print = o->print ? o->print : usual.print,
		};

		buf_reset(&why);
		assert_false(setup_same(&usual, &now, &why));
		assert_string_equal(buf_str(&why), rows[i].says);
	}
	buf_release(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key), cmocka_unit_test(own_parameters),
		cmocka_unit_test(dump),	     cmocka_unit_test(print_of_a_session),
		cmocka_unit_test(setups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
