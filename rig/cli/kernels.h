/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels by name: runs kernel/build.sh, which answers from its cache where it can, and reads the
 * manifest of the entry. Layer: cli.
 */
#ifndef RIG_CLI_KERNELS_H
#define RIG_CLI_KERNELS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct kernel_request {
	const char *board;
	const char *name;	  /* SERIES:VARIANT, or id:PREFIX; NULL with patches */
	const char *patches;	  /* directory or mbox of the user; NULL = none */
	const char *patches_name; /* what to call them; NULL = the script's choice */
	const char *base;	  /* NULL = the series' own */
};

struct kernel_entry {
	char *dir; /* the cache entry */
	char *id;
	char *name;    /* SERIES:VARIANT, or what the patches were called */
	char *cmdline; /* what the variant adds to the kernel command line; "" = nothing */
};

/* Is it the name of a kernel in the cache: "id:22e2d209"? */
bool kernel_is_id(const char *name);

/*
 * Builds, or finds in the cache. Progress goes to stderr. 0, or -1 with *err: USER for a patch
 * that does not apply or an unknown name (the script has printed the particulars), RIG else.
 *
 * With a name id:PREFIX nothing is built: it is the kernel of the cache whose id begins so,
 * whatever board of the same architecture it was built for. USER: none or several begin so.
 */
int kernel_build(const struct kernel_request *request, struct kernel_entry *entry, struct err *err);

void kernel_entry_release(struct kernel_entry *entry);

/* Runs `kernel/build.sh VERB ARGS... --home $RIG_HOME` with the caller's stdout; its exit code, or
 * -1. */
int kernel_script(const char *const *args, struct err *err);

#endif
