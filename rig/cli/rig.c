// SPDX-License-Identifier: GPL-2.0-or-later
/* rig: finds the command's row, parses its options, runs it, prints its error. Layer: cli. */
#include "cli/cli.h"
#include "cli/completion.h"
#include "base/guess.h"
#include "base/log.h"
#include "base/signals.h"
#include "version.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One a line: the order of `rig help`. */
/* clang-format off */
static const struct command *const commands[] = {
	&cmd_run,
	&cmd_submit,
	&cmd_queue,
	&cmd_cancel,
	&cmd_top,
	&cmd_nightly,
	&cmd_morning,
	&cmd_report,
	&cmd_gate,
	&cmd_sessions,
	&cmd_log,
	&cmd_import,
	&cmd_scan,
	&cmd_parse,
	&cmd_kernel,
	&cmd_suite,
	&cmd_boards,
	&cmd_health,
	&cmd_lease,
	&cmd_audit,
	&cmd_power,
	&cmd_console,
	&cmd_doctor,
	&cmd_calibrate,
	&cmd_compare,
	&cmd_check,
	&cmd_history,
	&cmd_query,
	&cmd_db,
};
/* clang-format on */

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *out)
{
	fputs("usage: rig COMMAND [options] ...\n\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n`rig COMMAND --help` shows a command's options. Exit codes: 0 PASS, 1 FAIL,\n"
	      "2 INCONCLUSIVE, 3 INVALID or a fault of rig or board, 64 wrong usage.\n",
	      out);
}

static void command_usage(const struct command *c, FILE *out)
{
	fprintf(out, "usage: rig %s%s %s\n%s\n", c->name, c->opts ? " [options]" : "", c->args,
		c->summary);
	if (c->opts)
		opt_usage(c->opts, out);
}

static const struct command *find(const char *name, struct err *err)
{
	struct guess guess = GUESS_INIT;

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
		guess_offer(&guess, name, commands[i]->name);
	}
	if (guess.best)
		err_set(err, BLAME_USER, "usage", "unknown command '%s'; did you mean '%s'?", name,
			guess.best);
	else
		err_set(err, BLAME_USER, "usage", "unknown command '%s'; `rig help` lists them",
			name);
	return NULL;
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int run(const struct command *c, int argc, char **argv, struct err *err)
{
	static const struct opt none[] = { { .type = OPT_END } };
	int n;

	if (opt_parse(c->opts ? c->opts : none, argc, argv, &n, err) < 0)
		return -1;
	if (n < c->min_operands || n > c->max_operands)
		return err_set(err, BLAME_USER, "usage", "usage: rig %s%s %s", c->name,
			       c->opts ? " [options]" : "", c->args);
	return c->run(n, argv + 1, err);
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	const struct command *c;
	int rc;

	log_init("rig", false);
	stop_install();
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("rig " RIG_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "completion")) {
		rc = completion_print(argv[2], commands, COMMAND_COUNT, &err);
		return rc < 0 ? log_err(&err) : rc;
	}
	c = find(argv[1], &err);
	if (!c)
		return log_err(&err);
	if (wants_help(argc - 1, argv + 1)) {
		command_usage(c, stdout);
		return 0;
	}
	rc = run(c, argc - 1, argv + 1, &err);
	if (rc < 0)
		return log_err(&err);
	/* a full disk or a closed pipe must not pass for success */
	if (fflush(stdout) == EOF || ferror(stdout)) {
		log_warn("the output could not be written completely");
		return rc ? rc : EXIT_INVALID;
	}
	return rc;
}
