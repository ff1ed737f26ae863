/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a splat looks like: the const table behind klog.h. Layer: scan -> libc.
 */
#ifndef RIG_SCAN_PATTERNS_H
#define RIG_SCAN_PATTERNS_H

#include <stddef.h>

#include "scan/klog.h"

enum pattern_flags {
	AT_START = 1, /* the anchor begins the message (after prefixes that end in ": ") */
	FOLLOW = 2,   /* belongs to an open splat; opens one only when there is none */
	LEAD = 4,     /* the next lines say the same again in other words: they are absorbed */
	REST = 8,     /* the title goes on with the rest of the message, normalised */
	LAST = 16,    /* one line, no trace after it */
	UNTIL = 32,   /* like REST, up to the function or address; a function may follow */
	ACCESS = 64,  /* the title goes on with Read or Write, when a line of the body says so */
	GLUED = 256,  /* may follow a word without a blank: the newline between them was lost */
	AGAIN = 128,  /* the same line may come several times, once for each inlined caller */
};

enum pattern_func {
	FUNC_NONE,  /* the title has no function */
	FUNC_LINE,  /* it is in the line itself, or else found as by FUNC_TRACE */
	FUNC_TRACE, /* program counter, or else the first frame that is not noise */
	FUNC_FRAME, /* the first such frame; the program counter says nothing */
	FUNC_LOCK,  /* who takes the lock, "at: func", or else as FUNC_FRAME */
};

struct pattern {
	enum klog_kind kind;
	enum klog_severity severity;
	const char *anchor; /* at least 4 characters, at the beginning of a word */
	/* Words separated by '|', one of which must come later in the message; NULL = none. */
	const char *need;
	const char *forbid; /* the same: none of which may come */
	unsigned int flags;
	enum pattern_func func;
	const char *title; /* what it begins with */
	const struct klog_example *examples;
};

/* More specific rows come first: the first row that matches anywhere in a message is taken. */
extern const struct pattern patterns[];
extern const size_t patterns_n;

#endif
