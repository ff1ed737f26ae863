// SPDX-License-Identifier: GPL-2.0-or-later
/* Suites (suite.h): expansion, every message with its place, the shipped suites, the manual. */
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
#include "conf/conf.h"
#include "suite/step.h"
#include "suite/suite.h"

static const char sample[] = "name: demo\n"				       /* 1 */
			     "series: ufs-irq\n"			       /* 2 */
			     "pairs: {min: 2, max: 6}\n"		       /* 3 */
			     "profiles:\n"				       /* 4 */
			     "  - name: full\n"				       /* 5 */
			     "    vars: {runtime_s: 30, pause_s: 5}\n"	       /* 6 */
			     "  - name: quick\n"			       /* 7 */
			     "    notes: shorter\n"			       /* 8 */
			     "    vars: {runtime_s: 2, pause_s: 0}\n"	       /* 9 */
			     "workloads:\n"				       /* 10 */
			     "  - name: rand{rw}/{jobs}\n"		       /* 11 */
			     "    step: fio\n"				       /* 12 */
			     "    matrix: {rw: [read, write], jobs: [1, 8]}\n" /* 13 */
			     "    target: ufs:0\n"			       /* 14 */
			     "    args:\n"				       /* 15 */
			     "      - --rw=rand{rw}\n"			       /* 16 */
			     "      - --runtime={runtime_s}\n"		       /* 17 */
			     "      - --filename={target}\n"		       /* 18 */
			     "    duration_s: \"{runtime_s}\"\n"	       /* 19 */
			     "    pause_s: \"{pause_s}\"\n"		       /* 20 */
			     "    metrics:\n"				       /* 21 */
			     "      - {name: \"{rw}.iops\", primary: true}\n"  /* 22 */
			     "      - {name: usr_cpu}\n"		       /* 23 */
			     "  - name: idle\n"				       /* 24 */
			     "    step: noop\n"				       /* 25 */
			     "    profiles: full\n"			       /* 26 */
			     "    gate: false\n";			       /* 27 */

/* The sample with the first `from` replaced by `to`. */
static struct suite *parse_changed(const char *from, const char *to, struct err *err)
{
	const char *at = strstr(sample, from);
	char text[4096] = "";

	assert_non_null(at);
	strncat(text, sample, (size_t)(at - sample));
	strcat(text, to);
	strcat(text, at + strlen(from));
	return suite_parse("s.yaml", text, strlen(text), err);
}

static void test_expand(void **state)
{
	static const char *const order[] = { "tune",	   "fingerprint", "randread/1",
					     "randread/8", "randwrite/1", "randwrite/8",
					     "idle",	   "dmesg",	  "untune" };
	struct err err = ERR_INIT;
	struct suite *s = parse_changed("name", "name", &err);
	struct plan plan = PLAN_INIT;

	(void)state;
	assert_non_null(s);
	assert_string_equal(suite_name(s), "demo");
	assert_string_equal(suite_series(s), "ufs-irq");
	assert_string_equal(suite_profile(s, 1), "quick");
	assert_null(suite_profile(s, 2));
	assert_int_equal(suite_expand(s, NULL, &plan, &err), 0);
	assert_int_equal(plan.n_steps, ARRAY_LEN(order));
	for (size_t i = 0; i < plan.n_steps; i++)
		assert_string_equal(plan.steps[i].workload ? plan.steps[i].workload
							   : plan.steps[i].kind,
				    order[i]);
	assert_string_equal(plan.steps[5].args[0], "--rw=randwrite");
	assert_string_equal(plan.steps[5].args[1], "--runtime=30");
	assert_string_equal(plan.steps[5].args[2], "--filename={target}");
	assert_string_equal(plan.steps[5].target, "ufs:0");
	assert_int_equal(plan.steps[5].timeout_ms, 90000);
	assert_int_equal(plan.steps[5].pause_ms, 5000);
	assert_int_equal(plan.pairs.max, 6);
	assert_int_equal(plan.pairs.fixed, 0);
	assert_int_equal(plan.warmup, 1);
	assert_int_equal(plan.n_metrics, 8);
	assert_string_equal(plan.metrics[4].workload, "randwrite/1");
	assert_string_equal(plan.metrics[4].metric, "write.iops");
	assert_string_equal(plan.metrics[4].unit, "IOPS");
	assert_string_equal(plan.metrics[4].direction, "higher");
	assert_true(plan.metrics[4].primary);
	assert_string_equal(plan.metrics[5].direction, "lower");
	assert_int_equal(strlen(plan.suite.hash), 64);
	assert_int_equal(suite_estimate_ms(s, NULL), 140000);
	plan_release(&plan);

	assert_int_equal(suite_expand(s, "quick", &plan, &err), 0);
	assert_int_equal(plan.n_steps, ARRAY_LEN(order) - 1);
	assert_string_equal(plan.suite.notes[0], "shorter");
	assert_int_equal(suite_estimate_ms(s, "quick"), 8000);
	plan_release(&plan);

	assert_int_equal(suite_expand(s, "quik", &plan, &err), -1);
	assert_string_equal(err.message,
			    "suite demo has no profile \"quik\"; known are full, quick; "
			    "did you mean \"quick\"?");
	suite_free(s);
}

