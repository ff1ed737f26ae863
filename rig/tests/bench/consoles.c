// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many consoles at full rate, each through a keeper (rig-console) of its own: ptys that are written
 * to at the line's speed, in bursts as a USB adapter delivers them, a job that reads its stream,
 * and readers of which one never reads. Prints what each keeper used, and whether every byte is on
 * disk.
 *	consoles N BAUD SECONDS BURST_MS	(RIG_HOME, and PATH with rig-console beside this)
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/path.h"
#include "io/attach.h"
#include "io/record.h"
#include "io/unix.h"

#define BOARDS_MAX 64
#define CHUNK_MAX  65536
#define LATE_MS	   16 /* of the bench itself, on a busy host */

struct board {
	char name[16];
	char *dir;
	struct attach *job, *reader;
	int master, stream;
	unsigned long long sent, read, lost, idle;
	uint64_t seed;
	double cpu_s; /* before the run */
};

static struct board boards[BOARDS_MAX];

static void die(const char *what, int rc)
{
	fprintf(stderr, "consoles: %s: %s\n", what, strerror(abs(rc)));
	exit(3);
}

static pid_t peer(int fd)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) ? 0 : cred.pid;
}

static double cpu_of(pid_t pid)
{
	unsigned long long utime = 0, stime = 0;
	char path[64], line[1024] = "";
	char *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f) && (p = strrchr(line, ')')))
		sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &utime,
		       &stime);
	if (f)
		fclose(f);
	return (double)(utime + stime) / (double)sysconf(_SC_CLK_TCK);
}

