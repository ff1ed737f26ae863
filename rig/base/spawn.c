// SPDX-License-Identifier: GPL-2.0-or-later
/* Starting programs; see spawn.h. Layer: base. */
#include "base/spawn.h"
#include "base/buf.h"
#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (16u << 20)

/*
 * Between fork and exec only system calls are made: whatever has a lock may have been forked while
 * another thread held it. So what the child needs is made before: its streams, its environment.
 */
struct start {
	const struct spawn *spawn;
	char **env;
	int null;
	int report_fd;
	pid_t parent;
};

/* One of the additions, "NAME=VALUE", is of the same variable. */
static bool replaced(const char *variable, const char *const *additions)
{
	size_t name = strcspn(variable, "=") + 1;

	for (const char *const *a = additions; *a; a++)
		if (strncmp(*a, variable, name) == 0)
			return true;
	return false;
}

/* Ours with the additions. The strings stay where they are; the array is the caller's. */
static char **environment(const char *const *additions)
{
	static const char *const none[] = { NULL };
	size_t count = 0, n = 0;
	char **env;

	additions = additions ? additions : none;
	for (char **e = environ; e && *e; e++)
		count++;
	for (const char *const *a = additions; *a; a++)
		count++;
	env = xcalloc(count + 1, sizeof(*env));
	for (char **e = environ; e && *e; e++)
		if (!replaced(*e, additions))
			env[n++] = *e;
	for (const char *const *a = additions; *a; a++)
		env[n++] = (char *)(uintptr_t)*a;
	return env;
}

static void redirect(int from, int target)
{
	if (from == target)
		fcntl(target, F_SETFD, 0);
	else
		dup2(from, target);
}

static void keep_open(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFD, 0);
}

static void default_signals(void)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &sa, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void limit(const struct spawn *s)
{
	struct rlimit r = { s->memory_mb << 20, s->memory_mb << 20 };

	if (s->memory_mb)
		setrlimit(RLIMIT_AS, &r);
	if (s->nice)
		(void)!nice(s->nice);
}

static void child(const struct start *start)
{
	const struct spawn *s = start->spawn;
	int err;

	default_signals();
	if (!s->same_group)
		setpgid(0, 0);
	if (!s->outlive_parent) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* the parent may have died before the prctl */
		if (getppid() != start->parent)
			_exit(127);
	}
	limit(s);
	redirect(s->in < 0 ? start->null : s->in, 0);
	redirect(s->out < 0 ? start->null : s->out, 1);
	redirect(s->err < 0 ? start->null : s->err, 2);
	/* also what we inherited open ourselves: it is not the program's business */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	keep_open(s->pass_fd);
	environ = start->env; /* also where PATH is looked for */
	if (!s->cwd || chdir(s->cwd) == 0)
		execvp(s->argv[0], (char *const *)(uintptr_t)s->argv);
	err = errno;
	while (write(start->report_fd, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* The errno that the child met before exec, 0 when exec closed the pipe. */
static int read_report(int fd)
{
	int err = 0;
	ssize_t n;

	do {
		n = read(fd, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(err) ? err : 0;
}

/* The child runs, or its errno. */
static pid_t start_child(struct start *start)
{
	int report[2], err;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	start->report_fd = report[1];
	pid = fork();
	if (pid == 0)
		child(start);
	err = pid < 0 ? errno : 0;
	close(report[1]);
	if (pid > 0) {
		if (!start->spawn->same_group)
			setpgid(pid, pid);
		err = read_report(report[0]);
		if (err)
			waitpid(pid, NULL, 0);
	}
	close(report[0]);
	return err ? -err : pid;
}

/* Above the streams, which redirect() overwrites. */
static int open_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int high = fd < 0 ? -errno : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (fd >= 0 && high < 0)
		high = -errno;
	if (fd >= 0)
		close(fd);
	return high;
}

pid_t spawn_start(const struct spawn *s)
{
	struct start start = { .spawn = s, .parent = getpid() };
	pid_t pid;

	start.null = open_null();
	if (start.null < 0)
		return start.null;
	start.env = environment(s->env);
	pid = start_child(&start);
	free(start.env);
	close(start.null);
	return pid;
}

int spawn_wait(pid_t pid, int *status, struct deadline d)
{
	/* glibc 2.36 has pidfd_open, but Debian 12's headers clash with linux/wait.h */
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int rc;

	if (fd < 0)
		return errno == ESRCH ? -ECHILD : -errno;
	rc = deadline_poll(fd, POLLIN, d);
	close(fd);
	if (rc <= 0)
		return rc ? rc : -ETIMEDOUT;
	return waitpid(pid, status, 0) < 0 ? -errno : 0;
}

/* Killing goes on although a stop was asked for, so deadline_poll() is not used here. */
static int wait_uninterrupted(pid_t pid, int *status, unsigned int timeout_ms)
{
	struct deadline d = deadline_in(timeout_ms);
	struct pollfd p = { .events = POLLIN };
	int n;

	p.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p.fd < 0)
		return -errno;
	do {
		n = poll(&p, 1, deadline_left_ms(d));
	} while (n < 0 && errno == EINTR);
	close(p.fd);
	if (n <= 0)
		return -ETIMEDOUT;
	return waitpid(pid, status, 0) == pid ? 0 : -errno;
}

void spawn_kill(pid_t pid, unsigned int grace_ms, int *status)
{
	int unused;

	if (!status)
		status = &unused;
	*status = 0;
	if (kill(-pid, SIGTERM) < 0)
		kill(pid, SIGTERM);
	if (grace_ms && wait_uninterrupted(pid, status, grace_ms) == 0) {
		kill(-pid, SIGKILL);
		return;
	}
	if (kill(-pid, SIGKILL) < 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

/* Reads the pipe to its end. 0 or -errno. */
static int collect(int fd, struct buf *out, struct deadline d)
{
	char chunk[8192];

	for (;;) {
		int rc = deadline_poll(fd, POLLIN, d);
		ssize_t n;

		if (rc <= 0)
			return rc ? rc : -ETIMEDOUT;
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return 0;
		if (n > 0 && out->size < OUTPUT_MAX)
			buf_append(out, chunk, (size_t)n);
	}
}

int spawn_run(const struct spawn *s, struct buf *out, struct deadline d)
{
	struct spawn copy = *s;
	int fds[2] = { -1, -1 };
	int status = 0;
	pid_t pid;
	int rc;

	if (out) {
		if (pipe2(fds, O_CLOEXEC) < 0)
			return -errno;
		copy.out = fds[1];
	}
	pid = spawn_start(&copy);
	if (out)
		close(fds[1]);
	rc = pid < 0 ? (int)pid : 0;
	if (!rc && out)
		rc = collect(fds[0], out, d);
	if (!rc)
		rc = spawn_wait(pid, &status, d);
	if (rc && pid > 0)
		spawn_kill(pid, s->grace_ms ? s->grace_ms : 500, NULL);
	if (out)
		close(fds[0]);
	if (rc)
		return rc;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

char *spawn_status_text(int status, char *buf, unsigned int size)
{
	if (WIFSIGNALED(status))
		snprintf(buf, size, "signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(buf, size, "exit code %d", WEXITSTATUS(status));
	return buf;
}
