// SPDX-License-Identifier: GPL-2.0-or-later
/* The sanity rules on sessions (results/check-session.c), and what the gate makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "results/check.h"
#include "results/gate.h"
#include "results/session.h"

static const char command[] = "fio --name=randread --rw=randread --direct=1 --bs=4k --numjobs=8"
			      " --iodepth=1 --runtime=2 --time_based --filename=/dev/sda";

/* What a step of it measures, all of it sound. */
static const struct {
	const char *metric;
	double value;
} sound[] = {
	{ "read.iops", 4835.230084 },
	{ "read.iops_min", 4623 },
	{ "read.iops_avg", 4845.5 },
	{ "read.iops_max", 5061 },
	{ "read.bw_bytes", 19805102 },
	{ "read.total_ios", 9772 },
	{ "read.runtime_ns", 2021000000 },
	{ "read.lat_ns.mean", 1434272.668031 },
	{ "read.clat_ns.mean", 451191.05 },
	{ "read.clat_ns.p50", 17792 },
	{ "read.clat_ns.p99", 17170432 },
	{ "read.clat_ns.p999", 32112640 },
	{ "usr_cpu", 3.563863 },
	{ "sys_cpu", 8.542056 },
};

/* Visits A B B A ...; the numbers of each a little different, as those of two boots are. */
static struct session *make(int pairs)
{
	struct session *s = session_new();

	s->board = "virt";
	s->state = SESSION_ENDED;
	s->result = "complete";
	s->pairs_fixed = pairs;
	session_add_kernel(s)->label = "original";
	session_add_kernel(s)->label = "patched";
	*session_add_metric(s) = (struct session_metric){
		"randread/8", "read.iops_avg", "IOPS", DIRECTION_HIGHER, true, 0.02, 0.05
	};
	for (int i = 0; i < 2 * pairs; i++) {
		struct session_visit *v = session_add_visit(s);
		struct session_step *p = session_add_step(s);

		v->number = i + 1;
		v->kernel = (i + 1) / 2 % 2;
		v->pair = i / 2 + 1;
		v->result = VISIT_OK;
		p->visit = i;
		p->kind = "fio";
		p->workload = "randread/8";
		p->status = STEP_OK;
		p->command = command;
		for (size_t k = 0; k < sizeof(sound) / sizeof(sound[0]); k++) {
			struct session_sample *x = session_add_sample(s);

			x->step = i;
			x->metric = sound[k].metric;
			/* a few tenths of a per cent, in step */
			x->value = sound[k].value;
			if (strcmp(x->metric, "read.runtime_ns") != 0)
				x->value *= 1 + 0.0002 * (i * 5 % 31);
		}
	}
	return s;
}

static double *sample(struct session *s, int step, const char *metric)
{
	for (size_t i = 0; i < s->n_samples; i++)
		if (s->samples[i].step == step && !strcmp(s->samples[i].metric, metric))
			return &s->samples[i].value;
	fail_msg("no %s", metric);
	return NULL;
}

/* One number of visit 3 is changed: the one rule, with this severity, and no other, says so. */
static void spoil(const char *metric, double factor, const char *rule, enum severity severity)
{
	struct session *s = make(4);

	*sample(s, 2, metric) *= factor;
	check_session(s);
	if (severity == SEVERITY_OK) {
		assert_int_equal(s->n_anomalies, 0);
	} else {
		assert_int_equal(s->n_anomalies, 1);
		assert_string_equal(s->anomalies[0].rule, rule);
		assert_int_equal(s->anomalies[0].severity, severity);
		assert_string_equal(s->anomalies[0].place, "visit 3 (patched)");
		assert_non_null(strstr(s->anomalies[0].subject, "virt randread/8"));
	}
	session_free(s);
}

static void sound_session(void **state)
{
	struct session *s = make(12);

	(void)state;
	check_session(s);
	assert_int_equal(s->n_anomalies, 0);
	session_free(s);
}

static void bandwidth(void **state)
{
	(void)state;
	spoil("read.bw_bytes", 1.004, "", SEVERITY_OK);
	spoil("read.bw_bytes", 1.0065, "bw-vs-iops", SEVERITY_WARN);
	spoil("read.bw_bytes", 0.994, "bw-vs-iops", SEVERITY_WARN);
	spoil("read.bw_bytes", 1.016, "bw-vs-iops", SEVERITY_ERROR);
	spoil("read.bw_bytes", 1 / 1.048576, "bw-vs-iops", SEVERITY_ERROR);
}

