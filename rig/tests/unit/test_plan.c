// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan (plan.h): JSON both ways, the order of visits, labels, checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conf/conf.h"
#include "suite/plan.h"

static const char sample[] =
	"{\"format\":1,"
	"\"suite\":{\"name\":\"s\",\"hash\":\"h\",\"profile\":\"quick\",\"notes\":[\"n 1\"]},"
	"\"board\":\"virt-ufs\","
	"\"kernels\":[{\"label\":\"original\",\"series\":\"ufs-irq\",\"variant\":\"original\","
	"\"id\":\"0123456789abcdef\",\"entry\":\"/k/0123456789abcdef\",\"cmdline\":\"\"}],"
	"\"pairs\":{\"fixed\":0,\"min\":4,\"max\":12},\"warmup\":1,"
	"\"steps\":[{\"kind\":\"tune\",\"timeout_ms\":30000,\"pause_ms\":0,\"args\":[]},"
	"{\"kind\":\"fio\",\"workload\":\"randread/1\",\"target\":\"ufs:0\",\"timeout_ms\":62000,"
	"\"pause_ms\":500,\"args\":[\"--bs=4k\",\"--filename={target}\"]}],"
	"\"metrics\":[{\"workload\":\"randread/1\",\"metric\":\"read.iops\",\"unit\":\"IOPS\","
	"\"direction\":\"higher\",\"primary\":true,\"min_effect\":0.02,\"loss\":0.05}]}";

/* The sample with the first `from` replaced by `to`, read into *plan. */
static int read_changed(const char *from, const char *to, struct plan *plan, struct err *err)
{
	const char *at = strstr(sample, from);
	char text[2048] = "";
	json_t *json;
	int rc;

	assert_non_null(at);
	strncat(text, sample, (size_t)(at - sample));
	strcat(text, to);
	strcat(text, at + strlen(from));
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	rc = plan_from_json(json, plan, err);
	json_decref(json);
	return rc;
}

static void test_round_trip(void **state)
{
	struct plan plan = PLAN_INIT;
	struct err err = ERR_INIT;
	json_t *in = json_loads(sample, 0, NULL), *out;

	(void)state;
	assert_int_equal(plan_from_json(in, &plan, &err), 0);
	assert_int_equal(plan_check(&plan, &err), 0);
	assert_string_equal(plan.steps[1].args[1], "--filename={target}");
	assert_null(plan.steps[0].workload);
	assert_int_equal(plan.steps[1].pause_ms, 500);
	out = plan_to_json(&plan);
	assert_true(json_equal(in, out));
	json_decref(in);
	json_decref(out);
	plan_release(&plan);
	assert_null(plan.steps);
}

/* Rows of the lab, which a plan may be without. */
static void test_suppressions(void **state)
{
	struct plan plan = PLAN_INIT, again = PLAN_INIT;
	struct err err = ERR_INIT;
	json_t *in = json_loads(sample, 0, NULL), *out;

	(void)state;
	assert_int_equal(plan_from_json(in, &plan, &err), 0);
	assert_int_equal(plan.n_suppressions, 0);
	plan_add_suppression(&plan, "WARNING in x*", NULL, "drivers/*", "2027-03-31", "known");
	plan_add_suppression(&plan, "b", "bug", NULL, "2027-04-01", "known too");
	out = plan_to_json(&plan);
	assert_int_equal(plan_from_json(out, &again, &err), 0);
	assert_int_equal(again.n_suppressions, 2);
	assert_string_equal(again.suppressions[0].kind, "");
	assert_string_equal(again.suppressions[0].guilty, "drivers/*");
	assert_string_equal(again.suppressions[1].until, "2027-04-01");
	json_decref(in);
	json_decref(out);
	plan_release(&plan);
	plan_release(&again);
}

