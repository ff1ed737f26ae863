// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures what the rig costs on a virtual board: a boot up to the agent's hello beside the bare
 * boot of the same kernel on the same QEMU command line, and the round trip of an empty step.
 *
 *	boot ENTRY INITRAMFS BOOTS STEPS
 *
 * bare: fork of QEMU (the board's own command line without -S and the monitor) until the kernel
 * prints that it runs /init. rig: call of board_power_on() until the hello has been taken. Both in
 * turn, so that a change in the host's load meets both.
 */
#include "agents/wire.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/spawn.h"
#include "board/board.h"
#include "board/lab.h"
#include "io/console.h"
#include "job/dut.h"
#include "base/manifest.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define INIT_MARK "Run /init as init process"
#define LIMIT_MS  60000
#define ARGS_MAX  128

struct bench {
	struct board *board;
	struct board_image image;
	struct buf cmdline; /* of QEMU, NUL-separated, from /proc */
	double *bare, *rig, *step;
	int n_boots, n_steps;
};

static void fail(const char *what, const struct err *err)
{
	fprintf(stderr, "boot: %s%s%s\n", what, err ? ": " : "", err ? err->message : "");
	exit(3);
}

static double since_ms(uint64_t begin_ns)
{
	return (double)(mono_ns() - begin_ns) / 1e6;
}

static void keep_cmdline(struct bench *b)
{
	char *state = path_in_home("boards/virt-ufs.state");
	struct buf note = BUF_INIT;
	char *path;

	if (path_read(state, &note, 4096))
		fail("no state file", NULL);
	path = xasprintf("/proc/%ld/cmdline", strtol(buf_str(&note), NULL, 10));
	buf_reset(&b->cmdline);
	path_read(path, &b->cmdline, 65536);
	free(path);
	free(state);
	buf_release(&note);
}

/* The board's command line, console on fd; without what holds QEMU back or steers it. */
static void bare_args(const struct bench *b, const char **argv, char *console, size_t size, int fd)
{
	const char *end = b->cmdline.data + b->cmdline.size;
	int n = 0;

	snprintf(console, size, "socket,id=console,fd=%d", fd);
	for (const char *p = b->cmdline.data; p < end && n < ARGS_MAX - 1; p += strlen(p) + 1) {
		const char *next = p + strlen(p) + 1;

		if (!strcmp(p, "-S"))
			continue;
		if (next < end && (!strncmp(next, "stdio,id=qmp", 12) || !strcmp(p, "-mon"))) {
			p = next;
			continue;
		}
		argv[n++] = strncmp(p, "socket,id=console", 17) ? p : console;
	}
	argv[n] = NULL;
}

static double bare_boot(struct bench *b)
{
	const char *argv[ARGS_MAX];
	struct spawn s = SPAWN_INIT;
	struct buf text = BUF_INIT;
	char console[64];
	char chunk[4096];
	uint64_t begin;
	double ms = -1;
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		fail("socketpair", NULL);
	bare_args(b, argv, console, sizeof(console), fds[1]);
	s.argv = argv;
	s.pass_fd = fds[1];
	s.err = 2;
	begin = mono_ns();
	pid = spawn_start(&s);
	close(fds[1]);
	while (pid > 0 && ms < 0) {
		ssize_t n = 0;

		if (deadline_poll(fds[0], POLLIN, deadline_in(LIMIT_MS)) > 0)
			n = read(fds[0], chunk, sizeof(chunk));
		if (n <= 0)
			break;
		buf_append(&text, chunk, (size_t)n);
		if (strstr(buf_str(&text), INIT_MARK))
			ms = since_ms(begin);
	}
	if (pid > 0)
		spawn_kill(pid, 0, NULL);
	close(fds[0]);
	buf_release(&text);
	if (ms < 0)
		fail("the bare boot did not reach /init", NULL);
	return ms;
}

static void run_steps(struct bench *b, struct dut *dut)
{
	struct dut_step noop = { .kind = "noop", .timeout_ms = 5000 };
	struct dut_result result;
	struct err err = ERR_INIT;

	for (int i = 0; i < b->n_steps; i++) {
		uint64_t begin = mono_ns();

		if (dut_run(dut, &noop, &result, deadline_in(LIMIT_MS), &err))
			fail("noop", &err);
		b->step[i] = since_ms(begin);
	}
}

static double rig_boot(struct bench *b, bool steps)
{
	static const struct dut_hooks none;
	struct err err = ERR_INIT;
	struct dut_hello hello;
	struct console *con;
	struct dut *dut;
	uint64_t begin;
	double ms;
	int fd;

	if (board_deploy(b->board, &b->image, &err) || board_console(b->board, &fd, &err))
		fail("deploy", &err);
	con = console_new(fd);
	dut = dut_new(con, &wire_link_console, -1, &none, NULL);
	begin = mono_ns();
	if (board_power_on(b->board, &err) ||
	    dut_wait_hello(dut, &hello, deadline_in(LIMIT_MS), &err))
		fail("boot", &err);
	ms = since_ms(begin);
	keep_cmdline(b);
	if (steps)
		run_steps(b, dut);
	board_power_off(b->board, NULL);
	dut_free(dut);
	console_free(con);
	return ms;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double show(const char *what, double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	printf("%-34s n=%-4d min %8.2f  median %8.2f  p90 %8.2f  max %8.2f ms\n", what, n, v[0],
	       v[n / 2], v[n * 9 / 10], v[n - 1]);
	return v[n / 2];
}

int main(int argc, char **argv)
{
	struct bench b = { .cmdline = BUF_INIT };
	struct manifest m;
	struct err err = ERR_INIT;
	const struct lab_type *types;
	struct lab *lab;
	size_t n;
	double bare;
	double rig;

	if (argc != 5 || manifest_read(&m, argv[1], "virt-ufs", &err))
		fail("usage: boot ENTRY INITRAMFS BOOTS STEPS", argc == 5 ? &err : NULL);
	types = board_lab_types(&n);
	lab = lab_builtin(types, n);
	b.image = (struct board_image){ m.image, argv[2], "", NULL };
	b.n_boots = (int)strtol(argv[3], NULL, 10);
	b.n_steps = (int)strtol(argv[4], NULL, 10);
	b.bare = xcalloc((size_t)b.n_boots, sizeof(double));
	b.rig = xcalloc((size_t)b.n_boots, sizeof(double));
	b.step = xcalloc((size_t)b.n_steps, sizeof(double));
	if (board_open(&b.board, lab_board(lab, 0), "boot bench", &err))
		fail("board", &err);
	rig_boot(&b, false); /* fills the page cache, and names the command line */
	for (int i = 0; i < b.n_boots; i++) {
		b.bare[i] = bare_boot(&b);
		b.rig[i] = rig_boot(&b, i == b.n_boots - 1);
	}
	bare = show("bare: QEMU start to /init", b.bare, b.n_boots);
	rig = show("rig: power-on to agent hello", b.rig, b.n_boots);
	show("round trip of an empty step", b.step, b.n_steps);
	printf("hello over bare boot: %.0f ms (at most 100)\n", rig - bare);
	board_close(b.board);
	lab_free(lab);
	manifest_release(&m);
	buf_release(&b.cmdline);
	free(b.bare);
	free(b.rig);
	free(b.step);
	return 0;
}