static long status_of(pid_t pid, const char *key)
{
	char path[64], line[256];
	long value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			value = strtol(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return value;
}

/* Bytes that tell their place: a generator that can be run again over the log. */
static unsigned char next_byte(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (unsigned char)(*x >> 32);
}

static void open_pty(struct board *b, int *slave)
{
	struct termios t;

	if (openpty(&b->master, slave, NULL, NULL, NULL))
		die("openpty", errno);
	tcgetattr(*slave, &t);
	cfmakeraw(&t);
	tcsetattr(*slave, TCSANOW, &t);
	fcntl(b->master, F_SETFD, FD_CLOEXEC);
	fcntl(b->master, F_SETFL, O_NONBLOCK);
}

static void begin(struct board *b, int i)
{
	struct deadline d = deadline_in(30000);
	char *path;
	int slave, rc;

	snprintf(b->name, sizeof(b->name), "c%02d", i);
	b->dir = path_in_home("bench/%s", b->name);
	path_mkdirs(b->dir);
	b->seed = 0x9e3779b97f4a7c15u + (uint64_t)i;
	rc = attach_start(&b->job, b->name, NULL, ATTACH_JOB, "bench", d);
	if (!rc)
		rc = attach_record(b->job, b->dir, d);
	if (rc)
		die(b->name, rc);
	open_pty(b, &slave);
	rc = attach_source(b->job, slave, &b->stream, d);
	close(slave);
	path = attach_path(b->name);
	if (!rc)
		rc = attach_open(&b->reader, path, ATTACH_READ, "bench", d);
	free(path);
	if (rc)
		die(b->name, rc);
}

/* What is due by now; a board that is not read in time overruns, which is what is measured. */
static void send_due(struct board *b, unsigned long long due, unsigned long long most)
{
	static unsigned char chunk[CHUNK_MAX];

	/* no line sends faster because it was late: when we were, it was idle */
	if (due - b->sent - b->lost - b->idle > most)
		b->idle = due - b->sent - b->lost - most;
	while (b->sent + b->lost + b->idle < due) {
		size_t n = (size_t)(due - b->sent - b->lost - b->idle);
		uint64_t x = b->seed;
		ssize_t done;

		n = n < sizeof(chunk) ? n : sizeof(chunk);
		for (size_t i = 0; i < n; i++)
			chunk[i] = next_byte(&x);
		done = write(b->master, chunk, n);
		if (done <= 0) {
			b->lost += n;
			return;
		}
		b->sent += (unsigned long long)done;
		for (ssize_t i = 0; i < done; i++)
			next_byte(&b->seed);
	}
}

static void take(struct board *b, bool reads)
{
	struct attach_packet p;
	char chunk[CHUNK_MAX];
	ssize_t n;

	while ((n = recv(b->stream, chunk, sizeof(chunk), MSG_DONTWAIT)) > 0)
		b->read += (unsigned long long)n;
	while (reads && attach_next(b->reader, &p) > 0)
		;
}

static void run(int n, long baud, double seconds, unsigned int burst_ms)
{
	uint64_t start = mono_ns();
	double t = 0;

	while (t < seconds) {
		t = (double)(mono_ns() - start) / 1e9;
		for (int i = 0; i < n; i++)
			send_due(&boards[i], (unsigned long long)(t * (double)baud / 10),
				 (unsigned long long)baud * (burst_ms + LATE_MS) / 10000);
		for (int i = 0; i < n; i++)
			take(&boards[i], i != 0);
		poll(NULL, 0, (int)burst_ms);
	}
}

/* The log, byte by byte. */
static unsigned long long right_bytes(const struct board *b, int i)
{
	uint64_t x = 0x9e3779b97f4a7c15u + (uint64_t)i;
	char *path = path_join(b->dir, RECORD_LOG);
	unsigned long long n = 0;
	FILE *f = fopen(path, "re");
	int c;

	while (f && (c = getc(f)) != EOF && c == next_byte(&x))
		n++;
	if (f)
		fclose(f);
	free(path);
	return n;
}

static void settle(int n)
{
	struct deadline d = deadline_in(10000);
	bool all = false;

	while (!all && !deadline_passed(d)) {
		all = true;
		for (int i = 0; i < n; i++) {
			take(&boards[i], i != 0);
			all = all && boards[i].read == boards[i].sent;
		}
		poll(NULL, 0, 10);
	}
}

static int report(int n, double seconds)
{
	unsigned long long sent = 0, disk = 0, lost = 0, idle = 0;
	double cpu = 0, most = 0;
	long rss = 0, switches = 0;

	for (int i = 0; i < n; i++) {
		struct board *b = &boards[i];
		pid_t pid = peer(attach_fd(b->job));
		double used = cpu_of(pid) - b->cpu_s;
		long kb = status_of(pid, "VmRSS:");

		cpu += used;
		most = used > most ? used : most;
		rss = kb > rss ? kb : rss;
		switches += status_of(pid, "voluntary_ctxt_switches:");
		sent += b->sent;
		lost += b->lost;
		idle += b->idle;
		disk += right_bytes(b, i);
		attach_quit(b->job, deadline_in(10000));
	}
	printf("%d consoles: %llu bytes sent, %llu right on disk, %llu that no pty took; the bench was "
	       "late for %llu\n",
	       n, sent, disk, lost, idle);
	printf("keepers: CPU %.2f %% of one core each (most %.2f %%), %.0f wake-ups/s each, at most %ld "
	       "KiB resident\n",
	       100 * cpu / n / seconds, 100 * most / seconds, (double)switches / n / seconds, rss);
	return disk == sent && !lost ? 0 : 1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 16;
	long baud = argc > 2 ? strtol(argv[2], NULL, 10) : 921600;
	double seconds = argc > 3 ? strtod(argv[3], NULL) : 10;
	unsigned int burst_ms = argc > 4 ? (unsigned int)strtol(argv[4], NULL, 10) : 4;

	if (n < 1 || n > BOARDS_MAX)
		return 64;
	signal(SIGPIPE, SIG_IGN);
	/* a line does not wait for a CPU: we had better not either */
	setpriority(PRIO_PROCESS, 0, -20);
	for (int i = 0; i < n; i++)
		begin(&boards[i], i);
	for (int i = 0; i < n; i++)
		boards[i].cpu_s = cpu_of(peer(attach_fd(boards[i].job)));
	run(n, baud, seconds, burst_ms);
	settle(n);
	return report(n, seconds);
}
