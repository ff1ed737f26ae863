// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig-sim: prints how good the gate and the history are on simulated boards, beside what others
 * reach, and whether the goals are met; see sim.h. A developer's tool, run by `make sim`.
 * Layer: results.
 */
#include <limits.h>
#include <string.h>

#include "base/err.h"
#include "base/opt.h"
#include "base/path.h"
#include "results/sim/sim.h"

#define REPS_DEFAULT 4000

static const struct part {
	const char *name, *help;
	void (*run)(struct sim *s);
} parts[] = {
	{ "single", "one comparison, by each test", sim_single },
	{ "levels", "the levels of the gate's looks, families and priors", sim_levels },
	{ "patches", "whole sessions of four workloads, by the gate", sim_patches },
	{ "history", "change points of nightly series", sim_history },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

struct options {
	long seed, reps, threads;
	const char *dir;
	struct opt_list only;
	bool help;
};

static int usage(const struct opt *table, FILE *out)
{
	fputs("usage: rig-sim [--seed N] [--reps N] [--only PART]... [--dir DIR]\n"
	      "Exit codes: 0 all goals met or even, 1 some missed.\n\nparts:\n",
	      out);
	for (size_t i = 0; i < PARTS; i++)
		fprintf(out, "  %-10s %s\n", parts[i].name, parts[i].help);
	fputs("\n", out);
	opt_usage(table, out);
	return out == stdout ? EXIT_PASS : EXIT_USAGE;
}

static bool wanted(const struct opt_list *only, const char *name)
{
	for (size_t i = 0; i < only->count; i++)
		if (!strcmp(only->values[i], name))
			return true;
	return only->count == 0;
}

static int check(const struct options *o, struct err *err)
{
	for (size_t i = 0; i < o->only.count; i++) {
		size_t k = 0;

		while (k < PARTS && strcmp(parts[k].name, o->only.values[i]) != 0)
			k++;
		if (k == PARTS)
			return err_set(err, BLAME_USER, "part",
				       "--only %s: no such part; see --help", o->only.values[i]);
	}
	if (o->dir && path_mkdirs(o->dir))
		return err_set(err, BLAME_USER, "dir", "--dir %s cannot be made", o->dir);
	return 0;
}

static int run(const struct options *o)
{
	static struct sim s;

	s.seed = (uint64_t)o->seed;
	s.reps = (int)o->reps;
	s.threads = (int)o->threads;
	s.dir = o->dir;
	s.out = stdout;
	fprintf(s.out, "seed %ld, %ld repetitions a cell; published figures in brackets\n", o->seed,
		o->reps);
	for (size_t i = 0; i < PARTS; i++)
		if (wanted(&o->only, parts[i].name))
			parts[i].run(&s);
	return sim_verdict(&s) ? EXIT_FAIL : EXIT_PASS;
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1, .reps = REPS_DEFAULT, .threads = 2 };
	const struct opt table[] = {
		{ OPT_INT, 's', "seed", "N", "of all random numbers (1)", &o.seed, 0, LONG_MAX },
		{ OPT_INT, 'n', "reps", "N", "repetitions of each cell (4000; published: 20000)",
		  &o.reps, 10, 10000000 },
		{ OPT_LIST, 'o', "only", "PART", "only this part; may be repeated", &o.only, 0, 0 },
		{ OPT_STRING, 'd', "dir", "DIR", "raw numbers as CSV go there", &o.dir, 0, 0 },
		{ OPT_INT, 'j', "threads", "N", "threads (2); the figures do not depend on it",
		  &o.threads, 1, SIM_THREADS_MAX },
		{ OPT_FLAG, 'h', "help", NULL, "this text", &o.help, 0, 0 },
		{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0 },
	};
	struct err err = ERR_INIT;
	int operands;

	if (opt_parse(table, argc, argv, &operands, &err) || check(&o, &err)) {
		fprintf(stderr, "rig-sim: %s\n", err.message);
		return EXIT_USAGE;
	}
	if (o.help || operands)
		return usage(table, o.help ? stdout : stderr);
	return run(&o);
}
