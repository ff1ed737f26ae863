// SPDX-License-Identifier: GPL-2.0-or-later
/* rig-job as a process; see jobproc.h. Layer: rigd. */
#include "rigd/jobproc.h"
#include "rigd/loop.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "base/spawn.h"
#include "base/unixsock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_STARTED 125

#define TIDY_TIMEOUT_MS (6u * 3600 * 1000)

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Where the program prints; -1 = nowhere else. */
static int open_log(const char *path)
{
	return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
}

static pid_t spawn_logged(struct spawn *sp, const char *log_path)
{
	int log = open_log(log_path);
	pid_t pid;

	sp->out = log >= 0 ? log : log_path ? -1 : STDOUT_FILENO;
	sp->err = log >= 0 ? log : STDERR_FILENO;
	pid = spawn_start(sp);
	if (log >= 0)
		close(log);
	return pid;
}

static pid_t start(const struct jobproc_start *s, int control_fd)
{
	char *program = path_program("rig-job");
	struct spawn sp = SPAWN_INIT;
	const char *argv[12] = { program, "--plan", s->plan_path, "--dir", s->run_dir };
	size_t n = 5;
	char fd_text[16];
	pid_t pid;

	snprintf(fd_text, sizeof(fd_text), "%d", control_fd);
	argv[n++] = "--control";
	argv[n++] = fd_text;
	if (s->lab_path) {
		argv[n++] = "--lab";
		argv[n++] = s->lab_path;
	}
	if (s->listen)
		argv[n++] = "--listen";
	sp.argv = argv;
	sp.pass_fd = control_fd;
	/* when we die it sees its channel close */
	sp.outlive_parent = true;
	sp.memory_mb = s->memory_mb;
	sp.nice = s->nice;
	pid = spawn_logged(&sp, s->log_path);
	free(program);
	return pid;
}

int jobproc_start(struct jobproc *p, const struct jobproc_start *s, struct err *err)
{
	int fds[2] = { -1, -1 };

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return err_sys(err, BLAME_RIG, "supervise", errno, "control channel");
	*p = (struct jobproc)JOBPROC_INIT;
	p->pid = start(s, fds[1]);
	close(fds[1]);
	if (p->pid < 0) {
		close(fds[0]);
		err_sys(err, BLAME_RIG, "supervise", p->pid, "rig-job cannot be started");
		p->pid = 0;
		return -1;
	}
	p->child = true;
	p->fd = fds[0];
	p->pidfd = open_pidfd(p->pid);
	if (p->pidfd >= 0)
		return 0;
	err_sys(err, BLAME_RIG, "supervise", errno, "pidfd of rig-job");
	spawn_kill(p->pid, 0, NULL);
	jobproc_release(p);
	return -1;
}

static pid_t read_pid(const char *lock_path)
{
	struct buf text = BUF_INIT;
	long pid = 0;

	if (path_read(lock_path, &text, 64) == 0)
		pid = strtol(buf_str(&text), NULL, 10);
	buf_release(&text);
	return pid > 1 ? (pid_t)pid : 0;
}

/* Its pid is its own as long as the lock is held after the pidfd was taken. */
static int find(struct jobproc *p, const char *lock_path)
{
	int lock;

	p->pid = read_pid(lock_path);
	if (!p->pid)
		return -ESRCH;
	p->pidfd = open_pidfd(p->pid);
	if (p->pidfd < 0)
		return -errno;
	lock = path_lock(lock_path);
	if (lock == -EWOULDBLOCK)
		return 0;
	if (lock >= 0)
		close(lock);
	return lock < 0 ? lock : -ESRCH;
}

int jobproc_adopt(struct jobproc *p, const char *run_dir, struct err *err)
{
	char *lock = path_join(run_dir, RUNDIR_LOCK);
	int rc;

	*p = (struct jobproc)JOBPROC_INIT;
	rc = find(p, lock);
	if (!rc)
		rc = p->fd = unixsock_connect(run_dir, RUNDIR_CONTROL, SOCK_STREAM);
	free(lock);
	if (rc >= 0)
		return 0;
	jobproc_release(p);
	p->pid = 0;
	return err_sys(err, BLAME_RIG, "adopt", rc, "the job of %s", run_dir);
}

int jobproc_reap(struct jobproc *p)
{
	int status = -1;

	if (p->child && waitpid(p->pid, &status, 0) != p->pid)
		status = -1;
	/* the number may be somebody else's by now, but no group's of which we are not the parent
	 */
	if (p->child)
		kill(-p->pid, SIGKILL);
	p->pid = 0;
	return status;
}

