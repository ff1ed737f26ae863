/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT and SIGTERM set a flag that every blocking wait of the rig looks at, so that a program
 * can leave by its normal way out: board off, run directory whole. A second SIGINT changes
 * nothing: making a board safe is never cut short by impatience.
 */
#ifndef RIG_BASE_SIGNALS_H
#define RIG_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Installs the handlers for SIGINT, SIGTERM and SIGHUP (without SA_RESTART) and ignores SIGPIPE. */
void stop_install(void);

/* Those three, for who waits for them otherwise. */
void stop_signals(sigset_t *set);

/* True from the first such signal on. */
bool stop_requested(void);

/* The signal that was received first; 0 for none. */
int stop_signal(void);

/*
 * While deferred, stop_requested() says no: a board is made safe by the same waits that a stop
 * ends. The request is kept for afterwards. Calls nest.
 */
void stop_defer(void);
void stop_resume(void);

/* Forgets the request: called before the board is made safe, so that its waits work. */
void stop_clear(void);

#endif
