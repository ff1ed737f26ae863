// SPDX-License-Identifier: GPL-2.0-or-later
/* Strikes of tests at the arrows of the table of states; see strike.h. Layer: rigd. */
#include "rigd/strike.h"
#include "base/spawn.h"

#include <stdlib.h>
#include <unistd.h>

#define STRIKE_MS 20000

void strike(const char *when, const struct strike *s)
{
	const char *program = getenv("RIG_STRIKE");
	const char *argv[] = { program, when, s->kind, s->from, s->to, s->board, s->session, NULL };
	struct spawn sp = SPAWN_INIT;

	if (!program)
		return;
	sp.argv = argv;
	sp.err = STDERR_FILENO;
	/* it may strike us, and then has more to do */
	sp.outlive_parent = true;
	spawn_run(&sp, NULL, deadline_in(STRIKE_MS));
}
