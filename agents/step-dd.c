// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step dd: a device read or written from its beginning, past the page cache, several times. Keys:
 * target, arg bs= count= repeat= write= program=. FILE stderr: what dd prints, one run after the
 * other; results/parse-dd.h reads it. FILE command.
 *
 * program=agent does it here, and tells the time to the nanosecond; any other program is run as
 * dd with iflag=direct: coreutils, busybox, toybox, or one at a path.
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/block.h"
#include "agents/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dd {
	char dev[80];
	uint64_t block_bytes, count, repeat;
	bool write;
	const char *program;
};

/* One step at a time, and its child inherits it. */
static struct dd dd;

static bool read_args(struct step *s)
{
	dd.program = args_text(s, "program", "agent");
	return args_number(s, "bs", 1 << 20, 512, 1 << 30, &dd.block_bytes) &&
	       args_number(s, "count", 16, 1, 1 << 20, &dd.count) &&
	       args_number(s, "repeat", 1, 1, 1000, &dd.repeat) &&
	       args_yes(s, "write", false, &dd.write);
}

/* ---- by ourselves ---- */

static void tell(uint64_t bytes, uint64_t ns)
{
	double seconds = (double)ns / 1e9;

	fprintf(stderr,
		"%llu+0 records in\n%llu+0 records out\n%llu bytes copied, %.9f s, %.1f MB/s\n",
		(unsigned long long)dd.count, (unsigned long long)dd.count,
		(unsigned long long)bytes, seconds,
		seconds > 0 ? (double)bytes / seconds / 1e6 : 0);
}

static int once(int fd, void *buf)
{
	uint64_t start = agent_now_ns();
	struct block_run run = { .fd = fd, .buf = buf, .size = dd.block_bytes, .write = dd.write };

	for (uint64_t i = 0; i < dd.count; i++)
		if (block_transfer(&run, i * dd.block_bytes))
			return work_fail("dd: %s: block %llu: %s", dd.dev, (unsigned long long)i,
					 strerror(errno));
	tell(dd.count * dd.block_bytes, agent_now_ns() - start);
	return 0;
}

static int by_agent(void *step)
{
	int fd = block_open(dd.dev, dd.write), rc = 0;
	void *buf = block_buffer(dd.block_bytes);

	(void)step;
	if (fd < 0 || !buf)
		return work_fail("dd: %s: %s", dd.dev, strerror(errno));
	for (uint64_t i = 0; i < dd.repeat && !rc; i++)
		rc = once(fd, buf);
	free(buf);
	close(fd);
	return rc;
}

/* ---- by a program ---- */

static bool append(FILE *to, const char *path)
{
	FILE *from = fopen(path, "re");
	char buf[4096];
	size_t n;

	while (from && (n = fread(buf, 1, sizeof(buf), from)) > 0)
		fwrite(buf, 1, n, to);
	return from && !fclose(from);
}

/* A program of many names: "busybox dd". */
static bool is_box(void)
{
	return !strcmp(dd.program, "busybox") || !strcmp(dd.program, "toybox");
}

static void by_program(struct step *s)
{
	char side[100], size[40], count[40], err[320], null[320], *text = NULL;
	const char *argv[] = { dd.program,
			       "dd",
			       side,
			       dd.write ? "if=/dev/zero" : "of=/dev/null",
			       size,
			       count,
			       dd.write ? "oflag=direct" : "iflag=direct",
			       NULL };
	bool is_dd = !is_box();
	size_t bytes = 0;
	FILE *all = open_memstream(&text, &bytes);

	snprintf(side, sizeof(side), "%s=%s", dd.write ? "of" : "if", dd.dev);
	snprintf(size, sizeof(size), "bs=%llu", (unsigned long long)dd.block_bytes);
	snprintf(count, sizeof(count), "count=%llu", (unsigned long long)dd.count);
	if (is_dd)
		argv[1] = dd.program;
	step_path(s, "err", err, sizeof(err));
	step_path(s, "out", null, sizeof(null));
	for (uint64_t i = 0; all && i < dd.repeat && s->status == STEP_OK; i++) {
		run_child(s->agent, argv + is_dd, null, err, s->timeout_ms, &s->run);
		step_judge(s, dd.program, err);
		append(all, err);
	}
	if (all && !fclose(all))
		step_file_data(s, "stderr", text, bytes);
	free(text);
	unlink(err);
	unlink(null);
}

static void send_command(struct step *s)
{
	const char *direct = dd.write ? "oflag=direct" : "iflag=direct";
	bool alone = !strcmp(dd.program, "agent");
	char text[300];
	int n = snprintf(text, sizeof(text), "%s%s %s=%s %s bs=%llu count=%llu %s # %llu times\n",
			 alone ? "" : dd.program, alone || is_box() ? &" dd"[alone] : "",
			 dd.write ? "of" : "if", dd.dev, dd.write ? "if=/dev/zero" : "of=/dev/null",
			 (unsigned long long)dd.block_bytes, (unsigned long long)dd.count, direct,
			 (unsigned long long)dd.repeat);

	step_file_data(s, "command", text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void step_dd(struct step *s)
{
	memset(&dd, 0, sizeof(dd));
	if (!read_args(s) || !step_device(s, dd.dev, sizeof(dd.dev)))
		return;
	send_command(s);
	if (strcmp(dd.program, "agent") != 0)
		by_program(s);
	else
		work_run(s, by_agent);
}
