// SPDX-License-Identifier: GPL-2.0-or-later
/* The stop flag; see signals.h. Layer: base. */
#include "base/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t received;
static int deferred;

static void on_stop(int sig)
{
	if (!received)
		received = sig;
}

static const int stopping[] = { SIGINT, SIGTERM, SIGHUP };

void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++)
		sigaddset(set, stopping[i]);
}

void stop_install(void)
{
	struct sigaction sa = { .sa_handler = on_stop };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++)
		sigaction(stopping[i], &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

bool stop_requested(void)
{
	return received != 0 && !deferred;
}

int stop_signal(void)
{
	return received;
}

void stop_defer(void)
{
	deferred++;
}

void stop_resume(void)
{
	deferred--;
}

void stop_clear(void)
{
	received = 0;
}