void jobproc_terminate(struct jobproc *p)
{
	if (p->pid)
		syscall(SYS_pidfd_send_signal, p->pidfd, SIGTERM, NULL, 0);
}

void jobproc_kill(struct jobproc *p)
{
	if (!p->pid)
		return;
	/* the leader by its pidfd: while it is not reaped, the group's number is its own, too */
	if (syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, 0) == 0)
		kill(-p->pid, SIGKILL);
}

void jobproc_release(struct jobproc *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->pidfd >= 0)
		close(p->pidfd);
	p->fd = -1;
	p->pidfd = -1;
}

const char *jobproc_last_words(const char *log_path, char *buf, size_t size)
{
	int fd = open(log_path, O_RDONLY | O_CLOEXEC);
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	off_t begin = end > (off_t)size - 1 ? end - ((off_t)size - 1) : 0;
	ssize_t n = end > 0 ? pread(fd, buf, (size_t)(end - begin), begin) : 0;
	char *last;

	if (fd >= 0)
		close(fd);
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	buf[n > 0 ? n : 0] = '\0';
	last = strrchr(buf, '\n');
	if (last)
		memmove(buf, last + 1, strlen(last));
	return buf;
}

/* ---- helpers: programs that make a board safe, or tidy up ---- */

struct helper {
	struct loop *loop;
	pid_t pid;
	int pidfd;
	struct loop_source *exit;
	struct loop_timer *limit; /* also calls done() when there is no process */
	void (*done)(void *ctx, int code);
	void *ctx;
};

static void helper_over(struct helper *x, int code)
{
	void (*done)(void *ctx, int code) = x->done;
	void *ctx = x->ctx;

	loop_unwatch(x->exit);
	loop_untimer(x->limit);
	if (x->pidfd >= 0)
		close(x->pidfd);
	free(x);
	done(ctx, code);
}

static void helper_exit(void *ctx, short revents)
{
	struct helper *x = ctx;
	int status = 0;

	(void)revents;
	if (waitpid(x->pid, &status, 0) != x->pid)
		status = NOT_STARTED << 8;
	kill(-x->pid, SIGKILL);
	helper_over(x, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void helper_late(void *ctx)
{
	struct helper *x = ctx;

	if (x->exit)
		kill(-x->pid, SIGKILL);
	else
		helper_over(x, NOT_STARTED);
}

static pid_t start_safe(const struct jobproc_safe *s)
{
	char *program = path_program("rig-job");
	struct spawn sp = SPAWN_INIT;
	const char *argv[8] = { program, "--safe", s->board ? "--board" : "--plan",
				s->board ? s->board : s->plan_path };
	pid_t pid;

	if (s->lab_path) {
		argv[4] = "--lab";
		argv[5] = s->lab_path;
	}
	sp.argv = argv;
	pid = spawn_logged(&sp, s->log_path);
	free(program);
	return pid;
}

static void helper_start(struct loop *loop, struct helper *x, unsigned int timeout_ms)
{
	x->loop = loop;
	x->pidfd = x->pid > 0 ? open_pidfd(x->pid) : -1;
	x->limit = loop_timer(loop, helper_late, x);
	if (x->pidfd >= 0) {
		x->exit = loop_watch(loop, x->pidfd, POLLIN, helper_exit, x);
		loop_arm(x->limit, deadline_in(timeout_ms));
		return;
	}
	if (x->pid > 0)
		spawn_kill(x->pid, 0, NULL);
	loop_arm(x->limit, deadline_in(0));
}

void jobproc_make_safe(struct loop *loop, const struct jobproc_safe *s)
{
	struct helper *x = xcalloc(1, sizeof(*x));

	*x = (struct helper){ .pid = start_safe(s), .done = s->done, .ctx = s->ctx };
	helper_start(loop, x, s->timeout_ms);
}

/* ---- tidying up ---- */

static void tidied(void *ctx, int code)
{
	(void)ctx;
	if (code)
		log_warn("rigd --tidy: exit code %d", code);
}

void jobproc_tidy(struct loop *loop, const char *lab_path)
{
	char *program = path_program("rigd");
	const char *argv[] = { program, "--tidy", lab_path ? "--lab" : NULL, lab_path, NULL };
	struct helper *x = xcalloc(1, sizeof(*x));
	struct spawn sp = SPAWN_INIT;

	sp.argv = argv;
	sp.out = STDERR_FILENO;
	sp.err = STDERR_FILENO;
	sp.nice = 19;
	*x = (struct helper){ .pid = spawn_start(&sp), .done = tidied };
	helper_start(loop, x, TIDY_TIMEOUT_MS);
	free(program);
}