static const struct {
	const char *from, *to, *message;
} complaints[] = {
	{ "duration_s:", "runtme:", "s.yaml:19:5: unknown key \"runtme\" in workload" },
	{ "duration_s:", "duraton_s:",
	  "s.yaml:19:5: unknown key \"duraton_s\" in workload; did you mean \"duration_s\"?" },
	{ "name: demo\n", "", "s.yaml:1:1: suite has no \"name\"" },
	{ "name: demo", "name: De mo",
	  "s.yaml:1:7: suite name \"De mo\": lower-case letters, digits, '-', '_' and '.' only" },
	{ "min: 2", "min: 7", "s.yaml:3:8: pairs: max is less than min" },
	{ "max: 6", "max: six", "s.yaml:3:22: max of pairs must be a whole number, not \"six\"" },
	{ "name: quick", "name: full",
	  "s.yaml:7:11: profile \"full\" is given twice, first in line 5" },
	{ "runtime_s: 30", "runtime_s: [30]",
	  "s.yaml:6:12: variable runtime_s of a profile has one value, not a list" },
	{ "runtime_s: 30", "Runtime: 30",
	  "s.yaml:6:12: \"Runtime\" in vars is no name for a variable: lower-case letters, digits "
	  "and '_', and not \"target\"" },
	{ "step: fio", "step: foi",
	  "s.yaml:12:11: unknown step kind \"foi\" in workload; did you mean \"fio\"?" },
	{ "step: fio", "step: tune", "s.yaml:12:11: step kind \"tune\" cannot stand in workload" },
	{ "series: ufs-irq", "setup: [tune, fio]",
	  "s.yaml:2:15: step kind \"fio\" cannot stand in setup" },
	{ "    target: ufs:0\n", "",
	  "s.yaml:11:5: workload \"rand{rw}/{jobs}\" has no \"target\": fio needs one" },
	{ "target: ufs:0", "target: /dev/sda",
	  "s.yaml:14:13: target \"/dev/sda\" must be a class and a number or name, \"ufs:0\" or "
	  "\"part:userdata\" for example" },
	{ "target: ufs:0", "target: 'part:'",
	  "s.yaml:14:13: target \"part:\" must be a class and a number or name, \"ufs:0\" or "
	  "\"part:userdata\" for example" },
	{ "--rw=rand{rw}", "--rw=rand{wr}",
	  "s.yaml:16:9: undefined variable {wr} in args; did you mean {rw}?" },
	{ "--rw=rand{rw}", "--rw=rand{bananas}",
	  "s.yaml:16:9: undefined variable {bananas} in args; known are rw, jobs, runtime_s, pause_s" },
	{ "--rw=rand{rw}", "--rw=rand{rw",
	  "s.yaml:16:9: lone '{' in args: write {name}, or {{ for the sign" },
	{ "--rw=rand{rw}", "--rw=rand}",
	  "s.yaml:16:9: lone '}' in args: write {name}, or }} for the sign" },
	{ "--rw=rand{rw}", "--output=x",
	  "s.yaml:16:9: --output is set by the rig itself; leave it out of args" },
	{ "name: rand{rw}/{jobs}", "name: rand{rw}",
	  "s.yaml:11:11: two workloads are called \"randread\"; put the matrix variables into the "
	  "name" },
	{ "name: rand{rw}/{jobs}", "name: ../{rw}/{jobs}",
	  "s.yaml:11:11: workload name \"../read/1\": letters, digits, '.', '_', '-' and '/' only" },
	{ "jobs: [1, 8]", "jobs: []", "s.yaml:13:33: matrix variable jobs has no values" },
	{ "\"{runtime_s}\"", "fast",
	  "s.yaml:19:17: duration_s must be whole seconds, 0 to 86400, not \"fast\"" },
	{ "{rw}.iops", "{rw}.ipos",
	  "s.yaml:22:16: step kind fio has no metric \"read.ipos\"; did you "
	  "mean \"read.iops\"?" },
	{ "primary: true", "primary: false",
	  "s.yaml:11:5: workload \"rand{rw}/{jobs}\" has 0 primary metrics; it needs one, or gate: "
	  "false" },
	{ "{name: usr_cpu}", "{name: usr_cpu, primary: yes}",
	  "s.yaml:11:5: workload \"rand{rw}/{jobs}\" has 2 primary metrics; it needs one, or gate: "
	  "false" },
	{ "name: usr_cpu", "name: \"{rw}.iops\"",
	  "s.yaml:23:9: metric \"read.iops\" is given twice" },
	{ "profiles: full\n", "profiles: fast\n",
	  "s.yaml:26:15: no profile \"fast\" in this suite" },
	{ "    target: ufs:0\n", "    target: ufs:0\n    profiles: full\n",
	  "s.yaml:7:5: profile \"quick\" has no workload" },
};

