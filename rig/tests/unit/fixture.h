/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes run directories as a job writes them, with numbers from a fixed-seed generator: no
 * clock, no chance. For the unit tests of results/.
 */
#ifndef RIG_TESTS_UNIT_FIXTURE_H
#define RIG_TESTS_UNIT_FIXTURE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "results/store.h"

#define FIXTURE_WORKLOADS 4
#define UNUSED		  __attribute__((unused))

static const struct {
	const char *name, *dir, *file;
	double iops;
} fixture_workloads[FIXTURE_WORKLOADS] = {
	{ "randread/1", "read", "randread_1", 5488.82 },
	{ "randread/8", "read", "randread_8", 22530.1 },
	{ "randwrite/1", "write", "randwrite_1", 7000.5 },
	{ "randwrite/8", "write", "randwrite_8", 18111.7 },
};

/* What the made-up session looks like. */
struct fixture {
	int kernels;	     /* with the baseline */
	int pairs;	     /* rounds that are run */
	int fixed, min, max; /* of the plan */
	double cv;	     /* of a boot */
	double drift;	     /* over the whole session */
	double effect[8];    /* of each kernel on hit: 0.95 = 5 % slower */
	int hit;	     /* workload that is hit; -1 = all */
	uint64_t seed;
	const char *fingerprint[8]; /* of each kernel; NULL = the usual one */
	const char *finding[8];	    /* title seen in each boot of that kernel; NULL = none */
	const char *severity;
	const char *suppressions; /* of the plan, a JSON array; NULL = none */
	bool blocks;		  /* not interleaved: A A A A B B B B */
	bool same;		  /* A/A: all kernels are one build */
	const char *setup;	  /* the lab's row; NULL = a usual one */
	const char *board;	  /* its name; NULL = virt-ufs */
	const char *agent;	  /* more tools: ", \"agent\": \"1.1\""; NULL = none */
	const char *labels[8];	  /* of each kernel; NULL = the usual one */
	int unpatched;		  /* so many kernels, from the first on, are bare trees */
	/* state */
	char *dir;
	FILE *events;
	int visit;
	uint64_t ms;
};