static void order(void **state)
{
	(void)state;
	spoil("read.iops_min", 1.1, "min<=avg<=max", SEVERITY_ERROR);
	spoil("read.iops_max", 0.9, "min<=avg<=max", SEVERITY_ERROR);
	spoil("read.clat_ns.p99", 10, "min<=avg<=max", SEVERITY_ERROR);
	spoil("read.clat_ns.mean", 4, "min<=avg<=max", SEVERITY_ERROR);
	/* fio cuts them to whole numbers */
	spoil("read.iops_min", 4845.9 / 4623, "", SEVERITY_OK);
}

static void runtime(void **state)
{
	(void)state;
	spoil("read.runtime_ns", 0, "runtime", SEVERITY_ERROR);
	spoil("read.runtime_ns", 0.5, "runtime", SEVERITY_ERROR);
	spoil("read.total_ios", 2, "runtime", SEVERITY_ERROR);
}

static void in_flight(void **state)
{
	(void)state;
	/* us taken for ns would be less, ns for us more */
	spoil("read.lat_ns.mean", 1000, "physical", SEVERITY_ERROR);
	spoil("read.lat_ns.mean", 1.3, "physical", SEVERITY_WARN);
	spoil("read.lat_ns.mean", 1.1, "", SEVERITY_OK);
	spoil("sys_cpu", 12, "ceiling", SEVERITY_WARN);
}

static void warm_up_does_not_count(void **state)
{
	struct session *s = make(4);

	(void)state;
	*sample(s, 0, "read.bw_bytes") *= 2;
	s->visits[0].warmup = true;
	check_session(s);
	assert_int_equal(s->n_anomalies, 0);
	s->visits[0].warmup = false;
	check_session(s);
	assert_int_equal(s->n_anomalies, 1);
	/* again: what was there is replaced */
	check_session(s);
	assert_int_equal(s->n_anomalies, 1);
	session_free(s);
}

static void duplicate(void **state)
{
	struct session *s = make(4);

	(void)state;
	for (size_t i = 0; i < sizeof(sound) / sizeof(sound[0]); i++)
		*sample(s, 5, sound[i].metric) = *sample(s, 1, sound[i].metric);
	check_session(s);
	assert_int_equal(s->n_anomalies, 1);
	assert_string_equal(s->anomalies[0].rule, "duplicate");
	assert_non_null(strstr(s->anomalies[0].message, "visit 2"));
	/* one number that differs, and they are two runs */
	*sample(s, 5, "read.lat_ns.mean") += 0.5;
	check_session(s);
	assert_int_equal(s->n_anomalies, 0);
	session_free(s);
}

static void other_commands(void **state)
{
	static const char *const commands[] = {
		"fio --bs=4k,8k --runtime=2",	     "fio --bsrange=1k-4k --runtime=1",
		"fio --bs=4k --bssplit=4k/50:8k/50", "fio job.fio",
		"dd if=/dev/sda of=/dev/null bs=1M", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct session *s = make(4);

		for (size_t k = 0; k < s->n_steps; k++)
			s->steps[k].command = commands[i];
		*sample(s, 2, "read.bw_bytes") *= 1.7;
		*sample(s, 2, "read.lat_ns.mean") /= 20;
		*sample(s, 2, "read.clat_ns.mean") /= 20;
		for (size_t k = 0; k < s->n_steps; k++)
			*sample(s, (int)k, "read.lat_ns.mean") /= 8;
		for (size_t k = 0; k < s->n_steps; k++)
			*sample(s, (int)k, "read.clat_ns.mean") /= 8;
		check_session(s);
		assert_int_equal(s->n_anomalies, 0);
		session_free(s);
	}
}

static void gate_refuses(void **state)
{
	struct session *s = make(4);
	struct gate_set *set;

	(void)state;
	*sample(s, 2, "read.bw_bytes") *= 1.05;
	check_session(s);
	set = gate_judge(s);
	assert_int_equal(set->result, VERDICT_INVALID);
	assert_int_equal(set->blame, BLAME_TEST);
	assert_string_equal(set->verdicts[0].code, "sanity");
	assert_non_null(strstr(set->verdicts[0].reason, "bw-vs-iops"));
	gate_set_free(set);
	/* a warning is told and judged on */
	s->anomalies[0].severity = SEVERITY_WARN;
	set = gate_judge(s);
	assert_int_not_equal(set->result, VERDICT_INVALID);
	gate_set_free(set);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_session), cmocka_unit_test(bandwidth),
		cmocka_unit_test(order),	 cmocka_unit_test(runtime),
		cmocka_unit_test(in_flight),	 cmocka_unit_test(warm_up_does_not_count),
		cmocka_unit_test(duplicate),	 cmocka_unit_test(other_commands),
		cmocka_unit_test(gate_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