static void test_complaints(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(complaints); i++) {
		struct err err = ERR_INIT;

		assert_null(parse_changed(complaints[i].from, complaints[i].to, &err));
		assert_string_equal(err.message, complaints[i].message);
		assert_int_equal(err_exit_code(&err), EXIT_USAGE);
	}
}

/* A workload of a step with arguments of its own, watched; its text is put in for `idle`. */
static struct suite *parse_watched(const char *args, const char *more, struct err *err)
{
	char *text = xasprintf("  - name: dd\n" /* 24 */
			       "    step: dd\n"
			       "    target: usb:0\n"
			       "    args: [%s]\n" /* 27 */
			       "    %s\n",
			       args, more);
	struct suite *s = parse_changed("  - name: idle\n"
					"    step: noop\n"
					"    profiles: full\n"
					"    gate: false\n",
					text, err);

	free(text);
	return s;
}

static void test_watched(void **state)
{
	static const char metrics[] = "observe: [irqtime, isoc]\n"
				      "    metrics:\n"
				      "      - {name: bw_bytes, primary: true}\n"
				      "      - {name: irq.xhci_hcd.p99_ns}\n"
				      "      - {name: isoc.missed_service, must_be_zero: true}";
	struct err err = ERR_INIT;
	struct suite *s = parse_watched("bs=1M", metrics, &err);
	struct plan plan = PLAN_INIT, again = PLAN_INIT;
	json_t *json;

	(void)state;
	assert_string_equal(s ? "" : err.message, "");
	assert_int_equal(suite_expand(s, NULL, &plan, &err), 0);
	assert_int_equal(plan.steps[6].n_observe, 2);
	assert_string_equal(plan.steps[6].observe[1], "isoc");
	assert_int_equal(plan.steps[5].n_observe, 0);
	assert_string_equal(plan.metrics[9].metric, "irq.xhci_hcd.p99_ns");
	assert_true(plan.metrics[9].loss > 0);
	assert_true(plan.metrics[10].loss == 0 && plan.metrics[10].min_effect == 0);
	json = plan_to_json(&plan);
	/* a step that nobody watches says nothing of it: older readers know no such key */
	assert_null(json_object_get(json_array_get(json_object_get(json, "steps"), 5), "observe"));
	assert_int_equal(plan_from_json(json, &again, &err), 0);
	assert_string_equal(again.steps[6].observe[0], "irqtime");
	json_decref(json);
	plan_release(&plan);
	plan_release(&again);
	suite_free(s);
}

