// SPDX-License-Identifier: GPL-2.0-or-later
/* rig-agent: start, the loop that takes steps, and the way out. Top of the agent. */
#include "agents/agent.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef GRND_INSECURE
#define GRND_INSECURE 4
#endif

/* From the build; this file alone is compiled again when it changes. */
#ifndef RIG_VERSION
#define RIG_VERSION "0"
#endif
const char agent_version[] = RIG_VERSION;

static const char usage[] =
	"usage: rig-agent [--tty PATH] [--link console|stream] [--scratch DIR] [--root DIR] [--allow-reboot]\n"
	"The DUT's end of the rig. Speaks on stdin and stdout, or on the tty; as PID 1 on the console.\n"
	"  --tty PATH       the line to the rig\n"
	"  --link KIND      console (small frames, default) or stream\n"
	"  --scratch DIR    where result files are kept until sent; should be in RAM\n"
	"  --root DIR       instead of / for what is read and set in /sys, /proc and /dev\n"
	"  --allow-reboot   carry out the steps reboot and poweroff\n"
	"  --version\n";

enum { OPT_TTY = 1, OPT_LINK, OPT_SCRATCH, OPT_ROOT, OPT_REBOOT, OPT_VERSION, OPT_HELP };

static const struct option options[] = {
	{ "tty", required_argument, NULL, OPT_TTY },
	{ "link", required_argument, NULL, OPT_LINK },
	{ "scratch", required_argument, NULL, OPT_SCRATCH },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "allow-reboot", no_argument, NULL, OPT_REBOOT },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

struct start {
	const char *tty;
	const char *scratch;
	const struct wire_link *link;
};

/* -1: go on; else the exit code. As PID 1 a wrong option is passed over: there is nobody to read
 * about it. */
static int parse(struct agent *a, struct start *start, int argc, char **argv)
{
	int c;

	opterr = !a->pid1;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case OPT_TTY:
			start->tty = optarg;
			break;
		case OPT_LINK:
			start->link = strcmp(optarg, "stream") ? &wire_link_console
							       : &wire_link_stream;
			break;
		case OPT_SCRATCH:
			start->scratch = optarg;
			break;
		case OPT_ROOT:
			a->root = optarg;
			break;
		case OPT_REBOOT:
			a->may_reboot = true;
			break;
		case OPT_VERSION:
			return printf("rig-agent %s\n", agent_version) < 0;
		case OPT_HELP:
			return fputs(usage, stdout) < 0;
		default:
			if (!a->pid1)
				return fputs(usage, stderr) < 0 ? 3 : 64;
		}
	}
	return -1;
}

/* Without waiting for the kernel's entropy, which a fresh DUT has little of: it only has to differ
 * from last time. */
static uint16_t random_epoch(void)
{
	struct timespec ts;
	uint16_t epoch = 0;

	if (getrandom(&epoch, sizeof(epoch), GRND_INSECURE) != sizeof(epoch) || !epoch) {
		clock_gettime(CLOCK_REALTIME, &ts);
		epoch = (uint16_t)((uint64_t)ts.tv_nsec / 1000 ^ (uint64_t)ts.tv_sec ^
				   (uint64_t)getpid());
	}
	return epoch ? epoch : 1;
}

static int open_line(struct agent *a, const char *tty)
{
	a->in_fd = tty ? tty_open(tty) : a->pid1 ? tty_open_console(a->root) : STDIN_FILENO;
	if (a->in_fd < 0)
		return a->in_fd;
	a->out_fd = tty || a->pid1 ? a->in_fd : STDOUT_FILENO;
	set_nonblock(a->in_fd);
	set_nonblock(a->out_fd);
	tty_raw(a->in_fd);
	return 0;
}

static int catch_signals(struct agent *a)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &a->old_mask);
	signal(SIGPIPE, SIG_IGN);
	a->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return a->signal_fd < 0 ? -errno : 0;
}

static int make_scratch(struct agent *a, const char *dir)
{
	if (dir || a->pid1) {
		snprintf(a->scratch, sizeof(a->scratch), "%s", dir ? dir : "/run/rig");
		return mkdir(a->scratch, 0700) && errno != EEXIST ? -errno : 0;
	}
	snprintf(a->scratch, sizeof(a->scratch), "/dev/shm/rig-agent-XXXXXX");
	if (mkdtemp(a->scratch))
		return 0;
	snprintf(a->scratch, sizeof(a->scratch), "/tmp/rig-agent-XXXXXX");
	return mkdtemp(a->scratch) ? 0 : -errno;
}

static void next_step(struct agent *a)
{
	char *data = a->queued[0];
	size_t size = a->queued_size[0];

	a->queued_count--;
	memmove(a->queued, a->queued + 1, a->queued_count * sizeof(a->queued[0]));
	memmove(a->queued_size, a->queued_size + 1, a->queued_count * sizeof(a->queued_size[0]));
	step_execute(a, data, size);
	free(data);
}

/* PID 1 must not end: it waits for its line to come back. */
static void reopen_line(struct agent *a, const char *tty)
{
	struct agent old = *a;

	poll(NULL, 0, 1000);
	if (open_line(a, tty)) {
		a->in_fd = old.in_fd;
		a->out_fd = old.out_fd;
		return;
	}
	close(old.in_fd);
	a->line_lost = false;
	a->session++;
	agent_hello(a, wire_restart(a->wire));
}

static void serve(struct agent *a, const char *tty)
{
	while (!a->quit || a->pid1) {
		a->quit = false;
		if (a->queued_count)
			next_step(a);
		else if (!a->line_lost)
			agent_pump(a, -1);
		else if (a->pid1)
			reopen_line(a, tty);
		else
			break;
	}
}

static int start_agent(struct agent *a, const struct start *start)
{
	struct wire_link link = *start->link;
	int rc = open_line(a, start->tty);

	if (rc)
		return rc;
	link.side = WIRE_SIDE_AGENT;
	link.epoch = random_epoch();
	a->wire = wire_new(&agent_wire_ops, a, &link);
	if (!a->wire)
		return -ENOMEM;
	rc = catch_signals(a);
	if (rc)
		return rc;
	agent_hello(a, 0);
	agent_pump(a, 0);
	if (a->pid1)
		init_late_mounts();
	return make_scratch(a, start->scratch);
}

int main(int argc, char **argv)
{
	struct agent a = {
		.pid1 = getpid() == 1, .root = "", .in_fd = -1, .out_fd = -1, .signal_fd = -1
	};
	struct start start = { .link = &wire_link_console };
	int rc = parse(&a, &start, argc, argv);

	if (rc >= 0)
		return rc;
	if (a.pid1) {
		init_early_mounts();
		init_environment();
	}
	setenv("LC_ALL", "C", 1);
	rc = start_agent(&a, &start);
	if (rc && !a.pid1) {
		fprintf(stderr, "rig-agent: cannot start on %s: %s\n",
			start.tty ? start.tty : "stdin", strerror(-rc));
		return 3;
	}
	serve(&a, start.tty);
	tune_restore(&a.tune, a.root, NULL, NULL, &(struct tune_result){ 0 });
	agent_settle(&a, 500);
	rmdir(a.scratch);
	tty_restore();
	wire_free(a.wire);
	return a.line_lost || a.quit ? 0 : 3;
}
