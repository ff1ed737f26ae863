/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors with blame. From the board layer up, the last argument of a function that can fail is a
 * struct err *; base and io return 0 or -errno and print nothing.
 *
 * The message is built where the context is known and prefixed by callers like a path:
 *	virt-ufs: boot: no agent hello in 20 s; last console line: '...'
 */
#ifndef RIG_BASE_ERR_H
#define RIG_BASE_ERR_H

#include <stddef.h>

/* Whose fault it is. The order is the order of the table in err.c. */
enum blame {
	BLAME_NONE,
	BLAME_USER,   /* a wrong command, file or key: the person can mend it */
	BLAME_RIG,    /* our own programs, the host, its disk */
	BLAME_BOARD,  /* board, cable, power, QEMU */
	BLAME_KERNEL, /* the kernel under test */
	BLAME_TEST,   /* the workload itself */
};

/* Exit codes of every program and script of the rig. */
enum rig_exit {
	EXIT_PASS = 0,
	EXIT_FAIL = 1,
	EXIT_INCONCLUSIVE = 2,
	EXIT_INVALID = 3, /* rig, board or test fault */
	EXIT_USAGE = 64,  /* the caller's mistake, see BLAME_USER */
};

#define ERR_MESSAGE_SIZE 1024

struct err {
	enum blame blame;
	char code[32]; /* a short stable word for programs: "boot-timeout"; may be empty */
	char message[ERR_MESSAGE_SIZE]; /* one line for a person, without a final newline */
};

#define ERR_INIT                                                                                   \
	{                                                                                          \
		BLAME_NONE, "", ""                                                                 \
	}

/* Fills err (may be NULL) and returns -1, so that `return err_set(...)` reads well. */
int err_set(struct err *err, enum blame blame, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Like err_set with ": strerror(errnum)" appended. errnum is positive or negative errno. */
int err_sys(struct err *err, enum blame blame, const char *code, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* Puts "prefix: " before the message; returns -1. A message that grows too long loses its end. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "USER", "RIG", ... ; "NONE" for BLAME_NONE. */
const char *blame_name(enum blame blame);

/* The inverse; BLAME_NONE for an unknown name. */
enum blame blame_parse(const char *name);

/* EXIT_USAGE for the user's mistakes, EXIT_FAIL for the kernel's, EXIT_INVALID for all others. */
int err_exit_code(const struct err *err);

#endif