static const struct {
	const char *from, *to, *message;
} complaints[] = {
	{ "\"format\":1", "\"format\":2", "plan.format: this version reads format 1 only" },
	{ "\"format\":1,", "", "plan.format: is missing" },
	{ "\"warmup\"", "\"warm\"", "plan.warm: unknown key" },
	{ "\"warmup\":1", "\"warmup\":-1", "plan.warmup: -1 is out of range (0 to 100)" },
	{ "\"warmup\":1", "\"warmup\":1.5", "plan.warmup: must be a whole number" },
	{ "\"n 1\"", "1", "plan.suite.notes[0]: must be a string" },
	{ "[\"n 1\"]", "\"n\"", "plan.suite.notes: must be an array of strings" },
	{ "\"kind\":\"fio\",", "", "plan.steps[1].kind: is missing" },
	{ "\"--bs=4k\"", "null", "plan.steps[1].args[0]: must be a string" },
	{ "\"workload\":\"randread/1\",\"target\"", "\"workload\":null,\"target\"",
	  "plan.steps[1].workload: must be a string" },
	{ "30000", "0", "plan.steps[0].timeout_ms: 0 is out of range (1 to 6.048e+08)" },
	{ "\"primary\":true", "\"primary\":1", "plan.metrics[0].primary: must be true or false" },
	{ "\"loss\":0.05", "\"loss\":\"5%\"", "plan.metrics[0].loss: must be a number" },
	{ "\"pairs\":{\"fixed\":0,\"min\":4,\"max\":12}", "\"pairs\":4",
	  "plan.pairs: must be an object" },
	{ "\"original\",\"series\"", "\"a\\u0000b\",\"series\"",
	  "plan.kernels[0].label: holds a NUL byte" },
};

static void test_complaints(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(complaints); i++) {
		struct plan plan = PLAN_INIT, empty = PLAN_INIT;
		struct err err = ERR_INIT;
		char text[2048] = "";
		const char *at = strstr(sample, complaints[i].from);
		json_t *json;

		assert_non_null(at);
		strncat(text, sample, (size_t)(at - sample));
		strcat(text, complaints[i].to);
		strcat(text, at + strlen(complaints[i].from));
		json = json_loads(text, JSON_ALLOW_NUL, NULL);
		assert_non_null(json);
		assert_int_equal(plan_from_json(json, &plan, &err), -1);
		assert_string_equal(err.message, complaints[i].message);
		assert_memory_equal(&plan, &empty, sizeof(plan));
		json_decref(json);
	}
}

static void test_check(void **state)
{
	static const char *const cases[][3] = {
		{ "\"board\":\"virt-ufs\"", "\"board\":\"\"", "plan.board: no board" },
		{ "\"min\":4", "\"min\":13", "plan.pairs: max is less than min" },
		{ "[{\"workload\":\"randread/1\"", "[{\"workload\":\"randread/2\"",
		  "plan.metrics[0]: no workload \"randread/2\"" },
		{ "\"higher\"", "\"up\"", "plan.metrics[0].direction: must be higher or lower" },
		{ "\"label\":\"original\"", "\"label\":\"\"", "plan.kernels[0].label: empty" },
		{ "\"loss\":0.05}",
		  "\"loss\":0.05},{\"workload\":\"randread/1\",\"metric\":\"usr_cpu\",\"unit\":"
		  "\"%\",\"direction\":\"lower\",\"primary\":true,\"min_effect\":0,\"loss\":0}",
		  "plan.metrics[1]: a second primary metric of \"randread/1\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct plan plan = PLAN_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(read_changed(cases[i][0], cases[i][1], &plan, &err), 0);
		assert_int_equal(plan_check(&plan, &err), -1);
		assert_string_equal(err.message, cases[i][2]);
		plan_release(&plan);
	}
}

static void test_visit_order(void **state)
{
	struct plan plan = PLAN_INIT;
	char order[13] = "";

	(void)state;
	plan.n_kernels = 3;
	for (unsigned int pair = 1; pair <= 4; pair++)
		for (size_t i = 0; i < 3; i++)
			order[(pair - 1) * 3 + i] = (char)('A' + plan_visit(&plan, pair, i));
	assert_string_equal(order, "ABCCBAABCCBA");
	plan.n_kernels = 1;
	assert_int_equal(plan_visit(&plan, 2, 0), 0);
}

static const char *add(struct plan *plan, const char *series, const char *variant)
{
	struct plan_kernel k = { .series = (char *)series, .variant = (char *)variant };

	return plan_add_kernel(plan, &k)->label;
}

static void test_labels(void **state)
{
	struct plan plan = PLAN_INIT;

	(void)state;
	assert_string_equal(add(&plan, "ufs-irq", "original"), "original");
	assert_string_equal(add(&plan, "ufs-irq", "original"), "original#2");
	assert_string_equal(add(&plan, "ufs-irq", "original"), "original#3");
	assert_string_equal(add(&plan, "canary", "slow"), "slow");
	assert_string_equal(add(&plan, "other", "original"), "other:original");
	assert_string_equal(plan.kernels[0].cmdline, "");
	plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_suppressions),
		cmocka_unit_test(test_complaints),  cmocka_unit_test(test_check),
		cmocka_unit_test(test_visit_order), cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
