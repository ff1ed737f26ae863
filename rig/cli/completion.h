/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion for shells, made from the tables of commands and options, so it knows what this
 * program knows:
 *
 *	eval "$(rig completion bash)"		rig completion zsh > "${fpath[1]}/_rig"
 *
 * Layer: cli.
 */
#ifndef RIG_CLI_COMPLETION_H
#define RIG_CLI_COMPLETION_H

#include <stddef.h>

#include "base/err.h"

struct command;

/* The script for "bash" or "zsh" to the standard output. 0, or -1 with *err (USER). */
int completion_print(const char *shell, const struct command *const *commands, size_t n,
		     struct err *err);

#endif
