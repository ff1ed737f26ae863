/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent on a system that the rig did not make: at the shell that speaks on the DUT's console.
 * Layer: job.
 *
 *	login		prompt found (prompt.h), name and password typed where asked for
 *	transfer	the binary, packed if the system can unpack it, as text: base64 where
 *			the system can decode that, octal escapes for printf elsewhere; line
 *			by line, each answered; or by the board's own way (board_push())
 *	check		SHA-256 or MD5 of what arrived, whichever the system has
 *	start		exec: the shell becomes the agent, which says hello on that console
 *
 * A console is shared with the kernel's messages: an answer that a message cut in two is asked for
 * again, and a line that was written twice or not at all is found by counting bytes.
 */
#ifndef RIG_JOB_SHELL_H
#define RIG_JOB_SHELL_H

#include "base/deadline.h"

struct board;
struct dut;
struct err;
struct lab_agent;

/*
 * agent: path of the binary on this host. 0 when the agent has been started and its hello is to be
 * waited for; -1 with err: BOARD shell-login, shell-transfer, or what dut.h says.
 */
int shell_start_agent(struct dut *d, struct board *board, const struct lab_agent *how,
		      const char *agent, struct deadline limit, struct err *err);

#endif
