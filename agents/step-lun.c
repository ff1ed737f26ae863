// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step lun: a disk measured as the benchmark of gnome-disks does it. Keys: target, arg samples=
 * sample= access= write=. Samples of that size at evenly spaced places, read and, with write=yes,
 * written; then reads of one page at random places, the same in every run.
 *
 *	read.bw_bytes write.bw_bytes	B/s	all bytes of the samples over all their time
 *	read.bw_bytes_min ...		B/s	the slowest sample
 *	access.mean_ns .p99_ns .max_ns	ns
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/block.h"
#include "agents/numbers.h"
#include "agents/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096

static struct lun {
	char dev[80];
	uint64_t samples, sample_bytes, accesses;
	bool write;
	int fd;
	uint64_t size_bytes;
} lun;

/* The i-th of n places of that size, evenly spaced from the first byte to the last. */
static uint64_t place(uint64_t i, uint64_t n, uint64_t size)
{
	uint64_t room = lun.size_bytes - size;

	return n > 1 ? room / (n - 1) * i / PAGE * PAGE : 0;
}

static int measure_samples(const char *name, bool write)
{
	struct block_run run = { lun.fd, block_buffer(lun.sample_bytes), lun.sample_bytes, write };
	uint64_t total_ns = 0, worst_ns = 0;
	char metric[40];

	if (!run.buf)
		return work_fail("%s", strerror(errno));
	for (uint64_t i = 0; i < lun.samples; i++) {
		uint64_t start = agent_now_ns(), ns;

		if (block_transfer(&run, place(i, lun.samples, lun.sample_bytes)))
			return work_fail("%s: %s of sample %llu: %s", lun.dev, name,
					 (unsigned long long)i, strerror(errno));
		ns = agent_now_ns() - start;
		total_ns += ns;
		worst_ns = ns > worst_ns ? ns : worst_ns;
	}
	free(run.buf);
	snprintf(metric, sizeof(metric), "%s.bw_bytes", name);
	work_metric(metric, (double)(lun.samples * lun.sample_bytes) * 1e9 / (double)total_ns,
		    "B/s");
	snprintf(metric, sizeof(metric), "%s.bw_bytes_min", name);
	work_metric(metric, (double)lun.sample_bytes * 1e9 / (double)worst_ns, "B/s");
	return 0;
}

/* A generator of our own: every boot goes to the same places. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 16;
}

static int measure_access(void)
{
	struct block_run run = { lun.fd, block_buffer(PAGE), PAGE, false };
	struct numbers times = { 0 };
	uint64_t state = 1;

	if (!run.buf)
		return work_fail("%s", strerror(errno));
	for (uint64_t i = 0; i < lun.accesses; i++) {
		uint64_t at = next_random(&state) % (lun.size_bytes / PAGE) * PAGE;
		uint64_t start = agent_now_ns();

		if (block_transfer(&run, at))
			return work_fail("%s: access to byte %llu: %s", lun.dev,
					 (unsigned long long)at, strerror(errno));
		numbers_add(&times, (double)(agent_now_ns() - start));
	}
	free(run.buf);
	numbers_sort(&times);
	work_metric("access.mean_ns", numbers_mean(&times), "ns");
	work_metric("access.p99_ns", numbers_percentile(&times, 99), "ns");
	work_metric("access.max_ns", numbers_percentile(&times, 100), "ns");
	numbers_release(&times);
	return 0;
}

static int work(void *step)
{
	int rc;

	(void)step;
	lun.fd = block_open(lun.dev, lun.write);
	if (lun.fd < 0)
		return work_fail("%s: %s", lun.dev, strerror(errno));
	lun.size_bytes = block_size_bytes(lun.fd);
	if (lun.size_bytes < lun.sample_bytes)
		return work_fail("%s holds %llu bytes, less than one sample: is there a medium?",
				 lun.dev, (unsigned long long)lun.size_bytes);
	rc = measure_samples("read", false);
	if (!rc && lun.write)
		rc = measure_samples("write", true);
	if (!rc && lun.accesses)
		rc = measure_access();
	close(lun.fd);
	return rc;
}

void step_lun(struct step *s)
{
	memset(&lun, 0, sizeof(lun));
	if (!args_number(s, "samples", 100, 1, 100000, &lun.samples) ||
	    !args_number(s, "sample", 10 << 20, PAGE, 1 << 30, &lun.sample_bytes) ||
	    !args_number(s, "access", 1000, 0, 1000000, &lun.accesses) ||
	    !args_yes(s, "write", false, &lun.write))
		return;
	if (step_device(s, lun.dev, sizeof(lun.dev)))
		work_run(s, work);
}
