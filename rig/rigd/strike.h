/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: a program, $RIG_STRIKE, that is run at every arrow of the table of states, once before
 * and once after the store knows of it, and that may do what it likes to the daemon, its jobs and
 * its disk. Nothing happens without that variable. The daemon waits for the program.
 *
 *	PROGRAM before|after job|board FROM TO BOARD SESSION
 *
 * Layer: rigd -> base.
 */
#ifndef RIG_RIGD_STRIKE_H
#define RIG_RIGD_STRIKE_H

struct strike {
	const char *kind; /* "job", "board" */
	const char *from, *to;
	const char *board, *session; /* "" = none */
};

void strike(const char *when, const struct strike *s);

#endif
