// SPDX-License-Identifier: GPL-2.0-or-later
/* rig kernel build|list|show|id|package: kernels under test and their cache. Layer: cli. */
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cli/package.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *board;
static const char *patches;
static const char *patches_name;
static const char *base;
static const char *jobs;
static const char *out_dir;
static const char *dtb;

static const struct opt opts[] = {
	{ OPT_STRING, 'b', "board", "BOARD", "the board to build for", &board, 0, 0 },
	{ OPT_STRING, 0, "patches", "DIR|MBOX", "your own patches instead of SERIES:VARIANT",
	  &patches, 0, 0 },
	{ OPT_STRING, 0, "name", "NAME", "what to call them", &patches_name, 0, 0 },
	{ OPT_STRING, 0, "base", "BASE", "debian:PACKAGE, a tarball or git:DIR@REV", &base, 0, 0 },
	{ OPT_STRING, 'j', "jobs", "N", "compilers at once", &jobs, 0, 0 },
	{ OPT_STRING, 'o', "output", "DIR", "package: where the files go", &out_dir, 0, 0 },
	{ OPT_STRING, 0, "dtb", "FILE", "package: the device tree, when the kernel brings none",
	  &dtb, 0, 0 },
	{ .type = OPT_END },
};

static const struct {
	const char *name;
	bool needs_kernel; /* SERIES:VARIANT or --patches, and --board */
	bool packs;	   /* --output and --dtb */
} verbs[] = {
	{ "build", true, false }, { "id", true, false },     { "show", true, false },
	{ "list", false, false }, { "package", true, true },
};

static int check(const char *verb, const char *kernel, struct err *err)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, verb) != 0)
			continue;
		if (verbs[i].needs_kernel && !kernel == !patches)
			return err_set(err, BLAME_USER, "usage",
				       "kernel %s: give either SERIES:VARIANT or --patches", verb);
		if (verbs[i].needs_kernel && !board)
			return err_set(err, BLAME_USER, "usage", "kernel %s: --board is missing",
				       verb);
		if (verbs[i].packs && !out_dir)
			return err_set(err, BLAME_USER, "usage", "kernel %s: --output is missing",
				       verb);
		if (!verbs[i].packs && (out_dir || dtb))
			return err_set(err, BLAME_USER, "usage",
				       "kernel %s: --output and --dtb are those of 'package'",
				       verb);
		return 0;
	}
	return err_set(err, BLAME_USER, "usage",
		       "kernel: unknown verb '%s' (known: build, id, show, list, package)", verb);
}

static int run_package(const char *kernel, struct err *err)
{
	struct kernel_request request = {
		.board = board,
		.name = kernel,
		.patches = patches,
		.patches_name = patches_name,
		.base = base,
	};

	return package_kernel(&request, dtb, out_dir, err);
}

static int run(int n, char **operands, struct err *err)
{
	const struct {
		const char *option;
		const char *value;
	} given[] = {
		{ "--board", board }, { "--patches", patches }, { "--name", patches_name },
		{ "--base", base },   { "--jobs", jobs },
	};
	const char *args[2 + 2 * sizeof(given) / sizeof(given[0]) + 1] = { 0 };
	const char *kernel = n > 1 ? operands[1] : NULL;
	size_t k = 0;

	if (check(operands[0], kernel, err) < 0)
		return -1;
	if (!strcmp(operands[0], "package"))
		return run_package(kernel, err);
	args[k++] = operands[0];
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (!given[i].value)
			continue;
		args[k++] = given[i].option;
		args[k++] = given[i].value;
	}
	if (kernel)
		args[k++] = kernel;
	return kernel_script(args, err);
}

const struct command cmd_kernel = {
	.name = "kernel",
	.args = "build|id|show|list|package [SERIES:VARIANT]",
	.summary = "build the kernels of a patch series, list, show and package them",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 2,
	.run = run,
};