static void test_watched_complaints(void **state)
{
	static const struct {
		const char *args, *more, *message;
	} rows[] = {
		{ "bs=1M, conut=3", "gate: false",
		  "s.yaml:27:19: step kind dd takes no \"conut\"; did you mean \"count\"?" },
		{ "--direct", "gate: false",
		  "s.yaml:27:12: step kind dd takes \"name=value\", not \"--direct\"" },
		{ "bs=1M", "observe: irqtme",
		  "s.yaml:28:14: unknown observer \"irqtme\"; did you mean \"irqtime\"?" },
		{ "bs=1M", "metrics: [{name: irq.xhci_hcd.p99_ns, primary: true}]",
		  "s.yaml:28:22: step kind dd has no metric \"irq.xhci_hcd.p99_ns\"" },
		{ "bs=1M", "metrics: [{name: bw_bytes, primary: true, must_be_zero: true}]",
		  "s.yaml:28:15: metric \"bw_bytes\" is primary and must_be_zero: numbers are "
		  "judged by either" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = ERR_INIT;

		assert_null(parse_watched(rows[i].args, rows[i].more, &err));
		assert_string_equal(err.message, rows[i].message);
	}
}

/* What must be said is asked for: a gadget without functions is none. */
static void test_args_needed(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_null(parse_changed("step: noop", "step: gadget", &err));
	assert_string_equal(err.message, "s.yaml:24:5: workload \"idle\": step kind gadget needs "
					 "\"functions=...\" in args");
}

static void test_braces(void **state)
{
	struct err err = ERR_INIT;
	struct suite *s = parse_changed("--rw=rand{rw}", "--x={{{jobs}}}", &err);
	struct plan plan = PLAN_INIT;

	(void)state;
	assert_non_null(s);
	assert_int_equal(suite_expand(s, "quick", &plan, &err), 0);
	assert_string_equal(plan.steps[3].args[0], "--x={8}");
	plan_release(&plan);
	suite_free(s);
}

/* The whole command of the published experiment. */
static void test_ufs_irq(void **state)
{
	static const char *const args[] = {
		"--name=randwrite", "--rw=randwrite", "--ioengine=libaio", "--direct=1",
		"--bs=4k",	    "--numjobs=8",    "--size=32m",	   "--runtime=30",
		"--time_based",	    "--end_fsync=1",  "--group_reporting", "--filename={target}"
	};
	struct err err = ERR_INIT;
	struct suite *s = suite_load("./suites/ufs-irq.yaml", &err);
	struct plan plan = PLAN_INIT;

	(void)state;
	assert_non_null(s);
	assert_int_equal(suite_expand(s, "full", &plan, &err), 0);
	assert_string_equal(plan.steps[5].workload, "randwrite/8");
	assert_int_equal(plan.steps[5].n_args, ARRAY_LEN(args));
	for (size_t i = 0; i < ARRAY_LEN(args); i++)
		assert_string_equal(plan.steps[5].args[i], args[i]);
	assert_int_equal(plan.steps[5].pause_ms, 5000);
	plan_release(&plan);
	suite_free(s);
}

/* Every suite that is shipped loads, has the name of its file, and makes a plan that reads back. */
static void test_shipped(void **state)
{
	struct err err = ERR_INIT;
	char **names;
	size_t n = 0;

	(void)state;
	setenv("RIG_DATA", ".", 1);
	names = suite_names();
	for (; names[n]; n++) {
		struct suite *s = suite_load(names[n], &err);
		struct plan plan = PLAN_INIT, again = PLAN_INIT;
		char name[] = "a";
		struct plan_kernel k = { .series = name, .variant = name };
		json_t *json;

		assert_string_equal(s ? suite_name(s) : err.message, names[n]);
		assert_int_equal(suite_expand(s, NULL, &plan, &err), 0);
		plan_set_board(&plan, "virt-ufs");
		plan_add_kernel(&plan, &k);
		assert_int_equal(plan_check(&plan, &err), 0);
		json = plan_to_json(&plan);
		assert_int_equal(plan_from_json(json, &again, &err), 0);
		json_decref(json);
		plan_release(&plan);
		plan_release(&again);
		suite_free(s);
	}
	suite_names_free(names);
	assert_true(n >= 1);
	assert_null(suite_load("ufs-irk", &err));
	assert_non_null(strstr(err.message, "no suite \"ufs-irk\"; known are "));
	assert_non_null(strstr(err.message, "did you mean \"ufs-irq\"?"));
	assert_null(suite_load("no/such.yaml", &err));
	assert_string_equal(err.message, "no/such.yaml: No such file or directory");
}

static void test_steps(void **state)
{
	char *guess;

	(void)state;
	for (size_t i = 0; i < step_kinds_n; i++) {
		const struct step_kind *k = &step_kinds[i];

		assert_ptr_equal(step_find(k->name), k);
		assert_true(k->roles && k->help && *k->help);
		assert_true(!(k->roles & STEP_SETUP) || k->timeout_s);
		for (size_t m = 0; m < k->n_metrics; m++)
			assert_true(!strcmp(k->metrics[m].direction, "higher") ||
				    !strcmp(k->metrics[m].direction, "lower"));
	}
	assert_non_null(step_metric_find(step_find("fio"), "trim.clat_ns.p99"));
	assert_null(step_metric_find(step_find("fio"), "iops"));
	assert_null(step_metric_find(step_find("fio"), "readiops"));
	guess = step_metric_guess(step_find("fio"), "write.iop");
	assert_string_equal(guess, "write.iops");
	free(guess);
}

/* The manual has "*key*" of each table, and its step kinds and metrics. */
static void test_manual(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	assert_int_equal(path_read("rig/man/rig-suite.5.scd", &text, 1 << 20), 0);
	for (size_t t = 0; suite_tables[t]; t++) {
		for (size_t i = 0; i < suite_tables[t]->n_keys; i++) {
			char *entry = xasprintf("\n*%s*", suite_tables[t]->keys[i].name);

			if (!strstr(text.data, entry))
				fail_msg("rig-suite.5.scd has no entry for %s of %s", entry + 1,
					 suite_tables[t]->what);
			assert_non_null(suite_tables[t]->keys[i].help);
			free(entry);
		}
	}
	for (size_t i = 0; i < step_kinds_n; i++) {
		char *entry = xasprintf("\n*%s*", step_kinds[i].name);

		assert_non_null(strstr(text.data, entry));
		free(entry);
		for (size_t m = 0; m < step_kinds[i].n_metrics; m++) {
			entry = xasprintf("\n*%s*", step_kinds[i].metrics[m].name);
			if (!strstr(text.data, entry))
				fail_msg("rig-suite.5.scd has no entry for %s", entry + 1);
			free(entry);
		}
	}
	for (size_t i = 0; i < step_observers_n; i++)
		for (size_t m = 0; m < step_observers[i].n_metrics; m++) {
			char *entry = xasprintf("\n*%s*", step_observers[i].metrics[m].name);

			if (!strstr(text.data, entry))
				fail_msg("rig-suite.5.scd has no entry for %s", entry + 1);
			free(entry);
		}
	for (size_t i = 0; i < step_kinds_n; i++)
		for (const struct step_arg *a = step_kinds[i].args; a && a->name; a++) {
			char *entry = xasprintf("\n\t- *%s=*", a->name);

			if (!strstr(text.data, entry))
				fail_msg("rig-suite.5.scd has no entry for %s of %s", a->name,
					 step_kinds[i].name);
			free(entry);
		}
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expand),	    cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_watched),	    cmocka_unit_test(test_watched_complaints),
		cmocka_unit_test(test_args_needed), cmocka_unit_test(test_braces),
		cmocka_unit_test(test_ufs_irq),	    cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_steps),	    cmocka_unit_test(test_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
