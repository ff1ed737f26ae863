/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a keeper records what a board says between jobs. Layer: console. */
#ifndef RIG_CONSOLE_IDLE_H
#define RIG_CONSOLE_IDLE_H

#include <stddef.h>

/*
 * A new directory below parent, named after the time, and the oldest of those that are there
 * already removed until at most kept are left. The caller frees; NULL = it cannot be created.
 */
char *idle_dir(const char *parent, size_t kept);

#endif
