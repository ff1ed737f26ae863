// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step iperf3 over a cable whose two ends are both in this machine. Keys: arg from= to= seconds=
 * way= streams=. The end `to` gets a network name space of its own with the server in it, so
 * that every packet takes the cable and none the short cut. FILEs: stdout (JSON of the client),
 * server, stderr, command.
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/net.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENT	"10.55.0.1"
#define SERVER	"10.55.0.2"
#define WAIT_MS 10000

static struct iperf3 {
	char from[NET_NAME], to[NET_NAME];
	uint64_t seconds, streams;
	bool reverse;
	char server_log[320];
} iperf;

/* ---- the server's side ---- */

/* One letter each way: "in the name space", "the interface is here". */
static int sync_with(int fd, char say)
{
	char heard;

	if (say && write(fd, &say, 1) != 1)
		return -1;
	return read(fd, &heard, 1) == 1 ? 0 : -1;
}

static void be_server(int in, int out)
{
	static const char *const argv[] = { "iperf3", "-s", "-1", "-B", SERVER, NULL };
	int log = open(iperf.server_log, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (unshare(CLONE_NEWNET) || write(out, "n", 1) != 1 || sync_with(in, 0))
		_exit(1);
	if (net_up("lo") || net_address(iperf.to, SERVER) || net_up(iperf.to))
		_exit(2);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	if (write(out, "s", 1) != 1)
		_exit(3);
	close(in);
	close(out);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static int start_server(pid_t *pid)
{
	int down[2], up[2], rc;

	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC))
		return work_fail("%s", strerror(errno));
	*pid = fork();
	if (*pid < 0)
		return work_fail("%s", strerror(errno));
	if (!*pid)
		be_server(down[0], up[1]);
	close(up[1]);
	if (sync_with(up[0], 0))
		return work_unsupported("this kernel has no network name spaces (NET_NS)");
	rc = net_move(iperf.to, *pid);
	if (rc)
		return work_fail("%s cannot be moved to a name space: %s", iperf.to, strerror(-rc));
	if (write(down[1], "i", 1) != 1 || sync_with(up[0], 0))
		return work_fail("%s cannot be set up in its name space", iperf.to);
	close(up[0]);
	close(down[0]);
	close(down[1]);
	return 0;
}

/* ---- the client's ---- */

static int run_client(void)
{
	char seconds[24], streams[24];
	const char *argv[] = { "iperf3",
			       "-c",
			       SERVER,
			       "-B",
			       CLIENT,
			       "-J",
			       "-t",
			       seconds,
			       "-P",
			       streams,
			       "--connect-timeout",
			       "3000",
			       iperf.reverse ? "-R" : NULL,
			       NULL };
	int status;
	pid_t pid;

	snprintf(seconds, sizeof(seconds), "%llu", (unsigned long long)iperf.seconds);
	snprintf(streams, sizeof(streams), "%llu", (unsigned long long)iperf.streams);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return work_fail("%s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return work_unsupported("no iperf3 on this machine");
	return status ? work_fail("iperf3 ended with status 0x%x", (unsigned int)status) : 0;
}

static int work(void *step)
{
	pid_t server = 0;
	int rc = start_server(&server);

	(void)step;
	if (!rc) {
		rc = net_address(iperf.from, CLIENT);
		if (!rc)
			rc = net_up(iperf.from);
		rc = rc ? work_fail("%s: %s", iperf.from, strerror(-rc)) : 0;
	}
	/* the listening socket, and the link */
	poll(NULL, 0, 500);
	if (!rc)
		rc = run_client();
	if (server > 0) {
		kill(server, rc ? SIGKILL : SIGTERM);
		waitpid(server, NULL, 0);
	}
	return rc;
}

/* ---- the step ---- */

static void send_command(struct step *s)
{
	char text[300];
	int n = snprintf(text, sizeof(text),
			 "iperf3 -c " SERVER " -B " CLIENT " -J -t %llu -P %llu%s # %s to %s\n",
			 (unsigned long long)iperf.seconds, (unsigned long long)iperf.streams,
			 iperf.reverse ? " -R" : "", iperf.from, iperf.to);

	step_file_data(s, "command", text, (size_t)n);
}

static void run(struct step *s)
{
	char out[320], err[320];

	step_path(s, "stdout", out, sizeof(out));
	step_path(s, "stderr", err, sizeof(err));
	step_path(s, "server", iperf.server_log, sizeof(iperf.server_log));
	run_function(s->agent, work, s, out, err, s->timeout_ms, &s->run);
	step_judge(s, "iperf3", err);
	send_command(s);
	if (!s->run.error) {
		step_file(s, "stdout", out);
		step_file(s, "stderr", err);
	}
	if (!access(iperf.server_log, R_OK))
		step_file(s, "server", iperf.server_log);
	unlink(out);
	unlink(err);
	unlink(iperf.server_log);
}

static bool read_way(struct step *s)
{
	const char *way = args_text(s, "way", "out");

	iperf.reverse = !strcmp(way, "in");
	if (iperf.reverse || !strcmp(way, "out"))
		return true;
	step_end(s, STEP_FAILED, "way=%s: out or in", way);
	return false;
}

void step_iperf3(struct step *s)
{
	const char *root = s->agent->root;
	char why[160];

	memset(&iperf, 0, sizeof(iperf));
	if (!args_number(s, "seconds", 10, 1, 3600, &iperf.seconds) ||
	    !args_number(s, "streams", 1, 1, 64, &iperf.streams) || !read_way(s))
		return;
	if (net_find(root, args_text(s, "from", ""), WAIT_MS, iperf.from, why, sizeof(why)) ||
	    net_find(root, args_text(s, "to", ""), WAIT_MS, iperf.to, why, sizeof(why)))
		step_end(s, STEP_UNSUPPORTED, "%s", why);
	else
		run(s);
}
