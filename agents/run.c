// SPDX-License-Identifier: GPL-2.0-or-later
/* A child process, watched without disturbing it: one blocking wait from its start to its end. */
#include "agents/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_MS 5000
#define GRACE_MS  2000 /* between SIGTERM and SIGKILL */

extern char **environ;

static uint64_t cpu_ns(const struct rusage *u)
{
	return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
}

bool run_reap(int pid, int *status)
{
	bool found = false;
	int ended, st;

	while ((ended = waitpid(-1, &st, WNOHANG)) > 0) {
		if (ended != pid || !status)
			continue;
		*status = st;
		found = true;
	}
	return found;
}

static int spawn(struct agent *a, const char *const argv[], const char *out_path,
		 const char *err_path, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, out_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	posix_spawn_file_actions_addopen(&files, 2, err_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	sigfillset(&all);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &a->old_mask);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawnp(pid, argv[0], &files, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -rc;
}

/* What posix_spawn() does for a program, for a function of ours. */
static void become_child(struct agent *a, const char *out_path, const char *err_path)
{
	static const int ours[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGPIPE };
	const int flags = O_WRONLY | O_CREAT | O_TRUNC;
	int fds[] = { open("/dev/null", O_RDONLY), open(out_path, flags, 0644),
		      open(err_path, flags, 0644) };

	setpgid(0, 0);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		signal(ours[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &a->old_mask, NULL);
	for (int fd = 0; fd < 3; fd++)
		if (fds[fd] < 0 || dup2(fds[fd], fd) < 0)
			_exit(127);
	/* The line is the agent's alone; where it was stdin and stdout it is covered by now. */
	if (a->in_fd > 2)
		close(a->in_fd);
	if (a->out_fd > 2)
		close(a->out_fd);
}

struct watch {
	pid_t pid;
	int status;
	uint64_t deadline_ns; /* of the present stage; 0: none */
	unsigned int terms;   /* 1: SIGTERM sent, 2: SIGKILL */
};

static void put_down(struct watch *w)
{
	kill(-w->pid, w->terms++ ? SIGKILL : SIGTERM);
	w->deadline_ns = agent_now_ns() + (uint64_t)GRACE_MS * 1000000;
}

/* One sleep. True when the child has ended. */
static bool watch_once(struct agent *a, struct watch *w)
{
	struct pollfd fds[] = {
		{ .fd = a->line_lost ? -1 : a->in_fd, .events = POLLIN },
		{ .fd = a->signal_fd, .events = POLLIN },
	};
	uint64_t now = agent_now_ns(), left = w->deadline_ns > now ? w->deadline_ns - now : 0;
	struct signalfd_siginfo info;

	/* not ppoll(): a 32-bit kernel may lack the one that its C library calls */
	if (poll(fds, 2, w->deadline_ns ? (int)((left + 999999) / 1000000) : -1) < 0)
		return false;
	if (fds[0].revents)
		agent_read_line(a);
	if (!fds[1].revents)
		return false;
	if (read(a->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		a->quit |= info.ssi_signo != SIGCHLD;
	return run_reap(w->pid, &w->status);
}

static void watch(struct agent *a, struct watch *w, struct run_result *r)
{
	/* First the look, then the sleep: the wish to end may have come before the child. */
	do {
		bool late = w->deadline_ns && agent_now_ns() >= w->deadline_ns;
		bool unwanted = a->cancel || a->quit || (a->line_lost && !a->pid1);

		if (!w->terms && unwanted)
			r->cancelled = true;
		else if (!w->terms && late)
			r->timed_out = true;
		if (w->terms ? late : r->cancelled || r->timed_out)
			put_down(w);
	} while (!watch_once(a, w));
}

/* The child w->pid, which began at start, to its end. */
static void see_it_out(struct agent *a, struct watch *w, uint64_t start, uint64_t timeout_ms,
		       struct run_result *r)
{
	struct rusage before, after;
	long woken;

	getrusage(RUSAGE_SELF, &before);
	w->deadline_ns = timeout_ms ? start + timeout_ms * 1000000 : 0;
	watch(a, w, r);
	r->duration_ns = agent_now_ns() - start;
	getrusage(RUSAGE_SELF, &after);
	kill(-w->pid, SIGKILL);
	if (WIFEXITED(w->status))
		r->exit = WEXITSTATUS(w->status);
	else
		r->signal = WTERMSIG(w->status);
	r->agent_cpu_ns = cpu_ns(&after) - cpu_ns(&before);
	woken = after.ru_nvcsw - before.ru_nvcsw;
	r->agent_wakeups = woken > 0 ? (uint64_t)woken - 1 : 0;
}

void run_child(struct agent *a, const char *const argv[], const char *out_path,
	       const char *err_path, uint64_t timeout_ms, struct run_result *r)
{
	struct watch w = { 0 };
	uint64_t start;

	*r = (struct run_result){ .exit = -1 };
	agent_settle(a, SETTLE_MS);
	start = agent_now_ns();
	r->error = spawn(a, argv, out_path, err_path, &w.pid);
	if (!r->error)
		see_it_out(a, &w, start, timeout_ms, r);
}

void run_function(struct agent *a, int (*function)(void *ctx), void *ctx, const char *out_path,
		  const char *err_path, uint64_t timeout_ms, struct run_result *r)
{
	struct watch w = { 0 };
	uint64_t start;

	*r = (struct run_result){ .exit = -1 };
	agent_settle(a, SETTLE_MS);
	fflush(NULL);
	start = agent_now_ns();
	w.pid = fork();
	if (w.pid < 0) {
		r->error = -errno;
		return;
	}
	if (!w.pid) {
		int code;

		become_child(a, out_path, err_path);
		code = function(ctx);
		_exit(fflush(NULL) ? 127 : code);
	}
	setpgid(w.pid, w.pid);
	see_it_out(a, &w, start, timeout_ms, r);
}
