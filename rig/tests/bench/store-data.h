/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made-up sessions for store.c: two years of nights on a few boards, two kernels in four pairs and
 * a warm-up, four workloads, a hundred metrics a run. The same number gives the same session.
 */
#ifndef RIG_TESTS_BENCH_STORE_DATA_H
#define RIG_TESTS_BENCH_STORE_DATA_H

#include <stdint.h>
#include <stdio.h>

#include "results/session.h"

#define DATA_BOARDS    2
#define DATA_SUITES    2
#define DATA_WORKLOADS 4
#define DATA_METRICS   100
#define DATA_PLANNED   7 /* metrics of a workload that the plan names */
#define DATA_PAIRS     4
#define DATA_KERNELS   2
#define DATA_VISITS    (1 + DATA_PAIRS * DATA_KERNELS)
#define DATA_RUNS      (DATA_VISITS * DATA_WORKLOADS)
#define DATA_SAMPLES   (DATA_RUNS * DATA_METRICS)
#define DATA_DAY_MS    INT64_C(86400000)
#define DATA_EPOCH_MS  INT64_C(1700000000000)

static const char *const data_boards[DATA_BOARDS] = { "pixel6", "sm8650" };
static const char *const data_suites[DATA_SUITES] = { "ufs-irq", "xhci-bh" };
static const char *const data_workloads[DATA_WORKLOADS] = { "randread/1", "randread/8",
							    "randwrite/1", "randwrite/8" };
static const char *const data_labels[DATA_KERNELS] = { "original", "nightly" };
static char data_metrics[DATA_METRICS][32];

static inline void data_init(void)
{
	static const char *const usual[] = { "read.iops",     "read.iops_avg", "read.iops_min",
					     "read.iops_max", "read.bw_bytes", "usr_cpu",
					     "sys_cpu" };

	for (int i = 0; i < DATA_METRICS; i++) {
		if (i < DATA_PLANNED)
			snprintf(data_metrics[i], sizeof(data_metrics[i]), "%s", usual[i]);
		else
			snprintf(data_metrics[i], sizeof(data_metrics[i]), "irq.ufshcd.cpu%d", i);
	}
}

/* A session of the rounds: board and suite in turn, one night after the other. */
struct data_place {
	int board, suite, night;
};

static inline struct data_place data_place(int number)
{
	return (struct data_place){ number % DATA_BOARDS, number / DATA_BOARDS % DATA_SUITES,
				    number / (DATA_BOARDS * DATA_SUITES) };
}

static inline double data_value(int number, int visit, int workload, int metric)
{
	uint64_t z = ((uint64_t)number << 32) ^ ((uint64_t)visit << 24) ^
		     ((uint64_t)workload << 16) ^ (uint64_t)metric;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return 5000 * (workload + 1) * (1 + (double)(z >> 40) / (double)(1 << 28));
}

static inline void data_add_plan(struct session *s)
{
	for (int k = 0; k < DATA_KERNELS; k++) {
		struct session_kernel *kernel = session_add_kernel(s);
		char id[32];

		snprintf(id, sizeof(id), "%016x", k ? (int)(s->started_ms / DATA_DAY_MS) : 1);
		kernel->label = kernel->variant = data_labels[k];
		kernel->series = "ufs-irq";
		kernel->id = session_str(s, id);
		kernel->release = session_str(s, id);
	}
	for (int i = 0; i < DATA_WORKLOADS * DATA_PLANNED; i++) {
		struct session_metric *m = session_add_metric(s);

		m->workload = data_workloads[i / DATA_PLANNED];
		m->metric = data_metrics[i % DATA_PLANNED];
		m->unit = "IOPS";
		m->primary = i % DATA_PLANNED == 0;
		m->direction = m->primary ? DIRECTION_HIGHER : DIRECTION_NONE;
		m->min_effect = 0.02;
		m->loss = 0.05;
	}
}

static inline void data_add_visit(struct session *s, int number, int visit)
{
	struct session_visit *v = session_add_visit(s);
	int round = (visit - 1) / DATA_KERNELS;
	int at = (visit - 1) % DATA_KERNELS;

	v->number = visit + 1;
	v->warmup = visit == 0;
	v->pair = visit ? round + 1 : 0;
	v->kernel = visit ? (round % 2 ? DATA_KERNELS - 1 - at : at) : 0;
	v->position = visit ? at : 0;
	v->result = VISIT_OK;
	v->dir = "visits/001-original";
	v->release = s->kernels[v->kernel].release;
	v->fingerprint = "{\"cmdline\":\"console=ttyS0\",\"cpu\":{\"0\":{\"scaling_governor\":"
			 "\"performance\"}},\"tools\":{\"fio\":\"fio-3.33\"}}";
	v->started_ms = s->started_ms + visit * 200000;
	for (int w = 0; w < DATA_WORKLOADS; w++) {
		struct session_step *p = session_add_step(s);

		p->visit = visit;
		p->number = w + 2;
		p->kind = "fio";
		p->workload = data_workloads[w];
		p->status = STEP_OK;
		p->dir = "visits/001-original/steps/02-randread_1";
		p->command = "fio --name=randread --rw=randread --ioengine=libaio --direct=1";
		for (int m = 0; m < DATA_METRICS; m++)
			*session_add_sample(s) =
				(struct session_sample){ (int)s->n_steps - 1, data_metrics[m],
							 data_value(number, visit, w, m) };
	}
}

/* Session 0, 1, 2...: the caller frees it. */
static inline struct session *data_session(int number)
{
	struct session *s = session_new();
	struct data_place place = data_place(number);
	char name[64];

	snprintf(name, sizeof(name), "20260101-%06d-%s-%06x", number % 1000000,
		 data_suites[place.suite], number);
	s->name = session_str(s, name);
	s->dir = session_str(s, name);
	s->started_ms = DATA_EPOCH_MS + place.night * DATA_DAY_MS;
	s->state = SESSION_ENDED;
	s->result = "enough";
	s->suite = data_suites[place.suite];
	s->profile = "full";
	s->board = data_boards[place.board];
	s->serial = "1";
	s->pairs_min = s->pairs_max = DATA_PAIRS;
	s->warmup = 1;
	data_add_plan(s);
	for (int v = 0; v < DATA_VISITS; v++)
		data_add_visit(s, number, v);
	return s;
}

#endif
