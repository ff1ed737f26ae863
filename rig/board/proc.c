// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes noted in files; see proc.h. Layer: board. */
#include "board/proc.h"
#include "base/buf.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* proc(5), /proc/PID/stat: starttime is field 22; the first one after the name is field 3. */
#define FIELDS_TO_START 19

struct noted {
	pid_t pid;
	unsigned long long start;
	char boot_id[40];
};

/* In clock ticks since boot; 0 when there is no such process. */
static unsigned long long start_time(pid_t pid)
{
	struct buf text = BUF_INIT;
	unsigned long long start = 0;
	char path[32];
	char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (path_read(path, &text, 4096) == 0 && (p = strrchr(buf_str(&text), ')'))) {
		/* the name may hold blanks and parentheses, so count from its end */
		p += 2;
		for (int i = 0; p && i < FIELDS_TO_START; i++)
			p = strchr(p + 1, ' ');
		if (p)
			start = strtoull(p, NULL, 10);
	}
	buf_release(&text);
	return start;
}

static void host_boot_id(char *id, size_t size)
{
	struct buf text = BUF_INIT;

	path_read("/proc/sys/kernel/random/boot_id", &text, 4096);
	snprintf(id, size, "%.36s", buf_str(&text));
	buf_release(&text);
}

/* Lives exactly as long as the process, so it needs no fsync: a host that crashed ran none. */
static int write_note(const char *path, const char *text)
{
	char *tmp = xasprintf("%s.new", path);
	FILE *f = fopen(tmp, "we");
	int rc = 0;

	if (!f) {
		rc = -errno;
		free(tmp);
		return rc;
	}
	fputs(text, f);
	if (fclose(f) || rename(tmp, path) < 0)
		rc = -errno;
	if (rc)
		unlink(tmp);
	free(tmp);
	return rc;
}

int proc_note(pid_t pid, const char *path)
{
	unsigned long long start = start_time(pid);
	char id[40];
	char line[96];

	if (!start)
		return -ESRCH;
	host_boot_id(id, sizeof(id));
	snprintf(line, sizeof(line), "%d %llu %s\n", (int)pid, start, id);
	return write_note(path, line);
}

static int parse(const char *text, struct noted *n)
{
	char *end;

	n->pid = (pid_t)strtol(text, &end, 10);
	if (n->pid <= 1 || *end != ' ')
		return -EINVAL;
	n->start = strtoull(end + 1, &end, 10);
	if (*end != ' ')
		return -EINVAL;
	snprintf(n->boot_id, sizeof(n->boot_id), "%.36s", end + 1);
	return 0;
}

/* 0 when it is gone. The pidfd is taken first, so the identity that is checked is the one killed.
 */
static int kill_exactly(const struct noted *n, struct deadline d)
{
	int fd = (int)syscall(SYS_pidfd_open, n->pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int rc = 0;

	if (fd < 0)
		return errno == ESRCH ? 0 : -errno;
	if (start_time(n->pid) == n->start) {
		if (syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) < 0 && errno != ESRCH)
			rc = -errno;
		/* not deadline_poll(): safety is not cut short by a stop request */
		while (!rc && poll(&p, 1, deadline_left_ms(d)) <= 0)
			if (deadline_passed(d))
				rc = -ETIMEDOUT;
	}
	close(fd);
	return rc;
}

int proc_kill_noted(const char *path, struct deadline d)
{
	struct buf text = BUF_INIT;
	struct noted n;
	char id[40];
	int rc;

	rc = path_read(path, &text, 4096);
	if (rc) {
		buf_release(&text);
		return rc == -ENOENT ? 0 : rc;
	}
	host_boot_id(id, sizeof(id));
	if (parse(buf_str(&text), &n) == 0 && !strcmp(id, n.boot_id))
		rc = kill_exactly(&n, d);
	buf_release(&text);
	if (!rc && unlink(path) < 0 && errno != ENOENT)
		rc = -errno;
	return rc;
}

static bool has_open(pid_t pid, const char *path)
{
	char dir[32], link[64], target[PATH_MAX];
	struct dirent *e;
	bool found = false;
	DIR *fds;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
	fds = opendir(dir);
	if (!fds)
		return false;
	while (!found && (e = readdir(fds))) {
		ssize_t n;

		snprintf(link, sizeof(link), "%s/%.16s", dir, e->d_name);
		n = readlink(link, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		found = !strcmp(target, path);
	}
	closedir(fds);
	return found;
}

static void process_name(pid_t pid, char *name, size_t size)
{
	struct buf text = BUF_INIT;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	path_read(path, &text, 4096);
	snprintf(name, size, "%.*s", (int)strcspn(buf_str(&text), "\n"), buf_str(&text));
	buf_release(&text);
}

pid_t proc_holder(const char *path, char *name, size_t size)
{
	char *real = realpath(path, NULL);
	DIR *proc = real ? opendir("/proc") : NULL;
	struct dirent *e;
	pid_t holder = 0;

	while (proc && !holder && (e = readdir(proc))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid > 0 && pid != getpid() && has_open(pid, real))
			holder = pid;
	}
	if (proc)
		closedir(proc);
	if (holder)
		process_name(holder, name, size);
	free(real);
	return holder;
}
