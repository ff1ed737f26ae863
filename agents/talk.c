// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent's end of the wire: between wire.c and the line's file descriptor. */
#include "agents/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "agents/sysfs.h"

uint64_t agent_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t agent_now_ms(void)
{
	return agent_now_ns() / 1000000;
}

void agent_hello(struct agent *a, unsigned int lost)
{
	char boot_id[64] = "";
	struct timespec up = { 0 };
	struct utsname u;
	struct kv kv = { 0 };

	uname(&u);
	clock_gettime(CLOCK_BOOTTIME, &up);
	sysfs_read(a->root, "/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
	kv_add(&kv, "version", agent_version);
	kv_add(&kv, "arch", u.machine);
	kv_add(&kv, "release", u.release);
	kv_add(&kv, "boot_id", boot_id);
	kv_add_u64(&kv, "pid", (uint64_t)getpid());
	kv_add_u64(&kv, "uptime_ms", (uint64_t)up.tv_sec * 1000 + (uint64_t)up.tv_nsec / 1000000);
	for (const struct step_kind *k = step_kinds; k->name; k++)
		kv_add(&kv, "kind", k->name);
	if (lost)
		kv_add_u64(&kv, "lost", lost);
	if (!kv.err)
		wire_send(a->wire, WIRE_HELLO, kv.data, kv.size);
	kv_release(&kv);
}

static void queue_step(struct agent *a, const void *data, size_t size)
{
	char *copy = a->queued_count < AGENT_STEPS_QUEUED ? malloc(size + 1) : NULL;

	if (!copy) /* the rig waits for each END, so this is no rig; it will miss the answer */
		return;
	memcpy(copy, data, size);
	a->queued[a->queued_count] = copy;
	a->queued_size[a->queued_count++] = size;
}

static void drop_queue(struct agent *a)
{
	while (a->queued_count)
		free(a->queued[--a->queued_count]);
}

static void on_cancel(struct agent *a, const void *data, size_t size)
{
	struct kv_list list;

	if (!kv_parse(&list, data, size) && !strcmp(kv_get(&list, "id", ""), a->present_id))
		a->cancel = *a->present_id != '\0';
	kv_list_release(&list);
}

static void on_message(void *ctx, unsigned int type, const void *data, size_t size)
{
	if (type == WIRE_STEP)
		queue_step(ctx, data, size);
	else if (type == WIRE_CANCEL)
		on_cancel(ctx, data, size);
}

/* Another rig, or the same one born again: what the old one asked for is of no use to it. */
static void on_restart(void *ctx, uint16_t epoch, unsigned int lost)
{
	struct agent *a = ctx;

	(void)epoch;
	a->session++;
	a->cancel = true;
	drop_queue(a);
	agent_hello(a, lost);
}

const struct wire_ops agent_wire_ops = { .message = on_message, .restart = on_restart };

void agent_read_line(struct agent *a)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(a->in_fd, buf, sizeof(buf))) > 0)
		wire_feed(a->wire, buf, (size_t)n, agent_now_ms());
	if (!n || (errno != EAGAIN && errno != EINTR))
		a->line_lost = true;
}

static void read_signals(struct agent *a)
{
	struct signalfd_siginfo info[8];
	ssize_t n = read(a->signal_fd, info, sizeof(info));

	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(info[0]); i++)
		a->quit |= info[i].ssi_signo != SIGCHLD;
	run_reap(0, NULL);
}

/* True while the line takes bytes and there are some. */
static bool write_line(struct agent *a)
{
	static char buf[1024];
	static size_t size, at;
	ssize_t n;

	for (;;) {
		if (at == size) {
			at = 0;
			size = wire_output(a->wire, buf, sizeof(buf), agent_now_ms());
		}
		if (!size)
			return false;
		n = write(a->out_fd, buf + at, size - at);
		if (n < 0) {
			a->line_lost |= errno != EAGAIN && errno != EINTR;
			return !a->line_lost;
		}
		at += (size_t)n;
	}
}

static void check_failed(struct agent *a)
{
	if (!wire_failed(a->wire))
		return;
	a->session++;
	drop_queue(a);
	agent_hello(a, wire_restart(a->wire));
}

void agent_pump(struct agent *a, int timeout_ms)
{
	bool more = write_line(a);
	int wire_ms = wire_timeout(a->wire, agent_now_ms());
	struct pollfd fds[] = {
		{ .fd = a->in_fd,
		  .events = (short)(POLLIN | (more && a->in_fd == a->out_fd ? POLLOUT : 0)) },
		{ .fd = a->signal_fd, .events = POLLIN },
		{ .fd = more && a->in_fd != a->out_fd ? a->out_fd : -1, .events = POLLOUT },
	};

	if (a->line_lost)
		return;
	if (!more && wire_ms >= 0 && (timeout_ms < 0 || wire_ms < timeout_ms))
		timeout_ms = wire_ms;
	if (poll(fds, 3, timeout_ms) < 0)
		return;
	if (fds[0].revents & (POLLIN | POLLHUP | POLLERR))
		agent_read_line(a);
	if (fds[1].revents)
		read_signals(a);
	check_failed(a);
}

int agent_send(struct agent *a, unsigned int type, const void *data, size_t size)
{
	int rc;

	while ((rc = wire_send(a->wire, type, data, size)) == -EAGAIN) {
		if (a->quit || a->line_lost)
			return -EPIPE;
		agent_pump(a, -1);
	}
	return rc;
}

void agent_settle(struct agent *a, int timeout_ms)
{
	uint64_t end_ms = agent_now_ms() + (uint64_t)timeout_ms, now_ms;

	while ((now_ms = agent_now_ms()) < end_ms && !a->quit && !a->line_lost) {
		if (write_line(a) || !wire_idle(a->wire))
			agent_pump(a, (int)(end_ms - now_ms));
		else
			break;
	}
	tcdrain(a->out_fd);
}
