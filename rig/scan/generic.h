/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that only reports, unwinds, locks, allocates, copies or waits for others: it stands in every
 * trace and is never the name of a defect. Two const tables, functions and source files, walked
 * by a test. Layer: scan -> libc.
 */
#ifndef RIG_SCAN_GENERIC_H
#define RIG_SCAN_GENERIC_H

#include <stdbool.h>
#include <stddef.h>

/* "dump_stack", "kasan_report", "mutex_lock_nested": not the function of a title. */
bool generic_func(const char *func);

/* "lib/list_debug.c", "include/linux/slab.h": not the file to blame. A path inside the kernel. */
bool generic_file(const char *file);

/* The rows, for the test: '*' stands for anything, at the beginning, at the end, or at both. */
extern const char *const generic_funcs[], *const generic_files[];
extern const size_t generic_funcs_n, generic_files_n;

#endif