UNUSED static double fixture_uniform(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

UNUSED static double fixture_gauss(uint64_t *seed)
{
	double u = fixture_uniform(seed);
	double v = fixture_uniform(seed);

	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

/* A new empty directory, to be freed and removed by the caller. */
UNUSED static char *fixture_tmpdir(void)
{
	const char *base = getenv("TMPDIR");
	char *dir = xasprintf("%s/rig-test.XXXXXX", base ? base : "/tmp");

	if (!mkdtemp(dir))
		abort();
	return dir;
}

UNUSED static void fixture_file(const char *dir, const char *name, const char *text)
{
	char *path = path_join(dir, name);
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
	free(path);
}

/* One event; fmt continues after the common keys: ", \"visit\": %d". */
UNUSED __attribute__((format(printf, 3, 4))) static void
fixture_event(struct fixture *f, const char *ev, const char *fmt, ...)
{
	va_list ap;

	f->ms += 50;
	fprintf(f->events,
		"{\"t\": \"2026-11-30T15:%02d:%02d.%03dZ\", \"mono_ms\": %d, \"ev\": \"%s\"",
		(int)(f->ms / 60000 % 60), (int)(f->ms / 1000 % 60), (int)(f->ms % 1000),
		(int)f->ms, ev);
	va_start(ap, fmt);
	vfprintf(f->events, fmt, ap);
	va_end(ap);
	fputs("}\n", f->events);
	fflush(f->events);
}

static const char *const fixture_labels[] = { "original", "threaded", "timelimit", "fourth" };

static const char *fixture_label(const struct fixture *f, int kernel)
{
	return f->labels[kernel] ? f->labels[kernel] : fixture_labels[kernel];
}

/* SHA-256 of nothing for a bare tree. */
static const char *fixture_patches(const struct fixture *f, int kernel)
{
	static const char *const hashes[] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7" };

	return kernel < f->unpatched
		       ? "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		       : hashes[kernel];
}

static void fixture_session_json(struct fixture *f)
{
	struct buf b = BUF_INIT;
	const char *name = strrchr(f->dir, '/') + 1;

	buf_addf(&b,
		 "{\"format\": 1, \"session\": \"%s\", \"started\": \"2026-11-30T15:00:00.000Z\","
		 " \"user\": \"me\", \"host\": \"lab\", \"rig_version\": \"1.0\", \"seed\": 7,"
		 " \"suite\": {\"name\": \"ufs-irq\", \"hash\": \"0123456789abcdef\", \"profile\":"
		 " \"quick\", \"notes\": [\"quick: runtime 2 s instead of 30 s\"]},"
		 " \"board\": {\"name\": \"%s\", \"serial\": \"0\", \"model\": \"QEMU aarch64"
		 " virt, ufs\", \"setup\": \"%s\"}, \"kernels\": [",
		 name, f->board ? f->board : "virt-ufs",
		 f->setup ? f->setup : "type=virt-ufs\\ncpus=1\\n");
	for (int k = 0; k < f->kernels; k++)
		buf_addf(
			&b,
			"%s{\"label\": \"%s\", \"series\": \"ufs-irq\", \"variant\": \"%s\", \"id\":"
			" \"00000000000000a%d\", \"cmdline\": \"\", \"release\": \"6.12.48-rig.a%d\","
			" \"arch\": \"arm64\", \"patches_hash\": \"%s\", \"config_hash\": \"c\","
			" \"compiler\": \"gcc 12\"}",
			k ? ", " : "", fixture_label(f, k), fixture_label(f, f->same ? 0 : k),
			f->same ? 0 : k, f->same ? 0 : k, fixture_patches(f, f->same ? 0 : k));
	buf_addf(
		&b,
		"], \"plan\": {\"pairs\": {\"fixed\": %d, \"min\": %d, \"max\": %d}, \"warmup\": 1,"
		" \"suppressions\": %s, \"metrics\": [",
		f->fixed, f->min, f->max, f->suppressions ? f->suppressions : "[]");
	for (int w = 0; w < FIXTURE_WORKLOADS; w++) {
		static const char *const more[] = { "iops_min", "iops_max", "iops_avg",
						    "bw_bytes" };

		buf_addf(&b,
			 "%s{\"workload\": \"%s\", \"metric\": \"%s.iops\", \"unit\": \"IOPS\","
			 " \"direction\": \"higher\", \"primary\": true, \"min_effect\": 0.02,"
			 " \"loss\": 0.05}",
			 w ? ", " : "", fixture_workloads[w].name, fixture_workloads[w].dir);
		for (int i = 0; i < 4; i++)
			buf_addf(&b,
				 ", {\"workload\": \"%s\", \"metric\": \"%s.%s\", \"unit\": \"\","
				 " \"direction\": \"higher\"}",
				 fixture_workloads[w].name, fixture_workloads[w].dir, more[i]);
		buf_addf(
			&b,
			", {\"workload\": \"%s\", \"metric\": \"usr_cpu\", \"direction\": \"lower\"},"
			" {\"workload\": \"%s\", \"metric\": \"sys_cpu\", \"direction\": \"lower\"}",
			fixture_workloads[w].name, fixture_workloads[w].name);
	}
	buf_adds(&b, "]}}\n");
	fixture_file(f->dir, "session.json", buf_str(&b));
	buf_release(&b);
}

/* Makes parent/name with session.json and an open journal. */
UNUSED static void fixture_begin(struct fixture *f, const char *parent, const char *name)
{
	char *path;

	f->dir = path_join(parent, name);
	path_mkdirs(f->dir);
	fixture_session_json(f);
	path = path_join(f->dir, "events.jsonl");
	f->events = fopen(path, "we");
	free(path);
	f->visit = 0;
	f->ms = 0;
	fixture_event(f, "session-start", "%s", "");
}

UNUSED static void fixture_release(struct fixture *f)
{
	if (f->events)
		fclose(f->events);
	f->events = NULL;
	free(f->dir);
	f->dir = NULL;
}

/* A small fio result with that rate. */
UNUSED static char *fixture_fio(const char *dir, double iops)
{
	return xasprintf(
		"fio: this line is not JSON\n{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : [ {\n"
		" \"jobname\" : \"x\", \"error\" : 0, \"%s\" : { \"io_bytes\" : 1048576,"
		" \"io_kbytes\" : 1024, \"bw_bytes\" : %.0f, \"bw\" : %.0f, \"iops\" : %.6f,"
		" \"runtime\" : 2000, \"total_ios\" : %.0f, \"clat_ns\" : { \"mean\" : 1000.5,"
		" \"percentile\" : { \"99.000000\" : 2000 } }, \"iops_min\" : %.0f, \"iops_max\" :"
		" %.0f, \"iops_mean\" : %.6f, \"iops_stddev\" : 12.5 }, \"usr_cpu\" : 3.25,"
		" \"sys_cpu\" : 14.5, \"ctx\" : 4711 } ]\n}\n",
		dir, iops * 4096, iops * 4, iops, iops * 2, floor(iops * 0.85), ceil(iops * 1.1),
		iops);
}

UNUSED static char *fixture_step_dir(const struct fixture *f, const char *visit_dir, int w)
{
	return xasprintf("%s/%s/steps/%02d-%s", f->dir, visit_dir, w + 2,
			 fixture_workloads[w].file);
}

static void fixture_step(struct fixture *f, const char *visit_dir, int w, double iops)
{
	char *dir = fixture_step_dir(f, visit_dir, w);
	char *json = fixture_fio(fixture_workloads[w].dir, iops);
	char *command = xasprintf(
		"fio --name=rand%s --rw=rand%s --ioengine=libaio --direct=1 --bs=4k --numjobs=%d"
		" --size=32m --runtime=2 --time_based --end_fsync=1 --group_reporting"
		" --filename=/dev/sda --output=/tmp/step/fio.json --output-format=json\n",
		fixture_workloads[w].dir, fixture_workloads[w].dir, w % 2 ? 8 : 1);

	path_mkdirs(dir);
	fixture_event(f, "step-start",
		      ", \"visit\": %d, \"step\": %d, \"kind\": \"fio\", \"workload\": \"%s\","
		      " \"dir\": \"%s/steps/%02d-%s\"",
		      f->visit, w + 2, fixture_workloads[w].name, visit_dir, w + 2,
		      fixture_workloads[w].file);
	fixture_file(dir, "fio.json", json);
	fixture_file(dir, "command", command);
	fixture_event(
		f, "step-end",
		", \"visit\": %d, \"step\": %d, \"status\": \"ok\", \"exit\": 0, \"signal\": 0,"
		" \"duration_ns\": 2000000000, \"agent_cpu_ns\": 1000, \"agent_wakeups\": 0,"
		" \"message\": \"\"",
		f->visit, w + 2);
	free(dir);
	free(json);
	free(command);
}

/* The usual fingerprint; fixture_fp() changes one word of it. */
#define FIXTURE_PRINT                                                                               \
	"{\"boot_id\": \"%s\", \"cpu\": {\"0\": {\"scaling_governor\": \"%s\", \"cur_freq\": %d}}," \
	" \"tools\": {\"fio\": \"fio-3.33\", \"busybox\": \"1.35.0\"%s},"                           \
	" \"cmdline\": \"console=ttyAMA0 root=/dev/ram0 rig.epoch=%d\"}"

UNUSED static char *fixture_visit_dir(const struct fixture *f, int kernel)
{
	return xasprintf("visits/%03d-%s", f->visit, fixture_label(f, kernel));
}

UNUSED static void fixture_visit_begin(struct fixture *f, int kernel, int pair, const char *flags)
{
	char *dir;
	char *full;
	char id[32];
	char *print;

	f->visit++;
	dir = fixture_visit_dir(f, kernel);
	full = path_join(f->dir, dir);
	snprintf(id, sizeof(id), "boot-%.6s-%d", f->dir + strlen(f->dir) - 6, f->visit);
	print = xasprintf(FIXTURE_PRINT, id,
			  f->fingerprint[kernel] ? f->fingerprint[kernel] : "performance",
			  1000 + f->visit, f->agent ? f->agent : "", f->visit);
	path_mkdirs(full);
	fixture_event(
		f, "visit-start",
		", \"visit\": %d, \"kernel\": %d, \"pair\": %d, \"position\": 0%s, \"dir\": \"%s\"",
		f->visit, kernel, pair, flags, dir);
	fixture_event(f, "agent-hello",
		      ", \"visit\": %d, \"boot_ms\": 912, \"release\": \"6.12.48-rig.a%d\"",
		      f->visit, f->same ? 0 : kernel);
	fixture_file(full, "fingerprint.json", print);
	free(dir);
	free(full);
	free(print);
}

/* One whole boot with all workloads. */
UNUSED static void fixture_visit(struct fixture *f, int kernel, int pair, const char *flags)
{
	int total = f->kernels * f->pairs + 1;
	char *dir;

	fixture_visit_begin(f, kernel, pair, flags);
	dir = fixture_visit_dir(f, kernel);
	for (int w = 0; w < FIXTURE_WORKLOADS; w++) {
		double effect = f->effect[kernel] > 0 && (f->hit < 0 || f->hit == w)
					? f->effect[kernel]
					: 1;
		double iops = fixture_workloads[w].iops * effect *
			      (1 - f->drift * f->visit / total) *
			      exp(f->cv * fixture_gauss(&f->seed));

		fixture_step(f, dir, w, iops);
	}
	if (f->finding[kernel])
		fixture_event(f, "finding",
			      ", \"visit\": %d, \"kind\": \"warning\", \"title\": \"%s\","
			      " \"severity\": \"%s\", \"begin\": 12345, \"end\": 13000",
			      f->visit, f->finding[kernel], f->severity ? f->severity : "error");
	/* its counters go on from boot to boot */
	fixture_event(f, "visit-end",
		      ", \"visit\": %d, \"result\": \"ok\", \"console\": {\"gaps\": %d, "
		      "\"overrun\": 0, \"frame\": %d}",
		      f->visit, f->visit / 3, 2 * f->visit);
	free(dir);
}

UNUSED static void fixture_round(struct fixture *f, int pair)
{
	for (int i = 0; i < f->kernels; i++)
		fixture_visit(f, pair % 2 ? i : f->kernels - 1 - i, pair, "");
}

/* Warm-up and all rounds, without session-end. */
UNUSED static void fixture_rounds(struct fixture *f)
{
	fixture_visit(f, 0, 0, ", \"warmup\": true");
	if (f->blocks) {
		for (int k = 0; k < f->kernels; k++)
			for (int pair = 1; pair <= f->pairs; pair++)
				fixture_visit(f, k, pair, "");
		return;
	}
	for (int pair = 1; pair <= f->pairs; pair++)
		fixture_round(f, pair);
}

UNUSED static void fixture_fault(struct fixture *f, int visit, const char *blame, const char *code,
				 const char *message)
{
	char number[16] = "null";

	if (visit >= 0)
		snprintf(number, sizeof(number), "%d", visit);
	fixture_event(f, "fault",
		      ", \"visit\": %s, \"blame\": \"%s\", \"code\": \"%s\", \"message\": \"%s\"",
		      number, blame, code, message);
}

UNUSED static void fixture_end(struct fixture *f, const char *result)
{
	fixture_event(f, "session-end", ", \"result\": \"%s\"", result);
}

/* The usual one: two kernels, four pairs, quiet. */
UNUSED static struct fixture fixture_usual(void)
{
	return (struct fixture){
		.kernels = 2, .pairs = 4, .min = 4, .max = 12, .cv = 0.01, .hit = -1, .seed = 1
	};
}

/* All at once, ended well. */
UNUSED static void fixture_make(struct fixture *f, const char *parent, const char *name)
{
	fixture_begin(f, parent, name);
	fixture_rounds(f);
	fixture_end(f, "enough");
}

/* An open store that the test cannot do without. */
UNUSED static struct store *fixture_open(const char *path)
{
	struct err err = ERR_INIT;
	struct store *st = store_open(path, &err);

	if (!st)
		fail_msg("%s", err.message);
	return st;
}

/* A directory for each test: setup and teardown of cmocka. */
UNUSED static char *fixture_tmp;

UNUSED static int fixture_make_tmp(void **state)
{
	(void)state;
	fixture_tmp = fixture_tmpdir();
	return 0;
}

UNUSED static int fixture_remove_tmp(void **state)
{
	(void)state;
	path_remove(fixture_tmp);
	free(fixture_tmp);
	return 0;
}

/* The store in that directory. */
UNUSED static struct store *fixture_store(void)
{
	char *path = path_join(fixture_tmp, "results.db");
	struct store *st = fixture_open(path);

	free(path);
	return st;
}

#endif
