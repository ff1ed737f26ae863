// SPDX-License-Identifier: GPL-2.0-or-later
/* rig top: what the lab does at this moment, again and again. Layer: cli. */
#include "cli/cli.h"
#include "base/signals.h"
#include "rigd/control.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
	bool once;
	long seconds;
} o = { .seconds = 2 };

static const struct opt opts[] = {
	{ OPT_FLAG, '1', "once", NULL, "print it once", &o.once, 0, 0 },
	{ OPT_INT, 'd', "delay", "SECONDS", "between two looks (default: 2)", &o.seconds, 1, 3600 },
	{ .type = OPT_END },
};

static const char *text(const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));

	return s ? s : "";
}

static int64_t number(const json_t *v, const char *key)
{
	return (int64_t)json_integer_value(json_object_get(v, key));
}

static void print_board(const json_t *b)
{
	char job[24] = "-", at[160] = "", state[40];

	if (number(b, "job") || *text(b, "session")) {
		snprintf(job, sizeof(job), "%" PRId64, number(b, "job"));
		snprintf(at, sizeof(at), "%s, visit %" PRId64 ", pair %" PRId64 ": %s (%.0f s)",
			 text(b, "job_state"), number(b, "visit"), number(b, "pair"),
			 text(b, "what"), (double)number(b, "for_ms") / 1000);
	} else if (number(b, "lease")) {
		snprintf(at, sizeof(at), "lease %" PRId64 ": %.100s", number(b, "lease"),
			 text(b, "reason"));
	} else {
		snprintf(at, sizeof(at), "%.150s", text(b, "reason"));
	}
	snprintf(state, sizeof(state), "%s%s", text(b, "state"),
		 *text(b, "hold") && strcmp(text(b, "hold"), text(b, "state")) != 0 ? "*" : "");
	printf("%-20s %-12s %-12s %-6s %s\n", text(b, "board"), text(b, "type"), state, job, at);
}

static void print(const json_t *s)
{
	json_t *boards = json_object_get(s, "boards");
	const json_t *b;
	size_t i;

	printf("rigd %s, pid %" PRId64 ", up %.0f s: %" PRId64 " queued, %" PRId64 " run; %" PRId64
	       " started, %" PRId64 " ended, %" PRId64 " clients\n",
	       text(s, "version"), number(s, "pid"), (double)number(s, "uptime_ms") / 1000,
	       number(s, "queued"), number(s, "open") - number(s, "queued"), number(s, "started"),
	       number(s, "ended"), number(s, "clients"));
	if (*text(s, "space"))
		printf("nothing starts: %s\n", text(s, "space"));
	printf("%-20s %-12s %-12s %-6s %s\n", "BOARD", "TYPE", "STATE", "JOB", "AT");
	json_array_foreach (boards, i, b)
		print_board(b);
	fflush(stdout);
}

static int look(struct control *c, struct err *err)
{
	json_t *answer = NULL;
	int rc = control_call(c, json_pack("{s:s}", "op", "status"), &answer, err);

	if (!rc) {
		if (!o.once && isatty(STDOUT_FILENO))
			fputs("\033[H\033[2J", stdout);
		print(answer);
	}
	json_decref(answer);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	struct control *c = NULL;
	int rc = control_open(&c, err);

	(void)n;
	(void)operands;
	if (!rc)
		rc = look(c, err);
	while (!rc && !o.once && !stop_requested()) {
		poll(NULL, 0, (int)o.seconds * 1000);
		if (!stop_requested())
			rc = look(c, err);
	}
	control_close(c);
	return rc;
}

const struct command cmd_top = {
	.name = "top",
	.args = "",
	.summary = "what each board of the daemon does now",
	.opts = opts,
	.run = run,
};
