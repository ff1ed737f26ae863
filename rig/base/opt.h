/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command-line options from a const table: one row drives parsing, limits, the usage text and
 * (through `rig help`) the man page.
 */
#ifndef RIG_BASE_OPT_H
#define RIG_BASE_OPT_H

#include <stddef.h>
#include <stdio.h>

struct err;

enum opt_type {
	OPT_END = 0,
	OPT_FLAG,   /* bool *: set to true */
	OPT_STRING, /* const char **: the argument, not copied */
	OPT_LIST,   /* struct opt_list *: may be given several times */
	OPT_INT,    /* long *: within min..max */
};

#define OPT_LIST_MAX 32

struct opt_list {
	const char *values[OPT_LIST_MAX];
	size_t count;
};

struct opt {
	enum opt_type type;
	char letter;	  /* short form, 0 = none */
	const char *name; /* long form without the dashes */
	const char *arg;  /* what the argument is called in the usage; NULL for a flag */
	const char *help;
	void *value;
	long min, max; /* OPT_INT */
};

/*
 * Parses argv[1..]; options and operands may be mixed, "--" ends the options. The operands are
 * moved to argv[1..*operands]. Returns 0, or -1 with a message that names the option and, for an
 * unknown one, the nearest known.
 */
int opt_parse(const struct opt *table, int argc, char **argv, int *operands, struct err *err);

/* One line an option, aligned. */
void opt_usage(const struct opt *table, FILE *out);

#endif
