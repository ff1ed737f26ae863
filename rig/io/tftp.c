// SPDX-License-Identifier: GPL-2.0-or-later
/* A TFTP server for bootloaders; see tftp.h. Layer: io. */
#include "io/tftp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/spawn.h"
#include "io/tool.h"

#define TFTP_PORT 69
#define ASK_MS	  100 /* between two questions whether it answers */
#define STOP_MS	  500

struct tftp {
	char *dir;
	pid_t pid; /* 0 = not running */
	int words_fd;
	struct sockaddr_in addr;
};

/* RFC 1350: opcode 1 (read request), file, mode. No such file: an error packet, so it answers. */
static int ask(const struct tftp *t, int fd)
{
	static const char request[] = "\0\1.rig-is-it-there\0octet";

	return sendto(fd, request, sizeof(request), 0, (const struct sockaddr *)&t->addr,
		      sizeof(t->addr)) < 0
		       ? -errno
		       : 0;
}

static int wait_answer(struct tftp *t, struct deadline d)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = fd < 0 ? -errno : 0;

	while (!rc) {
		/* a refusal of the last question is reported by the next call: ask again */
		ask(t, fd);
		rc = deadline_poll(fd, POLLIN, deadline_min(d, deadline_in(ASK_MS)));
		if (rc > 0 && recv(fd, (char[512]){ 0 }, 512, MSG_DONTWAIT) > 0)
			break;
		rc = rc < 0 ? rc : tftp_check(t);
		if (!rc && deadline_passed(d))
			rc = -ETIMEDOUT;
	}
	if (fd >= 0)
		close(fd);
	return rc > 0 ? 0 : rc;
}

/* bind() tells what dnsmasq would only log. */
static int probe_address(const struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return -errno;
	rc = bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 ? -errno : 0;
	close(fd);
	return rc == -EADDRINUSE ? -EADDRNOTAVAIL : rc;
}

static int start(struct tftp *t, const char *address)
{
	char *listen_arg = xasprintf("--listen-address=%s", address);
	char *root_arg = xasprintf("--tftp-root=%s", t->dir);
	/*
	 * Not --tftp-single-port: with --listen-address it fails, "Network is unreachable" (2.90).
	 * User and group stay as they are: a change of either makes the kernel forget that the
	 * server is to die with us.
	 */
	const char *argv[] = { "dnsmasq",
			       "--keep-in-foreground",
			       "--conf-file=/dev/null",
			       "--port=0",
			       "--no-resolv",
			       "--no-hosts",
			       "--bind-interfaces",
			       "--enable-tftp",
			       "--log-facility=-",
			       "--pid-file=",
			       "--user=root",
			       "--group=root",
			       listen_arg,
			       root_arg,
			       NULL };
	struct spawn s = SPAWN_INIT;
	pid_t pid;

	s.argv = argv;
	s.out = s.err = t->words_fd;
	pid = spawn_start(&s);
	free(listen_arg);
	free(root_arg);
	if (pid < 0)
		return (int)pid;
	t->pid = pid;
	return 0;
}

int tftp_start(struct tftp **out, const char *address, const char *dir, struct deadline d)
{
	struct tftp *t = xcalloc(1, sizeof(*t));
	int rc = 0;

	t->dir = xstrdup(dir);
	t->addr.sin_family = AF_INET;
	t->addr.sin_port = htons(TFTP_PORT);
	t->words_fd = memfd_create("rig-tftp", MFD_CLOEXEC);
	if (t->words_fd < 0)
		rc = -errno;
	else if (inet_pton(AF_INET, address, &t->addr.sin_addr) != 1)
		rc = -EINVAL;
	if (!rc)
		rc = probe_address(&t->addr);
	if (!rc)
		rc = path_remove(dir);
	if (!rc)
		rc = path_mkdirs(dir);
	if (!rc)
		rc = start(t, address);
	if (!rc)
		rc = wait_answer(t, d);
	if (rc)
		tftp_stop(t);
	else
		*out = t;
	return rc;
}

void tftp_stop(struct tftp *t)
{
	if (!t)
		return;
	if (t->pid)
		spawn_kill(t->pid, STOP_MS, NULL);
	if (t->words_fd >= 0)
		close(t->words_fd);
	path_remove(t->dir);
	free(t->dir);
	free(t);
}

static int copy(int in, int out)
{
	struct stat st;
	off_t at = 0;

	if (fstat(in, &st) < 0)
		return -errno;
	while (at < st.st_size) {
		ssize_t n = sendfile(out, in, &at, (size_t)(st.st_size - at));

		if (n <= 0)
			return n ? -errno : -EIO;
	}
	return 0;
}

int tftp_put(struct tftp *t, const char *name, const char *path)
{
	char *target;
	int in, out;
	int rc;

	if (!*name || *name == '.' || strchr(name, '/'))
		return -EINVAL;
	in = open(path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return -errno;
	target = path_join(t->dir, name);
	out = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	rc = out < 0 ? -errno : copy(in, out);
	if (out >= 0)
		close(out);
	if (rc)
		unlink(target);
	close(in);
	free(target);
	return rc;
}

int tftp_check(struct tftp *t)
{
	int status;

	if (!t->pid)
		return -ECHILD;
	if (waitpid(t->pid, &status, WNOHANG) != t->pid)
		return 0;
	t->pid = 0;
	return -ECHILD;
}

void tftp_last_words(const struct tftp *t, char *line, size_t size)
{
	struct buf text = BUF_INIT;
	char chunk[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(t->words_fd, chunk, sizeof(chunk), at)) > 0) {
		buf_append(&text, chunk, (size_t)n);
		at += n;
	}
	tool_last_words(&text, line, size);
	buf_release(&text);
}
